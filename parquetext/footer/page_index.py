"""Read the page index of a column chunk: the offsets and the bounds of its pages."""

from __future__ import annotations

from collections.abc import Sequence
from operator import sub

import pyarrow as pa

from .. import kernels, wire
from ..errors import Malformed, ParquetextError
from ..logical_types import SortOrder, order_of
from ..pruning import ColumnBounds
from ..records import frozen
from .chunk_statistics import has_total_order, trusted_counts
from .column_index import ChunkCounts, StoredIndex, find_contradiction, parse_column_index
from .columns import Bounds
from .elements import parse_element
from .model import FooterReader, Node
from .number_bounds import number_bounds
from .typed_bounds import StoredBounds, comparable_type

ELSEWHERE = wire.PRESENT_FILE_PATH | wire.PRESENT_CRYPTO  # offsets in another file, or of encrypted bytes
MAGIC_BYTES = 4
_EXACTNESS = (
    (wire.PRESENT_MIN_EXACT_SET, wire.PRESENT_MIN_EXACT),
    (wire.PRESENT_MAX_EXACT_SET, wire.PRESENT_MAX_EXACT),
)


@frozen
class PagePlaces:
    """The locations of a chunk's data pages (OffsetIndex): offset, size including the header, first row."""

    offsets: list[int]
    sizes: list[int]
    first_rows: list[int]
    num_rows: int

    def __len__(self) -> int:
        return len(self.offsets)

    @property
    def row_counts(self) -> list[int]:
        return self.rows_of(0, len(self))

    def rows_of(self, first: int, last: int) -> list[int]:
        """Return the number of rows of each page in [first, last)."""
        ends = self.first_rows[first + 1 : last + 1]
        if last == len(self):
            ends.append(self.num_rows)
        return list(map(sub, ends, self.first_rows[first:last]))


@frozen
class PageBounds:
    """The bounds of a column's pages (ColumnIndex): None if a page has none; unknown counts are -1.

    `nan_counts` is None unless the column order makes them meaningful.
    """

    min: Sequence[bytes | None]
    max: Sequence[bytes | None]
    null_counts: list[int]
    nan_counts: list[int] | None = None

    def typed(self, form: FooterReader, leaf: int, rows: pa.DataType, positions: PagePlaces) -> ColumnBounds | None:
        """Return the bounds of a flat column's pages in the type of its rows; None if they cannot be compared."""
        kind = comparable_type(form, leaf, rows)
        if kind is None:
            return None
        is_required = form.node(leaf).max_definition == 0
        counts = self.null_counts, positions.row_counts
        return StoredBounds(kind, self.min, self.max, *counts, is_required, self.nan_counts).typed(rows)


def has_page_order(node: Node) -> bool:
    """Return True if the bounds of a leaf's pages have the order of its type, or the total order of floats."""
    if has_total_order(node):
        return True
    element = parse_element(node.thrift)
    if element.type is None or node.column_order != wire.ORDER_TYPE_ORDER:
        return False
    return order_of(element.logical, element.type, element.type_length or 0) != SortOrder.UNDEFINED


def read_index(source, chunks, row_group: int, name: str) -> StoredIndex | None:
    """Return the ``"offset_index"`` or ``"column_index"`` of one of a leaf's chunks; None if it has none.

    Raises
    ------
    Malformed
        If it exceeds the file, or is too large for an index.
    """
    offset, length = (chunks.array(f"{name}_{part}")[row_group] for part in ("offset", "length"))
    if offset <= 0 or length <= 0 or chunks.array("present")[row_group] & ELSEWHERE:
        return None
    if length > wire.PAGE_INDEX_MOST_BYTES or offset + length > source.size:
        raise Malformed(f"a page index of {length} bytes in a file of {source.size}", offset=offset)
    return StoredIndex(bytes(source.read(offset, length)), offset)


def read_places(source, chunks, row_group: int, num_rows: int) -> PagePlaces | None:
    """Read and parse the offset index of one of a leaf's chunks; None if it has none. Errors are those of both."""
    index = read_index(source, chunks, row_group, "offset_index")
    return None if index is None else parse_places(index, chunks, row_group, num_rows, source.size)


def parse_places(index: StoredIndex, chunks, row_group: int, num_rows: int, file_size: int) -> PagePlaces:
    """Return the page locations in an offset index of one of a leaf's chunks.

    Raises
    ------
    Malformed
        If the index violates the format, exceeds the file or the row group, or omits bytes of the chunk; offsets count
        from the file's start.
    """
    data, offset = index
    # There is no gap up to the chunk's end: a filter would silently lose the rows of a page that the index omits.
    end = chunks.begins()[row_group] + chunks.array("total_compressed_size")[row_group]
    if not MAGIC_BYTES < end <= file_size or num_rows <= 0:
        raise Malformed("an offset index of a chunk beyond the file, or without rows", offset=offset)
    try:
        pages = kernels.page_table.parse(data, MAGIC_BYTES, end, num_rows)
    except ParquetextError as error:
        raise error.at(None, offset) from None
    offsets, sizes, first_rows = (pages.array(name).tolist() for name in ("offset", "size", "first_row"))
    return PagePlaces(offsets, sizes, first_rows, num_rows)


def counts_of(chunks, row_group: int, page_values: Sequence[int] | None = None) -> ChunkCounts:
    """Combine the values of a chunk's pages with the chunk's statistics in the footer."""
    values, nulls, present = (chunks.array(name)[row_group] for name in ("num_values", "null_count", "present"))
    bounds = (Bounds(chunks, bit)[row_group] for bit in (1, 2))
    exactness = (bool(present & exact) if present & is_said else None for is_said, exact in _EXACTNESS)
    return ChunkCounts(page_values, values, nulls, *bounds, *exactness)


def parse_bounds(index: StoredIndex, node: Node, fields: ChunkCounts) -> PageBounds:
    """Return the bounds and null counts of pages by a column index; `fields` has the numbers of their values.

    Raises
    ------
    Malformed
        If the index violates the format, or contradicts the schema, the footer, its pages or itself.
    """
    parsed = parse_column_index(index)
    problem = find_contradiction(parsed, node, fields)
    if problem is not None:
        raise Malformed(f"a column index that {problem}", offset=index.offset)
    nulls = parsed.null_counts or [-1] * len(parsed)
    low: Sequence[bytes | None] = parsed.min_values
    high: Sequence[bytes | None] = parsed.max_values
    if any(parsed.null_pages):
        low, high = (
            [None if is_null else value for is_null, value in zip(parsed.null_pages, side, strict=True)]
            for side in (low, high)
        )
        known = zip(parsed.null_pages, nulls, nulls if fields.page_values is None else fields.page_values, strict=True)
        nulls = [values if is_null else count for is_null, count, values in known]
    judged = kernels.bound_checks.judge_pairs(node.thrift, node.column_order, low, high)
    nans = None
    if has_total_order(node) and parsed.nan_counts is not None:
        nans = trusted_counts(parsed.nan_counts, judged)
    return PageBounds(_usable(low, judged, wire.BOUND_MIN), _usable(high, judged, wire.BOUND_MAX), nulls, nans)


def typed_bounds(
    index: StoredIndex, form: FooterReader, leaf: int, rows: pa.DataType, positions: PagePlaces, fields: ChunkCounts
) -> ColumnBounds | None:
    """Return the bounds in a column index in the type of the column's rows; None if they cannot be compared.

    `fields` has the properties of the chunk; the numbers of values are those of the rows at `positions`. Errors are
    those of `parse_bounds`.
    """
    kind = comparable_type(form, leaf, rows)
    if kind is None:
        return None
    node = form.node(leaf)
    found = number_bounds(index, node, kind, rows, len(positions), fields)
    if found is None:
        fields = fields._replace(page_values=positions.row_counts)
        found = parse_bounds(index, node, fields).typed(form, leaf, rows, positions)
    return found


def _usable(values: Sequence[bytes | None], judged: bytes, bit: int) -> Sequence[bytes | None]:
    """Return the bounds that a judgement has declared usable, by this bit, and None for the others."""
    if all(bits & bit for bits in set(judged)):
        return values
    return [value if bits & bit else None for value, bits in zip(values, judged, strict=True)]


INDEXES = OFFSET_INDEX, COLUMN_INDEX = "offset_index", "column_index"


@frozen
class DataPages:
    """The data pages of a chunk by their headers, in file order.

    `sizes` include the header; `row_counts` and `null_counts` are None if a header lacks them.
    """

    offsets: Sequence[int]
    sizes: Sequence[int]
    value_counts: Sequence[int]
    row_counts: Sequence[int | None]
    null_counts: Sequence[int | None]


@frozen
class IndexedPages:
    """The indexed locations and bounds of a chunk's data pages; None if there is no index, or an invalid one."""

    places: PagePlaces | None = None
    bounds: PageBounds | None = None


def index_or_none(source, chunks, row_group: int, name: str) -> StoredIndex | None:
    """Call `read_index`; return None also if the index exceeds the file."""
    try:
        return read_index(source, chunks, row_group, name)
    except Malformed:
        return None


def indexed_pages(source, chunks, node: Node, row_group: int, num_rows: int, pages: DataPages) -> IndexedPages:
    """Return the locations and bounds of a chunk's pages by its indexes; bounds only if the locations match."""
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
    """Return True if the locations match the pages; a row has at least one value."""
    return (
        positions.offsets == list(pages.offsets)
        and positions.sizes == list(pages.sizes)
        and _agree(pages.row_counts, positions.row_counts)
        and all(rows <= values for rows, values in zip(positions.row_counts, pages.value_counts, strict=True))
    )


def _agree(recorded: Sequence[int | None], indexed: Sequence[int]) -> bool:
    """Return True if an index has the counts of the headers; -1 matches all."""
    return all(known is None or count in (known, -1) for known, count in zip(recorded, indexed, strict=True))
