"""Find the end of a file's data by its Thrift footer."""

from __future__ import annotations

from itertools import compress
from operator import add

from .. import wire
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
