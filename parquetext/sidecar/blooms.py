"""Read the Bloom filters of a Parquet file for its sidecar."""

from __future__ import annotations

from ..errors import ParquetextError
from ..pruning import find_bitset


def places(scan) -> list[tuple[int, int, int, int]]:
    """Return (row group, column, offset, length) of every filter whose offset and length are in the footer."""
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
    """Return the columns that have a filter in any row group."""
    return sorted({column for _, column, _, _ in places(scan)})


def bitsets(scan, source) -> dict[tuple[int, int], bytes]:
    """Read the filters by (row group, column), except invalid ones and ones of another kind.

    Raises
    ------
    Malformed
        If a filter is not within the file.
    """
    found = {}
    for row_group, column, offset, length in places(scan):
        data = source.read(offset, length)

        def read(start: int, count: int, data: bytes = data, offset: int = offset) -> bytes:
            return data[start - offset : start - offset + count]

        try:
            position = find_bitset(read, offset + length, offset, length)
        except ParquetextError:
            continue
        found[row_group, column] = read(position.offset, position.size)
    return found
