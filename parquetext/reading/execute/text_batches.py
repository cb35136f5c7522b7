"""Choose the batch sizes of texts that a few bytes of a file may repeat many times."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

__all__ = ["MOST_TEXT_BYTES", "TEXT_BYTES", "growing_batches", "is_text"]

TEXT_BYTES = 1 << 22  # of a batch whose texts are repeated by a few bytes
TEXT_ROWS = 1 << 12  # maximal number of rows of such a batch that are read together
MOST_TEXT_BYTES = 1 << 24  # maximal bytes of texts in these rows
MOST_CONCATENATED = 1 << 30  # bytes: the texts of one array must be smaller than 2^31


def growing_batches(read: Callable[[int], Iterator[pa.RecordBatch]], rows: int, step: int) -> Iterator[pa.RecordBatch]:
    """Yield batches of `step` rows, or fewer if their texts are long: a few bytes may repeat a text of any length."""
    held: list[pa.RecordBatch] = []
    few, left, held_rows, held_bytes = 1, rows, 0, 0
    while left:
        count = min(few, left, step - held_rows)
        some = list(read(count))
        grown = sum(batch.nbytes for batch in some)
        held, left, held_rows, held_bytes = held + some, left - count, held_rows + count, held_bytes + grown
        if not left or held_bytes >= TEXT_BYTES or held_rows == step:
            # Table.combine_chunks fails on names that are not UTF-8.
            yield from [pa.concat_batches(held)] if held and held_bytes < MOST_CONCATENATED else held
            held, held_rows, held_bytes = [], 0, 0
        few = max(1, min(4 * count, TEXT_ROWS, count * TEXT_BYTES // max(grown, 1)))


def is_text(type: pa.DataType) -> bool:
    return pa.types.is_string(type) or pa.types.is_binary(type)
