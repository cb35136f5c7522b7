"""The rows of a request by number: their row groups, and the rows to read of each."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate

import pyarrow as pa

from ...records import frozen
from ..request.row_numbers import RowNumbers, split
from ..request.taking import take_rows
from .picks import Picks, Rows

ENTRIES_OF_A_ROW = 1 << 10  # the values whose decoding takes as long as finding and decompressing the page of one row


class RowPicks(Picks):
    """Single rows of a row group.

    Parameters
    ----------
    rows : sequence of int
        The rows, ascending, counted from `first`.
    first : int
        The number of the row group's first row.
    """

    __slots__ = ("_first", "_rows")

    def __init__(self, rows: Sequence[int], first: int):
        self._rows, self._first = rows, first
        super().__init__([])
        self.count = len(rows)

    @property
    def ranges(self) -> Rows:
        """The ranges of consecutive rows."""
        if self._ranges or not self._rows:
            return self._ranges
        found, at = [], 0
        turns = self.turns(0, self.reach)
        for skipped, read in zip(turns[::2], turns[1::2], strict=True):
            found.append((at + skipped, at + skipped + read))
            at += skipped + read
        self._ranges = found
        return found

    @property
    def reach(self) -> int:
        return self._rows[-1] - self._first + 1 if self._rows else 0

    @property
    def cost(self) -> int:
        return self.count * ENTRIES_OF_A_ROW

    def positions(self) -> list[int]:
        """Return the rows, counted from the first row of the row group."""
        return [row - self._first for row in self._rows]

    def turns(self, first: int, count: int) -> array:
        """Return how many rows to skip, to read, to skip, …, as `Picks.turns` does."""
        key = first, count
        if key not in self._turns:
            self._turns[key] = self._counts(first + self._first, count)
        return self._turns[key]

    def _counts(self, first: int, count: int) -> array:
        rows = self._rows[bisect_left(self._rows, first) : bisect_left(self._rows, first + count)]
        if rows and rows[-1] - rows[0] == len(rows) - 1:
            return array("q", (rows[0] - first, len(rows)))
        counts, at = array("q"), first
        for row in rows:
            if row == at and counts:
                counts[-1] += 1
            else:
                counts.append(row - at)
                counts.append(1)
            at = row + 1
        return counts


@frozen
class PickedRows:
    """The rows to read of each row group of a plan, and the requested order.

    Attributes
    ----------
    numbers : RowNumbers
        The rows of the file.
    row_groups : sequence of int
        The file's row groups that contain the rows.
    row_counts : sequence of int
        The number of rows of each of them.
    picks : list of RowPicks
        The rows to read of each of them.
    """

    numbers: RowNumbers
    row_groups: Sequence[int]
    row_counts: Sequence[int]
    picks: list[RowPicks]

    def in_order(self, table: pa.Table) -> pa.Table:
        """Return the picked rows, ascending in `table`, in the requested order."""
        return self.numbers.in_order(table)

    def of_whole(self, table: pa.Table) -> pa.Table:
        """Return the picked rows in the requested order from all rows of the row groups."""
        begins = accumulate(self.row_counts, initial=0)
        pairs = zip(begins, self.picks, strict=False)
        rows = [begin + position for begin, picks in pairs for position in picks.positions()]
        return self.in_order(take_rows(table, pa.array(rows, pa.int64())))


def pick_rows(numbers: RowNumbers, row_counts: Sequence[int]) -> PickedRows:
    """Return the row groups that contain rows, and the rows of each; `row_counts` are those of all row groups."""
    found = list(split(numbers.ascending, list(accumulate(row_counts, initial=0))))
    row_groups = [row_group for row_group, _, _ in found]
    picks = [RowPicks(rows, first) for _, first, rows in found]
    return PickedRows(numbers, row_groups, [row_counts[number] for number in row_groups], picks)
