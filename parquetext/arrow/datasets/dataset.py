"""Many files as one table, planned by their footers and read slice by slice, with the names of pyarrow.dataset."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.fs as pafs

from ... import compute as pc
from ...errors import ParquetextError
from ...footer.arrow_errors import EncryptedFile
from ...pruning import Predicate, predicate_of
from ...reading.request.read_request import check_engine
from ...storage import is_path_or_filesystem
from ...tabular import Shown, Tabular
from ..file import open as open_file
from ..read_options import Reading, format_of, is_ours, options_of_format
from .discovery import Files, discover, unfollowed
from .file_errors import naming
from .fragment_planning import FragmentPlanner, UnionPlanner
from .fragments import Fragment, own_schema
from .in_order import in_order
from .partitioning import HIVE, check_partitioning, partition_keys
from .predicates import both
from .row_positions import RowPositions
from .scanner import Scanner
from .scans import Columns, DatasetScans, ScanOptions
from .shape import check_schema

if TYPE_CHECKING:
    import pyarrow.dataset as ds

    from .dataset_explanation import DatasetExplanation


def dataset(
    source: object,
    schema: pa.Schema | None = None,
    format: str | ds.ParquetFileFormat | None = None,
    filesystem: object = None,
    partitioning: str | list[str] | ds.Partitioning | ds.PartitioningFactory | None = HIVE,
    partition_base_dir: str | None = None,
    exclude_invalid_files: bool | None = None,
    ignore_prefixes: Sequence[str] | None = None,
    *,
    sidecar: bool | str = "auto",
    engine: str | None = None,
) -> Dataset:
    """Open many Parquet files as one table. Their footers may have any form.

    The parameters are those of `pyarrow.dataset.dataset`, but directories named ``key=value`` become columns by
    default, as in `pyarrow.parquet.read_table`.

    Parameters
    ----------
    source : path, list of paths, or list of Dataset
        A directory, a file, a pattern such as ``lake/*.parquet``, or files, given as paths as in `parquetext.open`; or
        datasets, whose files are concatenated.
    schema : pyarrow.Schema, optional
        The rows' columns. By default, the columns of the first file, then the keys of the directories, as int32 if all
        their values are such numbers and as text otherwise. If a file lacks a column, the column is null there. Other
        columns are cast.
    format : "parquet" or pyarrow.dataset.FileFormat, optional
        A `pyarrow.dataset.ParquetFileFormat` contains read options: dictionaries, types of binaries and lists, limits,
        checksums.
    filesystem : pyarrow.fs.FileSystem, fsspec filesystem or URI, optional
        The filesystem of the path `source`.
    partitioning : "hive", list of str, pyarrow.dataset.Partitioning or PartitioningFactory, or None
        How names of directories or files become columns: ``"hive"`` parses ``key=value``, a list names the directory
        levels, and `pyarrow.dataset.partitioning` creates others. These columns replace columns of the same name in the
        files.
    partition_base_dir : str, optional
        The directory below which these names are parsed; by default `source`, if it is a directory.
    exclude_invalid_files : bool, optional
        If True, open each file now and leave out files that are not Parquet.
    ignore_prefixes : list of str, optional
        Files and directories below `source` whose names begin with one of these are ignored; by default ``.`` and
        ``_``.
    sidecar : {"auto", True, False}
        Use of sidecars. ``"auto"``: plan local files with them, all at once, if they match their files. True: also plan
        and read each file, even a remote one, with its sidecar. False: do not use sidecars.
    engine : {"pyarrow", "parquetext", "auto"}, optional
        The decoder, as in `File.read`.

    Returns
    -------
    Dataset
        It has the names of `pyarrow.dataset.Dataset` and keeps no file open. For other formats, for data in memory, and
        for encrypted files whose keys are in `format`, the result of `pyarrow.dataset.dataset`.

    Raises
    ------
    FileNotFoundError
        If there is no such file or directory.
    IsADirectoryError
        If a list contains a directory.
    ValueError
        If there is no such format or partitioning.
    TypeError
        If `source` is not accepted by pyarrow.dataset.

    Notes
    -----
    The files are listed. The first one is opened if there is no `schema`, or if the format may contain keys. If the
    folder is a Delta Lake, Hudi or Iceberg table, a warning is issued: all files are read, even deleted files and
    deleted rows.

    Examples
    --------
    >>> lake = parquetext.dataset("lake")
    >>> lake.schema.names
    ['id', 'price', 'day']
    >>> lake.to_table(columns=["id"], filter=[("id", "in", [5, 7])])["id"].to_pylist()
    [5, 7]
    """
    if schema is not None:
        check_schema(schema)
    if sidecar not in ("auto", True, False):
        raise TypeError(f"sidecar is 'auto', True or False, not {sidecar!r}")
    check_engine(engine)
    if hasattr(source, "read") and not isinstance(source, os.PathLike):  # py.path has both
        raise TypeError(f"a dataset is made of paths; open and read_table take a {type(source).__name__}")
    others = {
        "format": format,
        "filesystem": filesystem,
        "partitioning": None if partitioning == HIVE else partitioning,
        "partition_base_dir": partition_base_dir,
        "exclude_invalid_files": exclude_invalid_files,
        "ignore_prefixes": ignore_prefixes,
    }
    if isinstance(source, (list, tuple)) and source and all(isinstance(each, Dataset) for each in source):
        return _union(source, schema, others)
    if isinstance(source, Iterator) and not isinstance(source, pa.RecordBatchReader) and not hasattr(source, "read"):
        source = _listed(source)
    if not _is_of_paths(source):
        return _of_pyarrow(source, schema=schema, **others)
    if not is_ours(format):
        return _of_pyarrow(source, schema=schema, **others | {"partitioning": partitioning})
    reading = Reading(sidecar, engine, options_of_format(format))
    scheme = check_partitioning(partitioning)
    found = discover(source, filesystem, partitioned=scheme == HIVE, ignore_prefixes=ignore_prefixes)
    if exclude_invalid_files:
        found = _valid(found)
    for message in unfollowed(found):
        warnings.warn(message, stacklevel=2)
    base = found.base if partition_base_dir is None else os.fspath(partition_base_dir).rstrip("/")
    keys = partition_keys(found, scheme, schema, base)
    # A format may contain keys that it does not expose.
    if format is not None and not isinstance(format, str) and _is_encrypted(found):
        return _of_pyarrow(source, schema=schema, **others | {"partitioning": partitioning})
    if schema is None:
        schema = pa.unify_schemas([_first_schema(found, reading), keys.schema])
    return Dataset(FragmentPlanner(found, keys, schema, reading))


def _union(children: Sequence[Dataset], schema: pa.Schema | None, others: Mapping[str, Any]) -> Dataset:
    given = [name for name, value in others.items() if value is not None]
    if given:
        raise ValueError(
            f"When passing a list of Datasets (or DatasetFactory), you cannot pass any additional arguments: {given}"
        )
    return Dataset(UnionPlanner.of([each._planner_alone() for each in children], schema))


def _is_of_paths(source: Any) -> bool:
    """Return True if a source is a path, a pair of filesystem and path, or a list of them; not data or open files."""
    if isinstance(source, (pa.RecordBatch, pa.Table, pa.RecordBatchReader)) or hasattr(source, "get_fragments"):
        return False
    if isinstance(source, (list, tuple)):
        return all(map(_is_of_paths, source))
    return isinstance(source, pafs.FileInfo) or is_path_or_filesystem(source)


def _listed(source: Iterator[Any]) -> list[Any]:
    """Collect an iterator of paths in a list."""
    found = list(source)
    if not _is_of_paths(found):
        raise TypeError(
            "Expected a path-like, list of path-likes or a list of Datasets instead of the given type: "
            f"{type(source).__name__}"
        )
    return found


def _of_pyarrow(source: Any, **options: Any) -> Dataset:
    """Open other formats, or data in memory, with pyarrow alone, because there are no footers to read."""
    import pyarrow.dataset as ds

    found: Dataset = ds.dataset(source, **options)  # with the same methods as ours
    return found


def _valid(found: Files) -> Files:
    """Return the files that are Parquet."""

    def is_valid(number: int) -> bool:
        try:
            open_file(found.target(number)).close()
        except ParquetextError:
            return False
        return True

    numbers = range(len(found))
    return found.chosen([number for number, valid in zip(numbers, in_order(is_valid, numbers), strict=True) if valid])


def _is_encrypted(found: Files) -> bool:
    """Return True if the first file, or a part of it, is encrypted."""
    if not found:
        return False
    try:
        with open_file(found[0].target) as file:
            # encrypted files have no other footer form
            return file._on_form(lambda form: hasattr(form, "scan") and bool(form.scan.encrypted))
    except EncryptedFile:
        return True
    except (OSError, ParquetextError):  # the scan raises the error again
        return False


def _first_schema(found: Files, reading: Reading) -> pa.Schema:
    """Return the schema of the first file, or an empty schema if there are no files."""
    if not found:
        return pa.schema([])
    with naming(found[0].target), open_file(found[0].target) as file:
        return own_schema(file, reading.options)


class Dataset(DatasetScans, Tabular):
    """Files and the schema of their rows, made by `parquetext.dataset`. It keeps no file open.

    It can be pickled and copied. Consumers of Arrow streams accept it: Polars, DuckDB, pandas,
    `pyarrow.dataset.write_dataset`.

    Attributes
    ----------
    schema : pyarrow.Schema
    """

    def __init__(self, planner: FragmentPlanner | UnionPlanner, predicate: Predicate | None = None):
        self._planner, self._predicate, self.schema = planner, predicate, planner.schema
        self._positions: RowPositions | None = None

    # ---- attributes --------------------------------------------------------------------------------------------------

    @property
    def files(self) -> list[str]:
        """The files' paths, in order."""
        return self._planner.paths

    @property
    def children(self) -> list[Dataset]:
        """The datasets that this one was made of; empty for a dataset of files."""
        return [Dataset(child) for child in getattr(self._planner, "children", ())]

    @property
    def filesystem(self) -> pafs.FileSystem:
        """The filesystem of the files; if there are several, that of the first file."""
        return self._planner.filesystem

    @property
    def format(self) -> ds.ParquetFileFormat:
        """The read options as a pyarrow format."""
        return format_of(self._planner.reading.options)

    @property
    def partitioning(self) -> ds.Partitioning | None:
        """The partitioning of file and directory names as a pyarrow object."""
        return self._planner.keys.partitioning()

    @property
    def partition_expression(self) -> pc.Expression:
        """A condition that holds for all rows: True."""
        return pc.scalar(True)

    def get_fragments(self, filter: object = None) -> Iterator[Fragment]:
        """Yield the files that may contain matching rows, each with its row groups that may contain some.

        Parameters
        ----------
        filter : pyarrow.compute.Expression, or lists of tuples, optional
            Filters as in `File.read`. Keys of directories rule out files before any is opened. Then the statistics of
            all files are evaluated together. For lists of tuples, Bloom filters are used as well.

        Raises
        ------
        ValueError
            If the dataset has a filter, because its fragments would have other rows.
        """
        self._planner_alone()
        return self._fragments(None if filter is None else predicate_of(filter))

    # ---- other datasets -----------------------------------------------------------------------------------------

    def filter(self, expression: object) -> Dataset:
        """Return the dataset of the rows that match a filter, without reading.

        Parameters
        ----------
        expression : pyarrow.compute.Expression, or lists of tuples

        Raises
        ------
        ColumnError
            If a list names a column that the schema does not have.
        """
        if expression is None:
            raise TypeError("filter takes an expression or lists of tuples, not None")
        return Dataset(self._planner, both(self._predicate, predicate_of(expression)))

    def without_filter(self) -> tuple[Dataset, pc.Expression | None]:
        """Return the dataset of all rows of the files, and the filter of this dataset if it has one."""
        return Dataset(self._planner), None if self._predicate is None else self._predicate.expression

    def replace_schema(self, schema: pa.Schema) -> Dataset:
        """Return the same files with other columns: in another order, fewer, or more. Additional columns are null.

        Raises
        ------
        pyarrow.ArrowTypeError
            If a column gets another type, or is no longer nullable.
        """
        check_schema(schema)
        for field in schema:
            was = self.schema.field(field.name) if field.name in self.schema.names else field
            if was.type != field.type:
                raise pa.ArrowTypeError(f"fields had matching names but differing types. From: {was} To: {field}")
            if was.nullable and not field.nullable:
                raise pa.ArrowTypeError(f"field {field} is not nullable, and was: {was}")
        return Dataset(self._planner.with_schema(schema), self._predicate)

    def sort_by(self, sorting: str | list[tuple[str, str]], **options: Any) -> ds.InMemoryDataset:
        """Sort the rows in memory; arguments as in `pyarrow.Table.sort_by`."""
        return _in_memory(self.to_table().sort_by(sorting, **options))

    def join(
        self,
        right_dataset: object,
        keys: str | list[str],
        right_keys: str | list[str] | None = None,
        join_type: str = "left outer",
        left_suffix: str | None = None,
        right_suffix: str | None = None,
        coalesce_keys: bool = True,
        use_threads: bool = True,
    ) -> ds.InMemoryDataset:
        """Join the rows of this dataset and of another one in memory; arguments as in `pyarrow.Table.join`.

        Parameters
        ----------
        right_dataset : Dataset, pyarrow.dataset.Dataset or pyarrow.Table
        """
        left, right = self.to_table(use_threads=use_threads), _table_of(right_dataset)
        options = {"left_suffix": left_suffix, "right_suffix": right_suffix, "coalesce_keys": coalesce_keys}
        return _in_memory(left.join(right, keys, right_keys, join_type, use_threads=use_threads, **options))

    def join_asof(
        self,
        right_dataset: object,
        on: str,
        by: str | list[str],
        tolerance: int,
        right_on: str | list[str] | None = None,
        right_by: str | list[str] | None = None,
    ) -> ds.InMemoryDataset:
        """Join the rows with the nearest ones in memory; arguments as in `pyarrow.Table.join_asof`."""
        return _in_memory(self.to_table().join_asof(_table_of(right_dataset), on, by, tolerance, right_on, right_by))

    def to_pyarrow(self, filter: object = None) -> ds.FileSystemDataset:
        """Return the same files as a dataset of pyarrow's class, for code that requires it.

        pyarrow then parses whole Thrift footers, and does not use other forms.

        Parameters
        ----------
        filter : pyarrow.compute.Expression, or lists of tuples, optional
            Rules out files and row groups, as in `get_fragments`. It is not applied to single rows. The filter of this
            dataset (`Dataset.filter`) is.
        """
        import pyarrow.dataset as ds

        predicate = None if filter is None else predicate_of(filter)
        fragments = [fragment.to_pyarrow() for fragment in self._fragments(both(self._predicate, predicate))]
        made = ds.FileSystemDataset(fragments, self.schema, self.format, self.filesystem)
        return made if self._predicate is None else made.filter(self._predicate.expression)

    # ---- rows --------------------------------------------------------------------------------------------------------

    def _scan(self, columns: Columns, filter: Any, options: ScanOptions) -> Scanner:
        predicate = both(self._predicate, None if filter is None else predicate_of(filter))
        return Scanner(self._planner.fragments, self.schema, columns, predicate, options, self._row_positions)

    def explain(self, columns: Columns = None, filter: object = None) -> DatasetExplanation:
        """Explain how `to_table` reads these columns and rows, without reading them.

        The result contains the files that are read and skipped, and the plan of each file that is read, as
        `File.explain` returns it. Each of these files is opened.

        Parameters
        ----------
        columns, filter
            As in `scanner`.

        Raises
        ------
        ColumnError
            If the schema has no such column.

        Examples
        --------
        >>> plan = parquetext.dataset("lake").explain(["id"], filter=[("id", "in", [5, 7])])
        >>> plan.bytes_to_fetch > 0
        True
        """
        from .dataset_explanation import explain_dataset  # only for this call

        predicate = both(self._predicate, None if filter is None else predicate_of(filter))
        return explain_dataset(self._planner, columns, predicate)

    def to_reader(self, columns: Any = None, filter: Any = None, **options: Any) -> pa.RecordBatchReader:
        """Read the rows as a reader of batches."""
        return self.scanner(columns, filter, **options).to_reader()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export all rows as an Arrow stream."""
        return self.scanner().__arrow_c_stream__(requested_schema)

    def _shown(self) -> Shown:
        from .dataset_repr import show_dataset

        return show_dataset(self)

    def _row_positions(self) -> RowPositions:
        """Return the positions of all rows, counted once for this dataset."""
        if self._positions is None:
            self._positions = RowPositions(self._planner.fragments(None))
        return self._positions

    def _fragments(self, predicate: Predicate | None) -> Iterator[Fragment]:
        for fragment in self._planner.fragments(predicate):
            if predicate is not None and fragment.asks_blooms(predicate):
                fragment = fragment.pruned(predicate)
            if not fragment.is_empty:
                yield fragment.settled()

    def _planner_alone(self) -> FragmentPlanner | UnionPlanner:
        """Return the planner; raise if the dataset has a filter, because the planner's fragments would not apply it."""
        if self._predicate is not None:
            raise ValueError(
                "Retrieving fragments of a filtered or projected dataset is not allowed. Remove the filtering."
            )
        return self._planner


def _in_memory(table: pa.Table) -> ds.InMemoryDataset:
    import pyarrow.dataset as ds

    return ds.InMemoryDataset(table)


def _table_of(data: Any) -> pa.Table:
    """Return all rows of a dataset or table."""
    if isinstance(data, pa.Table):
        return data
    if not hasattr(data, "to_table"):
        raise TypeError(f"a join takes a dataset or a table, not {type(data).__name__}")
    return data.to_table()
