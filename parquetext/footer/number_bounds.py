"""Read the bounds of pages of numbers without an object for each page, if nothing about them is unusual."""

from __future__ import annotations

import pyarrow as pa

from .. import kernels
from ..pruning import ColumnBounds
from .chunk_statistics import has_total_order
from .column_index import ChunkCounts, StoredIndex
from .leaf_types import LeafType
from .model import Node


def number_bounds(
    index: StoredIndex, node: Node, kind: LeafType, rows: pa.DataType, pages: int, fields: ChunkCounts
) -> ColumnBounds | None:
    """Return the bounds of a leaf's pages as arrays; None if another function must judge the index.

    That is the case for values other than numbers, for pages with nulls, and for any contradiction.

    Parameters
    ----------
    node : Node
        The leaf.
    kind : LeafType
        Its type.
    rows : pyarrow.DataType
        The type of the column's rows.
    pages : int
        The number of pages. Each has at least one value.
    fields : ChunkCounts
        The properties of the chunk; `page_values` is not used.
    """
    if not kind.is_viewed or not pages or fields.null_count > 0 or has_total_order(node):
        return None
    found = kernels.bound_checks.page_numbers(
        node.thrift,
        node.column_order,
        index.data,
        pages,
        fields.minimum,
        fields.maximum,
        has_minimum=fields.has_exact_minimum is not False,
        has_maximum=fields.has_exact_maximum is not False,
    )
    if found is None:
        return None
    try:
        low, high = (_typed(kind, pa.py_buffer(side), pages, rows) for side in found)
    except (pa.ArrowException, OverflowError):
        return None
    if low.null_count or high.null_count:
        return None
    return ColumnBounds(low, high, only_nulls=_flags(0x00, pages), no_nulls=_flags(0xFF, pages))


def _flags(byte: int, count: int) -> pa.BooleanArray:
    """Return equal booleans; much faster than `pyarrow.repeat`."""
    return pa.Array.from_buffers(pa.bool_(), count, [None, pa.py_buffer(bytes([byte]) * (count // 8 + 1))], 0)


def _typed(kind: LeafType, values: pa.Buffer, count: int, rows: pa.DataType) -> pa.Array:
    made = kind.array_of(pa.Array.from_buffers(pa.binary(kind.width), count, [None, values]))
    return made if made.type == rows else made.cast(rows)
