"""One writer at a time: an exclusive flock on the file itself.

A lock belongs to an inode, and a rename gives the name another one; so whoever has got the lock looks whether the
name still leads to what was locked. Nothing is left beside the file, and all names of a file share the lock.
"""

from __future__ import annotations

import errno
import os
import time

from .. import systems
from ..errors import Conflict
from .folder import Folder
from .refusals import refuse
from .source import LocalSource
from .unchanged import names_file

__all__ = ["open_locked"]

NO_LOCKS = "this system has no locks of files (fcntl)"
_PAUSE_SECONDS = 0.01
_NO_LOCKS = {errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


def open_locked(
    path: str, *, writable: bool, timeout: float, ignored: frozenset[str], folder: Folder | None = None
) -> LocalSource:
    """The file at `path`, which is no link, open and locked until it is closed; looked up in `folder` if that is open.

    Raises
    ------
    Conflict
        Somebody else holds the lock, and did for `timeout` seconds.
    Refused
        The filesystem has no locks.
    """
    deadline = time.monotonic() + timeout
    flags = os.O_RDWR if writable else os.O_RDONLY
    while True:
        source = LocalSource(path, flags, folder)
        try:
            if _lock(source, ignored) and names_file(path, source.fd, folder):
                return source
        except OSError as error:
            source.close()
            if error.errno == errno.EBADF and not writable:  # NFS locks only what is open for writing
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
        lacks = f"its filesystem has no locks ({os.strerror(error.errno)})" if systems.has_locks() else NO_LOCKS
        refuse(ignored, "lock", lacks, source.name)
    return True
