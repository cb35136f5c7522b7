"""Find the end of a file's data by its Thrift footer, and check it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from operator import add

from .. import wire
from ..errors import Malformed
from .model import INDEX_FIELDS


def end_of_data(scan) -> int:
    """Return the end of the last column chunk of this file, its page indexes and Bloom filter; 0 if there are none."""
    is_here = [not present & wire.PRESENT_FILE_PATH for present in scan.chunks("present")]
    chunk_ends = map(add, scan.chunk_begins(), scan.chunks("total_compressed_size"))
    ends = [max(compress(chunk_ends, is_here), default=0)]
    for offset, length in zip(INDEX_FIELDS[::2], INDEX_FIELDS[1::2], strict=True):
        offsets = list(compress(scan.places(offset), is_here))
        if max(offsets, default=0) > 0:
            lengths = compress(scan.places(length), is_here)
            ends.append(max(map(add, offsets, (max(length, 0) for length in lengths))))
    return max(ends)


def check_end_of_data(scan, end: int) -> None:
    """Check that no column chunk of this file, page index or Bloom filter has bytes from `end` on.

    Raises
    ------
    Malformed
        Its offset is that of the chunk's struct in the footer.
    """
    if end_of_data(scan) <= end:
        return
    counts = scan.row_groups("chunk_count")
    owners = ((row_group, leaf) for row_group, count in enumerate(counts) for leaf in range(count))
    for (row_group, leaf), at, ranges in zip(owners, scan.chunks("chunk_offset"), _ranges(scan), strict=True):
        for name, begin, length in ranges:
            if begin + length > end:
                message = f"row group {row_group}, leaf {leaf}{name}: bytes {begin} to {begin + length} leave the data"
                raise Malformed(
                    f"{message}, which ends at {end}",
                    offset=at,
                    expected=end,
                    found=begin + length,
                    code=wire.BAD_OFFSET,
                )


def _ranges(scan) -> Iterator[list[tuple[str, int, int]]]:
    """Yield the ranges of each chunk: name, begin, and length; none of a chunk in another file."""
    names = [f", {name.removesuffix('_offset').replace('_', ' ')}" for name in INDEX_FIELDS[::2]]
    chunks = zip(scan.chunks("present"), scan.chunk_begins(), scan.chunks("total_compressed_size"), strict=True)
    for (present, begin, size), *places in zip(chunks, *map(scan.places, INDEX_FIELDS), strict=True):
        if present & wire.PRESENT_FILE_PATH:
            yield []
            continue
        indexes = zip(names, places[::2], places[1::2], strict=True)
        yield [("", begin, size), *((name, offset, max(length, 0)) for name, offset, length in indexes if offset > 0)]
