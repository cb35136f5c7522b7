"""Compute the sizes of a row group of a slice, which decide which split of a file reads it.

parquet-java reads a row group in the split that contains *begin of the first chunk + total_compressed_size / 2*
(``filterFileMetaDataByMidpoint`` of ``ParquetMetadataConverter``). Version 1.12.0, and every release for encrypted
columns, uses ``file_offset`` instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from .. import wire

__all__ = ["placed_sizes", "saturated_sum"]

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1


def saturated_sum(values: Iterable[int]) -> int:
    """Return the sum, saturated at each step."""
    total = 0
    for value in values:
        total = max(INT64_MIN, min(INT64_MAX, total + value))
    return total


def _begin(facts: Mapping[str, int]) -> int:
    """Return the begin of a chunk by parquet-java's rule (``getOffset``)."""
    begin = facts["data_page_offset"]
    if facts["present"] & wire.PRESENT_DICTIONARY_PAGE_OFFSET:
        begin = min(begin, facts["dictionary_page_offset"])
    return begin


def _size(facts: Mapping[str, int]) -> int:
    return max(facts["total_compressed_size"], 0)


def placed_sizes(chunks: Sequence[Mapping[str, int]], file_offset: int) -> tuple[int, int]:
    """Return total_compressed_size and file_offset (-1: none) of a row group with these chunks.

    The size is the sum over the chunks. If the first chunk follows others, as one with a copy does, half of the sum may
    lead out of the row group. In this case the size is the first chunk's size alone. A file_offset that leads behind
    the chunks is replaced by the begin of the first chunk. Sizes below 0 count as 0, and sums saturate. If the first
    chunk has no data page offset, the sum and file_offset are returned unchanged.
    """
    size = saturated_sum(map(_size, chunks))
    if not chunks or not chunks[0]["present"] & wire.PRESENT_DATA_PAGE_OFFSET:
        return size, file_offset
    placed = (facts for facts in chunks if facts["present"] & wire.PRESENT_DATA_PAGE_OFFSET)
    end = max(saturated_sum((_begin(facts), _size(facts))) for facts in placed)
    begin = _begin(chunks[0])
    if saturated_sum((begin, size // 2)) >= end:
        size = _size(chunks[0])
    if file_offset != -1 and saturated_sum((file_offset, size // 2)) >= end:
        file_offset = begin
    return size, file_offset
