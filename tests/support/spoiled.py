"""Column chunks with overwritten bytes, which raise errors when they are read, and payloads that are cut."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow.parquet as pq
import pytest

from parquetext.errors import Damaged

__all__ = ["assert_cuts_are_damaged", "spoil_chunks"]


def spoil_chunks(path: str, is_spoiled: Callable[[int, str], bool]) -> int:
    """Overwrite the pages of those column chunks for which `is_spoiled(row_group, column)`; how many these are."""
    metadata = pq.read_metadata(path)
    count = 0
    with open(path, "r+b") as file:
        for row_group in range(metadata.num_row_groups):
            for leaf in range(metadata.num_columns):
                chunk = metadata.row_group(row_group).column(leaf)
                if is_spoiled(row_group, chunk.path_in_schema):
                    file.seek(chunk.dictionary_page_offset or chunk.data_page_offset)
                    file.write(b"\xff" * chunk.total_compressed_size)
                    count += 1
    return count


def assert_cuts_are_damaged(read: Callable[[bytes], object], payload: bytes) -> None:
    """Check that `read` finds damage in each beginning of a payload, which ends with zeros that it may lack."""
    payload = payload.rstrip(b"\0")
    for length in range(len(payload)):
        with pytest.raises(Damaged):
            read(payload[:length])
