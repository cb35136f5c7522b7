"""The Bloom filters of a Parquet file, as a sidecar takes them over."""

from __future__ import annotations

from ..errors import ParquetextError
from ..pruning import find_bitset

__all__ = ["bloom_columns", "bitsets"]


def places(scan) -> list[tuple[int, int, int, int]]:
    """(row group, column, offset, length) of every filter that the footer has a whole place for."""
    offsets = scan.places("bloom_filter_offset")
    if bytes(offsets) == b"\xff" * offsets.nbytes:  # -1 each: most footers have none
        return []
    lengths, leaves = scan.places("bloom_filter_length"), scan.leaf_count
    return [
        (*divmod(index, leaves), offset, length)
        for index, (offset, length) in enumerate(zip(offsets, lengths, strict=True))
        if offset > 0 and length > 0
    ]


def bloom_columns(scan) -> list[int]:
    """The columns that have a filter in any row group."""
    return sorted({column for _, column, _, _ in places(scan)})


def bitsets(scan, source) -> dict[tuple[int, int], bytes]:
    """Read the filters by (row group, column), without those that cannot be trusted or are of another kind.

    Raises
    ------
    Malformed
        A filter is not within the file.
    """
    found = {}
    for row_group, column, offset, length in places(scan):
        data = source.read(offset, length)

        def read(start: int, count: int, data: bytes = data, offset: int = offset) -> bytes:
            return data[start - offset : start - offset + count]

        try:
            place = find_bitset(read, offset + length, offset, length)
        except ParquetextError:
            continue
        found[row_group, column] = read(place.offset, place.size)
    return found
