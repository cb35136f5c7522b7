"""Differences of systems other than Linux, and their replacements; no other module asks which system it is.

macOS has no `os.copy_file_range`, `os.listxattr`, `os.posix_fadvise` and `/proc`, and reads less than 2 GiB at once;
Windows has no `fcntl`, no reads by position, no user ids, and no open folders either, and does not replace open files.
"""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

try:
    import fcntl
except ImportError:
    from . import windows

    _HAS_FCNTL = False
else:
    _HAS_FCNTL = True

O_CLOEXEC = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)  # the other one is Windows's alone
O_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
O_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
O_NONBLOCK = getattr(os, "O_NONBLOCK", 0)

_MOST_AT_ONCE = 1 << 30
_said: set[str] = set()


class LacksWarning(UserWarning):
    """A part of the request is not possible on this system."""


def say(what: str) -> None:
    """Warn of a missing function of this system when it would first be used; once per process."""
    if what not in _said:
        _said.add(what)
        warnings.warn(what, LacksWarning, stacklevel=2)


def has_folders() -> bool:
    """Return True if folders can be opened, and names be looked up in them."""
    return bool(O_DIRECTORY)


def replaces_open_files() -> bool:
    """Return True if an open file can be replaced by another one, and a mapped one be changed."""
    return _HAS_FCNTL


def _flock(file: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file as a whole; BlockingIOError if another process has locked it."""
    fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def _full_fsync(file: int) -> None:
    """Write a file to disk like `os.fsync`, which on macOS leaves it in the cache of the drive."""
    try:
        fcntl.fcntl(file, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined]  # only macOS has it
    except OSError:  # not every filesystem has it
        os.fsync(file)


def _utime(file: int, accessed: int, modified: int) -> None:
    """Set the times of an open file in ns."""
    os.utime(file, ns=(accessed, modified))


def _pread(file: int, length: int, offset: int, /) -> bytes:
    """Read like `os.pread`, at most 1 GiB: macOS refuses 2 GiB."""
    return os.pread(file, min(length, _MOST_AT_ONCE), offset)


def _pwrite(file: int, data: memoryview, offset: int, /) -> int:
    """Write like `os.pwrite`, at most 1 GiB: macOS refuses 2 GiB."""
    return os.pwrite(file, data[:_MOST_AT_ONCE], offset)


def change_time(status: os.stat_result) -> int:
    """Return the time of the last change of a file's attributes in ns; on Windows, that of its creation.

    There, `st_ctime_ns` is one or the other, depending on the version of Python and on the function that returned it.
    """
    return getattr(status, "st_birthtime_ns", status.st_ctime_ns)  # only Windows has it in ns


def user() -> int:
    """Return the number of the current user; 0, as in `os.stat`, if the system has no user numbers."""
    return os.geteuid() if hasattr(os, "geteuid") else 0


def path_of(file: int) -> str:
    """Return a path to an open file that does not depend on its name; it leads nowhere if the system has none.

    Raises
    ------
    FileNotFoundError
        On Windows, whose users may create a folder of this path.
    """
    if not _HAS_FCNTL:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    return f"/proc/self/fd/{file}"


lock: Callable[..., None]
open_file: Callable[..., int]
replace: Callable[..., None]
fsync: Callable[[int], None]
set_times: Callable[..., None]
pread: Callable[[int, int, int], bytes]
pwrite: Callable[[int, Any, int], int]
if not _HAS_FCNTL:
    lock, open_file, replace, set_times = windows.lock, windows.open_file, windows.replace, windows.set_times
    pread, pwrite, fsync = windows.pread, windows.pwrite, windows.fsync
else:
    lock, open_file, replace, set_times = _flock, os.open, os.replace, _utime
    pread, pwrite, fsync = os.pread, os.pwrite, os.fsync
    if sys.platform == "darwin":
        pread, pwrite, fsync = _pread, _pwrite, _full_fsync
