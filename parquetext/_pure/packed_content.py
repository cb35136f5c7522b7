"""The content of a cell of a packed footer, read from its begin to its end."""

from __future__ import annotations

from .. import wire
from ..errors import ParquetextError, wire_error
from . import varint


class Content:
    """A checked position in the bytes of a cell.

    Parameters
    ----------
    data : bytes-like
        The cell.
    place : int
        Its offset in the file.
    at : int
        The first position.
    """

    def __init__(self, data, place: int, at: int = 0):
        self.data, self.place, self.at = memoryview(data), place, at

    def fail(self, code: int, at: int, expected: int, found: int) -> Exception:
        """Return the error for the byte at `at`."""
        return wire_error(code, self.place + at, expected, found)

    @property
    def left(self) -> int:
        return len(self.data) - self.at

    def skip(self, size: int) -> int:
        """Move over `size` bytes, and return the position before them."""
        if size > self.left:
            raise self.fail(wire.BAD_CELL, self.at, self.left, size)
        self.at += size
        return self.at - size

    def take(self, size: int) -> memoryview:
        begin = self.skip(size)
        return self.data[begin : self.at]

    def byte(self) -> int:
        return self.data[self.skip(1)]

    def varint(self) -> int:
        try:
            value, self.at = varint.decode64(self.data, self.at)
        except ParquetextError:
            raise self.fail(wire.BAD_CELL, self.at, self.left, 0) from None
        return value

    def zigzag(self) -> int:
        return varint.zigzag_decode(self.varint())

    def end(self) -> None:
        """Check that nothing is left."""
        if self.left:
            raise self.fail(wire.BAD_CELL, self.at, 0, self.left)
