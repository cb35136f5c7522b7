"""The extent of a geometry in well-known binary (ISO 13249-3, or with the flags of PostGIS)."""

from __future__ import annotations

import struct
import sys
from array import array

POINT, LINE, POLYGON, COLLECTIONS = 1, 2, 3, (4, 5, 6, 7)
HAS_Z, HAS_M, HAS_SRID = 1 << 31, 1 << 30, 1 << 29  # PostGIS
_XY_POINT = struct.Struct("<BIdd")  # the most common geometry
_HEADS = struct.Struct(">BI"), struct.Struct("<BI")  # by the first byte
_COUNTS = struct.Struct(">I"), struct.Struct("<I")
_HEAD_BYTES = 5
_NATIVE = int(sys.byteorder == "little")  # the first byte of the order of this machine

Extent = tuple[float, float, float, float]  # least and greatest x, least and greatest y


def extent(value: bytes) -> Extent | None:
    """Return the extent of a geometry's coordinates; None if it has none, or if the bytes are no geometry.

    Each dimension omits coordinates that are NaN. Bytes after the geometry are ignored.
    """
    if len(value) == _XY_POINT.size and value[:_HEAD_BYTES] == b"\x01\x01\0\0\0":
        _, _, x, y = _XY_POINT.unpack(value)
        return (x, x, y, y) if x == x and y == y else None
    try:
        coordinates = _coordinates(value)
    except (struct.error, ValueError, IndexError):
        return None
    xs, ys = ([number for number in numbers if number == number] for numbers in coordinates)
    return (min(xs), max(xs), min(ys), max(ys)) if xs and ys else None


def _coordinates(value: bytes) -> tuple[array, array]:
    """Return all x and all y; raise ValueError, IndexError or struct.error if the bytes are no geometry.

    The members of a collection follow each other, so that the number of geometries to come replaces a stack.
    """
    xs, ys = array("d"), array("d")
    at, awaited = 0, 1
    while awaited:
        awaited -= 1
        order = value[at]
        _, kind = _HEADS[order].unpack_from(value, at)
        at += _HEAD_BYTES + (4 if kind & HAS_SRID else 0)
        dimensions = 2 + bool(kind & HAS_Z) + bool(kind & HAS_M)
        kind &= HAS_SRID - 1
        dimensions += (0, 1, 1, 2)[kind // 1000]
        kind %= 1000
        if kind == POINT:
            at = _take(value, at, 1, dimensions, order, xs, ys)
            continue
        count = _count(value, at, order)
        at += 4
        if kind == LINE:
            at = _take(value, at, count, dimensions, order, xs, ys)
        elif kind == POLYGON:
            for _ in range(_fitting(value, at, count, 4)):
                at = _take(value, at + 4, _count(value, at, order), dimensions, order, xs, ys)
        elif kind in COLLECTIONS:
            awaited += _fitting(value, at, count, _HEAD_BYTES)
        else:
            raise ValueError(kind)
    return xs, ys


def _count(value: bytes, at: int, order: int) -> int:
    return _COUNTS[order].unpack_from(value, at)[0]


def _fitting(value: bytes, at: int, count: int, least: int) -> int:
    """Return a count of parts of at least this many bytes; raise ValueError if there is no room for them."""
    if count > (len(value) - at) // least:
        raise ValueError(count)
    return count


def _take(value: bytes, at: int, count: int, dimensions: int, order: int, xs: array, ys: array) -> int:
    """Append the coordinates of points, and return the offset after them."""
    end = at + _fitting(value, at, count, 8 * dimensions) * 8 * dimensions
    numbers = array("d", value[at:end])
    if order != _NATIVE:
        numbers.byteswap()
    xs.extend(numbers[::dimensions])
    ys.extend(numbers[1::dimensions])
    return end
