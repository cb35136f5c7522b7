"""The second tier: the structure of all chunks, the bodies of all pages, and the gaps between the chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ... import kernels, wire
from ...encoding.codecs import BELIEVED
from ...encoding.page_counts import DELTAS, delta_totals
from ...encoding.pages import DATA_PAGES, FEW_BYTES, VAST_BYTES, Headers, Page, check_body, read_body
from ...errors import ParquetextError, Unsupported
from ...findings import Finding
from ...footer.model import INDEX_FIELDS
from ..structure.chunk import StoredChunk, check_rows
from ..structure.structure import Structure
from .copy_checks import checksum_of


class BodyCounts:
    """Compares the counts in the pages of one column chunk with the footer and with the headers.

    Pages that cannot be decoded are left out: decoding reports them.
    """

    def __init__(self, chunk: StoredChunk, headers: Headers):
        self._chunk = chunk
        types = list(headers.array("type"))
        has_levels_inside = wire.PAGE_DATA_PAGE in types and chunk.codec != wire.CODEC_UNCOMPRESSED
        self._counts_rows = chunk.max_repetition > 0 and has_levels_inside and headers.problem is None
        self._left = sum(type in DATA_PAGES for type in types)
        self._rows = 0
        self._wrong: list[tuple[int, str]] = []

    def needs(self, type: int, encoding: int) -> bool:
        """Return True if the body of a page is needed."""
        return type in DATA_PAGES and (self._counts_rows or encoding in DELTAS)

    def add(self, page: Page) -> None:
        """Take the next page that is needed."""
        header, chunk = page.header, self._chunk
        body = page.levels if header.type == wire.PAGE_DATA_PAGE_V2 else page.values
        try:
            levels = chunk.max_definition, chunk.max_repetition
            rows, count = kernels.page.count_levels(header, body, *levels)
            self._rows, self._left = self._rows + rows, self._left - 1
            if header.encoding in DELTAS:
                at = 0 if header.type == wire.PAGE_DATA_PAGE_V2 else kernels.page.level_parts(header, body, *levels)[2]
                totals = delta_totals(header.encoding, page.values, count, at)
                wrong = next((total for total in totals if total != count), None)
                if wrong is not None:
                    self._wrong.append((header.offset, f"its deltas are of {wrong} values, the page has {count}"))
        except ParquetextError:
            return

    def finish(self) -> Iterator[Finding]:
        """Yield at most one finding about rows and one about deltas."""
        if self._counts_rows and not self._left and (found := check_rows(self._chunk, self._rows)):
            yield found
        if self._wrong:
            offset, message = self._wrong[0]
            others = f"; {len(self._wrong) - 1} more pages are wrong" if len(self._wrong) > 1 else ""
            yield Finding("page-deltas", message + others, offset, self._chunk.label)


MOST_BYTES = 1 << 28  # of all pages together, if the file has few bytes
MEMBERS = "type", "encoding", "offset", "header_size", "compressed_size", "uncompressed_size", "has_crc", "crc"


class Bodies:
    """Checks the bodies of pages; memory is that of a stored page, or of 16 MiB of a decompressed one.

    Parameters
    ----------
    source
        The file's bytes: `size` and `read(offset, length)`.
    report : Report
        Counts the bytes under checksums, and the pages without a checksum that are decompressed.
    counts_all : bool
        Also decompress pages with a checksum, if their counts are compared.
    """

    def __init__(self, source, report, *, counts_all: bool):
        self._source, self._report, self._counts_all = source, report, counts_all
        self._left = MOST_BYTES + BELIEVED * source.size
        self._passed = self._uncounted = 0

    def check(self, headers: Headers, chunk: StoredChunk) -> Iterator[Finding]:
        """Check the pages of a chunk."""
        counts = BodyCounts(chunk, headers)
        counts_all = self._counts_all or chunk.codec == wire.CODEC_UNCOMPRESSED
        for number, page in enumerate(zip(*map(headers.array, MEMBERS), strict=True)):
            type, encoding, offset, header_size, size, decompressed, has_crc, crc = page
            if has_crc:
                self._report.checked_bytes += size
                found = checksum_of(self._source, offset + header_size, size)
                if found != crc:
                    message = f"checksum {found:#010x}, expected {crc:#010x}"
                    yield Finding("page-checksum", message, offset, chunk.label)
                if found != crc or not counts_all or not counts.needs(type, encoding):
                    continue
            if decompressed > self._left or (size < FEW_BYTES and decompressed > VAST_BYTES):
                self._passed += not has_crc
                continue
            self._left -= max(decompressed, 0)
            self._report.decompressed_pages += not has_crc
            yield from self._decompress(headers.header(number), chunk, counts)
        yield from counts.finish()

    def finish(self) -> Iterator[Finding]:
        """Yield notes about pages that claim too many bytes to be decompressed, or to be kept in memory."""
        if self._passed:
            message = f"{self._passed} pages without a checksum claim too many bytes to be decompressed by this tier"
            yield Finding("page-undecoded", message, is_note=True)
        if self._uncounted:
            message = f"rows and deltas of {self._uncounted} pages of more than {VAST_BYTES >> 20} MiB are not counted"
            yield Finding("page-uncounted", message, is_note=True)

    def _decompress(self, header, chunk: StoredChunk, counts: BodyCounts) -> Iterator[Finding]:
        """Decompress a page, and give it to `counts` if it needs the page."""
        body = memoryview(self._source.read(header.offset + header.header_size, header.compressed_size))
        is_needed = counts.needs(header.type, header.encoding)
        is_vast = header.uncompressed_size > VAST_BYTES and chunk.codec != wire.CODEC_UNCOMPRESSED
        self._uncounted += is_needed and is_vast
        try:
            if not is_needed or is_vast:
                check_body(header, body, chunk.codec)
                return
            for page in read_body(header, body, chunk.codec):
                counts.add(page)
        except ParquetextError as error:
            yield Finding("page-body", error.message, error.offset, chunk.label, isinstance(error, Unsupported))


FIRST_BYTE = 4  # after the magic
ELSEWHERE = wire.PRESENT_CRYPTO | wire.PRESENT_FILE_PATH


def check_pages(
    source, scan, data_end: int, report, others: Sequence[tuple[int, int, str]] = (), *, deep: bool = False
) -> Structure:
    """Check all chunks of a scanned footer that are in this file; of encrypted ones the places alone.

    Parameters
    ----------
    data_end : int
        Offset of the footer.
    others : sequence of (int, int, str)
        Begin, end and name of bytes that belong to neither chunks nor indexes and are not gaps.
    deep : bool
        Also count the rows and deltas of pages with a checksum, which takes to decompress them.

    Returns
    -------
    Structure
        With its findings.
    """
    structure, bodies = Structure(source, scan, data_end), Bodies(source, report, counts_all=deep)
    structure.check_magic()
    for chunk, headers in structure.walk():
        if headers is not None:
            report.pages += len(headers)
            report.extend(bodies.check(headers, chunk))
    report.extend(structure.findings)
    report.extend(bodies.finish())
    report.extend(structure.overlaps(others))
    if not any(bits & ELSEWHERE for bits in scan.chunks("present")):
        report.gaps += _gaps([(start, end) for start, end, _ in (*structure.ranges, *others)], scan, data_end)
    return structure


def _gaps(ranges: list[tuple[int, int]], scan, data_end: int) -> Iterator[tuple[int, int]]:
    """Yield (offset, length) of the bytes that belong to no chunk, index or Bloom filter."""
    at, of_unknown_length = FIRST_BYTE, False
    for start, end in sorted([*ranges, *_index_ranges(scan), (data_end, data_end)]):
        if at < start and not of_unknown_length:
            yield at, start - at
        of_unknown_length = end == start
        at = max(at, end)


def _index_ranges(scan) -> Iterator[tuple[int, int]]:
    """Yield the ranges of indexes and Bloom filters; a range of unknown length is empty and ends at the next part."""
    for offset_name, length_name in zip(INDEX_FIELDS[::2], INDEX_FIELDS[1::2], strict=True):
        for offset, length in zip(scan.places(offset_name), scan.places(length_name), strict=True):
            if offset >= FIRST_BYTE:
                yield offset, offset + max(length, 0)
