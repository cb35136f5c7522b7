"""Read batch by batch with pyarrow; if it loses rows, our decoder continues. Cut the batches at the same rows."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

import pyarrow as pa

from ...errors import ParquetextError
from ...footer.entry_counts import find_wrong_count
from ...footer.row_counts import RowsMissing, check_rows, is_row_loss
from ..open_file import OpenFile
from ..plan.read_plan import Plan
from .native_reading import native_batches
from .pyarrow_reading import PyarrowReader, check_counts


def read_batches(plan: Plan, file: OpenFile, batch_size: int) -> Iterator[pa.RecordBatch]:
    """Read a plan without a predicate batch by batch.

    The rows of every row group are counted, so a batch never combines columns that pyarrow reads at different row
    positions.

    Raises
    ------
    RowsMissing
        If pyarrow loses rows or entries of lists, and our decoder refuses the row groups.
    """
    part, options = plan.part, plan.options
    part.check_here()
    reader_options = dict(options.reader)
    pre_buffer = reader_options.pop("pre_buffer", file._is_remote)
    with file._open_data() as data:
        reader = PyarrowReader(part, data, pre_buffer, reader_options)
        check_counts(part.row_groups, reader.row_counts)
        yield from _CompleteBatches(plan, file, reader, batch_size)


def runs(row_groups: Sequence[int], counts: Sequence[int], size: int) -> Iterator[list[int]]:
    """Yield runs of successive row groups that have at most `size` rows together, or one row group that has more."""
    rows = 0
    run: list[int] = []
    for number in row_groups:
        if run and rows + counts[number] > size:
            yield run
            run, rows = [], 0
        run.append(number)
        rows += counts[number]
    if run:
        yield run


class _CompleteBatches:
    """The batches of pyarrow's reader, completed by our decoder if rows are missing.

    After a page without values, pyarrow's reader of this column continues with the next row group, while those of other
    columns are still in this one. Within one row group a column can only end early. Therefore each row group is read by
    itself, and the rows before the first missing row are correct. Small row groups are read together, and their batches
    are yielded only after their rows have been counted. The last list in front of a page without values may lack
    entries, so that a batch with lists is yielded after the next one has been read, or after the entries have been
    counted.
    """

    def __init__(self, plan: Plan, file: OpenFile, reader: PyarrowReader, batch_size: int):
        self._plan, self._file, self._reader, self._size = plan, file, reader, batch_size
        self._counts, self._entries = reader.row_counts, reader.entry_counts()
        self._cut = _Cut(batch_size)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        part, cut = self._plan.part, self._cut
        by_group = any(map(_has_dictionary, self._reader.schema.types))  # a batch has one dictionary per column
        # Row groups whose chunks have different numbers of values and rows are read one by one.
        one_by_one = by_group or (part.scan is not None and find_wrong_count(part.scan, part.indices) is not None)
        for run in runs(range(len(self._counts)), self._counts, 0 if one_by_one else self._size):
            rest = yield from self._with_pyarrow(run)
            if rest is not None:
                yield from cut.left()
                yield from self._natively(run, *rest)
            elif by_group:
                yield from cut.left()
        yield from cut.left()

    def _with_pyarrow(self, run: Sequence[int]) -> Generator[pa.RecordBatch, None, Any]:
        """Yield pyarrow's batches of a run of row groups.

        If rows or entries of lists are missing, return the number of rows that were yielded, and the error.
        """
        cut, entries, use_threads = self._cut, self._entries, self._plan.options.use_threads
        numbers = [self._reader.row_groups[number] for number in run]
        held: list[pa.RecordBatch] = []
        rows, read = sum(self._counts[number] for number in run), 0
        try:
            for batch in self._reader.batches(numbers, cut.room(held), use_threads):
                if entries is not None:
                    entries.add(batch)
                read += batch.num_rows
                while held and len(run) == 1:
                    yield from cut.parts(held.pop())
                if len(run) == 1 and entries is None:
                    yield from cut.parts(batch)
                else:
                    held.append(batch)
                self._reader.next_size(cut.room(held))
            check_rows(read, rows)
            if entries is not None:
                entries.check(numbers)
        except (pa.ArrowException, OSError) as error:
            if not isinstance(error, RowsMissing) and (read >= rows or not is_row_loss(error)):
                raise
            return read - sum(batch.num_rows for batch in held), error
        for batch in held:
            yield from cut.parts(batch)
        return None

    def _natively(self, run: Sequence[int], given: int, refused: Exception) -> Iterator[pa.RecordBatch]:
        """Yield our decoder's batches without the first rows, which pyarrow has already returned."""
        try:
            for batch in native_batches(self._plan, self._file, self._size, run):
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
