"""The rows of row groups that a mask keeps: read one by one, in turns, or by filtering the rows of whole pages."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import pyarrow as pa

from ... import compute as pc
from .picks import Picks, Rows
from .row_picks import RowPicks

BLOCK_ROWS = 1 << 10  # pages are selected by blocks of rows
MOST_BLOCKS = 0.5  # maximal fraction of blocks; if more blocks have rows, every page is read
ROWS_OF_TURN = 16  # rows that are decoded and filtered in the time of one turn
FEW_ROWS = 1 << 12  # that are picked one by one


def picks_of(rows: Sequence[Rows], counts: Sequence[int], mask: pa.ChunkedArray) -> list[Picks]:
    """Pick the rows of each row group that a mask keeps.

    Parameters
    ----------
    rows : sequence of ranges
        The rows of each row group that the mask covers.
    counts : sequence of int
        Number of rows of each row group.
    mask : pyarrow.ChunkedArray
        The masks of all row groups, concatenated. Null rows are not kept.
    """
    flat = mask.combine_chunks() if mask.num_chunks != 1 else mask.chunk(0)
    flat = flat.fill_null(False) if flat.null_count else flat
    picked, at = [], 0
    for ranges, count in zip(rows, counts, strict=True):
        length = sum(end - begin for begin, end in ranges)
        picked.append(_picked(ranges, count, flat.slice(at, length)))
        at += length
    return picked


def _picked(ranges: Rows, count: int, mask: pa.BooleanArray) -> Picks:
    kept = mask.true_count
    if not kept:
        return Picks([])
    if kept == len(mask):
        return Picks(ranges)
    if kept <= FEW_ROWS and kept * ROWS_OF_TURN <= len(mask):
        return RowPicks(_rows_of(ranges, pc.indices_nonzero(mask).to_pylist()), 0)
    selected = _spread(ranges, count, mask)
    blocks = _blocks(selected)
    few = sum(end - begin for begin, end in blocks) <= len(mask) * MOST_BLOCKS
    read = _both(ranges, blocks) if few else ranges
    turns = 2 * pc.sum(pc.and_(mask[1:], pc.invert(mask[:-1]))).as_py() if len(mask) > 1 else 0
    if turns * ROWS_OF_TURN <= sum(end - begin for begin, end in read):
        return Picks(read, selected)
    return Picks(read, mask=pa.concat_arrays([selected.slice(begin, end - begin) for begin, end in read]))


def _rows_of(ranges: Rows, positions: Sequence[int]) -> list[int]:
    """Return the rows at ascending positions among the rows in ranges."""
    rows, at, begin = [], 0, 0  # of a range: its first position, and the first of `positions` in it
    for first, last in ranges:
        end = bisect_left(positions, at + last - first, begin)
        rows += [first - at + position for position in positions[begin:end]]
        at, begin = at + last - first, end
    return rows


def _spread(ranges: Rows, count: int, mask: pa.BooleanArray) -> pa.BooleanArray:
    """Expand a mask of the rows in ranges to a mask of all rows."""
    if ranges == [(0, count)]:
        return mask
    pieces, at, done = [], 0, 0
    for begin, end in ranges:
        pieces += [_none_of(begin - at), mask.slice(done, end - begin)]
        done, at = done + end - begin, end
    return pa.concat_arrays([*pieces, _none_of(count - at)])


def _none_of(count: int) -> pa.BooleanArray:
    return pa.Array.from_buffers(pa.bool_(), count, [None, pa.py_buffer(bytes((count + 7) // 8))])


def _blocks(selected: pa.BooleanArray) -> Rows:
    """Return the ranges of the blocks with selected rows; adjacent blocks are merged."""
    numbers = pc.unique(pc.divide(pc.indices_nonzero(selected), BLOCK_ROWS)).to_pylist()
    ranges: Rows = []
    for number in numbers:
        begin, end = number * BLOCK_ROWS, min((number + 1) * BLOCK_ROWS, len(selected))
        if ranges and ranges[-1][1] == begin:
            ranges[-1] = ranges[-1][0], end
        else:
            ranges.append((begin, end))
    return ranges


def _both(some: Rows, others: Rows) -> Rows:
    """Return the rows that are in both."""
    met, left, right = [], 0, 0
    while left < len(some) and right < len(others):
        begin, end = max(some[left][0], others[right][0]), min(some[left][1], others[right][1])
        if begin < end:
            met.append((begin, end))
        if some[left][1] < others[right][1]:
            left += 1
        else:
            right += 1
    return met
