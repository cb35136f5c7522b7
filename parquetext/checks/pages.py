"""The second tier: every page header, every page checksum, and whether the chunks tile their space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .. import kernels, wire
from ..encoding.page_counts import check_page_counts
from ..encoding.pages import OVERRUN, Headers, overrun_of, read_headers
from ..findings import Finding

__all__ = ["check_pages"]

CHECKSUM_STEP = 1 << 22
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


def _check_checksums(source, headers: Headers, place: str) -> tuple[list[Finding], int]:
    """The findings, and how many bytes are under a checksum."""
    findings, checked = [], 0
    members = ("offset", "header_size", "compressed_size", "has_crc", "crc")
    for offset, header, size, has_crc, crc in zip(*map(headers.array, members), strict=True):
        if not has_crc:
            continue
        checked += size
        found = _checksum(source, offset + header, size)
        if found != crc:
            message = f"checksum {found:#010x}, expected {crc:#010x}"
            findings.append(Finding("page-checksum", message, offset, place))
    return findings, checked


def _check_extent(
    headers: Headers, start: int, end: int, num_values: int, may_overrun: bool, place: str
) -> Iterator[Finding]:
    """Whether the pages hold the chunk's values and end where the footer says."""
    values = headers.value_count
    if values != num_values and headers.problem is not None:
        yield Finding.of("page", headers.problem, place)
    elif values != num_values:
        message = f"the data pages hold {values} values, the footer says {num_values}"
        yield Finding("page-values", message, start, place)
    elif headers.end != end:
        message = f"its pages take {headers.end - start} bytes, the footer says {end - start}"
        yield Finding("chunk-size", message, end, place, is_note=headers.end < end or may_overrun)


def check_pages(
    source, scan, names: list[str], data_end: int, report, others: Sequence[tuple[int, int, str]] = ()
) -> None:
    """Check all chunks of a scanned footer but encrypted ones.

    Parameters
    ----------
    data_end : int
        Where the footer begins.
    others : sequence of (int, int, str)
        Begin and end of what belongs to neither chunks nor indexes and is no gap, and what to call it.
    """
    ranges = [*others]
    leaves, may_overrun = scan.leaf_count, overrun_of(scan.created_by) > 0
    begins, sizes = scan.chunk_begins(), scan.chunks("total_compressed_size")
    values, present = scan.chunks("num_values"), scan.chunks("present")
    of_elements = list(zip(scan.elements("max_definition"), scan.elements("max_repetition"), strict=True))
    levels = [of_elements[element] for element in scan.leaves]
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
        headers = read_headers(source, start, end, slack=min(OVERRUN, data_end - end))
        ranges.append((start, max(end, headers.end), place))
        findings, checked = _check_checksums(source, headers, place)
        report.extend(findings)
        report.extend(_check_extent(headers, start, end, values[index], may_overrun, place))
        report.extend(check_page_counts(source, headers, *levels[leaf], place))
        report.pages += len(headers)
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
