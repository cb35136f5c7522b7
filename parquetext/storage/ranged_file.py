"""Files that are read by ranges, with the interface of Python's and pyarrow's open files."""

from __future__ import annotations

import errno
import io
import os
from threading import Lock, RLock
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CallersFile", "RangedFile"]

_locks: WeakKeyDictionary[object, RLock] = WeakKeyDictionary()
_choosing, _of_others = Lock(), RLock()


class RangedFile(io.RawIOBase):
    """A file whose ranges are read one by one, with the methods of `pyarrow.NativeFile` that sources use.

    Attributes
    ----------
    attributes : tuple
        What its store tells of it that is another for another content.
    modified : int or None
        In ns since 1970.
    """

    attributes: tuple
    modified: int | None

    def __init__(self, size: int):
        self._size, self._at = size, 0

    def size(self) -> int:
        return self._size

    def read_at(self, length: int, offset: int) -> bytes:
        """The bytes [offset, offset + length)."""
        raise NotImplementedError

    def for_arrow(self) -> pa.NativeFile:
        """The same file as pyarrow's readers take it."""
        import pyarrow as pa

        return pa.PythonFile(self, mode="r")

    # ---- what io.RawIOBase is made of

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
    """A file object of the caller's, with the methods of `pyarrow.NativeFile` that sources use.

    Reads may be short. To close it does not close what the caller has opened.

    Parameters
    ----------
    file
        It has `seek`, `tell` and `read`. What it gives is checked: pyarrow copies more than it has asked for behind the
        end of its memory.
    """

    attributes, modified = (), None

    def __init__(self, file):
        self._file, self._turn = file, _lock_of(file)
        with self._turn:
            file.seek(0, os.SEEK_END)
            super().__init__(file.tell())

    def read_at(self, length: int, offset: int) -> bytes:
        """The bytes [offset, offset + length), or fewer at the end of the file."""
        pieces: list[bytes] = []
        with self._turn:  # of one object there is one place, whoever reads from it
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


def _lock_of(file: object) -> RLock:
    """The lock of a file object; those that cannot be told apart share one."""
    with _choosing:
        try:
            return _locks.setdefault(file, RLock())
        except TypeError:
            return _of_others
