"""Statistics, page indexes and Bloom filters of all chunks, compared with the decoded values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ... import kernels, thrift, wire
from ...encoding.chunk_reader import chunk_of
from ...encoding.pages import DATA_PAGES, Headers, read_headers
from ...errors import ParquetextError, Unsupported
from ...findings import Finding
from ...footer.column_index import StoredIndex
from ...pruning.bloom import find_bitset
from ...reading.execute.decoder import refuse_much_in_python
from ...rewrite.recode import leaves_of
from ..structure import StoredChunk, Structure
from .bloom_values import BloomCheck
from .bound_values import wrong_histogram, wrong_statistics
from .index_values import wrong_column_index, wrong_offset_index, wrong_text_bytes
from .page_values import Facts, decoded_pages
from .value_order import ValueOrder, order_of

__all__ = ["compare_statistics"]

UNCOMPARED = "statistics-uncompared"
TOLD = {"undecodable", "undecoded", "decoded-once", "unreadable"}  # kinds that say why values are not compared
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
            continue  # the decoders tell it
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
        facts = list(zip(*map(scan.elements, names), strict=True))
        self._orders = [_orders_of(*facts[element]) for element in scan.leaves]
        self._places = {name: scan.places(name) for name in _PLACES}

    def findings(self, stored: StoredChunk) -> Iterator[Finding]:
        """Compare one chunk."""
        leaf, orders = self._leaves[stored.leaf], self._orders[stored.leaf]
        chunk = chunk_of(self._scan, leaf, stored.row_group, stored.row_group, self._source.size)
        metadata = self._metadata(stored)
        headers = read_headers(self._source, stored.start, stored.end, slack=chunk.overrun)
        numbers = [number for number, type in enumerate(headers.array("type")) if type in DATA_PAGES]
        entries = [headers.array("num_values")[number] for number in numbers]
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
            yield Finding("bloom-filter", message, self._places["bloom_filter_offset"][stored.index], stored.place)

    def _of_pages(
        self, stored: StoredChunk, headers: Headers, numbers: Sequence[int], pages: Sequence[Facts], orders: dict
    ) -> Iterator[Finding]:
        """Compare the statistics in the headers of pages."""
        is_repeated = stored.max_repetition > 0
        for number, (place, facts) in enumerate(zip(numbers, pages, strict=True)):
            header = headers.header(place)
            if header.statistics is None:
                continue
            data = self._source.read(header.offset, header.header_size)
            fields = thrift.read_at("Statistics", data, header.statistics[0])[0]
            for message in wrong_statistics(fields, facts, orders, is_repeated=is_repeated):
                yield Finding("page-statistics", message, header.offset, f"{stored.place}, page {number}")

    def _of_chunk(
        self, stored: StoredChunk, metadata: dict, pages: Sequence[Facts], orders: dict, distinct: int | None
    ) -> Iterator[Finding]:
        """Compare the statistics in the footer."""
        whole = Facts(0, [0] * (stored.max_definition + 1), [0] * (stored.max_repetition + 1))
        for page in pages:
            whole.add(page)
        fields, is_repeated = metadata.get("statistics", {}), stored.max_repetition > 0
        for message in wrong_statistics(fields, whole, orders, is_repeated=is_repeated, distinct=distinct):
            yield Finding("statistics", message, place=stored.place)
        sizes = metadata.get("size_statistics", {})
        size = sizes.get("unencoded_byte_array_data_bytes")
        if size is not None and stored.physical == wire.PHYSICAL_BYTE_ARRAY and size != whole.text_bytes:
            message = f"unencoded_byte_array_data_bytes is {size}, the byte arrays have {whole.text_bytes}"
            yield Finding("size-statistics", message, place=stored.place)
        for kind in ("repetition", "definition"):
            name = f"{kind}_level_histogram"
            if message := wrong_histogram(name, sizes.get(name), getattr(whole, kind)):
                yield Finding("size-statistics", message, place=stored.place)

    def _of_indexes(self, stored: StoredChunk, pages: Sequence[Facts], orders: dict) -> Iterator[Finding]:
        """Compare the page index."""
        index = self._index(stored, "offset-index")
        if index is not None:
            _, _, first_rows = kernels.page.locations(index.data)
            messages = list(wrong_offset_index(first_rows.tolist(), pages))
            if stored.physical == wire.PHYSICAL_BYTE_ARRAY:
                messages += wrong_text_bytes(thrift.read("OffsetIndex", index.data), pages)
            for message in messages:
                yield Finding("offset-index", message, index.offset, stored.place)
        index = self._index(stored, "column-index")
        if index is not None:
            fields = thrift.read("ColumnIndex", index.data)
            is_repeated = stored.max_repetition > 0
            for message in wrong_column_index(fields, pages, orders.get(OWN), is_repeated=is_repeated):
                yield Finding("column-index", message, index.offset, stored.place)

    def _metadata(self, stored: StoredChunk) -> dict:
        start, length = (self._scan.chunks(f"chunk_{name}")[stored.index] for name in ("offset", "length"))
        chunk = thrift.read("ColumnChunk", memoryview(self._scan.data)[start : start + length])
        return chunk.get("meta_data", {})

    def _index(self, stored: StoredChunk, kind: str) -> StoredIndex | None:
        """An index in whose structure nothing was found."""
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


_PLACES = tuple(
    f"{name}_{part}" for name in ("offset_index", "column_index", "bloom_filter") for part in ("offset", "length")
)


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
