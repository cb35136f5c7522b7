"""The rows of a request that are given by number: in any order, possibly several times."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from operator import eq, index
from typing import Any, NamedTuple

import pyarrow as pa

from ... import compute as pc
from ...footer.arrow_errors import ArrowRowIndexError
from .taking import take_rows

MOST_ROWS = (1 << 63) - 1


class RowNumbers(NamedTuple):
    """Row numbers of a file or a dataset.

    Attributes
    ----------
    ascending : sequence of int
        The numbers, ascending, each once.
    order : pyarrow.Array or None
        The positions in `ascending` in the requested order; None if that is the order of `ascending`.
    """

    ascending: Sequence[int]
    order: pa.Array | None

    def __len__(self) -> int:
        return len(self.ascending if self.order is None else self.order)

    def in_order(self, table: pa.Table) -> pa.Table:
        """Return a table that has the ascending rows with its rows in the requested order."""
        return table if self.order is None else take_rows(table, self.order)


def row_numbers(rows: Any, count: int | None = None, file: str | None = None) -> RowNumbers:
    """Check the rows that a caller requests.

    Parameters
    ----------
    rows : sequence, numpy array, pyarrow.Array, pyarrow.ChunkedArray, range or slice
        Row numbers of any integer type. A slice has the meaning that it has for a list of all rows.
    count : int, optional
        The number of rows that there are, if it is known. Without it, only negative numbers are refused.
    file : str, optional
        The path for messages.

    Raises
    ------
    RowIndexError
        If a number is negative, or not below `count`.
    TypeError
        If there is a null, or anything else than integers.
    """
    count = MOST_ROWS if count is None else count
    if isinstance(rows, slice):
        rows = range(*rows.indices(count))
    if isinstance(rows, range):
        return _of_range(rows, count, file)
    numbers = _as_array(rows, count, file)
    if not len(numbers):
        return RowNumbers(range(0), None)
    values = memoryview(numbers.buffers()[1]).cast("q")[numbers.offset : numbers.offset + len(numbers)]
    ascending = sorted(set(values))
    for number in (ascending[0], ascending[-1]):
        _check(number, count, file)
    if len(ascending) == len(values) and all(map(eq, ascending, values)):
        return RowNumbers(ascending, None)
    positions = dict(zip(ascending, range(len(ascending)), strict=True))
    return RowNumbers(ascending, pa.array(map(positions.__getitem__, values), pa.int64(), size=len(values)))


def is_from_end(rows: slice) -> bool:
    """Return True if the rows that a slice selects depend on the number of all rows, beyond being cut off there."""
    return any(part is not None and index(part) < 0 for part in (rows.start, rows.stop, rows.step))


def split(rows: Sequence[int], begins: Sequence[int]) -> Iterator[tuple[int, int, Sequence[int]]]:
    """Split ascending rows by the blocks that contain them, such as row groups or files.

    Parameters
    ----------
    begins : sequence of int
        The first row of each block, and the number of all rows; some blocks may have no rows.

    Yields
    ------
    block, first : int
        The number of a block with rows, and its first row.
    rows : sequence of int
        The rows in it.
    """
    at = 0
    while at < len(rows):
        block = bisect_right(begins, rows[at]) - 1
        end = bisect_left(rows, begins[block + 1], at)
        yield block, begins[block], rows[at:end]
        at = end


def _of_range(rows: range, count: int, file: str | None) -> RowNumbers:
    for number in (rows[0], rows[-1]) if rows else ():
        _check(number, count, file)
    if rows.step > 0:
        return RowNumbers(rows, None)
    return RowNumbers(rows[::-1], pa.array(range(len(rows) - 1, -1, -1), pa.int64()))


def _check(number: int, count: int, file: str | None) -> None:
    if not 0 <= number < count:
        there = "" if count == MOST_ROWS else f": there are {count} rows"
        raise ArrowRowIndexError(f"no row {number}{there}", file=file, expected=count, found=number)


def _as_array(rows: Any, count: int, file: str | None) -> pa.Array:
    """Return the numbers as an array of int64 without nulls."""
    if isinstance(rows, (str, bytes)):
        raise TypeError(f"rows are integers, not {rows!r}")
    if not isinstance(rows, (pa.Array, pa.ChunkedArray)):
        if hasattr(rows, "__array__") or hasattr(rows, "__arrow_array__"):
            rows = pa.array(rows)
        else:
            rows = pa.array(_integers(rows, count, file), pa.int64())
    if isinstance(rows, pa.ChunkedArray):
        rows = rows.combine_chunks()
    if rows.null_count or pa.types.is_null(rows.type):
        if len(rows):
            raise TypeError("rows contain a null")
        return pa.array([], pa.int64())
    if not pa.types.is_integer(rows.type):
        if not len(rows):
            return pa.array([], pa.int64())
        raise TypeError(f"rows are integers, not {rows.type}")
    try:
        return rows.cast(pa.int64())
    except pa.ArrowInvalid:  # a number of 64 bits without a sign
        _check(pc.max(rows).as_py(), count, file)
        raise


def _integers(rows: Any, count: int, file: str | None) -> array:
    """Return the integers of a sequence, or raise the error of the first one that is no row."""
    values = []
    for row in rows:
        if row is None:
            raise TypeError("rows contain a null")
        if type(row) is bool:
            raise TypeError("rows are integers, not bool")
        number = index(row)
        if not 0 <= number < count:
            _check(number, count, file)
        values.append(number)
    return array("q", values)
