"""Ranges of values: which values of a leaf a filter accepts."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from .. import wire
from ..errors import wire_error

__all__ = ["Ranges"]

HIGHEST = {
    wire.PHYSICAL_BOOLEAN: 1,
    wire.PHYSICAL_INT32: (1 << 32) - 1,
    wire.PHYSICAL_INT64: (1 << 64) - 1,
    wire.PHYSICAL_FLOAT: (1 << 32) - 1,
    wire.PHYSICAL_DOUBLE: (1 << 64) - 1,
}
WIDTHS = {wire.PHYSICAL_INT32: 4, wire.PHYSICAL_FLOAT: 4, wire.PHYSICAL_INT64: 8, wire.PHYSICAL_DOUBLE: 8}
FLOATS = wire.PHYSICAL_FLOAT, wire.PHYSICAL_DOUBLE


class Ranges:
    """Ranges of a type, ascending and apart, with which the values of a column are compared while they are decoded.

    A number is compared by its key, an unsigned integer with the same order: of 32 bits for INT32 and FLOAT, of 64 bits
    for INT64 and DOUBLE. The key of a signed integer is larger by half of this range. The key of a float is its bits
    with the sign bit set, or the inverted bits if it is negative; both zeros have the same key, and NaN is in no range.
    The key of False is 0, that of True is 1. Byte arrays are compared as they are.

    Parameters
    ----------
    type : int
        A `wire.PHYSICAL_…`, except INT96 and FIXED_LEN_BYTE_ARRAY.
    bounds : sequence of pairs
        The first and the last key of each range. For byte arrays: its first value, and the first value after it (None:
        the last range has no end).
    bits : int
        The lowest 8, 16 or 32 bits of an INT32 are its value.
    is_unsigned : bool
        True for unsigned integers.
    has_nan : bool
        True to accept NaN.

    Raises
    ------
    ParquetextError
        BAD_ARGUMENT: ranges of the type are not supported, or the bounds do not ascend.
    """

    def __init__(
        self, type: int, bounds: Sequence[tuple], *, bits: int = 32, is_unsigned: bool = False, has_nan: bool = False
    ):
        self.type, self._bits, self._is_unsigned, self._has_nan = type, bits, is_unsigned, has_nan
        is_known = bits in (8, 16, 32) if type == wire.PHYSICAL_INT32 else type in HIGHEST
        if not is_known and type != wire.PHYSICAL_BYTE_ARRAY:
            raise wire_error(wire.BAD_ARGUMENT, 0, wire.PHYSICAL_BYTE_ARRAY, type)
        self._firsts = [first for first, _ in bounds]
        self._lasts = [last for _, last in bounds]
        is_text = type == wire.PHYSICAL_BYTE_ARRAY
        flat = [bound for pair in bounds for bound in pair]
        if is_text and flat and flat[-1] is None:
            flat.pop()
        for number in range(1, len(flat)):
            before, bound = flat[number - 1], flat[number]
            if bound < before or (bound == before and (is_text or number % 2 == 0)):
                raise wire_error(wire.BAD_ARGUMENT, 0, 0, number)
        if not is_text and flat and flat[-1] > HIGHEST[type]:
            raise wire_error(wire.BAD_ARGUMENT, 0, HIGHEST[type], flat[-1])

    def find(self, values: memoryview) -> bytes:
        """Return a byte for each stored value, 1 if a range contains it. A boolean is one byte."""
        return bytes(map(self._contains, self._keys(values)))

    def find_texts(self, texts: Iterable[bytes]) -> bytes:
        """Return a byte for each byte array, 1 if a range contains it."""
        return bytes(map(self._contains_text, texts))

    def _contains(self, key: int) -> bool:
        if key < 0:
            return self._has_nan
        number = bisect_right(self._firsts, key) - 1
        return number >= 0 and key <= self._lasts[number]

    def _contains_text(self, text: bytes) -> bool:
        number = bisect_right(self._firsts, text) - 1
        return number >= 0 and (self._lasts[number] is None or text < self._lasts[number])

    def _keys(self, values: memoryview) -> Iterator[int]:
        """Yield the key of each value; -1 for NaN."""
        if self.type == wire.PHYSICAL_BOOLEAN:
            yield from values
            return
        width = WIDTHS[self.type]
        stored = (value for (value,) in struct.iter_unpack("<I" if width == 4 else "<Q", values))
        if self.type in FLOATS:
            yield from (self._key_of_float(value, 8 * width) for value in stored)
        else:
            bits = self._bits if self.type == wire.PHYSICAL_INT32 else 64
            low = ((1 << bits) - 1, 0 if self._is_unsigned else 1 << (bits - 1))
            shift = 0 if self._is_unsigned else (1 << (8 * width - 1)) - low[1]
            # The sign is extended by adding half of the value's range and subtracting it after that.
            yield from (((value & low[0]) + low[1] & low[0]) + shift for value in stored)

    @staticmethod
    def _key_of_float(value: int, bits: int) -> int:
        sign = 1 << (bits - 1)
        infinity = 0x7F800000 if bits == 32 else 0x7FF0000000000000
        if value & (sign - 1) > infinity:
            return -1
        if value == sign:
            value = 0
        return (2 * sign - 1) ^ value if value & sign else value | sign
