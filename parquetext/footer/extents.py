"""Where the data of a file lies, as its footer says."""

from __future__ import annotations

from itertools import compress
from operator import add

from .. import wire

__all__ = ["chunk_range", "end_of_data"]

RANGES = (  # what a column chunk leads to: offset and length, as the scan names them
    ("offset_index_offset", "offset_index_length"),
    ("column_index_offset", "column_index_length"),
    ("bloom_filter_offset", "bloom_filter_length"),
)


def chunk_range(data_page_offset: int, dictionary_page_offset: int, compressed_size: int) -> tuple[int, int]:
    """Where a column chunk begins and ends.

    A dictionary comes first where its offset is a place in front of the data (or the only place there is).
    """
    start = data_page_offset
    if dictionary_page_offset >= 4 and (dictionary_page_offset < data_page_offset or data_page_offset <= 0):
        start = dictionary_page_offset
    return start, start + compressed_size


def end_of_data(scan) -> int:
    """Where the last column chunk of this file, its page index or Bloom filter ends; 0 without any."""
    is_here = [not present & wire.PRESENT_FILE_PATH for present in scan.chunks("present")]
    sizes = scan.chunks("total_compressed_size")
    chunks = zip(scan.chunks("data_page_offset"), scan.chunks("dictionary_page_offset"), sizes, strict=True)
    ends = [max((chunk_range(*chunk)[1] for chunk in compress(chunks, is_here)), default=0)]
    for offset, length in RANGES:
        offsets = list(compress(scan.places(offset), is_here))
        if max(offsets, default=0) > 0:
            lengths = compress(scan.places(length), is_here)
            ends.append(max(map(add, offsets, (max(length, 0) for length in lengths))))
    return max(ends)
