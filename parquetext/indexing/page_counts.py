"""The data pages of a column chunk: places, counts and bounds, from their headers or from their values."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from .. import kernels, wire
from ..encoding.chunk_reader import Chunk
from ..encoding.pages import DATA_PAGES, FIRST_WINDOW, REMOTE_WINDOW, Headers, read_headers
from ..errors import Malformed, ParquetextError
from ..records import frozen
from ..storage import has_descriptor
from .page_bounds import Bounds, bounds_of
from .page_values import decoded_pages
from .value_order import ValueOrder


@frozen
class DataPage:
    """A data page.

    Attributes
    ----------
    offset, size : int
        Its place in the file, header included.
    entries : int
        Values and nulls.
    rows, nulls : int or None
        None if a header does not state them.
    begins_row : bool
    bounds : tuple of bytes or None
        None if no value has a place in the order, or if they are not known.
    """

    offset: int
    size: int
    entries: int
    rows: int | None
    nulls: int | None
    begins_row: bool = True
    bounds: Bounds | None = None


@frozen
class ChunkPages:
    """The headers of a chunk's pages, and the positions of its data pages among them."""

    headers: Headers
    positions: Sequence[int]

    @property
    def entries(self) -> list[int]:
        counts = self.headers.array("num_values")
        return [counts[position] for position in self.positions]

    @property
    def places(self) -> list[tuple[int, int]]:
        """Return the offset and the size of each data page, header included."""
        offsets, heads, bodies = map(self.headers.array, ("offset", "header_size", "compressed_size"))
        return [(offsets[position], heads[position] + bodies[position]) for position in self.positions]


def walk(source, chunk: Chunk, num_values: int) -> ChunkPages:
    """Read the page headers of a chunk, which has `num_values` values and nulls by the footer.

    Raises
    ------
    Malformed
        If a header cannot be read, or if the pages have another number of values.
    """
    window = FIRST_WINDOW if has_descriptor(source) else REMOTE_WINDOW
    headers = read_headers(source, chunk.begin, chunk.end, slack=chunk.overrun, window=window, bounds=True)
    if headers.problem is not None:
        raise headers.problem
    positions = [number for number, type in enumerate(headers.array("type")) if type in DATA_PAGES]
    pages = ChunkPages(headers, positions)
    if (found := sum(pages.entries)) != num_values:
        message = f"its pages have {found} values by their headers, the footer says {num_values}"
        raise Malformed(message, offset=chunk.begin, expected=num_values, found=found)
    return pages


def pages_by_headers(source, chunk: Chunk, pages: ChunkPages, order: ValueOrder | None) -> list[DataPage] | None:
    """Return the data pages by their headers; None if these lack a count or, with `order`, a bound."""
    levels, array = chunk.leaf.levels, pages.headers.array
    names = "type", "num_values", "num_rows", "num_nulls", "null_count"
    types, entries, rows, nulls, null_counts = map(array, names)
    minima, maxima = (pages.headers.bounds(name).to_pylist() for name in ("min_value", "max_value"))
    found = []
    for position, (offset, size) in zip(pages.positions, pages.places, strict=True):
        is_v2, count = types[position] == wire.PAGE_DATA_PAGE_V2, entries[position]
        null_count = null_counts[position] if null_counts[position] >= 0 else nulls[position] if is_v2 else -1
        null_count = 0 if not levels.definition else null_count
        if order is not None and not 0 <= null_count <= count:
            return None
        bounds = None
        if order is not None and null_count < count:
            bounds = _stored_bounds(minima[position], maxima[position], order)
            if bounds is None:
                return None
        row_count, begins_row = count, True
        if levels.repetition:
            if not is_v2:
                return None
            row_count = rows[position]
            begins_row = not count or _begins_row(source, pages.headers.header(position), levels.repetition)
        found.append(DataPage(offset, size, count, row_count, max(null_count, 0), begins_row, bounds))
    counts = [page.rows for page in found if page.rows is not None]
    return found if sum(counts) == chunk.num_rows and min(counts, default=0) >= 0 else None


def pages_by_values(
    source, chunk: Chunk, pages: ChunkPages, order: ValueOrder | None, see: Callable[[pa.Array], None]
) -> list[DataPage]:
    """Return the data pages after decoding their values, which `see` is given without nulls.

    Raises
    ------
    ParquetextError
        If the pages cannot be decoded, or if they have other rows than the row group.
    """
    orders = {} if order is None else {False: order}
    found = []
    measured = list(decoded_pages(source, chunk, pages.entries, orders, see))
    if len(measured) < len(pages.positions):
        raise Malformed(f"{len(measured)} of {len(pages.positions)} pages have the values of their headers")
    for (offset, size), page in zip(pages.places, measured, strict=True):
        keys = page.extremes.get(False)
        bounds = None if keys is None or order is None else bounds_of(*keys, order)
        begins_row = not page.begins_within_row
        found.append(DataPage(offset, size, page.entries, page.rows, page.nulls, begins_row, bounds))
    if (rows := sum(page.rows or 0 for page in found)) != chunk.num_rows:
        raise Malformed(f"its pages have {rows} rows, the row group has {chunk.num_rows}")
    return found


def _stored_bounds(minimum: bytes | None, maximum: bytes | None, order: ValueOrder) -> Bounds | None:
    """Return a header's bounds as an index stores them; None if one is absent or no value."""
    keys: list[Any] = []
    for bound in (minimum, maximum):
        if bound is None or (order.width and len(bound) != order.width):
            return None
        keys.append(order.key(bound))
    if keys[0] is None or keys[1] is None:
        return None
    return bounds_of(keys[0], keys[1], order)


def _begins_row(source, header, max_repetition: int) -> bool:
    """Return True if the first entry of a V2 page has the repetition level 0."""
    levels = source.read(header.offset + header.header_size, header.repetition_size)
    try:
        first, _ = kernels.encoding.decode_levels(wire.ENCODING_RLE, max_repetition, levels, 1, 0, len(levels))
    except ParquetextError as error:
        raise error.at(None, header.offset) from None
    return not any(bytes(first))


def begins_within_row(pages: Sequence[DataPage]) -> Iterator[int]:
    """Yield the numbers of the pages that begin within a row."""
    return (number for number, page in enumerate(pages) if not page.begins_row)
