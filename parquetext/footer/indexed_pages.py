"""What a chunk's page index says of pages whose headers were read, as far as it agrees with these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ..errors import Malformed, ParquetextError
from .column_index import StoredIndex
from .model import Node
from .page_index import PageBounds, PagePlaces, counts_of, parse_bounds, parse_places, read_index

__all__ = ["INDEXES", "DataPages", "IndexedPages", "index_or_none", "indexed_pages"]

INDEXES = OFFSET_INDEX, COLUMN_INDEX = "offset_index", "column_index"


@dataclass(frozen=True, slots=True)
class DataPages:
    """The data pages of a chunk by their headers, in file order.

    `sizes` are bytes with the header; `row_counts` and `null_counts` are None where a header does not say them.
    """

    offsets: Sequence[int]
    sizes: Sequence[int]
    value_counts: Sequence[int]
    row_counts: Sequence[int | None]
    null_counts: Sequence[int | None]


@dataclass(frozen=True, slots=True)
class IndexedPages:
    """What the page index says of a chunk's data pages; None where there is no index, or one that cannot be."""

    places: PagePlaces | None = None
    bounds: PageBounds | None = None


def index_or_none(source, chunks, row_group: int, name: str) -> StoredIndex | None:
    """The index as `read_index` reads it; None also where its place leads out of the file."""
    try:
        return read_index(source, chunks, row_group, name)
    except Malformed:
        return None


def indexed_pages(source, chunks, node: Node, row_group: int, num_rows: int, pages: DataPages) -> IndexedPages:
    """What the indexes of one of a leaf's chunks say of its pages: bounds only where the places are right."""
    index = index_or_none(source, chunks, row_group, OFFSET_INDEX)
    if index is None:
        return IndexedPages()
    try:
        positions = parse_places(index, chunks, row_group, num_rows, source.size)
    except ParquetextError:
        return IndexedPages()
    if not _is_of(positions, pages):
        return IndexedPages()
    index = index_or_none(source, chunks, row_group, COLUMN_INDEX)
    if index is None:
        return IndexedPages(positions)
    try:
        bounds = parse_bounds(index, node, counts_of(chunks, row_group, pages.value_counts))
    except ParquetextError:
        return IndexedPages(positions)
    return IndexedPages(positions, bounds if _agree(pages.null_counts, bounds.null_counts) else None)


def _is_of(positions: PagePlaces, pages: DataPages) -> bool:
    """Whether these are the places of the pages; a row has at least one value."""
    return (
        positions.offsets == list(pages.offsets)
        and positions.sizes == list(pages.sizes)
        and _agree(pages.row_counts, positions.row_counts)
        and all(rows <= values for rows, values in zip(positions.row_counts, pages.value_counts, strict=True))
    )


def _agree(recorded: Sequence[int | None], indexed: Sequence[int]) -> bool:
    """Whether an index has the counts that headers tell; below 0 it has none."""
    return all(known is None or count in (known, -1) for known, count in zip(recorded, indexed, strict=True))
