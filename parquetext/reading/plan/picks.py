"""The rows of a row group to read: ranges that select pages, and alternating counts of rows to skip and read."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence

import pyarrow as pa

from ... import compute as pc

Rows = list[tuple[int, int]]


class Picks:
    """The rows to read of a row group.

    Attributes
    ----------
    count : int
        Number of rows that are decoded.
    mask : pyarrow.BooleanArray or None
        The decoded rows that are kept; None if all are.
    """

    __slots__ = ("_ranges", "_selected", "_turns", "count", "mask")

    def __init__(self, ranges: Rows, selected: pa.BooleanArray | None = None, mask: pa.BooleanArray | None = None):
        self._ranges, self.mask, self._selected = ranges, mask, selected
        self.count = sum(end - begin for begin, end in ranges) if selected is None else selected.true_count
        self._turns: dict[tuple[int, int], array] = {}

    @property
    def ranges(self) -> Rows:
        """Ranges (begin, end) of rows, ascending. The pages that contain them are read."""
        return self._ranges

    @property
    def cost(self) -> int:
        """The number of values of each leaf whose decoding takes about as long as reading the rows."""
        return self.count

    @property
    def reach(self) -> int:
        """The number of rows up to the last one that is read."""
        return self.ranges[-1][1] if self.ranges else 0

    def turns(self, first: int, count: int) -> array:
        """Return how many rows to skip, to read, to skip, …, up to the last row read, for `count` rows from `first` on.

        Columns whose pages begin at the same rows share the result.
        """
        key = first, count
        if key not in self._turns:
            found = self._of_ranges(first, count) if self._selected is None else _of_rows(self._selected, first, count)
            self._turns[key] = array("q", found)
        return self._turns[key]

    def _of_ranges(self, first: int, count: int) -> Iterator[int]:
        at = first
        for begin, end in self.ranges:
            begin, end = max(begin, first), min(end, first + count)
            if begin < end:
                yield from (begin - at, end - begin)
                at = end


def _of_rows(selected: pa.BooleanArray, first: int, count: int) -> list[int]:
    if not count:
        return []
    runs = pc.run_end_encode(selected.slice(first, count))
    ends = runs.run_ends.to_pylist()
    lengths = [end - begin for begin, end in zip([0, *ends], ends, strict=False)]
    if runs.values[0].as_py():
        lengths.insert(0, 0)
    return lengths[: len(lengths) // 2 * 2]


def every_row(count: int) -> Picks:
    """Pick all rows of a row group with `count` rows."""
    return Picks([(0, count)] if count else [])


def kept(arrays: Sequence[pa.Array], mask: pa.BooleanArray | None) -> list[pa.Array]:
    """Return the rows that a mask over all arrays keeps; without a mask, return all rows."""
    if mask is None:
        return list(arrays)
    found, at = [], 0
    for rows in arrays:
        found.append(rows.filter(mask.slice(at, len(rows))))
        at += len(rows)
    return found
