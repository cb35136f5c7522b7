"""Export the bounds of all chunks of a scan as buffers of Arrow columns."""

from __future__ import annotations

import struct
from array import array
from itertools import accumulate
from typing import NamedTuple

from .. import wire
from ..errors import wire_error
from ..escaping import is_utf8
from .encoding_runs import pack_booleans
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
    ends = []
    for bit, up in ((1, False), (2, True)):
        columns = [scan.column(leaf).bound_values(bit) for leaf in range(scan.leaf_count)]
        rows = (zip(columns, readings, strict=True) for _ in range(scan.row_group_count))
        ends.append(
            [
                _bound(column[row_group], reading & wire.READING_VALUE, reading & wire.READING_UNIT, up)
                for row_group, row in enumerate(rows)
                for column, reading in row
            ]
        )
    most = max(sum(len(bound.stored) for bound in end) for end in ends)
    if most > LARGEST_OFFSET:
        raise wire_error(wire.TOO_LARGE, 0, LARGEST_OFFSET, most)
    return _buffers(ends[0]), _buffers(ends[1])


class _Bound(NamedTuple):
    """A bound as it is stored, its number, its moment in microseconds, and the bitmaps that mark it."""

    stored: bytes = b""
    number: bytes = bytes(8)
    moment: int = 0
    marks: tuple[int, ...] = ()


def _bound(value: bytes | None, what: int, unit: int, up: bool) -> _Bound:
    if value is None:
        return _Bound()
    integer = as_integer(what, value)
    if integer is not None:
        number, moment = integer.to_bytes(8, "little", signed=True), as_moment(unit, integer, up)
        return _Bound(value, number, moment or 0, (STORED, INTEGER) if moment is None else (STORED, INTEGER, MOMENT))
    if what == wire.READING_FLOAT and len(value) in FLOATS:
        number = struct.pack("<d", *struct.unpack(FLOATS[len(value)], value))
        return _Bound(value, number, marks=(STORED, DOUBLE))
    return _Bound(value, marks=(STORED, TEXT) if what == wire.READING_TEXT and is_utf8(value) else (STORED,))


def _buffers(end: list[_Bound]) -> tuple[bytes, bytes, bytes, bytes, bytes]:
    """Return the numbers, moments, offsets, data and bitmaps of the minima or the maxima."""
    return (
        b"".join(bound.number for bound in end),
        array("q", [bound.moment for bound in end]).tobytes(),
        array("i", accumulate((len(bound.stored) for bound in end), initial=0)).tobytes(),
        b"".join(bound.stored for bound in end),
        b"".join(pack_booleans([bitmap in bound.marks for bound in end]) for bitmap in range(BITMAPS)),
    )


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
