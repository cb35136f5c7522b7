"""The members of chunks that readers of footers report, for tests that compare readers."""

from __future__ import annotations

__all__ = ["COUNTS", "INDEXES", "SIZES"]

SIZES = (
    "num_values",
    "total_uncompressed_size",
    "total_compressed_size",
    "data_page_offset",
    "dictionary_page_offset",
)
COUNTS = ("null_count", "distinct_count")
INDEXES = (
    "index_page_offset",
    "bloom_filter_offset",
    "bloom_filter_length",
    "offset_index_offset",
    "offset_index_length",
    "column_index_offset",
    "column_index_length",
)
