"""The second tier: the structure of all chunks, the bodies of all pages, and the gaps between the chunks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ... import wire
from ..structure import Structure
from .bodies import Bodies

__all__ = ["check_pages"]

FIRST_BYTE = 4  # behind the magic
INDEXES = (
    ("column_index_offset", "column_index_length"),
    ("offset_index_offset", "offset_index_length"),
    ("bloom_filter_offset", "bloom_filter_length"),
)
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
    structure, bodies = Structure(source, scan, data_end), Bodies(source, counts_all=deep)
    structure.check_magic()
    for chunk, headers in structure.walk():
        if headers is not None:
            report.pages += len(headers)
            report.extend(bodies.check(headers, chunk))
    report.extend(structure.findings)
    report.extend(bodies.finish())
    report.extend(structure.overlaps(others))
    report.checked_bytes += bodies.checked_bytes
    report.decompressed_pages += bodies.decompressed_pages
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
    for offset_name, length_name in INDEXES:
        for offset, length in zip(scan.places(offset_name), scan.places(length_name), strict=True):
            if offset >= FIRST_BYTE:
                yield offset, offset + max(length, 0)
