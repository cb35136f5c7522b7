"""Build the page table of a column: one row per page, from the page headers and the page index."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice, product

import pyarrow as pa

from .. import compute as pc
from .. import wire
from ..encoding.carried import Carried
from ..encoding.pages import DATA_PAGES, FIRST_WINDOW, OVERRUN, Headers, read_headers
from ..encoding.registry import names as encoding_names
from ..errors import Malformed, Unsupported
from .column_footer import other_file
from .page_index import INDEXES, DataPages, IndexedPages, has_page_order, index_or_none, indexed_pages

MEMBERS = (
    ("type", pa.int32()),
    ("encoding", pa.int32()),
    ("num_values", pa.int32()),
    ("num_nulls", pa.int32()),
    ("null_count", pa.int64()),
    ("num_rows", pa.int32()),
    ("offset", pa.int64()),
    ("header_size", pa.int32()),
    ("compressed_size", pa.int32()),
    ("uncompressed_size", pa.int32()),
    ("crc", pa.uint32()),
    ("has_crc", pa.uint8()),
)


def page_table(
    source,
    column,
    *,
    window: int = FIRST_WINDOW,
    gather: Callable | None = None,
    copies: Sequence[Carried | None] | None = None,
) -> pa.Table:
    """Return a row for each page of a column, row group by row group. Page bodies are not read.

    Parameters
    ----------
    source : object
        An object with `size` and `read(offset, length)`.
    column : Column
    window : int
        The smallest read, in bytes.
    gather : callable, optional
        A function that runs read tasks and returns their results, for a source that merges and caches reads.
    copies : sequence of Carried or None, optional
        For each chunk, the copy whose pages to list instead of the chunk's pages, or None.

    Returns
    -------
    pyarrow.Table
        `row_group`, `page` (from 0 in each chunk), `type`, `encoding`, `num_values`, `num_nulls`, `num_rows`, `offset`,
        `header_size`, `compressed_size`, `uncompressed_size`, `crc`, `first_row` (from the row group's start), `min`
        and `max`, in the type of the column's bounds; unknown values are null.

    Raises
    ------
    Malformed
        If a chunk exceeds the file, or if a header before the chunk's last value cannot be read.
    Unsupported
        If a chunk is encrypted or in another file.

    Notes
    -----
    `num_nulls`, `num_rows`, `min` and `max` are read from the page header if it stores them, otherwise from the page
    index, whose bounds may be shortened. An index is ignored if it is damaged, if it contradicts the headers (other
    pages, other counts), or if the pages are those of copies.
    """
    ranges = _ranges(source, column) if copies is None else _ranges_of_copies(source, column, copies)
    tasks = [partial(_headers, source, position, window) if position else partial(Headers, 0) for position in ranges]
    if gather:
        indexes = product(range(len(tasks)), INDEXES) if copies is None else ()
        chunks = gather([*tasks, *(partial(_touch, source, column, *index) for index in indexes)])[: len(tasks)]
    else:
        chunks = [task() for task in tasks]
    for headers, num_values in zip(chunks, column.num_values, strict=True):
        if headers.problem is not None and headers.value_count != num_values:
            raise headers.problem
    fields = _HeaderFields(chunks, column, source.size)
    if copies is None:
        fields.add(_indexed(source, column, fields.data_pages()), has_page_order(column.node))
    return fields.table()


def _ranges(source, column) -> Iterable[tuple[int, int] | None]:
    """Yield the start and end offset of each chunk of the column; None if a chunk has no bytes."""
    chunks = column.chunks
    fields = zip(chunks.begins(), column.total_compressed_size, column.present, strict=True)
    for row_group, (start, size, present) in enumerate(fields):
        if present & (wire.PRESENT_CRYPTO | wire.PRESENT_FILE_PATH):
            raise Unsupported(f"the pages of column {column.name!r} {_reason(column, row_group, present)}")
        if size <= 0:
            yield None
        elif not 0 <= start <= source.size - size:
            message = f"a chunk of column {column.name!r} has the bytes {start} to {start + size}, beyond the file"
            raise Malformed(message, offset=start, expected=source.size, found=start + size)
        else:
            yield start, start + size


def _reason(column, row_group: int, present: int) -> str:
    if present & wire.PRESENT_CRYPTO:
        return "are encrypted"
    return f"are in another file, {column._ask(lambda form: other_file(form, column.leaf, row_group))!r}"


def _ranges_of_copies(source, column, copies: Sequence[Carried | None]) -> Iterable[tuple[int, int] | None]:
    """Yield the start and end offset of each copy; None if a chunk has no copy."""
    for copy in copies:
        if copy is not None and copy.end > source.size:
            message = f"a copy of column {column.name!r} has the bytes {copy.offset} to {copy.end}, beyond the file"
            raise Malformed(message, offset=copy.offset, expected=source.size, found=copy.end)
        yield None if copy is None else (copy.offset, copy.end)


def _headers(source, position: tuple[int, int], window: int) -> Headers:
    return read_headers(source, *position, slack=OVERRUN, window=window, bounds=True)


def _touch(source, column, row_group: int, name: str) -> None:
    """Request an index, so that the source fetches it together with the headers."""
    index_or_none(source, column.chunks, row_group, name)


def _indexed(source, column, chunks: Iterable[DataPages]) -> Iterator[IndexedPages]:
    """Yield the page index of each chunk."""
    row_counts = column.num_values if column.node.max_repetition == 0 else column.num_rows
    for row_group, pages in enumerate(chunks):
        if pages.offsets:
            yield indexed_pages(source, column.chunks, column.node, row_group, row_counts[row_group], pages)
        else:
            yield IndexedPages()


class _HeaderFields:
    """The values in the page headers of a column's chunks, one entry per page; absent values are null."""

    def __init__(self, chunks: Sequence[Headers], column, file_size: int):
        self._leaf_type, self._file_size = column.leaf_type, file_size
        self._page_counts = [len(headers) for headers in chunks]
        self._members = {name: _joined([headers.array(name) for headers in chunks], type) for name, type in MEMBERS}
        members = self._members
        self.is_data = pc.is_in(members["type"], pa.array(DATA_PAGES, pa.int32()))  # pa.array imports pandas
        self._data_flags = self.is_data.to_pylist()
        is_flat = column.node.max_repetition == 0
        counted = _known(members["num_values" if is_flat else "num_rows"])
        self.rows = pc.if_else(self.is_data, counted, None)
        self.nulls = pc.max_element_wise(_known(members["num_nulls"]).cast(pa.int64()), _known(members["null_count"]))
        self.minima, self.maxima = (
            pa.chunked_array([headers.bounds(name) for headers in chunks], pa.large_binary()).combine_chunks()
            for name in ("min_value", "max_value")
        )

    def data_pages(self) -> Iterator[DataPages]:
        """Yield the data pages of each chunk."""
        sizes = pc.add(*(self._members[name].cast(pa.int64()) for name in ("header_size", "compressed_size")))
        fields = self._members["offset"], sizes, self._members["num_values"], self.rows, self.nulls
        lists, first = [values.to_pylist() for values in fields], 0
        for count in self._page_counts:
            pages = [page for page in range(first, first + count) if self._data_flags[page]]
            yield DataPages(*([values[page] for page in pages] for values in lists))
            first += count

    def add(self, chunks: Iterable[IndexedPages], has_bounds: bool) -> None:
        """Add values that the headers lack from the page indexes."""
        first = 0
        rows: list[int | None] = []
        nulls: list[int | None] = []
        low: list[bytes | None] = []
        high: list[bytes | None] = []
        for indexed, count in zip(chunks, self._page_counts, strict=True):
            missing = [None] * sum(self._data_flags[first : first + count])
            places, bounds = indexed.places, indexed.bounds
            rows += missing if places is None else places.row_counts
            nulls += missing if bounds is None else [each if each >= 0 else None for each in bounds.null_counts]
            low += missing if bounds is None else bounds.min
            high += missing if bounds is None else bounds.max
            first += count
        numbers = pc.subtract(pc.cumulative_sum(self.is_data.cast(pa.int8()).cast(pa.int64())), 1)
        numbers = pc.if_else(self.is_data, numbers, None)
        self.rows = pc.coalesce(self.rows, pa.array(rows, self.rows.type).take(numbers))
        self.nulls = pc.coalesce(self.nulls, pa.array(nulls, self.nulls.type).take(numbers))
        if has_bounds:
            lacks_bounds = pc.and_(pc.is_null(self.minima), pc.is_null(self.maxima))
            lower, upper = (pa.array(side, pa.large_binary()).take(numbers) for side in (low, high))
            self.minima = pc.if_else(lacks_bounds, lower, self.minima)
            self.maxima = pc.if_else(lacks_bounds, upper, self.maxima)

    def table(self) -> pa.Table:
        """Return the page table."""
        fields, counts = self._members, self._page_counts
        row_groups = [row_group for row_group, count in enumerate(counts) for _ in range(count)]
        return pa.table(
            {
                "row_group": pa.array(row_groups, pa.int32()),
                "page": pa.array([page for count in counts for page in range(count)], pa.int32()),
                "type": _named(fields["type"], wire.NAMES_OF_PAGE_TYPE),
                "encoding": _named(_known(fields["encoding"]), encoding_names()),
                "num_values": _known(fields["num_values"]),
                "num_nulls": self.nulls,
                "num_rows": self.rows,
                "offset": fields["offset"],
                "header_size": fields["header_size"],
                "compressed_size": fields["compressed_size"],
                "uncompressed_size": fields["uncompressed_size"],
                "crc": pc.if_else(fields["has_crc"].cast(pa.bool_()), fields["crc"], None),
                "first_row": pc.if_else(self.is_data, self._first_rows(), None),
                "min": self._typed(self.minima),
                "max": self._typed(self.maxima),
            }
        )

    def _first_rows(self) -> pa.Array:
        """Return the number of a chunk's rows before each page; null after a data page with an unknown number."""
        first_rows: list[int | None] = []
        pages = zip(self._data_flags, self.rows.to_pylist(), strict=True)
        for count in self._page_counts:
            before: int | None = 0
            for is_data, rows in islice(pages, count):
                first_rows.append(before)
                if is_data:
                    before = None if before is None or rows is None else before + rows
        return pa.array(first_rows, pa.int64())

    def _typed(self, raw: pa.Array) -> pa.Array:
        """Return bounds as values of the leaf's type; null for bytes that are not a value."""
        leaf_type = self._leaf_type
        if not leaf_type.is_viewed:
            return leaf_type.array(raw.to_pylist())
        leaf_type.check_count(len(raw), raw.nbytes + self._file_size)  # a page has a value, but may lack bounds
        right = pc.if_else(pc.equal(pc.binary_length(raw), leaf_type.width), raw, None)
        return leaf_type.array_of(right.cast(pa.binary(leaf_type.width)))


def _joined(parts: Sequence[memoryview], type: pa.DataType) -> pa.Array:
    values = b"".join(parts)
    return pa.Array.from_buffers(type, len(values) * 8 // type.bit_width, [None, pa.py_buffer(values)])


def _known(numbers: pa.Array) -> pa.Array:
    """Return the numbers with null instead of -1."""
    return pc.if_else(pc.equal(numbers, -1), None, numbers)


def _named(numbers: pa.Array, names: Mapping[int, str]) -> pa.DictionaryArray:
    """Return the names of an enum's numbers."""
    encoded = numbers.dictionary_encode()
    known = [names.get(value, f"UNKNOWN_{value}") for value in encoded.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(encoded.indices, pa.array(known, pa.string()))
