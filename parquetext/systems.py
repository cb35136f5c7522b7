"""Differences of systems other than Linux, and their replacements; no other module asks which system it is.

macOS has no `os.copy_file_range`, `os.listxattr`, `os.posix_fadvise` and `/proc`; Windows has no `fcntl`, no reads by
position, no user ids, and no open folders either.
"""

from __future__ import annotations

import errno
import os
import threading
import warnings

try:
    import fcntl
except ImportError:
    fcntl = None

O_CLOEXEC = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)  # the other one is Windows's alone
O_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
O_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
O_NONBLOCK = getattr(os, "O_NONBLOCK", 0)

_MOVING = threading.Lock()
_said: set[str] = set()


class LacksWarning(UserWarning):
    """A part of the request is not possible on this system."""


def say(what: str) -> None:
    """Warn of a missing function of this system when it would first be used; once per process."""
    if what not in _said:
        _said.add(what)
        warnings.warn(what, LacksWarning, stacklevel=2)


def has_locks() -> bool:
    """Return True if files can be locked."""
    return fcntl is not None


def has_folders() -> bool:
    """Return True if folders can be opened, and names be looked up in them."""
    return bool(O_DIRECTORY)


def lock(file: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file as a whole; OSError (ENOSYS) if the system has no locks."""
    if fcntl is None:
        raise OSError(errno.ENOSYS, "this system has no locks of files (fcntl)")
    fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def user() -> int:
    """Return the number of the current user; 0, as in `os.stat`, if the system has no user numbers."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


def path_of(file: int) -> str:
    """Return a path to an open file that does not depend on its name; it leads nowhere if the system has none."""
    return f"/proc/self/fd/{file}"


def _pread(file: int, length: int, offset: int, /) -> bytes:
    """`os.pread` in two steps, one thread after the other."""
    with _MOVING:
        os.lseek(file, offset, os.SEEK_SET)
        return os.read(file, length)


def _pwrite(file: int, data, offset: int, /) -> int:
    """`os.pwrite` in two steps, one thread after the other."""
    with _MOVING:
        os.lseek(file, offset, os.SEEK_SET)
        return os.write(file, data)


pread = getattr(os, "pread", _pread)
pwrite = getattr(os, "pwrite", _pwrite)
