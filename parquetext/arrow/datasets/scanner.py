"""A scan: some columns of the matching rows of fragments, as a table, in batches, or counted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from ... import compute as pc
from ...pruning import Predicate, predicate_of
from ...reading.execute.at_exit import closed_at_exit
from ..read_options import options_of_scan, whole
from .filtering import Rows, filtered_together
from .in_order import any_remote, each_in_order
from .scan_columns import ORIGINS, ScanColumns
from .scans import BATCH_READAHEAD, BATCH_SIZE, FRAGMENT_READAHEAD, Columns, of_scan
from .shape import empty_table, table_without_columns
from .streaming import stream

if TYPE_CHECKING:
    import pyarrow.dataset as ds

    from .dataset import Dataset
    from .fragments import Fragment

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
    columns, filter, batch_size, batch_readahead, fragment_readahead, fragment_scan_options, use_threads
        As in `Dataset.scanner`.
    cache_metadata : bool
        No effect. Each call reads only the needed parts of a footer.
    memory_pool : pyarrow.MemoryPool, optional
        The pool to which the result is copied. By default, the result is in the default pool, which
        `pyarrow.set_memory_pool` sets.
    """

    def __init__(
        self,
        plan: Callable[[Predicate | None], Sequence[Fragment]],
        schema: pa.Schema,
        columns: Any = None,
        filter: object = None,
        *,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ):
        batch_size = whole(batch_size)
        if batch_size <= 0:
            raise pa.ArrowInvalid(f"BatchSize must be greater than 0, got {batch_size}")
        if min(batch_readahead, fragment_readahead) < 0:
            raise pa.ArrowInvalid(
                f"batch_readahead and fragment_readahead are negative: {batch_readahead}, {fragment_readahead}"
            )
        if not isinstance(memory_pool, (pa.MemoryPool, type(None))):
            raise TypeError(f"memory_pool must be a pyarrow.MemoryPool, not {type(memory_pool).__name__}")
        self._pool = memory_pool
        self._plan, self._schema, self._batch_size, self._threads = plan, schema, batch_size, use_threads
        self._ahead = {"items_ahead": fragment_readahead, "parts_ahead": batch_readahead}
        self._options = options_of_scan(fragment_scan_options)
        self._predicate = None if filter is None else predicate_of(filter)
        self._columns = ScanColumns(schema, columns, self._predicate)

    @staticmethod
    def from_dataset(
        dataset: Dataset,
        *,
        columns: Columns = None,
        filter: Any = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> Scanner:
        """Return a scan of a dataset, with the options of `Dataset.scanner`."""
        return dataset.scanner(columns, filter, **of_scan(locals()))

    @staticmethod
    def from_fragment(
        fragment: Fragment,
        *,
        schema: pa.Schema | None = None,
        columns: Columns = None,
        filter: Any = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> Scanner:
        """Return a scan of a fragment, with the options of `Fragment.scanner`."""
        return fragment.scanner(schema, columns, filter, **of_scan(locals()))

    @staticmethod
    def from_batches(
        source: object,
        *,
        schema: pa.Schema | None = None,
        columns: Columns = None,
        filter: object = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> ds.Scanner:
        """Return pyarrow's scan of batches in memory, because there are no footers to read."""
        import pyarrow.dataset as ds

        given = {"columns": columns, "filter": filter, **of_scan(locals())}
        return ds.Scanner.from_batches(source, schema=schema, **given)

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
        for batch in self.scan_batches():
            has_rows = True
            yield batch.record_batch
        if not has_rows and any(True for _ in self._plan(None)):
            schema = self.projected_schema
            yield pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)

    def scan_batches(self) -> Iterator[TaggedRecordBatch]:
        """Yield batches, each with its fragment."""
        for part in self._read_ahead():
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
        for part in self._streamed(size) if num_rows else ():
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
        indices : sequence or array of int
            Positions in any order, possibly with duplicates.

        Raises
        ------
        IndexError
            If there is no such row.
        """
        fragments = self._fragments(self._predicate)

        def tables_of(fragment: Fragment) -> Iterator[pa.Table]:
            return (part.table for part in self._parts_of(fragment))

        def tables(positions: Sequence[int]) -> Iterator[tuple[int, pa.Table]]:
            if self._predicate or self._columns.origins:
                return placed(fragments, tables_of)
            return placed_near(fragments, tables_of, positions)

        table = taken(tables, indices)
        return empty_table(self.projected_schema) if table is None else self._pooled(table)

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
        return [
            fragment.narrowed(self._columns.names).with_options(self._options) for fragment in self._plan(predicate)
        ]

    def _whole(self) -> Iterator[pa.Table]:
        """Yield one table per file, for results that need no batches."""
        if self._columns.origins:
            return self.tables()

        def read(fragment: Fragment) -> Rows:
            return fragment.read(self._predicate, use_threads=self._threads)

        fragments = self._fragments(self._predicate)
        found = each_in_order(read, fragments, threads=None if self._threads else False)
        return map(self._projected, filtered_together(found))

    def _read_ahead(self, *, project: bool = True) -> Iterator[_Part]:
        return self._streamed(project=project, **self._ahead if self._threads else {})

    def _streamed(
        self, batch_size: int | None = None, *, project: bool = True, items_ahead: int = 0, parts_ahead: int = 0
    ) -> Iterator[_Part]:
        """Yield parts that have rows, in order."""

        def parts_of(fragment: Fragment) -> Iterator[_Part]:
            return self._parts_of(fragment, batch_size, project=project)

        fragments = self._fragments(self._predicate)
        waits = any_remote(fragments)
        ahead = {"items_ahead": items_ahead, "parts_ahead": parts_ahead}
        return closed_at_exit(stream(parts_of, fragments, **ahead, waits=waits))

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


def taken(tables: Callable[[Sequence[int]], Iterator[tuple[int, pa.Table]]], indices: object) -> pa.Table | None:
    """Return the rows at these positions, in the order of `indices`, or None if there are no positions.

    Parameters
    ----------
    tables : callable
        Takes ascending positions, and yields tables with the position of their first row. It may leave out tables
        without any of the positions.

    Raises
    ------
    IndexError
        If there is no such row.
    """
    positions = indices if isinstance(indices, (pa.Array, pa.ChunkedArray)) else pa.array(indices, pa.int64())
    positions = positions.cast(pa.int64())
    wanted = sorted(pc.unique(positions).drop_null().to_pylist())
    if not wanted:
        return None
    if wanted[0] < 0:
        raise pa.ArrowIndexError(f"Index {wanted[0]} out of bounds")
    parts, found = [], 0
    for begin, table in tables(wanted):
        end = bisect_left(wanted, begin + table.num_rows)
        if end > found:
            parts.append(table.take(pa.array([position - begin for position in wanted[found:end]], pa.int64())))
            found = end
        if found == len(wanted):
            return pa.concat_tables(parts).take(pc.index_in(positions, pa.array(wanted, pa.int64())))
    raise pa.ArrowIndexError(f"Some indices were out of bounds: {wanted[found]}")


def placed(fragments: Iterable[Fragment], tables_of: TablesOf) -> Iterator[tuple[int, pa.Table]]:
    """Yield all tables, each with the position of its first row."""
    begin = 0
    for fragment in fragments:
        for table in tables_of(fragment):
            yield begin, table
            begin += table.num_rows


def placed_near(
    fragments: Sequence[Fragment], tables_of: TablesOf, positions: Sequence[int]
) -> Iterator[tuple[int, pa.Table]]:
    """Yield the tables of row groups that contain one of these positions, according to the footers."""
    end = 0
    counted = each_in_order(lambda fragment: (fragment.row_groups, fragment.sizes_of()), fragments)
    for fragment, (numbers, sizes) in zip(fragments, counted, strict=True):
        for number, (rows, _) in zip(numbers, sizes, strict=True):
            begin, end = end, end + rows
            if bisect_left(positions, begin) < bisect_left(positions, end):
                some = placed([fragment.with_row_groups([number])], tables_of)
                yield from ((begin + at, table) for at, table in some)
