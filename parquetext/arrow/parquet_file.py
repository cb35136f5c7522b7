"""`ParquetFile` and `read_metadata` with the interface of `pyarrow.parquet`, read by our footers."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import pyarrow as pa
import pyarrow.parquet as pq

from ..footer.arrow_errors import ArrowIndexError
from ..footer.opening import open_as, open_by_footer
from ..footer.pyarrow_footer import whole_schema
from ..footer.reopening import check_version, file_state
from ..footer.targets import readable
from ..masking import without_secrets
from ..reading.request.read_request import check_engine
from ..reading.request.selection import Leaves, all_named, index_columns_in
from .counted_file import CountedFile
from .encrypted_reading import for_pyarrow
from .file import File
from .metadata import FileMetaData, thrift_of
from .read_options import options_given, whole

# Options of pyarrow's reader that affect the schema.
OF_SCHEMAS = ("read_dictionary", "binary_type", "list_type", "coerce_int96_timestamp_unit", "arrow_extensions_enabled")


class ParquetFile:
    """One Parquet file, opened by our footers, with the names of `pyarrow.parquet.ParquetFile`.

    It is a context manager. `metadata` and values are read on access, and one column costs one column.

    Parameters
    ----------
    source : path, bytes-like, file object, or (filesystem, str)
        As in `parquetext.open`. An open file object stays open.
    metadata : pyarrow.parquet.FileMetaData, optional
        Or our class. Use it instead of the file's footer, which is not read.
    common_metadata : pyarrow.parquet.FileMetaData, optional
        Its pandas metadata is used if the file has none.
    memory_map : bool
        Map a local file instead of reading it.
    decryption_properties : pyarrow.parquet.encryption.FileDecryptionProperties, optional
        If given, pyarrow reads the file, and the object is a `pyarrow.parquet.ParquetFile`.
    filesystem : pyarrow.fs.FileSystem or fsspec filesystem, optional
        The filesystem of the path `source`.
    engine : {"pyarrow", "parquetext", "auto"}, optional
        The decoder, as in `File.read`.
    read_dictionary, binary_type, list_type, buffer_size, pre_buffer, coerce_int96_timestamp_unit, \
thrift_string_size_limit, thrift_container_size_limit, schema_depth_limit, page_checksum_verification, \
arrow_extensions_enabled
        As in pyarrow.

    Attributes
    ----------
    common_metadata : pyarrow.parquet.FileMetaData or None

    Raises
    ------
    OSError
        If the file cannot be opened.
    Malformed, Refused, Unsupported
        If it has no readable footer.

    Examples
    --------
    >>> with parquetext.ParquetFile("wide.parquet") as file:
    ...     print(file.num_row_groups, file.metadata.row_group(0).column(1).statistics.max)
    3 99
    """

    if not TYPE_CHECKING:  # pyarrow's class has the same methods, so editors need not see this

        def __new__(cls, source, *, decryption_properties=None, **options):
            if decryption_properties is None:
                return super().__new__(cls)
            options.pop("engine", None)
            source, options["filesystem"] = for_pyarrow(source, options.get("filesystem"))
            return CountedFile(source, decryption_properties=decryption_properties, **options)

    def __init__(
        self,
        source: Any,
        *,
        metadata: object = None,
        common_metadata: object = None,
        read_dictionary: Sequence[str] | None = None,
        binary_type: pa.DataType | None = None,
        list_type: type | None = None,
        memory_map: bool = False,
        buffer_size: int = 0,
        pre_buffer: bool = True,
        coerce_int96_timestamp_unit: str | None = None,
        decryption_properties: object = None,
        thrift_string_size_limit: int | None = None,
        thrift_container_size_limit: int | None = None,
        schema_depth_limit: int | None = None,
        filesystem: object = None,
        page_checksum_verification: bool = False,
        arrow_extensions_enabled: bool = True,
        engine: str | None = None,
    ):
        self._options = options_given(locals())
        self._engine = check_engine(engine)
        self.common_metadata = common_metadata
        self._callers = source if getattr(source, "closed", True) is False else None
        self._given = None if metadata is None else FileMetaData.of_thrift(thrift_of(metadata))
        self._file = _opened(source, filesystem, metadata, memory_map)
        self._metadata = self._file.metadata  # keeps the footer open after `close`
        self._schema: pa.Schema | None = None
        try:
            self._file._check_limits(self._options)
        except BaseException:
            self._file.close()
            raise

    # `__new__` would otherwise determine the signature
    __signature__ = inspect.Signature(list(inspect.signature(__init__).parameters.values())[1:])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self, force: bool = False) -> None:
        """Close the file; the caller's file object stays open unless `force` is True."""
        if self._callers is not None:
            if not force:
                return
            self._callers.close()
        self._file.close()

    def __reduce__(self) -> tuple[Any, ...]:
        if self.closed:
            raise pa.ArrowInvalid("the file is closed")
        _, target, version = file_state(self._file, self._file._source)
        given = {"metadata": self._given, "common_metadata": self.common_metadata, "engine": self._engine}
        return _reopened, (type(self), target, version, self._options | given)

    @property
    def closed(self) -> bool:
        """True if the file, or the given file object, is closed."""
        return self._file.closed or bool(getattr(self._callers, "closed", False))

    # ---- metadata

    @property
    def metadata(self) -> FileMetaData:
        """The file's metadata, which remains usable after the file is closed."""
        return self._metadata

    @property
    def schema(self) -> pq.ParquetSchema:
        """The Parquet schema as a pyarrow object."""
        return self.metadata.schema

    @property
    def schema_arrow(self) -> pa.Schema:
        """The Arrow schema of the values that are read."""
        options = {name: self._options[name] for name in OF_SCHEMAS if name in self._options}
        if not options:
            return self._file.schema
        if self._schema is None:
            self._schema = self._file._on_form(lambda form: whole_schema(form, **options))
        return self._schema

    @property
    def num_row_groups(self) -> int:
        """The number of row groups."""
        return self._metadata.num_row_groups

    # ---- values

    def read(
        self, columns: Iterable[str] | None = None, use_threads: bool = True, use_pandas_metadata: bool = False
    ) -> pa.Table:
        """Read all row groups.

        Parameters
        ----------
        columns : list of str, optional
            Dotted paths of leaves or groups. As in pyarrow, an unknown name selects no column, and a repeated name
            selects all of its columns. All columns by default.
        use_threads : bool
        use_pandas_metadata : bool
            Also read the columns that pandas needs for its index.
        """
        return self._read(None, columns, use_threads, use_pandas_metadata)

    def read_row_group(
        self, i: int, columns: Iterable[str] | None = None, use_threads: bool = True, use_pandas_metadata: bool = False
    ) -> pa.Table:
        """Read row group `i`; other parameters as in `read`."""
        return self._read([i], columns, use_threads, use_pandas_metadata)

    def read_row_groups(
        self,
        row_groups: Sequence[int],
        columns: Iterable[str] | None = None,
        use_threads: bool = True,
        use_pandas_metadata: bool = False,
    ) -> pa.Table:
        """Read these row groups, in this order; other parameters as in `read`."""
        return self._read(row_groups, columns, use_threads, use_pandas_metadata)

    def take(self, rows: Any, columns: Iterable[str] | None = None, use_threads: bool = True) -> pa.Table:
        """Read rows by number, in any order and possibly several times, as `File.take` does.

        Raises
        ------
        RowIndexError
            If there is no such row.
        """
        return self._read(None, columns, use_threads, False, rows)

    def _read(
        self,
        row_groups: Sequence[int] | None,
        columns: Iterable[str] | None,
        use_threads: bool,
        pandas: bool,
        rows: Any = None,
    ) -> pa.Table:
        return self._file.read(
            self._names(columns, pandas),
            self._checked(row_groups),
            rows=rows,
            **self._reading(use_threads),
        )

    def iter_batches(
        self,
        batch_size: int = 65536,
        row_groups: Sequence[int] | None = None,
        columns: Iterable[str] | None = None,
        use_threads: bool = True,
        use_pandas_metadata: bool = False,
    ) -> Iterator[pa.RecordBatch]:
        """Yield batches of at most `batch_size` rows; other parameters as in `read_row_groups`."""
        batch_size = whole(batch_size)
        if batch_size <= 0:
            raise ValueError("batch_size must be greater than zero")
        return self._file.iter_batches(
            self._names(columns, use_pandas_metadata),
            self._checked(row_groups),
            batch_size=batch_size,
            **{name: value for name, value in self._reading(use_threads).items() if name != "pre_buffer"},
        )

    def _reading(self, use_threads: bool) -> dict[str, Any]:
        """Return the options of reads besides columns and rows."""
        return {"use_threads": use_threads, "key_values": True, "engine": self._engine, **self._options}

    def scan_contents(self, columns: Iterable[str] | None = None, batch_size: int = 65536) -> int:
        """Decode columns without keeping their values, and return the number of rows."""
        return sum(len(batch) for batch in self.iter_batches(batch_size, columns=columns, use_threads=False))

    def _checked(self, row_groups: Sequence[int] | None) -> list[int] | None:
        if row_groups is None:
            return None
        row_groups, count = list(map(whole, row_groups)), self.num_row_groups
        for row_group in row_groups:
            if not 0 <= row_group < count:
                raise ArrowIndexError(
                    f"{without_secrets(str(self._file.path))}: row group {row_group}: the file has {count}"
                )
        return row_groups

    def _names(self, columns: Iterable[str] | None, pandas: bool) -> list[Leaves | tuple[str, ...]] | None:
        """Return all columns of each name, and the columns that pandas needs for its index."""
        if columns is None:
            return None
        if isinstance(columns, str):
            columns = list(columns)  # as pyarrow does
        names = [name for name in columns if isinstance(name, str)]  # as pyarrow does: other objects select nothing
        found: list[Any] = [each for name in names for each in self._file._on_form(partial(all_named, name=name))]
        if pandas:
            there = self.metadata.metadata or {}
            if b"pandas" not in there:
                there = getattr(self.common_metadata, "metadata", None) or {}
            found += index_columns_in(there.get(b"pandas"))
        return found

    def __repr__(self) -> str:
        return f"<parquetext.ParquetFile {without_secrets(str(self._file.path))}>"


def _reopened(
    kind: type[ParquetFile], target: Any, version: tuple[Any, ...], arguments: Mapping[str, Any]
) -> ParquetFile:
    """Open a pickled file again, with the errors of `reopen`."""
    made = kind(target, **arguments)
    check_version(made._file, version)
    return made


def _opened(source: Any, filesystem: object, metadata: object, memory_map: bool) -> File:
    if memory_map and filesystem is None and isinstance(source, (str, os.PathLike)) and "://" not in str(source):
        source = pa.memory_map(os.fspath(source))
    target = readable(source, filesystem)
    try:
        return open_as(File, target) if metadata is None else open_by_footer(File, target, thrift_of(metadata))
    except IsADirectoryError as error:
        raise IsADirectoryError(error.errno, f"Cannot open for reading: path '{target}' is a directory") from None


def read_metadata(
    where: object,
    memory_map: bool = False,
    decryption_properties: object = None,
    filesystem: object = None,
    arrow_extensions_enabled: bool = True,
) -> FileMetaData | pq.FileMetaData:
    """Read the metadata of a file; the arguments are those of `pyarrow.parquet.read_metadata`.

    Parameters
    ----------
    where : path, bytes-like, file object, or (filesystem, str)
        As in `parquetext.open`.
    memory_map : bool
        Map a local file instead of reading it.
    decryption_properties : pyarrow.parquet.encryption.FileDecryptionProperties, optional
        If given, pyarrow reads the metadata, and returns an object of its class.
    filesystem : pyarrow.fs.FileSystem or fsspec filesystem, optional
        The filesystem of the path `where`.
    arrow_extensions_enabled : bool
        No effect, because metadata has no values. It exists for compatibility with pyarrow.

    Returns
    -------
    FileMetaData
        It has the names of `pyarrow.parquet.FileMetaData`, keeps the file open, and reads data on access. `to_pyarrow`
        returns an object of pyarrow's class.

    Raises
    ------
    OSError, Malformed, Refused, Unsupported
        As in `ParquetFile`.

    Examples
    --------
    >>> parquetext.read_metadata("wide.parquet").row_group(0).column(0).path_in_schema
    'id'
    """
    if decryption_properties is not None:
        where, filesystem = for_pyarrow(where, filesystem)
        return pq.read_metadata(where, memory_map, decryption_properties, filesystem)
    with ParquetFile(where, memory_map=memory_map, filesystem=filesystem) as file:
        return file.metadata
