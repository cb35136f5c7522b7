"""Files on Windows: open ones that can be renamed and removed, locks, reads by position, and replacement.

`systems` offers these functions under the names of `os` and `fcntl` on other systems.
"""

# mypy: disable-error-code="attr-defined"
# Other systems' modules lack these functions.

from __future__ import annotations

import ctypes
import errno
import msvcrt
import os
import time
from ctypes import wintypes

from .errors import Conflict

_READ, _WRITE = 0x80000000, 0x40000000
_ACCESS_MODE = os.O_RDONLY | os.O_WRONLY | os.O_RDWR
_SHARE_ALL = 7  # reading, writing and deleting; Python's `os.open` does not share the last one
_BACKUP_SEMANTICS = 0x02000000  # opens folders, too
_CREATE_NEW, _CREATE_ALWAYS, _OPEN_EXISTING, _OPEN_ALWAYS, _TRUNCATE_EXISTING = range(1, 6)
_FAIL_IMMEDIATELY, _EXCLUSIVE = 1, 2
_HANDLE_EOF, _IO_PENDING = 38, 997
_ACCESS_DENIED, _SHARING_VIOLATION, _LOCK_VIOLATION = 5, 32, 33
# Locks are mandatory on Windows, so they are on a byte that no file has.
_LOCKED_BYTE = 1 << 62
_MOST_AT_ONCE = 1 << 30
_REPLACE_SECONDS, _PAUSE_SECONDS = 1.0, 0.01  # for readers that have the file open for a moment
_TICKS_UNTIL_1970, _TICK_NANOSECONDS = 116444736000000000, 100


class _Overlapped(ctypes.Structure):
    _fields_ = (
        ("internal", ctypes.c_void_p),
        ("internal_high", ctypes.c_void_p),
        ("offset", wintypes.DWORD),
        ("offset_high", wintypes.DWORD),
        ("event", wintypes.HANDLE),
    )


_INVALID = wintypes.HANDLE(-1).value
_kernel = ctypes.WinDLL("kernel32", use_last_error=True)


def _function(name: str, result, *arguments):
    function = getattr(_kernel, name)
    function.restype, function.argtypes = result, arguments
    return function


_COUNT = ctypes.POINTER(wintypes.DWORD)
_TIME = ctypes.POINTER(wintypes.FILETIME)
_PLACE = ctypes.POINTER(_Overlapped)
_DWORD, _HANDLE = wintypes.DWORD, wintypes.HANDLE
_create = _function(
    "CreateFileW", _HANDLE, wintypes.LPCWSTR, _DWORD, _DWORD, wintypes.LPVOID, _DWORD, _DWORD, wintypes.HANDLE
)
_close = _function("CloseHandle", wintypes.BOOL, _HANDLE)
_read = _function("ReadFile", wintypes.BOOL, _HANDLE, wintypes.LPVOID, _DWORD, _COUNT, _PLACE)
_write = _function("WriteFile", wintypes.BOOL, _HANDLE, wintypes.LPCVOID, _DWORD, _COUNT, _PLACE)
_lock = _function("LockFileEx", wintypes.BOOL, _HANDLE, _DWORD, _DWORD, _DWORD, _DWORD, _PLACE)
_unlock = _function("UnlockFileEx", wintypes.BOOL, _HANDLE, _DWORD, _DWORD, _DWORD, _PLACE)
_flush = _function("FlushFileBuffers", wintypes.BOOL, _HANDLE)
_reopen = _function("ReOpenFile", _HANDLE, _HANDLE, _DWORD, _DWORD, _DWORD)
_set_times = _function("SetFileTime", wintypes.BOOL, _HANDLE, _TIME, _TIME, _TIME)


def _error(path: str | None = None) -> OSError:
    code = ctypes.get_last_error()
    return OSError(0, ctypes.FormatError(code).strip(), path, code)  # Python derives the errno and the class


def _at(offset: int) -> _Overlapped:
    return _Overlapped(offset=offset & 0xFFFFFFFF, offset_high=offset >> 32)


def open_file(path: str | bytes, flags: int, mode: int = 0o777, *, dir_fd: None = None) -> int:
    """Open a file or folder like `os.open`, so that other processes can rename and remove it."""
    path = os.fsdecode(path)
    if "\0" in path:
        raise ValueError("embedded null character in path")
    access = {os.O_RDWR: _READ | _WRITE, os.O_WRONLY: _WRITE}.get(flags & _ACCESS_MODE, _READ)
    if flags & os.O_CREAT:
        how = _CREATE_NEW if flags & os.O_EXCL else _CREATE_ALWAYS if flags & os.O_TRUNC else _OPEN_ALWAYS
    else:
        how = _TRUNCATE_EXISTING if flags & os.O_TRUNC else _OPEN_EXISTING
    handle = _create(path, access, _SHARE_ALL, None, how, _BACKUP_SEMANTICS, None)
    if handle in (None, _INVALID):
        raise _error(path)
    try:
        return msvcrt.open_osfhandle(handle, (flags & _ACCESS_MODE) | os.O_BINARY | os.O_NOINHERIT)
    except OSError:
        _close(handle)
        raise


def lock(file: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file as a whole, as `flock` does: a further lock of the same file replaces the first."""
    handle = msvcrt.get_osfhandle(file)
    _unlock(handle, 0, 1, 0, _at(_LOCKED_BYTE))  # fails if it has none
    how = (0 if shared else _EXCLUSIVE) | (0 if wait else _FAIL_IMMEDIATELY)
    if _lock(handle, how, 0, 1, 0, _at(_LOCKED_BYTE)):
        return
    if ctypes.get_last_error() in (_LOCK_VIOLATION, _IO_PENDING):
        raise BlockingIOError(errno.EWOULDBLOCK, os.strerror(errno.EWOULDBLOCK))
    raise _error()


def pread(file: int, length: int, offset: int, /) -> bytes:
    """Read like `os.pread`, at most 1 GiB. The position of `file` moves; other threads' reads are not affected."""
    into = ctypes.create_string_buffer(min(length, _MOST_AT_ONCE))
    got = wintypes.DWORD()
    if not _read(msvcrt.get_osfhandle(file), into, len(into), got, _at(offset)):
        if ctypes.get_last_error() == _HANDLE_EOF:
            return b""
        raise _error()
    return into.raw[: got.value]


def pwrite(file: int, data: bytes | memoryview, offset: int, /) -> int:
    """Write like `os.pwrite`, at most 1 GiB."""
    some = bytes(memoryview(data).cast("B")[:_MOST_AT_ONCE])
    done = wintypes.DWORD()
    if not _write(msvcrt.get_osfhandle(file), some, len(some), done, _at(offset)):
        raise _error()
    return done.value


def fsync(file: int) -> None:
    """Write a file to disk like `os.fsync`, even if it is open for reading only."""
    handle = msvcrt.get_osfhandle(file)
    if _flush(handle):
        return
    if ctypes.get_last_error() != _ACCESS_DENIED:
        raise _error()
    writable = _reopen(handle, _WRITE, _SHARE_ALL, 0)
    if writable in (None, _INVALID):
        raise _error()
    try:
        if not _flush(writable):
            raise _error()
    finally:
        _close(writable)


def replace(old: str, new: str, *, src_dir_fd: None = None, dst_dir_fd: None = None) -> None:
    """Rename like `os.replace`; wait a moment for readers of the replaced file.

    Raises
    ------
    Conflict
        If the replaced file stays open: Windows does not replace open files.
    """
    deadline = time.monotonic() + _REPLACE_SECONDS
    while True:
        try:
            os.replace(old, new)
            return
        except PermissionError as error:
            if error.winerror not in (_ACCESS_DENIED, _SHARING_VIOLATION):
                raise
            if time.monotonic() >= deadline:
                raise Conflict("it is open, or read-only: Windows does not replace it", file=new) from None
        time.sleep(_PAUSE_SECONDS)


def set_times(file: int, accessed: int, modified: int) -> None:
    """Set the times of an open file in ns."""
    times = [value // _TICK_NANOSECONDS + _TICKS_UNTIL_1970 for value in (accessed, modified)]
    both = [wintypes.FILETIME(value & 0xFFFFFFFF, value >> 32) for value in times]
    if not _set_times(msvcrt.get_osfhandle(file), None, *both):
        raise _error()
