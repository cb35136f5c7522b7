"""Export the bounds of all chunks of a scan as buffers of Arrow columns."""

from __future__ import annotations

import struct
from array import array

from .. import wire
from ..errors import wire_error
from .scan import Scan

__all__ = ["bound_columns"]

STORED, INTEGER, DOUBLE, TEXT, MOMENT = range(5)  # the bitmaps
BITMAPS = 5
LARGEST_OFFSET = (1 << 31) - 1
FLOATS = {2: "<e", 4: "<f", 8: "<d"}
MICROSECONDS = {wire.READING_DAYS: 86_400_000_000, wire.READING_MILLISECONDS: 1000, wire.READING_MICROSECONDS: 1}


def bound_columns(scan: Scan, readings: bytes) -> tuple[tuple, tuple]:
    """Return the usable bounds of all chunks, row-group major.

    Parameters
    ----------
    scan : Scan
        The scan of a footer whose row groups have one chunk per leaf.
    readings : bytes
        How to read each leaf's bounds: a value and a unit of `wire.READING_…`, combined by or; 0 reads only the bytes.

    Returns
    -------
    (minima, maxima)
        Each (numbers, moments, offsets, data, bitmaps), as bytes that Arrow takes as buffers. Numbers are int64 or the
        bits of doubles. Moments are int64 microseconds since 1970; those of minima are never above the bound, and
        those of maxima never below it. Offsets are int32 positions in data. The five bitmaps are concatenated and mark
        bounds that are stored, integers, doubles, UTF-8 and moments.

    Raises
    ------
    Unsupported
        If a row group does not have one chunk per leaf, or if the bounds have 2 GiB or more.
    """
    if len(readings) != scan.leaf_count:
        raise wire_error(wire.BAD_ARGUMENT, 0, scan.leaf_count, len(readings))
    scan.check_regular()
    ends = _End(scan.chunk_count, up=False), _End(scan.chunk_count, up=True)
    for bit, end in zip((1, 2), ends, strict=True):
        columns = [scan.column(leaf).bound_values(bit) for leaf in range(scan.leaf_count)]
        for row_group in range(scan.row_group_count):
            for column, reading in zip(columns, readings, strict=True):
                end.append(column[row_group], reading)
    most = max(len(end.data) for end in ends)
    if most > LARGEST_OFFSET:
        raise wire_error(wire.TOO_LARGE, 0, LARGEST_OFFSET, most)
    return ends[0].buffers(), ends[1].buffers()


class _End:
    """A builder of the minima or the maxima."""

    def __init__(self, count: int, *, up: bool):
        self.up, self.count = up, 0
        self.data, self.offsets = bytearray(), array("i", [0])
        self.numbers, self.moments = bytearray(), array("q")
        self.bitmap_bytes = (count + 7) // 8
        self.valid = bytearray(BITMAPS * self.bitmap_bytes)

    def buffers(self) -> tuple[bytes, bytes, bytes, bytes, bytes]:
        return (
            bytes(self.numbers),
            self.moments.tobytes(),
            self.offsets.tobytes(),
            bytes(self.data),
            bytes(self.valid),
        )

    def append(self, value: bytes | None, reading: int) -> None:
        number, moment = bytes(8), None
        if value is not None:
            self.data += value
            self.mark(STORED)
            number, moment = self.read(value, reading & wire.READING_VALUE, reading & wire.READING_UNIT)
        self.offsets.append(len(self.data) & 0x7FFFFFFF)
        self.numbers += number
        self.moments.append(moment or 0)
        self.count += 1

    def read(self, value: bytes, what: int, unit: int) -> tuple[bytes, int | None]:
        integer = as_integer(what, value)
        if integer is not None:
            self.mark(INTEGER)
            moment = as_moment(unit, integer, self.up)
            if moment is not None:
                self.mark(MOMENT)
            return integer.to_bytes(8, "little", signed=True), moment
        if what == wire.READING_FLOAT and len(value) in FLOATS:
            self.mark(DOUBLE)
            return struct.pack("<d", *struct.unpack(FLOATS[len(value)], value)), None
        if what == wire.READING_TEXT and is_text(value):
            self.mark(TEXT)
        return bytes(8), None

    def mark(self, bitmap: int) -> None:
        self.valid[bitmap * self.bitmap_bytes + self.count // 8] |= 1 << self.count % 8


def as_integer(what: int, value: bytes) -> int | None:
    """Return an integer of 64 bits, or None."""
    if what == wire.READING_BOOLEAN:
        return value[0] & 1 if len(value) == 1 else None
    if what == wire.READING_DECIMAL:
        number = int.from_bytes(value, "big", signed=True)
        return number if value and -1 << 63 <= number < 1 << 63 else None
    lengths = {wire.READING_SIGNED: (4, 8, 12), wire.READING_UNSIGNED: (4, 8)}
    if len(value) not in lengths.get(what, ()):
        return None
    number = int.from_bytes(value, "little", signed=what == wire.READING_SIGNED)
    return number if -1 << 63 <= number < 1 << 63 else None


def as_moment(unit: int, count: int, up: bool) -> int | None:
    """Convert a count since 1970 to microseconds, rounding down, or up if `up`."""
    if unit == wire.READING_NANOSECONDS:
        return -(-count // 1000) if up else count // 1000
    factor = MICROSECONDS.get(unit)
    return count * factor if factor and -1 << 63 <= count * factor < 1 << 63 else None


def is_text(value: bytes) -> bool:
    try:
        value.decode()
    except UnicodeDecodeError:
        return False
    return True
