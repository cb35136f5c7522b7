"""The rows of a row group to read: ranges that select pages, and alternating counts of rows to skip and read."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

import pyarrow as pa

from ... import compute as pc
from .page_rows import Rows

BLOCK_ROWS = 1 << 10  # pages are selected by blocks of rows
MOST_BLOCKS = 0.5  # maximal fraction of blocks; if more blocks have rows, every page is read
ROWS_OF_TURN = 16  # rows that are decoded and filtered in the time of one turn


class Picks:
    """The rows to read of a row group.

    Attributes
    ----------
    ranges : list of (int, int)
        Ranges (begin, end) of rows, ascending. The pages that contain them are read.
    count : int
        Number of rows that are decoded.
    mask : pyarrow.BooleanArray or None
        The decoded rows that are kept; None if all are.
    """

    __slots__ = ("_selected", "_turns", "count", "mask", "ranges")

    def __init__(self, ranges: Rows, selected: pa.BooleanArray | None = None, mask: pa.BooleanArray | None = None):
        self.ranges, self.mask, self._selected = ranges, mask, selected
        self.count = sum(end - begin for begin, end in ranges) if selected is None else selected.true_count
        self._turns: dict[tuple[int, int], array] = {}

    def turns(self, first: int, count: int) -> array:
        """Return how many rows to skip, to read, to skip, …, up to the last row read, for `count` rows from `first` on.

        Columns whose pages begin at the same rows share the result.
        """
        key = first, count
        if key not in self._turns:
            found = self._of_ranges(first, count) if self._selected is None else self._of_rows(first, count)
            self._turns[key] = array("q", found)
        return self._turns[key]

    def _of_ranges(self, first: int, count: int) -> Iterator[int]:
        at = first
        for begin, end in self.ranges:
            begin, end = max(begin, first), min(end, first + count)
            if begin < end:
                yield from (begin - at, end - begin)
                at = end

    def _of_rows(self, first: int, count: int) -> list[int]:
        if not count:
            return []
        runs = pc.run_end_encode(self._selected.slice(first, count))
        ends = runs.run_ends.to_pylist()
        lengths = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
        if runs.values[0].as_py():
            lengths.insert(0, 0)
        return lengths[: len(lengths) // 2 * 2]


def every_row(count: int) -> Picks:
    """Pick all rows of a row group with `count` rows."""
    return Picks([(0, count)] if count else [])


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


def kept(arrays: Sequence[pa.Array], mask: pa.BooleanArray | None) -> list[pa.Array]:
    """Return the rows that a mask over all arrays keeps; without a mask, return all rows."""
    if mask is None:
        return list(arrays)
    found, at = [], 0
    for rows in arrays:
        found.append(rows.filter(mask.slice(at, len(rows))))
        at += len(rows)
    return found


def _picked(ranges: Rows, count: int, mask: pa.BooleanArray) -> Picks:
    kept = mask.true_count
    if not kept:
        return Picks([])
    if kept == len(mask):
        return Picks(ranges)
    selected = _spread(ranges, count, mask)
    blocks = _blocks(selected)
    few = sum(end - begin for begin, end in blocks) <= len(mask) * MOST_BLOCKS
    read = _both(ranges, blocks) if few else ranges
    turns = 2 * pc.sum(pc.and_(mask[1:], pc.invert(mask[:-1]))).as_py() if len(mask) > 1 else 0
    if turns * ROWS_OF_TURN <= sum(end - begin for begin, end in read):
        return Picks(read, selected)
    return Picks(read, mask=pa.concat_arrays([selected.slice(begin, end - begin) for begin, end in read]))


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
