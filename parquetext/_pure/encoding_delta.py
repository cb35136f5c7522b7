"""Decode DELTA_BINARY_PACKED: INT32 and INT64 as differences, and the lengths of byte arrays."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

from .. import wire
from ..errors import Malformed, wire_error
from .bits import unpack
from .varint import decode32, decode64, zigzag_decode

BATCH = 1 << 16
WIDEST = 64  # for INT32 too, because some writers compute differences in 64 bits


class Deltas:
    """`count` values, a page's without its nulls, in ``data[at:]``. ``csrc/src/encoding/delta.h`` describes the errors.

    Attributes
    ----------
    end : int
        The end of the last miniblock that was opened.
    total, total_at : int
        The number of values in the header, and the offset of this number.
    """

    def __init__(self, data: memoryview, at: int, count: int, bits: int):
        self._data, self._count, self._bits = data, count, bits
        self.total, self.total_at = count, at  # the value count in the header, and its offset
        self.end = at
        if count or at < len(data):
            self._read_header(at)
        self._blocks = self.end

    def find_end(self) -> int:
        """Return the end of the values, and check all of them as `take` would.

        Raises
        ------
        Malformed
            If the header has more values than `count`, and they end at another position.
        """
        for _ in self._bodies(self._count):
            pass
        end = self.end
        if self.total > self._count and self._end_of_total() != end:
            raise wire_error(wire.DELTA_COUNT, self.total_at, self._count, self.total)
        self.end = end
        return end

    def _end_of_total(self) -> int | None:
        """Return the end of as many values as the header has; None if there are fewer."""
        try:
            for _ in self._bodies(self.total):
                pass
        except Malformed:
            return None
        return self.end

    def take(self) -> Iterator[list[int]]:
        """Yield all values in pieces, as unsigned integers. Arithmetic wraps at the type's width."""
        mask = (1 << self._bits) - 1
        last = self._first & mask if self._count else 0
        if self._count:
            yield [last]
        for least, width, body, count in self._bodies(self._count):
            for first in range(0, count, BATCH):
                some = min(BATCH, count - first)
                packed = unpack(self._data, body * 8 + first * width, width, some)
                sums = accumulate((least + value for value in packed), initial=last)
                next(sums)
                values = [value & mask for value in sums]
                last = values[-1]
                yield values

    def _read_header(self, at: int) -> None:
        block, after = decode32(self._data, at)
        if not block or block % 128:
            raise wire_error(wire.DELTA_HEADER, at, 128, block)
        at = after
        self._miniblocks, after = decode32(self._data, at)
        if not self._miniblocks or block % self._miniblocks or block // self._miniblocks % 32:
            raise wire_error(wire.DELTA_HEADER, at, block, self._miniblocks)
        self._miniblock = block // self._miniblocks
        at = after
        count, after = decode32(self._data, at)
        if count < self._count:
            raise wire_error(wire.DELTA_COUNT, at, self._count, count)
        self.total, self.total_at = count, at
        first, self.end = decode64(self._data, after)
        self._first = zigzag_decode(first)

    def _bodies(self, values: int) -> Iterator[tuple[int, int, int, int]]:
        """Yield the block's least difference, width, begin of the body and value count of each miniblock."""
        left, self.end = values - 1, self._blocks
        while left > 0:
            least, widths = decode64(self._data, self.end)
            self.end = widths + self._miniblocks
            if self.end > len(self._data):
                raise wire_error(wire.TRUNCATED, widths, self._miniblocks, len(self._data) - widths)
            for position in range(widths, self.end):
                count = min(left, self._miniblock)
                width, body = self._data[position], self.end
                self._pass_body(position, width, count)
                yield zigzag_decode(least), width, body, count
                left -= count
                if not left:
                    return

    def _pass_body(self, position: int, width: int, count: int) -> None:
        if width > WIDEST:
            raise wire_error(wire.BIT_WIDTH, position, WIDEST, width)
        needed, left = (count * width + 7) // 8, len(self._data) - self.end
        if needed > left:
            raise wire_error(wire.TRUNCATED, self.end, needed, left)
        self.end += min(self._miniblock // 8 * width, left)
