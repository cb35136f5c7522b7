"""The second tier: every page header, every page checksum, and whether the chunks tile their space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from .. import kernels, wire
from ..errors import Malformed, ParquetextError
from ..findings import Finding

__all__ = ["Page", "check_pages", "chunk_range", "walk_pages"]

FIRST_HEADER_BYTES = 1 << 12
MAX_HEADER_BYTES = 1 << 24  # statistics of long values make headers long
CHECKSUM_STEP = 1 << 22

# parquet.thrift, PageHeader and the headers inside it.
PAGE_TYPE, UNCOMPRESSED_SIZE, COMPRESSED_SIZE, CRC = 1, 2, 3, 4
DATA_PAGE_HEADER, DICTIONARY_PAGE_HEADER, DATA_PAGE_HEADER_V2 = 5, 7, 8
DATA_PAGE, INDEX_PAGE, DICTIONARY_PAGE, DATA_PAGE_V2 = range(4)
VALUE_HEADERS = {
    DATA_PAGE: DATA_PAGE_HEADER,
    DATA_PAGE_V2: DATA_PAGE_HEADER_V2,
    DICTIONARY_PAGE: DICTIONARY_PAGE_HEADER,
}
NUM_VALUES = 1


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a column chunk; offsets count from the file's start."""

    offset: int
    type: int
    header_bytes: int
    compressed_size: int
    uncompressed_size: int
    num_values: int | None
    crc: int | None

    @property
    def body(self) -> int:
        return self.offset + self.header_bytes

    @property
    def end(self) -> int:
        return self.body + self.compressed_size


def chunk_range(data_page_offset: int, dictionary_page_offset: int, compressed_size: int) -> tuple[int, int]:
    """Where a column chunk begins and ends."""
    start = kernels.chunks.begin(data_page_offset, dictionary_page_offset)
    return start, start + compressed_size


def _int(fields: dict[int, tuple], header: bytes, field: int, offset: int) -> int | None:
    if field not in fields:
        return None
    _, kind, _, value, _ = fields[field]
    if kind != 5:
        raise Malformed(f"field {field} of a page header has Thrift type {kind}, expected 5", offset=offset + value)
    number, _ = kernels.varint.decode32(header, value)
    return kernels.varint.zigzag_decode(number)


def _read_header(source, offset: int, end: int) -> tuple[Page, bytes]:
    """Parse the page header at `offset`, fetching as many bytes as it needs."""
    wanted = FIRST_HEADER_BYTES
    while True:
        header = source.read(offset, min(wanted, end - offset))
        try:
            return _parse_header(header, offset), header
        except ParquetextError as error:
            whole = len(header) == end - offset
            if whole or wanted >= MAX_HEADER_BYTES or error.code != _TRUNCATED:
                raise error.at(None, offset) from None
        wanted *= 16


_TRUNCATED = 1


def _parse_header(header: bytes, offset: int) -> Page:
    fields = {field[0]: field for field in kernels.thrift.fields(header)}
    length = kernels.thrift.struct_end(header)
    kind, compressed = _int(fields, header, PAGE_TYPE, 0), _int(fields, header, COMPRESSED_SIZE, 0)
    uncompressed = _int(fields, header, UNCOMPRESSED_SIZE, 0)
    if kind is None or compressed is None or uncompressed is None:
        raise Malformed("a page header lacks its type or a size", offset=0)
    if compressed < 0 or uncompressed < 0:
        raise Malformed(f"a page header has a negative size: {min(compressed, uncompressed)}", offset=0)
    crc = _int(fields, header, CRC, 0)
    values = fields.get(VALUE_HEADERS.get(kind, -1))
    num_values = None
    if values:
        inner = {field[0]: field for field in kernels.thrift.fields(header, values[3])}
        num_values = _int(inner, header, NUM_VALUES, 0)
    return Page(offset, kind, length, compressed, uncompressed, num_values, None if crc is None else crc & 0xFFFFFFFF)


def walk_pages(source, start: int, end: int) -> Iterator[Page]:
    """The pages of the chunk at [start, end), in order.

    Raises
    ------
    Malformed
        Where a header does not parse or a page runs over the end; offsets count from the file's start.
    """
    at = start
    while at < end:
        page, _ = _read_header(source, at, end)
        if page.end > end:
            raise Malformed(
                f"a page ends at {page.end}, its column chunk at {end}", offset=at, expected=end, found=page.end
            )
        yield page
        at = page.end


def _checksum(source, page: Page) -> int:
    crc = 0
    for at in range(page.body, page.end, CHECKSUM_STEP):
        crc = kernels.checksum.crc32(source.read(at, min(CHECKSUM_STEP, page.end - at)), crc)
    return crc


def check_chunk(source, start: int, end: int, num_values: int, place: str) -> tuple[list[Finding], int, int]:
    """Walk one chunk; its findings, pages and bytes under a checksum."""
    findings: list[Finding] = []
    pages = checked = values = 0
    complete = True
    try:
        for page in walk_pages(source, start, end):
            pages += 1
            if page.type in (DATA_PAGE, DATA_PAGE_V2):
                complete &= page.num_values is not None
                values += page.num_values or 0
            if page.crc is not None:
                checked += page.compressed_size
                found = _checksum(source, page)
                if found != page.crc:
                    findings.append(
                        Finding(
                            "page-checksum", f"checksum {found:#010x}, expected {page.crc:#010x}", page.offset, place
                        )
                    )
    except ParquetextError as error:
        return [*findings, Finding.of("page", error, place)], pages, checked
    if complete and values != num_values:
        findings.append(
            Finding("page-values", f"the data pages hold {values} values, the footer says {num_values}", start, place)
        )
    return findings, pages, checked


def check_pages(source, scan, names: list[str], data_end: int, report) -> None:
    """Check all chunks of a scanned footer but encrypted ones; `data_end` is where the footer begins."""
    ranges = []
    leaves = scan.leaf_count
    data, dictionary = scan.chunks("data_page_offset"), scan.chunks("dictionary_page_offset")
    sizes, values = scan.chunks("total_compressed_size"), scan.chunks("num_values")
    present = scan.chunks("present")
    for index in range(scan.row_group_count * leaves):
        if present[index] & wire.PRESENT_CRYPTO:
            continue
        row_group, leaf = divmod(index, leaves)
        place = f"row group {row_group}, column {names[leaf]}"
        start, end = chunk_range(data[index], dictionary[index], sizes[index])
        if start == end:
            if values[index]:
                report.findings.append(Finding("chunk-empty", f"no bytes for {values[index]} values", start, place))
            continue
        if not 4 <= start < end <= data_end:
            report.findings.append(
                Finding("chunk-range", f"bytes {start} to {end} leave the data, which ends at {data_end}", start, place)
            )
            continue
        ranges.append((start, end, place))
        findings, pages, checked = check_chunk(source, start, end, values[index], place)
        report.extend(findings)
        report.pages += pages
        report.checked_bytes += checked
    report.extend(_overlaps(sorted(ranges)))


def _overlaps(ranges: list[tuple[int, int, str]]) -> Iterator[Finding]:
    for (_, end, first), (start, _, second) in pairwise(ranges):
        if start < end:
            yield Finding("chunk-overlap", f"begins {end - start} bytes before {first} ends", start, second)
