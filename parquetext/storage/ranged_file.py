"""Files that are read by ranges, with the interface of Python's and pyarrow's open files."""

from __future__ import annotations

import errno
import io
import os
from threading import Lock, RLock
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ..forks import call_in_forks, unlocked_in_forks

if TYPE_CHECKING:
    import pyarrow as pa

    from .source import Source

_locks: WeakKeyDictionary[object, RLock] = WeakKeyDictionary()
_choosing, _of_others = Lock(), RLock()
unlocked_in_forks(_choosing)


def _forget_locks() -> None:
    """Give files opened from now on locks of this process: a thread of the parent may hold the others."""
    global _of_others
    _locks.clear()
    _of_others = RLock()


call_in_forks(_forget_locks)


class RangedFile(io.RawIOBase):
    """A file whose ranges are read one by one, with the methods of `pyarrow.NativeFile` that sources use.

    Attributes
    ----------
    attributes : tuple
        Attributes of the stored file that change with its content.
    modified : int or None
        Time of the last change, in ns since 1970.
    """

    attributes: tuple
    modified: int | None

    def __init__(self, size: int):
        self._size, self._at = size, 0

    def size(self) -> int:
        return self._size

    def read_at(self, length: int, offset: int) -> bytes:
        """Return the bytes [offset, offset + length)."""
        raise NotImplementedError

    def for_arrow(self) -> pa.NativeFile:
        """Return the file as pyarrow's readers expect it."""
        import pyarrow as pa

        return pa.PythonFile(self, mode="r")

    # ---- methods of io.RawIOBase

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def readinto(self, buffer) -> int:
        length = max(0, min(len(buffer), self._size - self._at))
        data = self.read_at(length, self._at) if length else b""
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


class CallersFile(RangedFile):
    """A file object of the caller. Several threads may read ranges of it.

    Reads may be short. `close` does not close the caller's file.

    Parameters
    ----------
    file
        An object with `seek`, `tell` and `read`. The length of its results is checked: pyarrow copies longer ones
        beyond the end of its memory.
    """

    attributes, modified = (), None

    def __init__(self, file):
        self._file, self._turn = file, _lock_of(file)
        with self._turn:
            file.seek(0, os.SEEK_END)
            super().__init__(file.tell())

    def read_at(self, length: int, offset: int) -> bytes:
        """Return the bytes [offset, offset + length), or fewer at the end of the file."""
        pieces: list[bytes] = []
        with self._turn:  # all threads share the object's position
            self._file.seek(offset)
            while length and (data := self._read(length)):
                pieces.append(data)
                length -= len(data)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _read(self, most: int) -> bytes:
        data = self._file.read(most)
        if data is None:
            raise BlockingIOError(errno.EAGAIN, "the file object has nothing to read yet")
        data = data if type(data) is bytes else bytes(memoryview(data))
        if len(data) > most:
            raise OSError(errno.EIO, f"asked for {most} bytes, the file object gives {len(data)}")
        return data


class OpenedFile(RangedFile):
    """A file of the operating system, read by its source's descriptor, which stays open when the file is closed."""

    attributes, modified = (), None

    def __init__(self, source: Source):
        super().__init__(source.size)
        self._source = source

    def read_at(self, length: int, offset: int) -> bytes:
        return bytes(self._source.read(offset, length))


def _lock_of(file: Any) -> RLock:
    """Return the lock of a file object; objects that cannot be hashed share one."""
    with _choosing:
        try:
            return _locks.setdefault(file, RLock())
        except TypeError:
            return _of_others
