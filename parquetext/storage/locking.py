"""Locks of local files, and new files under hidden, locked names.

There is one writer at a time: an exclusive flock on the file itself. A lock belongs to an inode, and a rename gives the
name another one. After locking, a writer therefore checks that the name still leads to the locked file. No lock file is
left behind, and all names of a file share the lock.

A process that is ended by `os._exit`, because a thread is in a long call, removes its new files and waits for its
changes in place.
"""

from __future__ import annotations

import errno
import os
import time
from contextlib import suppress
from threading import Condition
from types import TracebackType

from .. import systems
from ..errors import Conflict, ParquetextError, Refused
from ..forks import unlocked_in_forks
from .folder import NEW, Folder, at, beside, names_file
from .operations import Operations
from .refusals import refuse
from .source import LocalSource, SourceInFolder

_PAUSE_SECONDS = 0.01
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}
IN_PLACE_SECONDS = 10.0  # to complete a change in place, which writes and flushes a few pieces
_turn = Condition()
unlocked_in_forks(_turn)
_new: dict[int, tuple[str, Folder]] = {}  # by descriptor; the inode shows if that was closed
_under_way = 0
_is_abandoned = False


def open_locked(
    path: str, *, writable: bool, timeout: float, ignored: frozenset[str], folder: Folder
) -> SourceInFolder:
    """Open and lock a file in an open folder until it is closed. Its name is not a link.

    Raises
    ------
    Conflict
        If another process holds the lock for `timeout` seconds.
    Refused
        If the filesystem has no locks.
    """
    deadline = time.monotonic() + timeout
    flags = os.O_RDWR if writable else os.O_RDONLY
    while True:
        source = SourceInFolder(path, folder, flags)
        try:
            if _lock(source, ignored) and names_file(path, source.fd, folder):
                return source
        except OSError as error:
            source.close()
            if error.errno == errno.EBADF and not writable:  # NFS locks only files that are open for writing
                left = deadline - time.monotonic()
                return open_locked(path, writable=True, timeout=left, ignored=ignored, folder=folder)
            raise
        except BaseException:
            source.close()
            raise
        source.close()
        if time.monotonic() >= deadline:
            raise Conflict("another process is changing it", file=path)
        time.sleep(_PAUSE_SECONDS)


def _lock(source: LocalSource, ignored: frozenset[str]) -> bool:
    try:
        systems.lock(source.fd)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        refuse(ignored, "lock", f"its filesystem has no locks ({os.strerror(error.errno)})", source.name)
    return True


def begun(file: int, path: str, folder: Folder) -> None:
    """Remember a new file, open as `file`, by its hidden path in an open folder."""
    with _turn:
        _new[file] = path, folder


class _InPlaceChange:
    """A context manager for a change in place, which is completed before the process ends."""

    def __enter__(self) -> None:
        global _under_way
        with _turn:
            _turn.wait_for(lambda: not _is_abandoned)
            _under_way += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        global _under_way
        with _turn:
            _under_way -= 1
            _turn.notify_all()


def in_place_change() -> _InPlaceChange:
    """Return a context manager for a change in place. None begins when the process is about to end."""
    return _InPlaceChange()


def abandon() -> None:
    """Wait for changes in place, start no other, and remove new files. The process must end after this."""
    global _is_abandoned
    with _turn:
        _is_abandoned = True
        _turn.wait_for(lambda: not _under_way, timeout=IN_PLACE_SECONDS)
        for file, (path, folder) in _new.items():
            with suppress(OSError):  # it was closed, renamed or removed
                if names_file(path, file, folder):
                    name, within = at(path, folder)
                    os.unlink(name, dir_fd=within)


def create_locked(operations: Operations, new: str, mode: int = 0o600, *, folder: Folder) -> int:
    """Create a new file and lock it: files left by killed processes are not locked."""
    try:
        file = operations.create(new, mode, folder)
    except FileExistsError:
        raise Conflict("another process is changing it", file=new) from None
    begun(file, new, folder)
    _try_lock(file)
    return file


def sweep(operations: Operations, path: str, folder: Folder, kind: str = NEW) -> bool:
    """Remove the new file of a killed process next to `path`, if nobody holds its lock; return True if there was one.

    Its owner does not matter, because its content is not used. Refused if the name does not belong to a regular file.
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
