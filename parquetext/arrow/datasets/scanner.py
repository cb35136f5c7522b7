"""A scan: some columns of the rows of fragments that meet a filter, as a table, in batches, or counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from ...pruning import Predicate, predicate_of
from ..at_exit import closed_at_exit
from ..read_options import options_of_scan, whole
from .filtering import Rows, filtered_together
from .in_order import any_remote, each_in_order
from .positions import placed, placed_near, taken
from .scan_columns import ORIGINS, ScanColumns
from .scans import BATCH_READAHEAD, BATCH_SIZE, FRAGMENT_READAHEAD, Columns, of_scan
from .shape import empty_table, rows_alone
from .streaming import stream

if TYPE_CHECKING:
    import pyarrow.dataset as ds

    from .dataset import Dataset
    from .fragments import Fragment

__all__ = ["Scanner", "TaggedRecordBatch"]

FEW_ROWS = 1 << 10  # that are read at least, where fewer are wanted


class TaggedRecordBatch(NamedTuple):
    """A batch, and the fragment that it is of."""

    record_batch: pa.RecordBatch
    fragment: Fragment


class _Part(NamedTuple):
    """Rows of a fragment, as they come out of the scan."""

    table: pa.Table
    fragment: Fragment

    @property
    def nbytes(self) -> int:
        return self.table.nbytes


class Scanner:
    """Some columns of the rows that meet a filter; each call reads anew.

    Made by `Dataset.scanner` and `Fragment.scanner`; the names are those of `pyarrow.dataset.Scanner`.

    Parameters
    ----------
    plan : callable
        Gives the fragments that may hold rows which meet a predicate.
    schema : pyarrow.Schema
        Of the fragments' rows.
    columns, filter, batch_size, batch_readahead, fragment_readahead, fragment_scan_options, use_threads
        As `Dataset.scanner` takes them.
    cache_metadata : bool
        Without effect: of a footer only what is needed is read, for each call.
    memory_pool : pyarrow.MemoryPool, optional
        Where what comes out is copied to; without, it is in the default one, which `pyarrow.set_memory_pool` sets.
    """

    def __init__(
        self,
        plan: Callable[[Predicate | None], Sequence[Fragment]],
        schema: pa.Schema,
        columns: object = None,
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
            raise pa.ArrowInvalid(f"nothing less than none is read ahead: {batch_readahead}, {fragment_readahead}")
        if not isinstance(memory_pool, (pa.MemoryPool, type(None))):
            raise TypeError(f"memory_pool is a pyarrow.MemoryPool, not {type(memory_pool).__name__}")
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
        filter: object = None,
        batch_size: int = BATCH_SIZE,
        batch_readahead: int = BATCH_READAHEAD,
        fragment_readahead: int = FRAGMENT_READAHEAD,
        fragment_scan_options: ds.ParquetFragmentScanOptions | None = None,
        use_threads: bool = True,
        cache_metadata: bool = True,
        memory_pool: pa.MemoryPool | None = None,
    ) -> Scanner:
        """A scan of a dataset, with the options of `Dataset.scanner`."""
        return dataset.scanner(columns, filter, **of_scan(locals()))

    @staticmethod
    def from_fragment(
        fragment: Fragment,
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
    ) -> Scanner:
        """A scan of a fragment, with the options of `Fragment.scanner`."""
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
        """A scan of batches in memory: pyarrow's own, which has no footers to read."""
        import pyarrow.dataset as ds

        given = {"columns": columns, "filter": filter, **of_scan(locals())}
        return ds.Scanner.from_batches(source, schema=schema, **given)

    @property
    def dataset_schema(self) -> pa.Schema:
        return self._schema

    @property
    def projected_schema(self) -> pa.Schema:
        """The schema of what comes out."""
        return self._columns.projected_schema()

    def to_table(self) -> pa.Table:
        """All of it."""
        if self._gives_nothing():
            return rows_alone(self.count_rows(), self._schema.metadata)  # to join tables of no columns loses rows
        tables = [table for table in self._whole() if table.num_rows]
        return pa.concat_tables(tables) if tables else empty_table(self.projected_schema)

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Batch by batch, in the order of the files; a bounded number is read ahead.

        Where files have no row that meets the filter there is one batch, without rows: it has the schema, as pyarrow's.
        """
        has_rows = False
        for batch in self.scan_batches():
            has_rows = True
            yield batch.record_batch
        if not has_rows and any(True for _ in self._plan(None)):
            schema = self.projected_schema
            yield pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)

    def scan_batches(self) -> Iterator[TaggedRecordBatch]:
        """Batch by batch, each with its fragment."""
        for part in self._read_ahead():
            for batch in part.table.to_batches(max_chunksize=self._batch_size):
                yield TaggedRecordBatch(batch, part.fragment)

    def tables(self) -> Iterator[pa.Table]:
        """The rows as they are read: tables of at most as many rows as a batch, small row groups together."""
        return (part.table for part in self._read_ahead())

    def to_reader(self) -> pa.RecordBatchReader:
        """The same as a reader of batches."""
        return pa.RecordBatchReader.from_batches(self.projected_schema, self.to_batches())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The batches for whoever takes Arrow's streams: Polars, DuckDB, pandas, pyarrow itself."""
        return self.to_reader().__arrow_c_stream__(requested_schema)

    def head(self, num_rows: int) -> pa.Table:
        """The first rows; what is behind them is not read.

        Raises
        ------
        ValueError
            `num_rows` is negative.
        """
        if num_rows < 0:
            raise ValueError(f"num_rows is {num_rows}: there are no fewer rows than none")
        tables, left = [empty_table(self.projected_schema)], num_rows
        size = self._batch_size if self._predicate else min(self._batch_size, max(num_rows, FEW_ROWS))
        for part in self._streamed(size) if num_rows else ():
            tables.append(part.table.slice(0, left))
            left -= min(left, part.table.num_rows)
            if not left:
                break
        if self._gives_nothing():
            return rows_alone(num_rows - left, self._schema.metadata)
        return pa.concat_tables(tables[1:] or tables)

    def take(self, indices: object) -> pa.Table:
        """Rows by their places among those that the scan gives.

        Parameters
        ----------
        indices : sequence or array of int
            In any order; a place may come more than once.

        Raises
        ------
        IndexError
            There is no such row.
        """
        fragments = self._fragments(self._predicate)

        def tables_of(fragment: Fragment) -> Iterator[pa.Table]:
            return (part.table for part in self._parts_of(fragment))

        def tables(places: Sequence[int]) -> Iterator[tuple[int, pa.Table]]:
            if self._predicate or self._columns.origins:
                return placed(fragments, tables_of)
            return placed_near(fragments, tables_of, places)

        table = taken(tables, indices)
        return empty_table(self.projected_schema) if table is None else self._pooled(table)

    def count_rows(self) -> int:
        """How many rows there are; without a filter by the footers alone."""
        if self._predicate is None:
            threads = None if self._threads else False
            return sum(each_in_order(lambda fragment: fragment.count_rows(), self._plan(None), threads=threads))
        return sum(part.table.num_rows for part in self._read_ahead(project=False))

    def _gives_nothing(self) -> bool:
        return not self._columns.outputs

    def _projected(self, table: pa.Table) -> pa.Table:
        """The columns that were asked for, where they were asked to be."""
        return self._pooled(self._columns.project(table))

    def _pooled(self, table: pa.Table) -> pa.Table:
        """The same values, in memory of the pool that was given."""
        if self._pool is None or not table.num_columns:
            return table
        columns = [
            pa.chunked_array([pa.concat_arrays([chunk], self._pool) for chunk in column.chunks], column.type)
            for column in table.columns
        ]
        return pa.Table.from_arrays(columns, schema=table.schema)

    def _fragments(self, predicate: Predicate | None) -> list[Fragment]:
        """The fragments to read, with the columns that are needed."""
        return [
            fragment.narrowed(self._columns.names).with_options(self._options) for fragment in self._plan(predicate)
        ]

    def _whole(self) -> Iterator[pa.Table]:
        """What each file gives as one table, where nothing asks for batches."""
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
        """Parts that have rows, in order."""

        def parts_of(fragment: Fragment) -> Iterator[_Part]:
            return self._parts_of(fragment, batch_size, project=project)

        fragments = self._fragments(self._predicate)
        waits = any_remote(fragments)
        ahead = {"items_ahead": items_ahead, "parts_ahead": parts_ahead}
        return closed_at_exit(stream(parts_of, fragments, **ahead, waits=waits))

    def _parts_of(self, fragment: Fragment, batch_size: int | None = None, *, project: bool = True) -> Iterator[_Part]:
        """What a fragment gives, without parts that have no rows."""
        told = bool(self._columns.origins)
        options = {"use_threads": self._threads, "by_row_group": told}
        tables = fragment.batches(self._predicate, batch_size or self._batch_size, **options)
        for table in self._with_origins(fragment, tables) if told else tables:
            if table.num_rows:
                yield _Part(self._projected(table) if project else table, fragment)

    def _with_origins(self, fragment: Fragment, tables: Iterator[pa.Table]) -> Iterator[pa.Table]:
        """Tables with the columns that say where they come from."""
        number, table = 0, next(tables, None)
        while table is not None:
            following = next(tables, None)
            values = (fragment.number, number, following is None, fragment.name)
            told = dict(zip(ORIGINS.names, values, strict=True))
            for name in self._columns.origins:
                field = ORIGINS.field(name)
                table = table.append_column(field, pa.repeat(pa.scalar(told[name], field.type), table.num_rows))
            yield table
            number, table = number + 1, following
