"""Many files as one table: planned by their footers, read slice by slice; the names are those of pyarrow.dataset."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import ColumnError, ParquetextError
from ..pruning import Predicate, predicate_of
from ..tabular import Shown, Tabular
from .discovery import Files, discover, partition_schema, unfollowed
from .engine import PYARROW, check_engine
from .file import read_schema
from .fragments import Fragment, Shape, naming
from .in_order import in_order
from .planning import FileFacts, kept_of, surviving
from .sidecars import paths_of, plan_by_sidecars

__all__ = ["Dataset", "Scanner", "dataset"]


def dataset(
    source: object,
    schema: pa.Schema | None = None,
    *,
    filesystem: object = None,
    partitioning: str | None = "hive",
    ignore_prefixes: Sequence[str] | None = None,
    sidecar: bool | str = "auto",
    engine: str = PYARROW,
) -> Dataset:
    """Many Parquet files as one table, whatever the form of their footers.

    Parameters
    ----------
    source : path, or list of paths
        A directory, a file, or files, as `parquetext.open` takes paths.
    schema : pyarrow.Schema, optional
        The rows' columns. Without, those of the first file and then the keys of the directories, int32 where all their
        values are such numbers and text otherwise. Columns that a file does not have are null there, others are cast.
    filesystem : pyarrow.fs.FileSystem, optional
        Where `source` is a path of it.
    partitioning : {"hive", None}
        Whether directories named ``key=value`` give columns. They count for more than the files' own.
    ignore_prefixes : list of str, optional
        Files and directories below `source` whose names begin so do not count; ``.`` and ``_`` without.
    sidecar : {"auto", True, False}
        Whether sidecars are looked for. ``"auto"``: to plan local files, all at once, where they belong to them. True:
        also to plan and read each file by its own, a remote one too. False: not at all.
    engine : {"pyarrow", "parquetext", "auto"}
        Who decodes, as `File.read` takes it.

    Returns
    -------
    Dataset
        With the names of `pyarrow.dataset.Dataset`; holds no file open.

    Raises
    ------
    FileNotFoundError
        There is no such file or directory.
    ParquetextError
        The directory has no file that could give the schema.

    Notes
    -----
    Lists the files, and opens the first one if there is no `schema`. Of a folder of Delta Lake, Hudi or Iceberg all
    files are read, deleted ones and deleted rows too: a warning says so.

    Examples
    --------
    >>> lake = parquetext.dataset("lake")
    >>> lake.schema.names
    ['id', 'price', 'day']
    >>> lake.to_table(columns=["id"], filter=[("id", "in", [5, 7])])["id"].to_pylist()
    [5, 7]
    """
    if sidecar not in ("auto", True, False):
        raise TypeError(f"sidecar is 'auto', True or False, not {sidecar!r}")
    check_engine(engine)
    if partitioning not in ("hive", None):
        raise TypeError(f"partitioning is 'hive' or None, not {partitioning!r}; use pyarrow.dataset for others")
    found = discover(source, filesystem, partitioned=partitioning == "hive", ignore_prefixes=ignore_prefixes)
    for told in unfollowed(found):
        warnings.warn(told, stacklevel=2)
    keys = partition_schema(found.keys)
    if schema is None:
        if not found:
            raise ParquetextError("no file there to take the schema from", file=str(source))
        with naming(found[0].target):
            schema = pa.unify_schemas([read_schema(found[0].target), keys])
    return Dataset(found, schema, sidecar, engine)


class Dataset(Tabular):
    """Files, and the schema of their rows. Made by `parquetext.dataset`; holds no file open.

    Attributes
    ----------
    schema : pyarrow.Schema
    """

    def __init__(self, found: Files, schema: pa.Schema, sidecar: bool | str = "auto", engine: str = PYARROW):
        self._found, self.schema, self._sidecar, self._engine = found, schema, sidecar, engine
        self._given = {
            name: pa.array([keys.get(name) for keys in found.keys], pa.string()).cast(schema.field(name).type)
            for name in found.key_names
            if name in schema.names
        }

    @property
    def files(self) -> list[str]:
        """The files' paths, in order."""
        return list(self._found.paths)

    def get_fragments(self, filter=None) -> Iterator[Fragment]:
        """The files that may hold rows which meet the filter, each with its row groups that may.

        Parameters
        ----------
        filter : pyarrow.compute.Expression, or lists of tuples, optional
            As `File.read` takes filters. Keys of directories rule out files before anything is opened; then the
            statistics of all files are looked at together, and for lists Bloom filters.
        """
        predicate = None if filter is None else predicate_of(filter)
        for fragment in self._planned(predicate):
            if predicate is not None and fragment.asks_blooms(predicate):
                fragment = fragment.pruned(predicate)
            if fragment.row_groups is None or fragment.row_groups:
                yield fragment

    def scanner(
        self,
        columns: Sequence[str] | Mapping[str, pc.Expression] | None = None,
        filter=None,
        *,
        batch_size: int = 1 << 17,
        use_threads: bool = True,
    ) -> Scanner:
        """What reads: some columns of the rows that meet a filter.

        Parameters
        ----------
        columns : list of str or dict of pyarrow.compute.Expression, optional
            Top-level columns, or what to compute from them. All without.
        filter : pyarrow.compute.Expression, or lists of tuples, optional
        batch_size : int
            The most rows of a batch.
        use_threads : bool

        Raises
        ------
        ColumnError
            The schema has no such column.
        """
        return Scanner(self, columns, filter, batch_size=batch_size, use_threads=use_threads)

    def to_table(self, columns=None, filter=None, **options) -> pa.Table:
        """Read into a table; arguments as `scanner` takes them."""
        return self.scanner(columns, filter, **options).to_table()

    def to_batches(self, columns=None, filter=None, **options) -> Iterator[pa.RecordBatch]:
        """Read batch by batch, in the order of the files; arguments as `scanner` takes them."""
        return self.scanner(columns, filter, **options).to_batches()

    def head(self, num_rows: int, columns=None, filter=None, **options) -> pa.Table:
        """The first rows; files behind them are not read."""
        return self.scanner(columns, filter, **options).head(num_rows)

    def count_rows(self, filter=None, **options) -> int:
        """How many rows meet the filter; without one footers alone are read."""
        return self.scanner([], filter, **options).count_rows()

    def _shown(self) -> Shown:
        from .shown import show_dataset

        return show_dataset(self)

    def _planned(self, predicate: Predicate | None) -> list[Fragment]:
        """One fragment for each file that bounds leave."""
        numbers = list(range(len(self._found)))
        names = None if predicate is None else self.names_of(predicate)
        if not names:
            return [self._fragment(number) for number in numbers]
        types = {name: self.schema.field(name).type for name in names}
        known = {name: values for name, values in self._given.items() if name in types}
        if known:
            unopened = FileFacts(len(numbers), {}, frozenset())
            numbers = list(kept_of(predicate, [1] * len(numbers), [unopened], types, known))
            if len(known) == len(types):
                return [self._fragment(number) for number in numbers]
        left, others, filtered = self._left_by_sidecars(predicate, numbers, types, known)
        unfiltered = left.keys() - filtered
        left |= self._left_by_footers(predicate, others, types, known)
        return [
            self._fragment(number, blooms=number not in unfiltered).subset(row_groups)
            for number, row_groups in sorted(left.items())
        ]

    def _left_by_sidecars(
        self, predicate: Predicate, numbers: list[int], types: Mapping[str, pa.DataType], known: Mapping[str, pa.Array]
    ) -> tuple[dict[int, list[int]], list[int], set[int]]:
        """What is left of local files with sidecars, the files to plan otherwise, and those with Bloom filters."""
        paths, filesystems = self._found.paths, self._found.filesystems
        local, elsewhere = numbers, []
        if any(filesystems):
            local = [number for number in numbers if filesystems[number] is None]
            elsewhere = [number for number in numbers if filesystems[number] is not None]
        if not local or not self._sidecar:
            return {}, numbers, set()
        given = {name: values.take(pa.array(local, pa.int64())) for name, values in known.items()}
        left, others, filtered = plan_by_sidecars(predicate, paths_of(paths, local), types, given)
        return (
            {local[number]: row_groups for number, row_groups in left.items()},
            sorted([local[number] for number in others] + elsewhere),
            {local[number] for number in filtered},
        )

    def _left_by_footers(
        self, predicate: Predicate, numbers: list[int], types: Mapping[str, pa.DataType], known: Mapping[str, pa.Array]
    ) -> dict[int, list[int]]:
        """The row groups that are left of files that are opened one by one."""
        asked = [name for name in types if name not in known]
        facts = list(in_order(lambda number: self._fragment(number).facts(asked), numbers))
        chosen = pa.array(numbers, pa.int64())
        kept = surviving(predicate, facts, types, {name: values.take(chosen) for name, values in known.items()})
        return {number: row_groups for number, row_groups in zip(numbers, kept, strict=True) if row_groups}

    def _fragment(self, number: int, *, blooms: bool = True) -> Fragment:
        found = self._found[number]
        given = {name: values[number] for name, values in self._given.items()}
        shape = Shape(self.schema, given)
        return Fragment(found.target, number, shape, sidecar=self._sidecar is True, blooms=blooms, engine=self._engine)

    def names_of(self, predicate: Predicate) -> list[str] | None:
        """The columns that a predicate looks at; None if it may be any."""

        def type_of(name: str) -> pa.DataType | None:
            return self.schema.field(name).type if name in self.schema.names else None

        names = predicate.columns(type_of)
        self.check(names or ())
        return names

    def check(self, names: Iterable[str]) -> None:
        """Raise ColumnError for a name that is no column, or more than one."""
        for name in names:
            if len(self.schema.get_all_field_indices(name)) != 1:
                raise ColumnError(
                    f"no column {name!r} in the dataset's schema"
                    if name not in self.schema.names
                    else f"column {name!r} is there more than once"
                )


class Scanner:
    """Some columns of the rows that meet a filter. Made by `Dataset.scanner`; each call reads anew."""

    def __init__(
        self, dataset: Dataset, columns=None, filter=None, *, batch_size: int = 1 << 17, use_threads: bool = True
    ):
        if isinstance(columns, str):
            raise TypeError("columns is a list of names, not one string")
        self._dataset, self._batch_size, self._threads = dataset, batch_size, use_threads
        self._predicate = None if filter is None else predicate_of(filter)
        self._columns = columns if columns is None or isinstance(columns, Mapping) else list(columns)
        self._names = self._needed()

    @property
    def dataset_schema(self) -> pa.Schema:
        return self._dataset.schema

    @property
    def projected_schema(self) -> pa.Schema:
        """The schema of what comes out."""
        return self._projected(self._shape().schema.empty_table()).schema

    def to_table(self) -> pa.Table:
        """All of it."""
        if self._columns == []:
            return pa.table({"": pa.nulls(self.count_rows())}).select([])  # to join tables of no columns loses rows
        tables = list(self._tables())
        return pa.concat_tables(tables) if tables else self._projected(self._shape().schema.empty_table())

    def to_batches(self) -> Iterator[pa.RecordBatch]:
        """Batch by batch, in the order of the files; a few files are read ahead."""
        for table in self._tables():
            yield from table.to_batches(max_chunksize=self._batch_size)

    def to_reader(self) -> pa.RecordBatchReader:
        """The same as a reader of batches."""
        return pa.RecordBatchReader.from_batches(self.projected_schema, self.to_batches())

    def head(self, num_rows: int) -> pa.Table:
        """The first rows; files behind them are not read."""
        tables, left = [], num_rows
        for table in self._tables(threads=False):
            tables.append(table.slice(0, left))
            left -= tables[-1].num_rows
            if left <= 0:
                break
        return pa.concat_tables(tables) if tables else self._projected(self._shape().schema.empty_table())

    def count_rows(self) -> int:
        """How many rows there are; without a filter footers alone are read."""
        if self._predicate is None:
            return sum(in_order(lambda fragment: fragment.count_rows(), self._dataset._planned(None)))
        return sum(rows for _, rows in self._read(self._threads, project=False))

    def _needed(self) -> list[str] | None:
        """The columns to read; None for all."""
        if self._columns is None:
            return None
        if isinstance(self._columns, Mapping):
            used = [self._dataset.names_of(Predicate(expression, None)) for expression in self._columns.values()]
        else:
            self._dataset.check(self._columns)
            used = [self._columns]
        if self._predicate is not None:
            used.append(self._dataset.names_of(self._predicate))
        return None if None in used else list(dict.fromkeys(name for names in used for name in names))

    def _shape(self) -> Shape:
        return Shape(self._dataset.schema, {}).narrowed(self._names)

    def _tables(self, threads: bool | None = None) -> Iterator[pa.Table]:
        """What each file gives, in order; nothing of a file that has no such rows."""
        threads = self._threads if threads is None else threads
        return (table for table, rows in self._read(threads) if rows)

    def _read(self, threads: bool, *, project: bool = True) -> Iterator[tuple[pa.Table | None, int]]:
        fragments = [fragment.narrowed(self._names) for fragment in self._dataset._planned(self._predicate)]

        def read(fragment: Fragment) -> tuple[pa.Table | None, int]:
            table = fragment.read(self._predicate)
            return self._projected(table) if project else None, table.num_rows

        return in_order(read, fragments, threads=None if threads else False)

    def _projected(self, table: pa.Table) -> pa.Table:
        if self._columns is None:
            return table
        if isinstance(self._columns, Mapping):
            import pyarrow.dataset as ds  # takes long to import, and only expressions need it

            return ds.InMemoryDataset(table).to_table(columns=dict(self._columns))
        return table.select(self._columns)
