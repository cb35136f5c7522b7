"""Read the bounds of pages of integers without an object for each page, if nothing about them is unusual."""

from __future__ import annotations

import pyarrow as pa

from .. import compute as pc
from .. import kernels, wire
from ..errors import ParquetextError
from ..pruning import ColumnBounds
from .column_index import (
    ASCENDING,
    DESCENDING,
    ORDERS,
    ChunkCounts,
    StoredIndex,
    boundary_order,
    end_of_alike,
    list_items,
)
from .leaf_types import LeafType

_INTEGERS = wire.PHYSICAL_INT32, wire.PHYSICAL_INT64
_SIDES = wire.COLUMN_INDEX_MIN_VALUES, wire.COLUMN_INDEX_MAX_VALUES


def integer_bounds(index: StoredIndex, kind: LeafType, rows: pa.DataType, fields: ChunkCounts) -> ColumnBounds | None:
    """Return the bounds of a leaf's pages as arrays; None if another function must judge the index.

    That is the case for values other than integers, for pages with nulls, and for any contradiction.

    Parameters
    ----------
    kind : LeafType
        The type of the leaf.
    rows : pyarrow.DataType
        The type of the column's rows.
    fields : ChunkCounts
        With the number of values of each page, all positive.
    """
    if kind.physical not in _INTEGERS or not kind.is_viewed or not fields.page_values:
        return None
    data, count = index.data, len(fields.page_values)
    try:
        stored = {field[0]: field for field in kernels.thrift.fields(data)}
    except ParquetextError:
        return None
    if not _has_no_nulls(data, stored, count, fields):
        return None
    sides = [_values(data, stored.get(name), count, kind.width) for name in _SIDES]
    if None in sides:
        return None
    order = boundary_order(data, stored.get(wire.COLUMN_INDEX_BOUNDARY_ORDER))
    try:
        low, high = (_typed(kind, pa.py_buffer(side), count, rows) for side in sides)
        ends = kind.array([fields.minimum, fields.maximum]).cast(rows)
        if low.null_count or high.null_count or not _are_sound(low, high, order, ends, fields):
            return None
    except (pa.ArrowException, OverflowError):
        return None
    return ColumnBounds(low, high, only_nulls=pa.repeat(False, count), no_nulls=pa.repeat(True, count))


def _has_no_nulls(data: bytes, stored: dict[int, tuple], count: int, fields: ChunkCounts) -> bool:
    """Return True if the index and the chunk state that each page has values and no nulls."""
    flags = list_items(data, stored.get(wire.COLUMN_INDEX_NULL_PAGES), (wire.TYPE_TRUE, wire.TYPE_FALSE))
    nulls = list_items(data, stored.get(wire.COLUMN_INDEX_NULL_COUNTS), (wire.TYPE_I64,))
    if flags[0] != count or nulls[0] != count:
        return False
    if wire.TYPE_TRUE in data[flags[1] : flags[1] + count] or data[nulls[1] : nulls[1] + count] != bytes(count):
        return False
    return fields.null_count <= 0 and min(fields.page_values or (0,)) > 0


def _values(data: bytes, field: tuple | None, count: int, width: int) -> bytearray | None:
    """Return the bytes of a list of values of this width; None if it is another list."""
    items, at = list_items(data, field, (wire.TYPE_BINARY,))
    end = end_of_alike(data, count, at, width) if items == count else None
    if end is None:
        return None
    values = bytearray(count * width)
    for byte in range(width):
        values[byte::width] = data[at + 1 + byte : end : width + 1]
    return values


def _typed(kind: LeafType, values: pa.Buffer, count: int, rows: pa.DataType) -> pa.Array:
    made = kind.array_of(pa.Array.from_buffers(pa.binary(kind.width), count, [None, values]))
    return made if made.type == rows else made.cast(rows)


def _are_sound(low: pa.Array, high: pa.Array, order: int | None, ends: pa.Array, fields: ChunkCounts) -> bool:
    """Return True if bounds contradict neither each other, nor the order, nor the chunk's bounds; nulls agree."""
    if order not in ORDERS or not _all(pc.less_equal(low, high)):
        return False
    if order in (ASCENDING, DESCENDING):
        for side in (low, high):
            first, second = (side[:-1], side[1:]) if order == ASCENDING else (side[1:], side[:-1])
            if not _all(pc.less_equal(first, second)):
                return False
    lowest, highest = (pc.min_max(side) for side in (low, high))
    minimum, maximum = ends
    if _is_above(lowest["max"], maximum) or _is_above(minimum, highest["min"]):
        return False
    if fields.has_exact_minimum is not False and _is_above(lowest["min"], minimum):
        return False
    return fields.has_exact_maximum is False or not _is_above(maximum, highest["max"])


def _all(truths: pa.BooleanArray) -> bool:
    return truths.true_count == len(truths)


def _is_above(one: pa.Scalar, other: pa.Scalar) -> bool:
    return pc.greater(one, other).as_py() is True
