"""Rows that meet a predicate: its columns are decoded first, the others only where rows are left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import pyarrow as pa

from ..pruning import Predicate
from .decoding import Decoder
from .page_rows import Rows
from .row_mask import mask_of, set_blocks

__all__ = ["kept_rows"]

BLOCK_ROWS = 1 << 10  # of which all are decoded where one is kept
MOST_BLOCKS = 0.5  # of all; where more have rows, all rows are decoded and then filtered


def kept_rows(
    decoder: Decoder, predicate: Predicate, names: Sequence[str], rows: Sequence[Rows], *, use_threads: bool
) -> pa.Table:
    """The rows among `rows` that meet a predicate which looks at the columns of these names.

    Parameters
    ----------
    rows : sequence of ranges
        For each row group the ranges of its rows that may meet it.
    """
    schema = decoder.schema
    looked_at = [schema.get_field_index(name) for name in names]
    others = [field for field in range(len(schema)) if field not in looked_at]
    found = decoder.table(rows, looked_at, use_threads=use_threads)
    mask = mask_of(found, predicate)
    columns = dict(zip(looked_at, found.filter(mask).columns, strict=True))
    if others:
        rows, mask = _narrowed(rows, mask)
        rest = decoder.table(rows, others, use_threads=use_threads).filter(mask)
        columns |= zip(others, rest.columns, strict=True)
    return pa.Table.from_arrays([columns[field] for field in range(len(schema))], schema=schema)


def _narrowed(rows: Sequence[Rows], mask: pa.ChunkedArray) -> tuple[Sequence[Rows], pa.ChunkedArray]:
    """The blocks of rows in which some are kept, and the mask of these; all rows where that is most blocks."""
    blocks = set_blocks(mask, BLOCK_ROWS)
    if len(blocks) * BLOCK_ROWS > len(mask) * MOST_BLOCKS:
        return rows, mask
    runs = list(_runs(blocks))
    narrowed, begin = [], 0
    for ranges in rows:
        cut = []
        for first, last in ranges:
            end = begin + last - first
            cut += [
                (first + max(low, begin) - begin, first + min(high, end) - begin)
                for low, high in runs
                if low < end and high > begin
            ]
            begin = end
        narrowed.append(cut)
    return narrowed, pa.chunked_array(
        [piece for low, high in runs for piece in mask.slice(low, high - low).chunks], pa.bool_()
    )


def _runs(blocks: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Ranges of rows (begin, end) that ascending blocks cover, neighbours together."""
    for _, run in groupby(enumerate(blocks), lambda pair: pair[1] - pair[0]):
        numbers = [block for _, block in run]
        yield numbers[0] * BLOCK_ROWS, (numbers[-1] + 1) * BLOCK_ROWS
