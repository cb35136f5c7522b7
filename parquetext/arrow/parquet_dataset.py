"""Provide the interface of `pyarrow.parquet.ParquetDataset` for our datasets."""

from __future__ import annotations

import json
import posixpath
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import pyarrow as pa
import pyarrow.fs as pafs

from ..footer.arrow_errors import ArrowUnsupported
from ..footer.targets import info_of, readable
from ..forks import cached_property
from ..pruning import predicate_of
from ..storage import OpenTarget, filesystem_of
from .datasets.dataset import dataset
from .datasets.fragments import own_schema
from .datasets.shape import check_schema
from .file import open as open_file
from .read_options import EXTENSIONS, format_of, options_given
from .tables import read_table

if TYPE_CHECKING:
    import pyarrow.dataset as ds

    from .datasets.fragments import Fragment

HIVE, PANDAS = "hive", b"pandas"
COMMON_FILES = "_common_metadata", "_metadata"


class ParquetDataset:
    """Files that form one table, with the parameters and names of `pyarrow.parquet.ParquetDataset`.

    It keeps no file open and can be pickled. It equals another dataset with the same files, schema and read options.

    Parameters
    ----------
    path_or_paths : path, list of paths, bytes-like, or file object
        A file, a directory, a pattern, or files, as in `parquetext.dataset`; or one file, as in `read_table`.
    filesystem : pyarrow.fs.FileSystem, fsspec filesystem or URI, optional
    schema : pyarrow.Schema, optional
    filters : list of tuples, list of lists of tuples, or pyarrow.compute.Expression, optional
        The condition on the rows that `read` returns.
    read_dictionary, binary_type, list_type, coerce_int96_timestamp_unit, page_checksum_verification, \
arrow_extensions_enabled, thrift_string_size_limit, thrift_container_size_limit, schema_depth_limit, \
decryption_properties
        As in `File.read`.
    memory_map : bool
        No effect: local files are read directly.
    buffer_size, pre_buffer
        Options of pyarrow's reader.
    partitioning : str, list of str, pyarrow.dataset.Partitioning or PartitioningFactory, or None
        As in `parquetext.dataset`, but ``"hive"`` makes dictionaries of keys. The folder names of a single file are
        ignored.
    ignore_prefixes : list of str, optional
    engine : {"pyarrow", "parquetext", "auto"}, optional
        The decoder, as in `File.read`.

    Raises
    ------
    FileNotFoundError
        If there is no such file or directory.
    TypeError
        If a path object is given for a filesystem other than the local one, or if a filter is invalid.
    ValueError
        If a filter has an unknown operator.

    Examples
    --------
    >>> parquetext.ParquetDataset("lake", filters=[("id", "<", 3)]).read(["id"])["id"].to_pylist()
    [0, 1, 2]
    """

    def __init__(
        self,
        path_or_paths: Any,
        filesystem: object = None,
        schema: pa.Schema | None = None,
        *,
        filters: object = None,
        read_dictionary: Sequence[str] | None = None,
        binary_type: pa.DataType | None = None,
        list_type: type | None = None,
        memory_map: bool = False,
        buffer_size: int | None = None,
        partitioning: object = HIVE,
        ignore_prefixes: Sequence[str] | None = None,
        pre_buffer: bool = True,
        coerce_int96_timestamp_unit: str | None = None,
        decryption_properties: object = None,
        thrift_string_size_limit: int | None = None,
        thrift_container_size_limit: int | None = None,
        schema_depth_limit: int | None = None,
        page_checksum_verification: bool = False,
        arrow_extensions_enabled: bool = True,
        engine: str | None = None,
    ):
        import pyarrow.dataset as ds  # slow to import

        options = options_given(locals())
        if schema is not None:
            check_schema(schema)
        encrypted = decryption_properties is not None  # only pyarrow reads encrypted files
        if encrypted:
            options["decryption_properties"] = decryption_properties
        self._filter = None if filters is None else predicate_of(filters).expression
        self._folder, self._checks_rows = None, False  # `dataset` and `read_table` check themselves
        if not isinstance(path_or_paths, (list, tuple)):
            target = readable(path_or_paths, filesystem_of(path_or_paths, filesystem))
            if target.is_open:
                self._dataset: Any = _HeldFile(target, schema, options | {"engine": engine})
                return
            kind = info_of(target).type
            self._folder = target if kind == pafs.FileType.Directory else None
            partitioning = None if kind == pafs.FileType.File else partitioning
        if partitioning == HIVE:
            partitioning = ds.HivePartitioning.discover(infer_dictionary=True)
        found: dict[str, Any] = {
            "filesystem": filesystem,
            "partitioning": partitioning,
            "ignore_prefixes": ignore_prefixes,
        }
        found |= {"schema": schema, "format": format_of(EXTENSIONS | options)}
        self._checks_rows = encrypted
        self._dataset = (
            ds.dataset(path_or_paths, **found) if encrypted else dataset(path_or_paths, engine=engine, **found)
        )

    @property
    def schema(self) -> pa.Schema:
        """The schema of the rows."""
        return self._dataset.schema

    @property
    def files(self) -> list[str]:
        """The files' paths."""
        files: list[str] = self._dataset.files
        return files

    @property
    def filesystem(self) -> pafs.FileSystem:
        """The filesystem of the files."""
        return self._dataset.filesystem

    @property
    def fragments(self) -> list[Fragment]:
        """The files, one by one."""
        return list(self._dataset.get_fragments())

    @property
    def partitioning(self) -> ds.Partitioning | None:
        """The partitioning of directory names."""
        return self._dataset.partitioning

    def equals(self, other: ParquetDataset) -> bool:
        """Return True if another dataset has the same files, schema and read options.

        Raises
        ------
        TypeError
            If `other` is not a ParquetDataset.
        """
        if not isinstance(other, ParquetDataset):
            raise TypeError("`other` must be an instance of ParquetDataset")
        return (
            self.schema == other.schema
            and self.files == other.files
            and self.filesystem == other.filesystem
            and self._dataset.format == other._dataset.format
        )

    def __eq__(self, other: object) -> bool:
        return self.equals(other) if isinstance(other, ParquetDataset) else NotImplemented

    __hash__: Any = None

    def read(
        self, columns: Iterable[str] | None = None, use_threads: bool = True, use_pandas_metadata: bool = False
    ) -> pa.Table:
        """Read the rows that match the filters.

        Parameters
        ----------
        columns : list of str, optional
            All columns by default.
        use_threads : bool
        use_pandas_metadata : bool
            Also read the columns of pandas's index. If the files have no metadata of pandas, that of the folder's
            ``_common_metadata`` or ``_metadata`` is used.

        Returns
        -------
        pyarrow.Table

        Raises
        ------
        RowsMissing
            pyarrow loses rows of encrypted files, or neither pyarrow nor our decoder has all rows of others.
        """
        own = (self.schema.metadata or {}).get(PANDAS)
        common = self._common_pandas if use_pandas_metadata and own is None else None
        if columns is not None and use_pandas_metadata:
            columns = list(columns)
            columns += [name for name in _index_columns(own or common) if name not in columns]
        table = self._dataset.to_table(columns, self._filter, use_threads=use_threads)
        if self._checks_rows:
            self._check_rows(table, columns)
        if common is None:
            return table
        return table.replace_schema_metadata({**(table.schema.metadata or {}), PANDAS: common})

    def _check_rows(self, table: pa.Table, columns: Iterable[str] | None) -> None:
        """Raise `RowsMissing` if pyarrow has lost rows of encrypted files."""
        from .counted_file import check_fragments  # takes long to import

        predicate = None if self._filter is None else predicate_of(self._filter)
        check_fragments(table, self.fragments, self.schema, columns, predicate)

    def read_pandas(self, **options: Any) -> pa.Table:
        """Read with the columns of pandas's index; options as in `read`."""
        return self.read(use_pandas_metadata=True, **options)

    def __repr__(self) -> str:
        return f"<parquetext.ParquetDataset: {len(self.files)} files, {len(self.schema)} columns>"

    @cached_property
    def _common_pandas(self) -> bytes | None:
        """The metadata of pandas in the folder's metadata file."""
        if self._folder is None:
            return None
        for name in COMMON_FILES:
            path = posixpath.join(self._folder.path, name)
            target = self._folder.at(path)
            if info_of(target).type == pafs.FileType.File:
                with open_file(target) as file:
                    if PANDAS in file.key_values:
                        return file.key_values[PANDAS]
        return None


class _HeldFile:
    """Bytes in memory, or an open file, used like a dataset."""

    def __init__(self, target: OpenTarget, schema: pa.Schema | None, options: dict[str, Any]):
        self._target, self._options = target, options | {"schema": schema}
        self.files, self.filesystem, self.partitioning = [str(target)], None, None
        self.format = format_of({name: value for name, value in options.items() if name != "engine"})
        with open_file(target) as file:
            self.schema = own_schema(file, options) if schema is None else schema

    def get_fragments(self) -> NoReturn:
        raise ArrowUnsupported("a file without a path is no fragment: parquetext.open shows its row groups")

    def to_table(self, columns: Iterable[str] | None, filters: object, *, use_threads: bool) -> pa.Table:
        return read_table(self._target, columns, filters, use_threads=use_threads, **self._options)


def _index_columns(metadata: bytes | None) -> list[str]:
    """Return the columns of pandas's index; a range index has none."""
    if metadata is None:
        return []
    return [name for name in json.loads(metadata)["index_columns"] if not isinstance(name, dict)]
