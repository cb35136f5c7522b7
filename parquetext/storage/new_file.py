"""New local files, which get their names when they are complete."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Callable
from typing import IO, TYPE_CHECKING

from .. import systems
from ..errors import Conflict, ParquetextError
from .folder import NEW, Folder, at, beside, names_file, status_of
from .hadoop_crc import renewed_for
from .locking import create_locked, sweep
from .operations import OPERATIONS, Operations, keep_attributes, keep_times
from .ownership import distrust, follow
from .source import LocalSource, SourceInFolder, TailEdit

if TYPE_CHECKING:
    import pyarrow as pa

_NEW_MODE = 0o666  # reduced by the umask, as for any new file


class NewFile:
    """A local file that is written under a hidden, locked name next to its final one.

    A file that has the final name is replaced, and passes on its mode, owner and extended attributes. Symbolic links
    are followed to it once.

    Parameters
    ----------
    path : str
    ignored : frozenset of str
    operations : Operations
        For tests.
    owner : int, optional
        The owner of the file that this one accompanies under a predictable name. Links of users other than this one and
        the process's are refused, and an existing file of another user passes nothing on.

    Attributes
    ----------
    sink : pyarrow.NativeFile
        The stream to write to.

    Raises
    ------
    Conflict
        If another process is changing or writing the file.
    Refused
        If an attribute of the existing file cannot be kept.
    OSError, ParquetextError
        If it cannot be created: no such folder, no permission, not a regular file.
    """

    edits_end_in_place = has_name = True

    def __init__(
        self,
        path: str,
        ignored: frozenset[str] = frozenset(),
        operations: Operations = OPERATIONS,
        *,
        owner: int | None = None,
    ):
        self.path = os.path.realpath(path) if owner is None else follow(path, owner)
        self._operations, self._ignored, self._fd = operations, ignored, -1
        self._hidden = beside(self.path, NEW)
        self._folder = Folder.of(self.path)
        try:
            self._open(ignored, owner)
        except BaseException:
            self.abort()
            raise

    def _open(self, ignored: frozenset[str], owner: int | None) -> None:
        """Create the file, with the attributes of the one that it replaces."""
        with contextlib.ExitStack() as opened:
            old = _existing(self.path, self._folder)
            if old is not None:
                opened.enter_context(old)
                if owner is not None and distrust(os.fstat(old.fd), owner):
                    old = None  # it passes nothing on
            self._fd = self._create(_NEW_MODE if old is None else 0o600)
            self.sink = _sink(self._fd)
            if old is not None:
                keep_attributes(self._operations, old, self._fd, ignored)

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
        """Do nothing: the end can be edited in place."""

    def written(self) -> LocalSource:
        """Return a source of the written bytes; `sink` is closed."""
        self.sink.close()
        source = LocalSource(self._hidden, folder=self._folder)
        source.name = self.path
        return source

    def put(self, data, at: int) -> None:
        """Write bytes at an offset, without `sink`."""
        self._operations.write(self._fd, data, at)

    def copy(self, source: LocalSource, begin: int, length: int, at: int) -> None:
        """Write a range of a local file at an offset, without `sink`."""
        self._operations.copy(source.fd, self._fd, length, begin, at)

    def begin_flush(self, begin: int, length: int) -> None:
        """Start writing a range to disk."""
        self._operations.begin_flush(self._fd, begin, length)

    def keep_times(self, source: LocalSource) -> None:
        """Set the times of another file; everything has been written."""
        self.sink.close()
        keep_times(self._operations, source, self._fd)

    def commit(self, edit: TailEdit | None = None, *, check: Callable[[], None] | None = None) -> None:
        """Apply the edit, flush the file, give it its name, and flush the folder.

        `check` is called immediately before the name changes; if it raises, the name keeps the old file.
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
                raise Conflict("another process removed the new file before it was in place", file=self.path)
            with (
                LocalSource(self._hidden, folder=self._folder) as new,
                renewed_for(operations, self.path, self._folder, new, self._ignored),
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
        """Remove the file; do nothing after `commit` or an earlier call."""
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
    """Return a stream into the open file, even if its name leads to another file now."""
    import pyarrow as pa

    try:
        return pa.OSFile(systems.path_of(file), "wb")
    except FileNotFoundError:  # no /proc
        return pa.PythonFile(os.fdopen(os.dup(file), "wb"), "w")


def _existing(path: str, folder: Folder) -> LocalSource | None:
    """Open the file that has the final name, if there is one and it may be replaced."""
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
    """A new file without a name, in the folder of `tempfile`. It disappears when the process ends.

    If the system reopens files by their names only, the file has one, and disappears with `abort`.

    Parameters
    ----------
    name : str
        For messages.

    Attributes
    ----------
    sink : pyarrow.NativeFile
        The stream to write to.
    """

    def __init__(self, name: str):
        import pyarrow as pa

        self._name = name
        self._folder: tempfile.TemporaryDirectory | None = None
        if systems.has_folders():
            self._file: IO[bytes] = tempfile.TemporaryFile(prefix="parquetext-")  # noqa: SIM115 (until `abort`)
            self._path = f"/dev/fd/{self._file.fileno()}"
        else:
            self._folder = tempfile.TemporaryDirectory(prefix="parquetext-", ignore_cleanup_errors=True)
            self._path = os.path.join(self._folder.name, "scratch")
            self._file = open(self._path, "w+b")  # noqa: SIM115 (until `abort`)
        self.sink = pa.OSFile(self._path, "wb")

    def hold(self) -> None:
        """Do nothing: the end can be edited in place."""

    def written(self) -> LocalSource:
        """Return a source of the written bytes; `sink` is closed."""
        self.sink.close()
        source = LocalSource(self._path)
        source.name = self._name
        return source

    def commit(self, edit: TailEdit | None = None) -> None:
        """Apply the edit. Afterwards `written` returns the new content."""
        self.sink.close()
        if edit is not None:
            systems.pwrite(self._file.fileno(), edit.tail, edit.keep)
            os.ftruncate(self._file.fileno(), edit.size)

    def abort(self) -> None:
        """Close the file. A second call does nothing."""
        self.sink.close()
        self._file.close()
        if self._folder is not None:
            self._folder.cleanup()


def replace(
    operations: Operations, source: SourceInFolder, edit: TailEdit, *, keep_mtime: bool, ignored: frozenset[str]
) -> None:
    """Write a new file next to `source`, whose lock is held, flush it, rename it, and flush the folder."""
    new, folder = beside(source.name, NEW), source.folder
    file = create_locked(operations, new, folder=folder)
    try:
        try:
            operations.copy(source.fd, file, edit.keep)
            operations.write(file, edit.tail, edit.keep)
            keep_attributes(operations, source, file, ignored)
            if keep_mtime:
                keep_times(operations, source, file)
            operations.fsync(file)
            if not names_file(new, file, folder):
                raise Conflict("another process removed the new file before it was in place", file=source.name)
            source.make_way()
            operations.rename(new, source.name, folder)
        except BaseException:
            if names_file(new, file, folder):
                operations.unlink(new, folder)
            raise
        operations.fsync_folder(folder)
    finally:
        os.close(file)
