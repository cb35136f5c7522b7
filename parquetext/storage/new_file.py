"""New local files, which get their names when they are complete."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Callable
from typing import TYPE_CHECKING

from .. import systems
from ..errors import Conflict, ParquetextError
from .folder import NEW, Folder, at, beside, names_file, status_of
from .hadoop_crc import renewed_for
from .locking import create_locked, sweep
from .operations import OPERATIONS, Operations, keep_attributes, keep_times
from .ownership import distrust, follow
from .source import LocalSource, TailEdit

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NewFile", "Scratch", "replace"]

_NEW_MODE = 0o666  # what is left of it by the umask, as for any new file


class NewFile:
    """A file that is written under a hidden name, locked, beside the one that it gets.

    One that has the name already is replaced, and passes its mode, owner and extended attributes on; symbolic links
    are followed to it, once.

    Parameters
    ----------
    path : str
    forced : frozenset of str
    operations : Operations
        For tests.
    owner : int, optional
        The user whose file this one stands beside, under a name that anybody can tell beforehand. Links of others than
        this user and the process's own are refused then, and what others have put there passes nothing on.

    Attributes
    ----------
    sink : pyarrow.NativeFile
        What to write to.

    Raises
    ------
    Conflict
        Another process is changing or writing the file.
    Refused
        An attribute of the file that is there cannot be kept.
    OSError, ParquetextError
        It cannot be written there: no such folder, no permission, not a regular file.
    """

    edits_end_in_place = has_name = True

    def __init__(
        self,
        path: str,
        forced: frozenset[str] = frozenset(),
        operations: Operations = OPERATIONS,
        *,
        owner: int | None = None,
    ):
        self.path = os.path.realpath(path) if owner is None else follow(path, owner)
        self._operations, self._forced, self._fd = operations, forced, -1
        self._hidden = beside(self.path, NEW)
        self._folder = Folder.of(self.path)
        try:
            self._open(forced, owner)
        except BaseException:
            self.abort()
            raise

    def _open(self, forced: frozenset[str], owner: int | None) -> None:
        """Create it, with what the file has that it replaces, if there is one that it takes anything from."""
        with contextlib.ExitStack() as opened:
            old = _existing(self.path, self._folder)
            if old is not None:
                opened.enter_context(old)
            passes_on = old is not None and (owner is None or not distrust(os.fstat(old.fd), owner))
            self._fd = self._create(0o600 if passes_on else _NEW_MODE)
            self.sink = _sink(self._fd)
            if passes_on:
                keep_attributes(self._operations, old, self._fd, forced)

    def _create(self, mode: int) -> int:
        try:
            sweep(self._operations, self.path, self._folder)
            file = create_locked(self._operations, self._hidden, mode, folder=self._folder)
        except OSError as error:
            error.filename = self.path
            raise
        if not names_file(self._hidden, file, self._folder):
            os.close(file)
            raise Conflict("another process is writing it", file=self.path)
        return file

    def hold(self) -> None:
        """Nothing is held back: the end is changed where it is."""

    def written(self) -> LocalSource:
        """What was written; `sink` is closed."""
        self.sink.close()
        source = LocalSource(self._hidden, folder=self._folder)
        source.name = self.path
        return source

    def put(self, data, at: int) -> None:
        """Write bytes at an offset, past `sink`."""
        self._operations.write(self._fd, data, at)

    def copy(self, source: LocalSource, begin: int, length: int, at: int) -> None:
        """Write a range of a local file at an offset, past `sink`."""
        self._operations.copy(source.fd, self._fd, length, begin, at)

    def begin_flush(self, begin: int, length: int) -> None:
        """Begin to write a range to the disk."""
        self._operations.begin_flush(self._fd, begin, length)

    def keep_times(self, source: LocalSource) -> None:
        """Give it the times of another file; everything has been written."""
        self.sink.close()
        keep_times(self._operations, source, self._fd)

    def commit(self, edit: TailEdit | None = None, *, check: Callable[[], None] | None = None) -> None:
        """Apply the edit, flush the file, give it its name, flush the folder.

        `check` is called last before the name changes; what it raises leaves the name to the old file.
        """
        operations, file = self._operations, self._fd
        try:
            self.sink.close()
            if edit is not None:
                operations.write(file, edit.tail, edit.keep)
                if os.fstat(file).st_size > edit.size:
                    operations.truncate(file, edit.size)
            operations.fsync(file)
            if not names_file(self._hidden, file, self._folder):
                raise Conflict("somebody removed the new file before it was in place", file=self.path)
            with (
                LocalSource(self._hidden, folder=self._folder) as new,
                renewed_for(operations, self.path, self._folder, new, self._forced),
            ):
                if check is not None:
                    check()
                operations.rename(self._hidden, self.path, self._folder)
            self._close_file()
            operations.fsync_folder(self._folder)
        except BaseException:
            self.abort()
            raise
        self._close()

    def abort(self) -> None:
        """Remove what was written; after `commit` or another call it does nothing."""
        try:
            if hasattr(self, "sink"):
                self.sink.close()
        finally:
            if self._fd >= 0 and names_file(self._hidden, self._fd, self._folder):
                self._operations.unlink(self._hidden, self._folder)
            self._close()

    def _close(self) -> None:
        self._close_file()
        self._folder.close()

    def _close_file(self) -> None:
        file, self._fd = self._fd, -1
        if file >= 0:
            os.close(file)


def _sink(file: int) -> pa.NativeFile:
    """A stream into the open file, whatever its name leads to by now."""
    import pyarrow as pa

    try:
        return pa.OSFile(systems.path_of(file), "wb")
    except FileNotFoundError:  # no /proc
        return pa.PythonFile(os.fdopen(os.dup(file), "wb"), "w")


def _existing(path: str, folder: Folder) -> LocalSource | None:
    """The file that has the name, if there is one and it may be replaced."""
    try:
        status = status_of(path, folder)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise ParquetextError("not a regular file", file=path)
    name, within = at(path, folder)
    if not os.access(name, os.W_OK, dir_fd=within):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return LocalSource(path, folder=folder)


class Scratch:
    """As `create` gives it, but under no name, in the folder of `tempfile`: nothing is left when the process ends.

    Parameters
    ----------
    name : str
        For errors.

    Attributes
    ----------
    sink : pyarrow.NativeFile
        What to write to.
    """

    def __init__(self, name: str):
        import pyarrow as pa

        self._name = name
        self._file = tempfile.TemporaryFile(prefix="parquetext-")  # noqa: SIM115 (until `abort`)
        self.sink = pa.OSFile(self._path, "wb")

    @property
    def _path(self) -> str:
        return f"/dev/fd/{self._file.fileno()}"

    def hold(self) -> None:
        """Nothing is held back."""

    def written(self) -> LocalSource:
        """What was written; `sink` is closed."""
        self.sink.close()
        source = LocalSource(self._path)
        source.name = self._name
        return source

    def commit(self, edit: TailEdit | None = None) -> None:
        """Apply the edit: `written` gives the new file then."""
        self.sink.close()
        if edit is not None:
            systems.pwrite(self._file.fileno(), edit.tail, edit.keep)
            os.ftruncate(self._file.fileno(), edit.size)

    def abort(self) -> None:
        """Let go of it; a second call does nothing."""
        self.sink.close()
        self._file.close()


def replace(
    operations: Operations, source: LocalSource, edit: TailEdit, *, keep_mtime: bool, forced: frozenset[str]
) -> None:
    """Write the new file beside `source`, whose lock is held, flush it, rename it, flush the folder."""
    new, folder = beside(source.name, NEW), source.folder
    file = create_locked(operations, new, folder=folder)
    try:
        try:
            operations.copy(source.fd, file, edit.keep)
            operations.write(file, edit.tail, edit.keep)
            keep_attributes(operations, source, file, forced)
            if keep_mtime:
                keep_times(operations, source, file)
            operations.fsync(file)
            source.check_unchanged()
            if not names_file(new, file, folder):
                raise Conflict("somebody removed the new file before it was in place", file=source.name)
            operations.rename(new, source.name, folder)
        except BaseException:
            if names_file(new, file, folder):
                operations.unlink(new, folder)
            raise
        operations.fsync_folder(folder)
    finally:
        os.close(file)
