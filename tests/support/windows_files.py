"""Imitates `parquetext.windows` on this system: what is open is not replaced."""

from __future__ import annotations

import fcntl
import os

from parquetext.errors import Conflict

_open, _pread, _pwrite, _replace, _utime = os.open, os.pread, os.pwrite, os.replace, os.utime


def open_file(path: str | bytes, flags: int, mode: int = 0o777, *, dir_fd: None = None) -> int:
    return _open(path, flags, mode, dir_fd=dir_fd)


def lock(file: int, *, shared: bool = False, wait: bool = False) -> None:
    fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def pread(file: int, length: int, offset: int, /) -> bytes:
    return _pread(file, length, offset)


def pwrite(file: int, data: bytes | memoryview, offset: int, /) -> int:
    return _pwrite(file, data, offset)


def replace(old: str, new: str, *, src_dir_fd: None = None, dst_dir_fd: None = None) -> None:
    """Rename `old`; Conflict if this process has `new` open."""
    if os.path.exists(new):
        replaced = os.stat(new)
        for entry in os.listdir("/proc/self/fd"):
            try:
                opened = os.fstat(int(entry))
            except OSError:  # the descriptor of the listing itself
                continue
            if (opened.st_dev, opened.st_ino) == (replaced.st_dev, replaced.st_ino):
                raise Conflict("it is open, or read-only: Windows does not replace it", file=new)
    _replace(old, new)


def fsync(file: int) -> None:
    os.fsync(file)


def set_times(file: int, accessed: int, modified: int) -> None:
    _utime(file, ns=(accessed, modified))
