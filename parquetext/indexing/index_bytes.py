"""The structs OffsetIndex and ColumnIndex of a chunk's data pages."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import Any

from ..footer.column_index import ASCENDING, DESCENDING, UNORDERED
from ..thrift import values
from .page_counts import DataPage
from .value_order import ValueOrder


def offset_index(pages: Sequence[DataPage]) -> bytes:
    """Return the OffsetIndex of pages whose rows are known."""
    first_rows = accumulate([page.rows for page in pages[:-1]], initial=0)
    locations = [
        {"offset": page.offset, "compressed_page_size": page.size, "first_row_index": row}
        for page, row in zip(pages, first_rows, strict=True)
    ]
    return values.write("OffsetIndex", {"page_locations": locations})


def column_index(pages: Sequence[DataPage], order: ValueOrder, *, has_null_counts: bool) -> bytes | None:
    """Return the ColumnIndex of pages; None if a page has values, but no bounds: all of them are NaN."""
    are_null = [page.entries == page.nulls for page in pages]
    filled = [page.bounds for page, is_null in zip(pages, are_null, strict=True) if not is_null]
    if None in filled:
        return None
    bounds = [page.bounds or (b"", b"") for page in pages]
    fields: dict[str, Any] = {
        "null_pages": are_null,
        "min_values": [low for low, _ in bounds],
        "max_values": [high for _, high in bounds],
        "boundary_order": boundary_order(filled, order),
    }
    if has_null_counts:
        fields["null_counts"] = [page.nulls for page in pages]
    return values.write("ColumnIndex", fields)


def boundary_order(bounds: Sequence[Any], order: ValueOrder) -> int:
    """Return the BoundaryOrder of the bounds of pages with values."""
    sides: list[list[Any]] = [[order.key(bound) for bound in side] for side in zip(*bounds, strict=True)]
    if not sides:
        return UNORDERED
    if all(one <= two for side in sides for one, two in pairwise(side)):
        return ASCENDING
    return DESCENDING if all(one >= two for side in sides for one, two in pairwise(side)) else UNORDERED
