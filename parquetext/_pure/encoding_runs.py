"""Decode runs of repeated and of bit-packed values: levels, dictionary indices and booleans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .. import wire
from ..errors import wire_error
from .bits import unpack
from .varint import decode32


def unpack_msb_first(data: memoryview, bit: int, width: int, count: int) -> list[int]:
    """Unpack values with the most significant bit first, as in BIT_PACKED levels."""
    values: list[int] = []
    mask = (1 << width) - 1
    for at in range(bit, bit + count * width, width):
        end = (at + width + 7) >> 3
        values.append(int.from_bytes(data[at >> 3 : end], "big") >> (end * 8 - at - width) & mask)
    return values


def pack_booleans(values: Sequence[int]) -> bytes:
    """Return a bitmap of zeros and ones, least significant bit first, with spare bits 0."""
    bits = "".join(map("01".__getitem__, reversed(values)))
    return int(bits or "0", 2).to_bytes((len(values) + 7) // 8, "little")


LONGEST_RUN = 0x7FFFFFFF  # parquet-format, Encodings.md
BATCH = 1 << 16


class Runs:
    """The runs in ``data[at:]`` of values of `width` bits. Values of 0 bits are all 0 and take no bytes.

    Attributes
    ----------
    header : int
        The position of the current run.
    end : int
        The end of the last run that was opened.
    """

    def __init__(self, data: memoryview, width: int, at: int, is_msb_first: bool = False):
        self._data, self._width = data, width
        self._is_msb_first = is_msb_first
        self.header = self.end = at

    def take(self, count: int, highest: int, code: int, expected: int) -> Iterator[list[int]]:
        """Yield the next `count` values in pieces; raise `code` at the first value above `highest`."""
        for values in self._pieces(count):
            self._check(values, highest, code, expected)
            yield values

    def count(self, wanted: int, count: int, highest: int, code: int, expected: int) -> int:
        """Count the values that equal `wanted` among the next `count`; raise `code` at the first value above `highest`.

        The time is proportional to the encoded bytes and does not depend on the lengths of repeated runs.
        """
        if self._is_msb_first or not self._width:
            return sum(values.count(wanted) for values in self.take(count, highest, code, expected))
        found = 0
        while count:
            length, is_packed, body = self._open()
            some = min(count, length)
            repeated = [[int.from_bytes(self._data[body : body + (self._width + 7) // 8], "little")]]
            for values in self._packed(body, some) if is_packed else repeated:
                self._check(values, highest, code, expected)
                found += values.count(wanted) * (1 if is_packed else some)
            count -= some
        return found

    def _check(self, values: list[int], highest: int, code: int, expected: int) -> None:
        if max(values) > highest:
            raise wire_error(code, self.header, expected, next(value for value in values if value > highest))

    def _pieces(self, count: int) -> Iterator[list[int]]:
        if self._width == 0:
            yield from _repeated(0, count)
        elif self._is_msb_first:
            self.end += (count * self._width + 7) // 8
            yield from self._packed(self.header, count)
        else:
            while count:
                length, is_packed, body = self._open()
                some = min(count, length)
                if is_packed:
                    yield from self._packed(body, some)
                else:
                    yield from _repeated(int.from_bytes(self._data[body : self.end], "little"), some)
                count -= some

    def _open(self) -> tuple[int, bool, int]:
        """Read the next run's header; return (values in it, is it bit-packed, the position of its values)."""
        self.header = self.end
        header, body = decode32(self._data, self.header)
        left = len(self._data) - body
        is_packed = bool(header & 1)
        length = (header >> 1) * 8 if is_packed else header >> 1
        if not 0 < length <= LONGEST_RUN:
            raise wire_error(wire.RUN_LENGTH, self.header, LONGEST_RUN, length)
        size = (header >> 1) * self._width if is_packed else (self._width + 7) // 8
        if not is_packed and size > left:
            raise wire_error(wire.TRUNCATED, body, size, left)
        self.end = body + min(size, left)  # writers may cut the last group short
        return length, is_packed, body

    def _packed(self, body: int, count: int) -> Iterator[list[int]]:
        """Yield `count` values from byte `body` on. If the bytes end too early, raise an error after the last value."""
        get = unpack_msb_first if self._is_msb_first else unpack
        width, size = self._width, len(self._data)
        there = min(count, (size - body) * 8 // width)
        for first in range(0, there, BATCH):
            yield get(self._data, body * 8 + first * width, width, min(BATCH, there - first))
        if there < count:
            bit = body * 8 + there * width
            raise wire_error(wire.TRUNCATED, bit >> 3, ((bit & 7) + width + 7) >> 3, size - (bit >> 3))


def _repeated(value: int, count: int) -> Iterator[list[int]]:
    for first in range(0, count, BATCH):
        yield [value] * min(BATCH, count - first)
