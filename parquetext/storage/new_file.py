"""A new local file that gets its name once it is whole: until then the name holds what it held."""

from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

from ..errors import Conflict, ParquetextError
from .attributes import keep_attributes
from .edit import TailEdit
from .names import NEW, beside
from .operations import OPERATIONS, Operations
from .replace import create_locked, sweep
from .source import LocalSource
from .unchanged import names_file

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["NewFile"]

_NEW_MODE = 0o666  # what is left of it by the umask, as for any new file


class NewFile:
    """A file that is written under a hidden name, locked, beside the one that it gets.

    One that has the name already is replaced, and passes its mode, owner and extended attributes on; symbolic links
    are followed to it.

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

    def __init__(self, path: str, forced: frozenset[str] = frozenset(), operations: Operations = OPERATIONS):
        self.path, self._operations = os.path.realpath(path), operations
        self._hidden = beside(self.path, NEW)
        old = _existing(self.path)
        try:
            self._fd = self._create(_NEW_MODE if old is None else 0o600)
            try:
                self.sink = _sink(self._fd, self._hidden)
                if old is not None:
                    keep_attributes(operations, old, self._fd, forced)
            except BaseException:
                self.abort()
                raise
        finally:
            if old is not None:
                old.close()

    def _create(self, mode: int) -> int:
        try:
            sweep(self._operations, self.path)
            file = create_locked(self._operations, self._hidden, mode)
        except OSError as error:
            error.filename = self.path
            raise
        if not names_file(self._hidden, file):
            os.close(file)
            raise Conflict("another process is writing it", file=self.path)
        return file

    def hold(self) -> None:
        """Nothing is held back: the end is changed where it is."""

    def written(self) -> LocalSource:
        """What was written; `sink` is closed."""
        self.sink.close()
        source = LocalSource(self._hidden)
        source.name = self.path
        return source

    def commit(self, edit: TailEdit | None = None) -> None:
        """Apply the edit, flush the file, give it its name, flush the folder."""
        operations, file = self._operations, self._fd
        try:
            self.sink.close()
            if edit is not None:
                operations.write(file, edit.tail, edit.keep)
                if os.fstat(file).st_size > edit.size:
                    operations.truncate(file, edit.size)
            operations.fsync(file)
            if not names_file(self._hidden, file):
                raise Conflict("somebody removed the new file before it was in place", file=self.path)
            operations.rename(self._hidden, self.path)
        except BaseException:
            self.abort()
            raise
        self._close()
        operations.fsync_folder(os.path.dirname(self.path))

    def abort(self) -> None:
        """Remove what was written; after `commit` or another call it does nothing."""
        if self._fd < 0:
            return
        try:
            if hasattr(self, "sink"):
                self.sink.close()
        finally:
            if names_file(self._hidden, self._fd):
                self._operations.unlink(self._hidden)
            self._close()

    def _close(self) -> None:
        file, self._fd = self._fd, -1
        os.close(file)


def _sink(file: int, path: str) -> pa.NativeFile:
    """A stream into the open file, whatever `path` leads to by now."""
    import pyarrow as pa

    try:
        return pa.OSFile(f"/proc/self/fd/{file}", "wb")
    except FileNotFoundError:  # no /proc
        return pa.OSFile(path, "wb")


def _existing(path: str) -> LocalSource | None:
    """The file that has the name, if there is one and it may be replaced."""
    try:
        status = os.stat(path)
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise ParquetextError("not a regular file", file=path)
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), path)
    return LocalSource(path)
