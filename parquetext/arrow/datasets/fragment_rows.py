"""Read the rows of one open file of a dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

import pyarrow as pa

from ...pruning import Predicate
from ...reading.execute.batches import runs
from ...reading.fields.arrow_fields import schema_or_ours
from ...reading.plan.part import SMALL_ROWS
from ...reading.request.read_request import OURS, PYARROW, ReadOptions
from ...reading.request.row_numbers import split
from ...reading.request.selection import Leaves, find_top_level
from ..file import File
from ..read_options import Reading
from .file_plans import Plan, left_row_groups
from .filtering import JOINED_ROWS, filtered
from .shape import Shape, empty_table

if TYPE_CHECKING:
    from ...reading.explanation import Explanation

# Column chunks of a local file are read in pieces of this size if it has at most this many columns.
PIECE, FEW_LEAVES = 1 << 20, 64
LARGE_ROWS = 1 << 20  # number of rows from which on a table is filtered batch by batch
BATCH_ROWS = 1 << 17
MANY_CHUNKS = 1 << 12

Stored = Mapping[str, Leaves]  # columns that a file contains


class FragmentRows:
    """The rows of an open file in the shape of a dataset, planned with the open file itself.

    Parameters
    ----------
    row_groups : list of int, optional
        The row groups to read; all row groups by default.
    plan : Plan, optional
        The plan that selected them, if there was a filter. If it is not valid for this file, they are planned again.
    """

    def __init__(self, file: File, shape: Shape, reading: Reading, row_groups: list[int] | None, plan: Plan | None):
        self._file, self._shape, self._reading = file, shape, reading
        self._row_groups, self._plan = row_groups, plan

    @property
    def row_groups(self) -> Sequence[int]:
        """The numbers of the row groups."""
        return range(len(self._file.row_groups)) if self._row_groups is None else self._row_groups

    def count(self) -> int:
        """Return the number of rows of the row groups."""
        return self._rows_of(self._row_groups)

    def left(self, predicate: Predicate) -> Sequence[int]:
        """Return the row groups of the file, in its present version, that the predicate does not rule out."""
        if self._plan is not None and self._plan.holds_for(predicate, self._file):
            return self.row_groups
        wanted = self.row_groups if self._plan is None else range(len(self._file.row_groups))
        names = predicate.columns(self._shape.type_of)
        if names is None:
            return list(wanted)
        types = {name: self._shape.type_of(name) for name in names}
        left = set(left_row_groups(self._file, predicate, types, self._shape.given))
        return [number for number in wanted if number in left]

    def read(self, predicate: Predicate | None, *, use_threads: bool = True) -> tuple[pa.Table, Predicate | None]:
        """Return the rows that may match, with all columns of the shape, and the predicate still to be applied."""
        if predicate is None:
            return self._cut(self._read_whole(self._stored(), self._row_groups, None, use_threads)), None
        row_groups, there = self.left(predicate), self._stored()
        if self._is_stored_alike(predicate, there):
            return self._read_whole(there, row_groups, predicate, use_threads), None
        if self._rows_of(row_groups) < LARGE_ROWS:
            return filtered_if_many(self._read_whole(there, row_groups, None, use_threads), predicate, use_threads)
        parts = self._read_large(there, row_groups, predicate, BATCH_ROWS, use_threads)
        return pa.concat_tables([empty_table(self._shape.schema), *(part for part in parts if part.num_rows)]), None

    def take(self, rows: Sequence[int], *, use_threads: bool = True) -> pa.Table:
        """Return ascending rows, counted from the first row of the row groups."""
        table = self._file.read(
            list(self._stored().values()),
            rows=self._in_file(rows),
            key_values=False,
            engine=self._reading.engine,
            use_threads=use_threads,
            **self._reading.options,
        )
        return self._shape.conformed(table)

    def _in_file(self, rows: Sequence[int]) -> Sequence[int]:
        """Return the numbers that rows of the row groups have in the file."""
        if self._row_groups is None:
            return rows
        counts = self._file.row_groups.num_rows
        in_file = list(accumulate(counts, initial=0))
        begins = list(accumulate((counts[row_group] for row_group in self._row_groups), initial=0))
        return [
            row - first + in_file[self._row_groups[block]] for block, first, some in split(rows, begins) for row in some
        ]

    def explain(self, predicate: Predicate | None) -> Explanation:
        """Explain how `read` reads the rows."""
        considered = range(len(self._file.row_groups)) if self._plan is not None else self.row_groups
        left, there = self.row_groups if predicate is None else self.left(predicate), self._stored()
        in_file = predicate if predicate is not None and self._is_stored_alike(predicate, there) else None
        options = ReadOptions(self._reading.engine, key_values=False, reader=self._reading.options)
        return self._file._explain(list(there.values()), left, in_file, options, considered)

    def batches(
        self, predicate: Predicate | None, size: int, *, use_threads: bool = True, by_row_group: bool = False
    ) -> Iterator[pa.Table]:
        """Yield the matching rows in tables of at most `size` rows.

        Memory is bounded by one table and its stored row group. Without a predicate, no chunk has rows of two row
        groups. If `by_row_group` is True, no table has rows of two row groups either.
        """
        row_groups = self.row_groups if predicate is None else self.left(predicate)
        there, counts = self._stored(), self._file.row_groups.num_rows
        for run in runs(row_groups, counts, size):
            rows = [counts[number] for number in run]
            if sum(rows) > size:
                yield from self._read_large(there, run, predicate, size, use_threads)
            elif predicate is None or by_row_group:
                table = self._read_whole(there, run, None, use_threads)
                if predicate is None and not by_row_group and table.num_columns:
                    yield pa.concat_tables(_slices(table, rows))
                    continue
                parts = _slices(table, rows)
                yield from parts if predicate is None else (filtered(part, predicate) for part in parts)
            elif self._is_stored_alike(predicate, there):
                yield self._read_whole(there, run, predicate, use_threads)
            else:
                yield _filtered(self._read_whole(there, run, None, use_threads), predicate, use_threads)

    def _read_whole(self, there: Stored, row_groups, predicate: Predicate | None, use_threads: bool) -> pa.Table:
        """Read all rows of row groups, or the rows that match a predicate on columns of the dataset's types."""
        table = self._file.read(
            list(there.values()),
            row_groups,
            predicate,
            key_values=False,
            engine=self._reading.engine,
            use_threads=use_threads,
            **self._reading.options,
        )
        return self._shape.conformed(table)

    def _cut(self, table: pa.Table) -> pa.Table:
        """Split the rows into chunks per row group, as pyarrow does, unless there are very many."""
        counts, numbers = self._file.row_groups.num_rows, self.row_groups
        if len(numbers) < 2 or len(numbers) * table.num_columns > MANY_CHUNKS or not table.num_columns:
            return table
        return pa.concat_tables(_slices(table, [counts[number] for number in numbers]))

    def _read_large(
        self, there: Stored, run: Sequence[int], predicate: Predicate | None, size: int, use_threads: bool
    ) -> Iterator[pa.Table]:
        """Yield the rows of many or large row groups in batches."""
        options = dict(self._reading.options)
        if self._is_read_in_pieces(there):
            options.setdefault("buffer_size", PIECE)
        options |= {"batch_size": size, "use_threads": use_threads, "key_values": False}
        options["engine"] = self._reading.engine
        for batch in self._file.iter_batches(list(there.values()), run, **options):
            table = self._shape.conformed(pa.Table.from_batches([batch]))
            yield table if predicate is None else filtered(table, predicate, use_threads=False)

    def _is_read_in_pieces(self, there: Stored) -> bool:
        return (
            self._reading.engine in (None, PYARROW)
            and not self._file._is_remote
            and len(there) <= FEW_LEAVES >= self._file.num_columns
        )

    def _rows_of(self, row_groups: Sequence[int] | None) -> int:
        rows = self._file.row_groups.num_rows
        return sum(rows if row_groups is None else (rows[number] for number in row_groups))

    def _stored(self) -> dict[str, Leaves]:
        """Return the leaves of the shape's columns that are in the file and not given by directories."""
        own = self._shape.stored_names
        found = self._file._on_form(lambda form: [(name, find_top_level(form, name)) for name in own])
        return {name: Leaves(leaves, nested=False) for name, leaves in found if leaves is not None}

    def _is_stored_alike(self, predicate: Predicate, there: Stored) -> bool:
        """Return True if the file itself may filter, which skips pages.

        That requires predicate columns that are stored in the dataset's types, and our engine, or page indexes by which
        the default engine skips pages of a local file.
        """
        names = predicate.columns(self._shape.type_of)
        if not names or not set(names) <= set(there):
            return False
        if self._reading.engine != OURS and not self._skips_pages([there[name] for name in names]):
            return False

        def types(form) -> list[pa.DataType]:
            slices = (form.slice(list(there[name].numbers), []) for name in names)
            return [schema_or_ours(each).field(0).type for each in slices]

        return self._file._on_form(types) == [self._shape.type_of(name) for name in names]

    def _skips_pages(self, columns: Sequence[Leaves]) -> bool:
        """Return True if the default engine skips pages by the indexes of flat columns."""
        if self._reading.engine is not None or self._reading.options or self._file._is_remote:
            return False
        if any(len(column.numbers) != 1 for column in columns):
            return False
        indexes = self._file._on_form(
            lambda form: [form.column(column.numbers[0]).array("column_index_length") for column in columns]
        )
        return all(max(lengths, default=0) > 0 for lengths in indexes)


def filtered_if_many(
    table: pa.Table, predicate: Predicate | None, use_threads: bool
) -> tuple[pa.Table, Predicate | None]:
    """Filter many rows; return few rows with the predicate, because they are filtered with those of other files."""
    if predicate is None or table.num_rows <= JOINED_ROWS:
        return table, predicate
    return _filtered(table, predicate, use_threads), None


def _filtered(table: pa.Table, predicate: Predicate, use_threads: bool) -> pa.Table:
    return filtered(table, predicate, use_threads=use_threads and table.num_rows >= SMALL_ROWS)


def _slices(table: pa.Table, counts: Sequence[int]) -> Iterator[pa.Table]:
    """Yield successive slices with these numbers of rows."""
    begin = 0
    for count in counts:
        yield table.slice(begin, count)
        begin += count
