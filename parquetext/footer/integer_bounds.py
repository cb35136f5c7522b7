"""Read the bounds of pages of integers without an object for each page, if nothing about them is unusual."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from .. import compute as pc
from .. import kernels, wire
from ..errors import ParquetextError
from ..pruning import ColumnBounds
from ..thrift import list_start
from .column_index import ASCENDING, DESCENDING, ORDERS, ChunkCounts, StoredIndex
from .leaf_types import LeafType

_WIDTHS = {wire.PHYSICAL_INT32: 4, wire.PHYSICAL_INT64: 8}
_LISTS = {
    wire.COLUMN_INDEX_NULL_PAGES: (wire.TYPE_TRUE, wire.TYPE_FALSE),
    wire.COLUMN_INDEX_MIN_VALUES: (wire.TYPE_BINARY,),
    wire.COLUMN_INDEX_MAX_VALUES: (wire.TYPE_BINARY,),
    wire.COLUMN_INDEX_NULL_COUNTS: (wire.TYPE_I64,),
}


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
    width, pages = _WIDTHS.get(kind.physical), fields.page_values
    if width is None or not kind.is_viewed or not pages:
        return None
    lists = _lists_of(index.data, len(pages))
    if lists is None or not _has_no_nulls(index.data, lists, len(pages), fields):
        return None
    sides = [_values(index.data, lists[name], len(pages), width) for name in (2, 3)]
    if None in sides:
        return None
    try:
        low, high = (_typed(kind, pa.py_buffer(side), len(pages), width, rows) for side in sides)
        ends = kind.array([fields.minimum, fields.maximum])
        if low.null_count or high.null_count or not _are_sound(low, high, lists["order"], ends.cast(rows), fields):
            return None
    except (pa.ArrowException, OverflowError):
        return None
    none = pa.array([False] * len(pages), pa.bool_())
    return ColumnBounds(low, high, none, pc.invert(none))


def _lists_of(data: bytes, count: int) -> dict[Any, int] | None:
    """Return the offset of the first item of each list by field, and the boundary order; None without one of them."""
    try:
        fields = kernels.thrift.fields(data)
    except ParquetextError:
        return None
    found: dict[Any, int] = {}
    for field in fields:
        number, kind, at = field[0], field[1], field[3]
        if number in _LISTS and kind == wire.TYPE_LIST:
            items, found[number] = list_start(data, at)
            if items != count or data[at] & 15 not in _LISTS[number]:
                return None
        elif number == wire.COLUMN_INDEX_BOUNDARY_ORDER and kind == wire.TYPE_I32:
            found["order"] = kernels.varint.zigzag_decode(kernels.varint.decode32(data, at)[0])
    return found if len(found) == len(_LISTS) + 1 and len(fields) == len({field[0] for field in fields}) else None


def _has_no_nulls(data: bytes, lists: dict[Any, int], count: int, fields: ChunkCounts) -> bool:
    flags, counts = lists[wire.COLUMN_INDEX_NULL_PAGES], lists[wire.COLUMN_INDEX_NULL_COUNTS]
    if wire.TYPE_TRUE in data[flags : flags + count] or data[counts : counts + count] != bytes(count):
        return False
    return fields.null_count <= 0 and min(fields.page_values or (0,)) > 0


def _values(data: bytes, at: int, count: int, width: int) -> bytearray | None:
    """Return the bytes of a list of values of this width; None if an item has another one."""
    end = at + count * (width + 1)
    if end > len(data) or data[at : end : width + 1] != bytes([width]) * count:
        return None
    values = bytearray(count * width)
    for byte in range(width):
        values[byte::width] = data[at + 1 + byte : end : width + 1]
    return values


def _typed(kind: LeafType, values: pa.Buffer, count: int, width: int, rows: pa.DataType) -> pa.Array:
    made = kind.array_of(pa.Array.from_buffers(pa.binary(width), count, [None, values]))
    return made if made.type == rows else made.cast(rows)


def _are_sound(low: pa.Array, high: pa.Array, order: int, ends: pa.Array, fields: ChunkCounts) -> bool:
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
