"""The second tier: every page header, every page checksum, and whether the chunks tile their space."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from .. import kernels, wire
from ..encoding.pages import read_headers
from ..findings import Finding

__all__ = ["check_pages"]

CHECKSUM_STEP = 1 << 22
DATA_PAGES = (wire.PAGE_DATA_PAGE, wire.PAGE_DATA_PAGE_V2)
FIRST_BYTE = 4  # behind the magic
INDEXES = (
    ("column_index_offset", "column_index_length"),
    ("offset_index_offset", "offset_index_length"),
    ("bloom_filter_offset", "bloom_filter_length"),
)
ELSEWHERE = wire.PRESENT_CRYPTO | wire.PRESENT_FILE_PATH


def _checksum(source, start: int, size: int) -> int:
    crc = 0
    for at in range(start, start + size, CHECKSUM_STEP):
        crc = kernels.checksum.crc32(source.read(at, min(CHECKSUM_STEP, start + size - at)), crc)
    return crc


def check_chunk(source, start: int, end: int, num_values: int, place: str) -> tuple[list[Finding], int, int]:
    """Walk one chunk; its findings, pages and bytes under a checksum."""
    findings: list[Finding] = []
    headers, checked = read_headers(source, start, end), 0
    members = ("offset", "header_size", "compressed_size", "has_crc", "crc")
    for offset, header, size, has_crc, crc in zip(*map(headers.array, members), strict=True):
        if not has_crc:
            continue
        checked += size
        found = _checksum(source, offset + header, size)
        if found != crc:
            message = f"checksum {found:#010x}, expected {crc:#010x}"
            findings.append(Finding("page-checksum", message, offset, place))
    if headers.problem is not None:
        return [*findings, Finding.of("page", headers.problem, place)], len(headers), checked
    counts = zip(headers.array("type"), headers.array("num_values"), strict=True)
    values = sum(count for type, count in counts if type in DATA_PAGES)
    if values != num_values:
        findings.append(
            Finding("page-values", f"the data pages hold {values} values, the footer says {num_values}", start, place)
        )
    return findings, len(headers), checked


def check_pages(source, scan, names: list[str], data_end: int, report) -> None:
    """Check all chunks of a scanned footer but encrypted ones; `data_end` is where the footer begins."""
    ranges = []
    leaves = scan.leaf_count
    begins, sizes = scan.chunk_begins(), scan.chunks("total_compressed_size")
    values, present = scan.chunks("num_values"), scan.chunks("present")
    for index in range(scan.row_group_count * leaves):
        if present[index] & wire.PRESENT_CRYPTO:
            continue
        row_group, leaf = divmod(index, leaves)
        place = f"row group {row_group}, column {names[leaf]}"
        start, end = begins[index], begins[index] + sizes[index]
        if start == end:
            if values[index]:
                report.findings.append(Finding("chunk-empty", f"no bytes for {values[index]} values", start, place))
            continue
        if not FIRST_BYTE <= start < end <= data_end:
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
    if not any(bits & ELSEWHERE for bits in present):
        report.gaps += _gaps([(start, end) for start, end, _ in ranges], scan, data_end)


def _overlaps(ranges: list[tuple[int, int, str]]) -> Iterator[Finding]:
    for (_, end, first), (start, _, second) in pairwise(ranges):
        if start < end:
            yield Finding("chunk-overlap", f"begins {end - start} bytes before {first} ends", start, second)


def _gaps(ranges: list[tuple[int, int]], scan, data_end: int) -> Iterator[tuple[int, int]]:
    """(offset, length) of what lies between chunks, indexes and Bloom filters and belongs to none of them."""
    at, of_unknown_length = FIRST_BYTE, False
    for start, end in sorted([*ranges, *_index_ranges(scan), (data_end, data_end)]):
        if at < start and not of_unknown_length:
            yield at, start - at
        of_unknown_length = end == start
        at = max(at, end)


def _index_ranges(scan) -> Iterator[tuple[int, int]]:
    """Where indexes and Bloom filters lie; one of unknown length, empty here, reaches as far as the next thing."""
    for offset_name, length_name in INDEXES:
        for offset, length in zip(scan.places(offset_name), scan.places(length_name), strict=True):
            if offset >= FIRST_BYTE:
                yield offset, offset + max(length, 0)
