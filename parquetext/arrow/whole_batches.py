"""Complete the batches of pyarrow's reader if rows are missing, and cut them at the same rows as pyarrow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial

import pyarrow as pa

from ..errors import Malformed, ParquetextError
from ..footer.entry_counts import EntryCounts
from ..footer.row_counts import RowsMissing, check_rows, is_row_loss

__all__ = ["check_counts", "runs", "whole_batches"]

Room = Callable[[], int]
Theirs = Callable[[Sequence[int], Room], Iterator[pa.RecordBatch]]
Ours = Callable[[Sequence[int]], Iterator[pa.RecordBatch]]


def check_counts(row_groups: Sequence[int], counts: Sequence[int]) -> int:
    """Return the sum of the row groups' row counts.

    Raises
    ------
    Malformed
        If a count is negative: pyarrow subtracts it from those of the other row groups.
    """
    for row_group, rows in zip(row_groups, counts, strict=True):
        if rows < 0:
            raise Malformed(f"row group {int(row_group)} has {rows} rows", expected=0, found=rows)
    return sum(counts)


def whole_batches(
    counts: Sequence[int],
    theirs: Theirs,
    ours: Ours,
    batch_size: int,
    *,
    schema: pa.Schema,
    entries: EntryCounts | None,
    numbers: Sequence[int],
    one_by_one: bool = False,
) -> Iterator[pa.RecordBatch]:
    """Read row groups batch by batch with pyarrow; if it loses rows, our decoder continues.

    Parameters
    ----------
    counts : sequence of int
        Rows of each row group.
    theirs : callable
        Reads row groups, given by their positions in `counts`, with pyarrow. Its second argument returns the number of
        rows for the next batch; any other number is correct, too, but then rows are copied.
    ours : callable
        Reads row groups with our decoder.
    batch_size : int
        Rows of a batch.
    schema : pyarrow.Schema
        The schema of pyarrow's batches.
    entries : EntryCounts, optional
        The entries of the columns in lists, if there are any.
    numbers : sequence of int
        The numbers of the row groups in `entries`.
    one_by_one : bool
        If True, read each row group by itself, because chunks have different numbers of values and rows.

    Yields
    ------
    pyarrow.RecordBatch

    Raises
    ------
    RowsMissing
        If pyarrow loses rows or entries of lists, and our decoder refuses the row groups.

    Notes
    -----
    After a page without values, pyarrow's reader of this column continues with the next row group, while those of other
    columns are still in this one. Within one row group a column can only end early. Therefore each row group is read by
    itself, and the rows before the first missing row are correct. Small row groups are read together, and their batches
    are
    yielded only after their rows have been counted. The last list in front of a page without values may lack entries,
    so that a batch with lists is yielded after the next one has been read, or after the entries have been counted.
    """
    by_group = any(map(_has_dictionary, schema.types))  # a batch has one dictionary per column
    cut = _Cut(batch_size)
    for run in runs(range(len(counts)), counts, 0 if by_group or one_by_one else batch_size):
        check = None if entries is None else partial(entries.check, [numbers[number] for number in run])
        reading = theirs if entries is None else partial(_counted, theirs, entries)
        rest = yield from _begun(run, sum(counts[number] for number in run), reading, cut, check)
        if rest is not None:
            yield from cut.left()
            yield from _behind(rest.given, ours(run), rest.refused)
        elif by_group:
            yield from cut.left()
    yield from cut.left()


def runs(row_groups: Sequence[int], counts: Sequence[int], size: int) -> Iterator[list[int]]:
    """Yield runs of successive row groups that have at most `size` rows together, or one row group that has more."""
    run, rows = [], 0
    for number in row_groups:
        if run and rows + counts[number] > size:
            yield run
            run, rows = [], 0
        run.append(number)
        rows += counts[number]
    if run:
        yield run


class _Rest:
    """The number of rows that pyarrow has returned of a run of row groups, and its error."""

    def __init__(self, given: int, refused: Exception):
        self.given, self.refused = given, refused


def _counted(theirs: Theirs, entries: EntryCounts, run: Sequence[int], room: Room) -> Iterator[pa.RecordBatch]:
    """Read row groups with pyarrow, and count the entries of their lists."""
    for batch in theirs(run, room):
        entries.add(batch)
        yield batch


def _begun(
    run: Sequence[int], rows: int, theirs: Theirs, cut: _Cut, check: Callable[[], None] | None
) -> Iterator[pa.RecordBatch]:
    """Yield pyarrow's batches of a run of row groups; return a `_Rest` if rows or entries of lists are missing.

    `check` raises `RowsMissing` for the entries after the last batch; None if there are no lists.
    """
    held: list[pa.RecordBatch] = []
    read = 0
    try:
        for batch in theirs(run, lambda: cut.room(held)):
            read += batch.num_rows
            if len(run) == 1:
                while held:
                    yield from cut.parts(held.pop())
                if check is None:
                    yield from cut.parts(batch)
                    continue
            held.append(batch)
        check_rows(read, rows)
        if check is not None:
            check()
    except (pa.ArrowException, OSError) as error:
        if not isinstance(error, RowsMissing) and (read >= rows or not is_row_loss(error)):
            raise
        return _Rest(read - sum(batch.num_rows for batch in held), error)
    for batch in held:
        yield from cut.parts(batch)
    return None


def _behind(given: int, batches: Iterator[pa.RecordBatch], refused: Exception) -> Iterator[pa.RecordBatch]:
    """Yield the batches without the first rows, which pyarrow has already returned."""
    try:
        for batch in batches:
            if given < batch.num_rows:
                yield batch.slice(given)
            given = max(given - batch.num_rows, 0)
    except MemoryError:
        raise
    except (pa.ArrowException, ParquetextError) as error:
        raise refused from error


class _Cut:
    """Cuts and joins batches, so that each has the maximal number of rows."""

    def __init__(self, size: int):
        self._size, self._rows = size, 0
        self._held: list[pa.RecordBatch] = []

    def room(self, waiting: Sequence[pa.RecordBatch]) -> int:
        """Return the number of rows that completes a batch, counting the rows that wait to be cut."""
        return self._size - (self._rows + sum(batch.num_rows for batch in waiting)) % self._size

    def parts(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        while batch.num_rows:
            part = batch.slice(0, self._size - self._rows)
            batch = batch.slice(part.num_rows)
            self._held.append(part)
            self._rows += part.num_rows
            if self._rows == self._size:
                yield from self.left()
                self._rows = 0

    def left(self) -> Iterator[pa.RecordBatch]:
        """Yield the remaining rows; the next batch is smaller by their number."""
        if self._held:
            held, self._held = self._held, []
            yield held[0] if len(held) == 1 else pa.concat_batches(held)


def _has_dictionary(type: pa.DataType) -> bool:
    if pa.types.is_dictionary(type):
        return True
    return any(_has_dictionary(type.field(number).type) for number in range(type.num_fields))
