"""Texts that a few bytes of a file repeat: in batches of how many rows they are decoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

__all__ = ["MOST_TEXT_BYTES", "TEXT_BYTES", "growing_batches", "is_text"]

TEXT_BYTES = 1 << 22  # of a batch whose texts are repeated by a few bytes
TEXT_ROWS = 1 << 12  # that are read together of it
MOST_TEXT_BYTES = 1 << 24  # of these rows
MOST_CONCATENATED = 1 << 30  # bytes: texts of one array have fewer than 2^31


def growing_batches(read: Callable[[int], Iterator[pa.RecordBatch]], rows: int, step: int) -> Iterator[pa.RecordBatch]:
    """Batches of `step` rows, or of fewer where their texts are long: a few bytes may repeat one of any length."""
    held: list[pa.RecordBatch] = []
    few, left, held_rows, held_bytes = 1, rows, 0, 0
    while left:
        count = min(few, left, step - held_rows)
        some = list(read(count))
        grown = sum(batch.nbytes for batch in some)
        held, left, held_rows, held_bytes = held + some, left - count, held_rows + count, held_bytes + grown
        if not left or held_bytes >= TEXT_BYTES or held_rows == step:
            # Not by Table.combine_chunks: it fails on names that are no UTF-8.
            yield from [pa.concat_batches(held)] if held and held_bytes < MOST_CONCATENATED else held
            held, held_rows, held_bytes = [], 0, 0
        few = max(1, min(4 * count, TEXT_ROWS, count * TEXT_BYTES // max(grown, 1)))


def is_text(type: pa.DataType) -> bool:
    return pa.types.is_string(type) or pa.types.is_binary(type)
