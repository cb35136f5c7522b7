"""What a file of ranges needs to be read as one that is open: by Python, and by pyarrow."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["RangedFile"]


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
