"""A commit by a new file that takes the old one's name: at every moment the name holds the old file or the new one."""

from __future__ import annotations

import errno
import os

from .. import systems
from ..errors import Conflict, ParquetextError, Refused
from .attributes import keep_attributes, keep_times
from .edit import TailEdit
from .folder import Folder
from .hidden_names import NEW, beside
from .operations import Operations
from .source import LocalSource
from .unchanged import check_unchanged, names_file
from .unfinished import begun

__all__ = ["create_locked", "replace", "sweep"]


def replace(
    operations: Operations, source: LocalSource, edit: TailEdit, *, keep_mtime: bool, ignored: frozenset[str]
) -> None:
    """Write the new file beside `source`, whose lock is held, flush it, rename it, flush the folder."""
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
            check_unchanged(source)
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


def create_locked(operations: Operations, new: str, mode: int = 0o600, *, folder: Folder) -> int:
    """The new file, locked: that tells it from what a killed process left behind."""
    try:
        file = operations.create(new, mode, folder)
    except FileExistsError:
        raise Conflict("another process is changing it", file=new) from None
    begun(file, new, folder)
    _try_lock(file)
    return file


def sweep(operations: Operations, path: str, folder: Folder, kind: str = NEW) -> bool:
    """Remove the new file that a killed process left beside `path`, if nobody holds its lock; whether there was one.

    Whoever it belongs to: nothing of it is used. Refused where the name is no file's.
    """
    new = beside(path, kind)
    try:
        file = LocalSource(new, folder=folder)
    except FileNotFoundError:
        return False
    except (ParquetextError, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (errno.ELOOP, errno.ENXIO):
            raise
        raise Refused(
            f"{os.path.basename(new)}, where its new file would be, is not a regular file: remove that first", file=path
        ) from None
    with file:
        if not _try_lock(file.fd):
            raise Conflict("another process is changing it", file=path)
        operations.unlink(new, folder)
    return True


def _try_lock(file: int) -> bool:
    try:
        systems.lock(file)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EBADF):
            raise
    return True
