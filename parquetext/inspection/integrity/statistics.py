"""Statistics, page indexes and Bloom filters of all chunks, compared with the decoded values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import pyarrow as pa

from ... import compute as pc
from ... import kernels, thrift, wire
from ...encoding.chunk_reader import chunk_of
from ...encoding.pages import DATA_PAGES, Headers, read_headers
from ...errors import ParquetextError, Unsupported
from ...findings import Finding
from ...footer.column_index import ASCENDING, DESCENDING, StoredIndex
from ...footer.model import INDEX_FIELDS
from ...indexing.page_values import Measured, decoded_pages
from ...indexing.value_order import ValueOrder, order_of
from ...pruning.bloom import find_bitset
from ...reading.execute.proportion import refuse_much_in_python
from ...rewrite.recode import leaves_of
from ..structure.chunk import StoredChunk
from ..structure.structure import Structure
from .bound_values import above, below, wrong_histogram, wrong_statistics

NAMES = {ASCENDING: "ascending", DESCENDING: "descending"}


def wrong_offset_index(first_rows: Sequence[int], pages: Sequence[Measured]) -> Iterator[str]:
    """Yield a message for each page that begins within a row, or at another row than in the index."""
    for number, (row, page) in enumerate(zip(first_rows, pages, strict=True)):
        if page.begins_within_row:
            yield f"page {number} begins within row {page.first_row}"
        elif row != page.first_row:
            yield f"page {number} is said to begin at row {row}, it begins at row {page.first_row}"


def wrong_text_bytes(fields: dict, pages: Sequence[Measured]) -> Iterator[str]:
    """Yield a message for each page whose byte arrays have another size than in the offset index."""
    message = fields.get("unencoded_byte_array_data_bytes")
    if not message:
        return
    if len(message) != len(pages):
        yield f"unencoded_byte_array_data_bytes has {len(message)} entries, the chunk has {len(pages)} data pages"
        return
    for number, (size, page) in enumerate(zip(message, pages, strict=True)):
        if size != page.text_bytes:
            yield f"page {number} is said to have {size} bytes of byte arrays, it has {page.text_bytes}"


def wrong_column_index(
    fields: dict, pages: Sequence[Measured], order: ValueOrder | None, *, is_repeated: bool
) -> Iterator[str]:
    """Yield one sentence for each kind of contradiction between a column index and the values: the first page.

    Parameters
    ----------
    fields : dict
        The ColumnIndex; its lists have an entry for each page.
    order : ValueOrder or None
        None if the bounds have no meaning.
    """
    yield from _first(_wrong_nulls(fields, pages, is_repeated))
    if order is not None:
        yield from _first(_wrong_bounds(fields, "min_values", pages, order))
        yield from _first(_wrong_bounds(fields, "max_values", pages, order))
        yield from _wrong_order(fields, order)
        if order.is_nan is not None:
            yield from _first(_wrong_nans(fields, pages))
    yield from _first(_wrong_histograms(fields, pages))


def _first(messages: Iterator[str]) -> Iterator[str]:
    found = next(messages, None)
    if found is not None:
        yield found


def _wrong_nulls(fields: dict, pages: Sequence[Measured], is_repeated: bool) -> Iterator[str]:
    counts = fields.get("null_counts") or [None] * len(pages)
    for number, (is_null, count, page) in enumerate(zip(fields["null_pages"], counts, pages, strict=True)):
        if is_null and page.values:
            yield f"page {number} is said to have nulls alone, it has {page.values} values"
        elif not is_null and page.entries and not page.values:
            yield f"page {number} has nulls alone, and is said to have values"
        elif count is not None and (not 0 <= count <= page.nulls if is_repeated else count != page.nulls):
            yield f"page {number} is said to have {count} nulls, it has {page.nulls}"


def _wrong_bounds(fields: dict, name: str, pages: Sequence[Measured], order: ValueOrder) -> Iterator[str]:
    side = name == "max_values"
    for number, (is_null, bound, page) in enumerate(zip(fields["null_pages"], fields[name], pages, strict=True)):
        if is_null or not page.values:
            continue
        extremes = page.extremes.get(False)
        wrong = below if side else above
        if message := wrong(bound, None if extremes is None else extremes[side], order):
            yield f"page {number}: {name[:-1]} {message}"


def _wrong_order(fields: dict, order: ValueOrder) -> Iterator[str]:
    """Check the boundary order that the index states for its bounds; null pages are ignored."""
    message = fields["boundary_order"]
    if message not in NAMES:
        return
    for name in ("min_values", "max_values"):
        keys = [
            (number, order.key(bound))
            for number, (is_null, bound) in enumerate(zip(fields["null_pages"], fields[name], strict=True))
            if not is_null and order.fits(bound)
        ]
        for (_, one), (number, other) in pairwise(keys):
            if one is not None and other is not None and (one > other if message == ASCENDING else one < other):
                yield f"its pages are said to be {NAMES[message]}, page {number} is not"
                return


def _wrong_nans(fields: dict, pages: Sequence[Measured]) -> Iterator[str]:
    for number, (count, page) in enumerate(zip(fields.get("nan_counts") or (), pages, strict=False)):
        if count != page.nans:
            yield f"page {number} is said to have {count} NaN, it has {page.nans}"


def _wrong_histograms(fields: dict, pages: Sequence[Measured]) -> Iterator[str]:
    for kind in ("repetition", "definition"):
        name = f"{kind}_level_histograms"
        text = fields.get(name)
        if not text:
            continue
        size = len(text) // max(len(pages), 1)
        for number, page in enumerate(pages):
            own = text[number * size : (number + 1) * size]
            if message := wrong_histogram(name, own, getattr(page, kind)):
                yield f"page {number}: {message}"


class BloomCheck:
    """Looks for values in a filter's bitset, and keeps the first one that is not there."""

    def __init__(self, bitset: bytes):
        self._bitset = bitset
        self.missing: bytes | None = None

    def see(self, values: pa.Array) -> None:
        """Look for an array of values without nulls."""
        if self.missing is not None:
            return
        plain = plain_values(pc.unique(values))
        held = kernels.bloom.might_contain(self._bitset, [kernels.checksum.xxh64(value) for value in plain])
        if (position := held.find(0)) >= 0:
            self.missing = bytes(plain[position])


def plain_values(values: pa.Array) -> Sequence[bytes]:
    """Return the plain bytes of values without nulls, without the lengths of byte arrays."""
    if pa.types.is_binary(values.type) or pa.types.is_fixed_size_binary(values.type):
        return values.to_pylist()
    if pa.types.is_boolean(values.type):
        return [bytes([value]) for value in values.to_pylist()]
    width = values.type.bit_width // 8
    data = memoryview(values.buffers()[1])[values.offset * width :]
    return [bytes(data[at : at + width]) for at in range(0, len(values) * width, width)]


UNCOMPARED = "statistics-uncompared"
TOLD = {
    "undecodable",
    "undecoded",
    "decoded-once",
    "unreadable",
}  # kinds of findings that state why values are not compared
FEW_BYTES, BYTES_OF_VALUE, MOST_OF_BYTE = 1 << 25, 8, 64  # values that few bytes represent are not decoded
MOST_DISTINCT, MOST_DISTINCT_BYTES = 1 << 20, 1 << 26
LEGACY, OWN = True, False  # orders


def compare_statistics(source, scan, structure: Structure, data_end: int, report) -> Iterator[Finding]:
    """Decode the chunks whose structure is intact, and compare the footer's statements about their values with them.

    Memory is that of a page and of a batch of rows, and of the chunk's indexes and Bloom filter. Chunks that cannot be
    decoded are left out, with a note unless the report has one about the decoding.
    """
    counts = scan.chunks("num_values")
    try:
        refuse_much_in_python(sum(counts))
    except Unsupported as error:
        yield from _uncompared(report, error.message)
        return
    comparison, left_out = _Comparison(source, scan, structure, data_end), 0
    for chunk in structure.chunks():
        if not chunk.is_within(data_end) or chunk.is_encrypted or not chunk.num_values:
            continue
        if chunk.num_values * BYTES_OF_VALUE > max(FEW_BYTES, MOST_OF_BYTE * source.size):
            left_out += 1
            continue
        try:
            yield from comparison.findings(chunk)
        except Unsupported:
            left_out += 1
        except ParquetextError:
            continue  # the decoders report it
    if left_out:
        message = f"the values of {left_out} column chunks are not compared with statistics and indexes"
        yield from _uncompared(report, f"{message}: they cannot be decoded in little memory")


def _uncompared(report, message: str) -> Iterator[Finding]:
    if not any(finding.kind in TOLD for finding in report.findings):
        yield Finding(UNCOMPARED, message, is_note=True)


class _Comparison:
    def __init__(self, source, scan, structure: Structure, data_end: int):
        self._source, self._scan, self._structure, self._data_end = source, scan, structure, data_end
        self._leaves = leaves_of(scan)
        names = ("type", "type_length", "column_order", "sort_order")
        fields = list(zip(*map(scan.elements, names), strict=True))
        self._orders = [_orders_of(*fields[element]) for element in scan.leaves]
        self._places = {name: scan.places(name) for name in INDEX_FIELDS}
        self._ranges = scan.chunks("chunk_offset"), scan.chunks("chunk_length")

    def findings(self, stored: StoredChunk) -> Iterator[Finding]:
        """Compare one chunk."""
        leaf, orders = self._leaves[stored.leaf], self._orders[stored.leaf]
        chunk = chunk_of(self._scan, leaf, stored.row_group, stored.row_group, self._source.size)
        metadata = self._metadata(stored)
        headers = read_headers(self._source, stored.start, stored.end, slack=chunk.overrun)
        numbers = [number for number, type in enumerate(headers.array("type")) if type in DATA_PAGES]
        entries = list(map(headers.array("num_values").__getitem__, numbers))
        fields = metadata.get("statistics", thrift.Fields())
        bloom, distinct = self._bloom(stored), _Distinct() if "distinct_count" in fields else None
        seen = [one.see for one in (bloom, distinct) if one is not None]

        def see(values: pa.Array) -> None:
            for each in seen:
                each(values)

        pages = list(decoded_pages(self._source, chunk, entries, orders, see))
        if len(pages) != len(entries) or not pages:
            return
        yield from self._of_pages(stored, headers, numbers, pages, orders)
        yield from self._of_chunk(stored, metadata, pages, orders, None if distinct is None else distinct.count)
        yield from self._of_indexes(stored, pages, orders)
        if bloom is not None and bloom.missing is not None:
            message = f"it does not have the value {bloom.missing[:40]!r}, which the chunk has"
            yield Finding("bloom-filter", message, self._places["bloom_filter_offset"][stored.index], stored.label)

    def _of_pages(
        self, stored: StoredChunk, headers: Headers, numbers: Sequence[int], pages: Sequence[Measured], orders: dict
    ) -> Iterator[Finding]:
        """Compare the statistics in the headers of pages."""
        is_repeated = stored.max_repetition > 0
        for number, (position, statistics) in enumerate(zip(numbers, pages, strict=True)):
            header = headers.header(position)
            if header.statistics is None:
                continue
            data = self._source.read(header.offset, header.header_size)
            fields = thrift.read_at("Statistics", data, header.statistics[0])[0]
            for message in wrong_statistics(fields, statistics, orders, is_repeated=is_repeated):
                yield Finding("page-statistics", message, header.offset, f"{stored.label}, page {number}")

    def _of_chunk(
        self, stored: StoredChunk, metadata: dict, pages: Sequence[Measured], orders: dict, distinct: int | None
    ) -> Iterator[Finding]:
        """Compare the statistics in the footer."""
        whole = Measured(0, [0] * (stored.max_definition + 1), [0] * (stored.max_repetition + 1))
        for page in pages:
            whole.add(page)
        fields, is_repeated = metadata.get("statistics", {}), stored.max_repetition > 0
        for message in wrong_statistics(fields, whole, orders, is_repeated=is_repeated, distinct=distinct):
            yield Finding("statistics", message, place=stored.label)
        sizes = metadata.get("size_statistics", {})
        size = sizes.get("unencoded_byte_array_data_bytes")
        if size is not None and stored.physical == wire.PHYSICAL_BYTE_ARRAY and size != whole.text_bytes:
            message = f"unencoded_byte_array_data_bytes is {size}, the byte arrays have {whole.text_bytes}"
            yield Finding("size-statistics", message, place=stored.label)
        for kind in ("repetition", "definition"):
            name = f"{kind}_level_histogram"
            if message := wrong_histogram(name, sizes.get(name), getattr(whole, kind)):
                yield Finding("size-statistics", message, place=stored.label)

    def _of_indexes(self, stored: StoredChunk, pages: Sequence[Measured], orders: dict) -> Iterator[Finding]:
        """Compare the page index."""
        index = self._index(stored, "offset-index")
        if index is not None:
            _, _, first_rows = kernels.page.locations(index.data)
            messages = list(_first(wrong_offset_index(first_rows.tolist(), pages)))
            if stored.physical == wire.PHYSICAL_BYTE_ARRAY:
                messages += _first(wrong_text_bytes(thrift.read("OffsetIndex", index.data), pages))
            for message in messages:
                yield Finding("offset-index", message, index.offset, stored.label)
        index = self._index(stored, "column-index")
        if index is not None:
            fields = thrift.read("ColumnIndex", index.data)
            is_repeated = stored.max_repetition > 0
            for message in wrong_column_index(fields, pages, orders.get(OWN), is_repeated=is_repeated):
                yield Finding("column-index", message, index.offset, stored.label)

    def _metadata(self, stored: StoredChunk) -> dict:
        start, length = (part[stored.index] for part in self._ranges)
        chunk = thrift.read("ColumnChunk", memoryview(self._scan.data)[start : start + length])
        return chunk.get("meta_data", {})

    def _index(self, stored: StoredChunk, kind: str) -> StoredIndex | None:
        """Return an index if its structure is sound, else None."""
        name = kind.replace("-", "_")
        offset, length = (self._places[f"{name}_{part}"][stored.index] for part in ("offset", "length"))
        if offset <= 0 or length <= 0 or (stored.index, kind) not in self._structure.sound:
            return None
        return StoredIndex(bytes(self._source.read(offset, length)), offset)

    def _bloom(self, stored: StoredChunk) -> BloomCheck | None:
        offset, length = (self._places[f"bloom_filter_{part}"][stored.index] for part in ("offset", "length"))
        if offset <= 0 or (stored.index, "bloom-filter") not in self._structure.sound:
            return None
        found = find_bitset(self._source.read, self._data_end, offset, length)
        return BloomCheck(bytes(found.data or self._source.read(found.offset, found.size)))


class _Distinct:
    """Counts distinct values, as far as they take little memory."""

    def __init__(self) -> None:
        self._values: pa.Array | None = None
        self._is_known = True

    @property
    def count(self) -> int | None:
        if not self._is_known:
            return None
        return 0 if self._values is None else len(self._values)

    def see(self, values: pa.Array) -> None:
        if self._is_known:
            found = pc.unique(values)
            self._values = found if self._values is None else pc.unique(pa.concat_arrays([self._values, found]))
            self._is_known = len(self._values) <= MOST_DISTINCT and self._values.nbytes <= MOST_DISTINCT_BYTES


def _orders_of(physical: int, width: int, column_order: int, sort_order: int) -> dict[bool, ValueOrder]:
    orders = {
        OWN: order_of(physical, width, column_order, sort_order),
        LEGACY: order_of(physical, width, column_order, sort_order, legacy=True),
    }
    return {kind: order for kind, order in orders.items() if order is not None}
