"""A scan: some columns of the matching rows of fragments, as a table, in batches, or counted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from ...footer.arrow_errors import ArrowRowIndexError
from ...pruning import Predicate, predicate_of
from ...reading.execute.at_exit import closed_at_exit
from ...reading.request.row_numbers import RowNumbers, is_from_end, row_numbers
from ...reading.request.taking import take_rows
from ..read_options import options_of_scan, whole
from .filtering import filtered_together
from .in_order import any_remote, each_in_order, in_order
from .row_positions import FilePart, RowPositions
from .scan_columns import ORIGINS, ScanColumns
from .scans import DatasetScans, FragmentScans, ScanOptions, with_parameters_of
from .shape import empty_table, table_without_columns
from .small_files import SmallRows, rows_of, small_groups
from .streaming import stream

if TYPE_CHECKING:
    import pyarrow.dataset as ds

    from .dataset import Dataset
    from .fragments import Fragment

NOTHING_AHEAD = {"items_ahead": 0, "parts_ahead": 0}
FEW_ROWS = 1 << 10  # `head` reads at least this many rows at once


class TaggedRecordBatch(NamedTuple):
    """A batch and its fragment."""

    record_batch: pa.RecordBatch
    fragment: Fragment


class _Part(NamedTuple):
    """Rows of a fragment, as returned by the scan."""

    table: pa.Table
    fragment: Fragment

    @property
    def nbytes(self) -> int:
        return self.table.nbytes


class Scanner:
    """Some columns of the rows that match a filter. Each call reads anew.

    Made by `Dataset.scanner` and `Fragment.scanner`; the names are those of `pyarrow.dataset.Scanner`.

    Parameters
    ----------
    plan : callable
        Returns the fragments that may contain rows that match a predicate.
    schema : pyarrow.Schema
        The schema of the fragments' rows.
    columns, filter
        As in `Dataset.scanner`.
    options : ScanOptions
    positions : callable, optional
        Returns the positions of all rows of the dataset, counted once; by default they are counted by each `take`.
    """

    def __init__(
        self,
        plan: Callable[[Predicate | None], Sequence[Fragment]],
        schema: pa.Schema,
        columns: Any,
        filter: object,
        options: ScanOptions,
        positions: Callable[[], RowPositions] | None = None,
    ):
        batch_size = whole(options.batch_size)
        if batch_size <= 0:
            raise pa.ArrowInvalid(f"BatchSize must be greater than 0, got {batch_size}")
        batches, files = options.batch_readahead, options.fragment_readahead
        if min(batches, files) < 0:
            raise pa.ArrowInvalid(f"batch_readahead and fragment_readahead are negative: {batches}, {files}")
        if not isinstance(options.memory_pool, (pa.MemoryPool, type(None))):
            raise TypeError(f"memory_pool must be a pyarrow.MemoryPool, not {type(options.memory_pool).__name__}")
        self._pool = options.memory_pool
        self._positions = positions
        self._plan, self._schema, self._batch_size, self._threads = plan, schema, batch_size, options.use_threads
        self._ahead = {"items_ahead": files, "parts_ahead": batches}
        self._options = options_of_scan(options.fragment_scan_options)
        self._predicate = None if filter is None else predicate_of(filter)
        self._columns = ScanColumns(schema, columns, self._predicate)

    @staticmethod
    @with_parameters_of(DatasetScans.scanner)
    def from_dataset(dataset: Dataset, **options: Any) -> Scanner:
        """Return a scan of a dataset, with the options of `Dataset.scanner`."""
        return dataset.scanner(**options)

    @staticmethod
    @with_parameters_of(FragmentScans.scanner)
    def from_fragment(fragment: Fragment, **options: Any) -> Scanner:
        """Return a scan of a fragment, with the options of `Fragment.scanner`."""
        return fragment.scanner(**options)

    @staticmethod
    @with_parameters_of(FragmentScans.scanner)
    def from_batches(source: object, **options: Any) -> ds.Scanner:
        """Return pyarrow's scan of batches in memory, because there are no footers to read."""
        import pyarrow.dataset as ds

        return ds.Scanner.from_batches(source, **options)

    @property
    def dataset_schema(self) -> pa.Schema:
        return self._schema

    @property
    def projected_schema(self) -> pa.Schema:
        """The schema of the output."""
        return self._columns.projected_schema()

    def to_table(self) -> pa.Table:
        """Read all rows as a table."""
        if self._has_no_columns():
            # joining tables without columns would lose rows
            return table_without_columns(self.count_rows(), self._schema.metadata)
        tables = [table for table in self._whole() if table.num_rows]
        return pa.concat_tables(tables) if tables else empty_table(self.projected_schema)

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Yield batches in the order of the files; a bounded number is read ahead.

        If there are files and none has a matching row, yield one empty batch with the schema, as pyarrow does.
        """
        has_rows = False
        for table in self.tables():
            for batch in table.to_batches(max_chunksize=self._batch_size):
                has_rows = True
                yield batch
        if not has_rows and any(True for _ in self._plan(None)):
            schema = self.projected_schema
            yield pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)

    def scan_batches(self) -> Iterator[TaggedRecordBatch]:
        """Yield batches, each with its fragment."""
        for part in self._read_ahead(by_file=True):
            for batch in part.table.to_batches(max_chunksize=self._batch_size):
                yield TaggedRecordBatch(batch, part.fragment)

    def tables(self) -> Iterator[pa.Table]:
        """Yield tables of at most `batch_size` rows. Small row groups are combined."""
        return (part.table for part in self._read_ahead())

    def to_reader(self) -> pa.RecordBatchReader:
        """Return the rows as a reader of batches."""
        return pa.RecordBatchReader.from_batches(self.projected_schema, self.to_batches())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the batches to consumers of Arrow streams, such as Polars, DuckDB, pandas and pyarrow."""
        return self.to_reader().__arrow_c_stream__(requested_schema)

    def head(self, num_rows: int) -> pa.Table:
        """Read the first rows, and nothing after them.

        Raises
        ------
        ValueError
            If `num_rows` is negative.
        """
        if num_rows < 0:
            raise ValueError(f"num_rows must not be negative: {num_rows}")
        tables, left = [empty_table(self.projected_schema)], num_rows
        size = self._batch_size if self._predicate else min(self._batch_size, max(num_rows, FEW_ROWS))
        for part in self._parts_in_turn(size) if num_rows else ():
            tables.append(part.table.slice(0, left))
            left -= min(left, part.table.num_rows)
            if not left:
                break
        if self._has_no_columns():
            return table_without_columns(num_rows - left, self._schema.metadata)
        return pa.concat_tables(tables[1:] or tables)

    def take(self, indices: object) -> pa.Table:
        """Return rows by their positions in the result of the scan.

        Parameters
        ----------
        indices : sequence, numpy array, pyarrow.Array, pyarrow.ChunkedArray, range or slice
            Positions in any order, possibly with duplicates. Without a filter, only the pages that contain these rows
            are read. With a filter, files are read until all positions are found; for a slice with a negative bound
            or step, matching rows are counted first.

        Raises
        ------
        RowIndexError
            If there is no such row; also an `IndexError` and a `pyarrow.ArrowIndexError`.
        TypeError
            If there is a null, or anything else than integers.
        ChangedFile
            If a file was changed after its rows had been counted.
        """
        if self._predicate is None and not self._columns.origins:
            return self._taken(indices)
        if isinstance(indices, slice) and is_from_end(indices):
            indices = range(*indices.indices(self.count_rows()))
        numbers = row_numbers(indices)

        def tables_of(fragment: Fragment) -> Iterator[pa.Table]:
            return (part.table for part in self._parts_of(fragment))

        tables = placed(self._fragments(self._predicate), tables_of)
        table = taken(tables, numbers, is_clipped=isinstance(indices, slice))
        return empty_table(self.projected_schema) if table is None else self._pooled(table)

    def _taken(self, indices: object) -> pa.Table:
        """Return rows by their positions in the files."""
        threads = None if self._threads else False
        positions = self._positions() if self._positions else RowPositions(self._plan(None), threads=threads)
        numbers = row_numbers(indices, positions.total)
        by_file = positions.by_file(numbers)
        use_threads = self._threads and len(by_file) == 1

        def read(part: FilePart) -> pa.Table:
            fragment = self._prepared(part.fragment)
            return self._columns.project(fragment.rows_of_version(part.rows, part.version, use_threads=use_threads))

        waits = any_remote(part.fragment for part in by_file)
        tables = list(in_order(read, by_file, threads=threads, waits=waits))
        if self._has_no_columns():
            return table_without_columns(len(numbers), self._schema.metadata)
        table = pa.concat_tables(tables) if tables else empty_table(self.projected_schema)
        return self._pooled(numbers.in_order(table))

    def count_rows(self) -> int:
        """Return the number of rows; without a filter, only footers are read."""
        if self._predicate is None:
            threads = None if self._threads else False
            return sum(each_in_order(lambda fragment: fragment.count_rows(), self._plan(None), threads=threads))
        return sum(part.table.num_rows for part in self._read_ahead(project=False))

    def _has_no_columns(self) -> bool:
        return not self._columns.outputs

    def _projected(self, table: pa.Table) -> pa.Table:
        """Return the requested columns, in the requested memory pool."""
        return self._pooled(self._columns.project(table))

    def _pooled(self, table: pa.Table) -> pa.Table:
        """Copy a table to the requested memory pool."""
        if self._pool is None or not table.num_columns:
            return table
        columns = [
            pa.chunked_array([pa.concat_arrays([chunk], self._pool) for chunk in column.chunks], column.type)
            for column in table.columns
        ]
        return pa.Table.from_arrays(columns, schema=table.schema)

    def _fragments(self, predicate: Predicate | None) -> list[Fragment]:
        """Return the fragments to read, with the needed columns."""
        return list(map(self._prepared, self._plan(predicate)))

    def _prepared(self, fragment: Fragment) -> Fragment:
        """Return a fragment with the needed columns and the options of the scan."""
        return fragment.narrowed(self._columns.names).with_options(self._options)

    def _whole(self) -> Iterator[pa.Table]:
        """Yield one table per file, for results that need no batches."""
        if self._columns.origins:
            return self.tables()
        found = rows_of(self._fragments(self._predicate), self._predicate, use_threads=self._threads)
        return map(self._projected, filtered_together(found))

    def _read_ahead(self, *, project: bool = True, by_file: bool = False) -> Iterator[_Part]:
        """Yield parts that have rows, in order; small files are read together unless each part is to have its file."""
        fragments = self._fragments(self._predicate)
        ahead = self._ahead if self._threads else NOTHING_AHEAD
        found = None if by_file or self._columns.origins else small_groups(fragments, self._predicate)
        if found is None:
            parts_of = partial(self._parts_of, project=project)
            return closed_at_exit(stream(parts_of, fragments, **ahead, waits=any_remote(fragments)))
        small, groups = found
        return closed_at_exit(
            stream(partial(self._parts_of_group, small, project=project), groups, **ahead, waits=False)
        )

    def _parts_in_turn(self, batch_size: int) -> Iterator[_Part]:
        """Yield parts that have rows, in order; nothing is read ahead."""
        for fragment in self._fragments(self._predicate):
            yield from self._parts_of(fragment, batch_size)

    def _parts_of_group(self, small: SmallRows, group: Sequence[Fragment], *, project: bool) -> Iterator[_Part]:
        """Yield the parts of several small files; a file that is not small is read alone."""
        for fragment, rows in zip(group, small.read(group), strict=True):
            if rows is None:
                yield from self._parts_of(fragment, project=project)
                continue
            for table in filtered_together(rows):
                for begin in range(0, table.num_rows, self._batch_size):
                    part = table.slice(begin, self._batch_size)
                    yield _Part(self._projected(part) if project else part, fragment)

    def _parts_of(self, fragment: Fragment, batch_size: int | None = None, *, project: bool = True) -> Iterator[_Part]:
        """Yield the parts of a fragment that have rows."""
        adds_origins = bool(self._columns.origins)
        options = {"use_threads": self._threads, "by_row_group": adds_origins}
        tables = fragment.batches(self._predicate, batch_size or self._batch_size, **options)
        for table in self._with_origins(fragment, tables) if adds_origins else tables:
            if table.num_rows:
                yield _Part(self._projected(table) if project else table, fragment)

    def _with_origins(self, fragment: Fragment, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
        """Add columns to each table that state the origin of its rows."""
        number, table = 0, next(tables, None)
        while table is not None:
            following = next(tables, None)
            values = (fragment.number, number, following is None, fragment.name)
            origin = dict(zip(ORIGINS.names, values, strict=True))
            for name in self._columns.origins:
                field = ORIGINS.field(name)
                table = table.append_column(field, pa.repeat(pa.scalar(origin[name], field.type), table.num_rows))
            yield table
            number, table = number + 1, following


TablesOf = Callable[["Fragment"], Iterable[pa.Table]]


def taken(tables: Iterable[tuple[int, pa.Table]], numbers: RowNumbers, *, is_clipped: bool) -> pa.Table | None:
    """Return rows by number from tables, each given with the number of its first row; None if there are none.

    Raises
    ------
    RowIndexError
        If there is no such row, unless `is_clipped`.
    """
    wanted, parts, found = numbers.ascending, [], 0
    if not len(wanted):
        return None
    for begin, table in tables:
        end = bisect_left(wanted, begin + table.num_rows, found)
        if end > found:
            parts.append(take_rows(table, pa.array([row - begin for row in wanted[found:end]], pa.int64())))
            found = end
        if found == len(wanted):
            return numbers.in_order(pa.concat_tables(parts))
    if is_clipped:
        return pa.concat_tables(parts) if parts else None
    raise ArrowRowIndexError(f"no row {wanted[found]}: there are fewer rows", found=wanted[found])


def placed(fragments: Iterable[Fragment], tables_of: TablesOf) -> Iterator[tuple[int, pa.Table]]:
    """Yield all tables, each with the position of its first row."""
    begin = 0
    for fragment in fragments:
        for table in tables_of(fragment):
            yield begin, table
            begin += table.num_rows
