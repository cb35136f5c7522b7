"""`read_table` and `read_schema`, with the arguments and results of pyarrow's functions, read by our footers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..footer.pyarrow_footer import whole_schema
from ..footer.targets import info_of, readable
from ..reading.request.read_request import check_engine
from ..storage import filesystem_of
from .datasets.shape import check_schema
from .file import File, check_rows_alone
from .file import open as open_file
from .flattened import Flattened, has_dots_or_doubles
from .read_options import options_given

if TYPE_CHECKING:
    from ..sidecar.plan import Plan

PATTERN = frozenset("*?[")
HIVE = "hive"


def read_table(
    source: Any,
    columns: Iterable[str | tuple[str, ...]] | None = None,
    filters: Any = None,
    *,
    rows: Any = None,
    use_threads: bool = True,
    schema: pa.Schema | None = None,
    use_pandas_metadata: bool = False,
    read_dictionary: Sequence[str] | None = None,
    binary_type: pa.DataType | None = None,
    list_type: type[pa.DataType] | None = None,
    memory_map: bool = False,
    buffer_size: int = 0,
    partitioning: object = HIVE,
    filesystem: Any = None,
    ignore_prefixes: Sequence[str] | None = None,
    pre_buffer: bool | None = None,
    coerce_int96_timestamp_unit: str | None = None,
    decryption_properties: object = None,
    thrift_string_size_limit: int | None = None,
    thrift_container_size_limit: int | None = None,
    schema_depth_limit: int | None = None,
    page_checksum_verification: bool = False,
    arrow_extensions_enabled: bool = True,
    key_values: bool = True,
    sidecar: bool | Plan = False,
    engine: str | None = None,
    decoded_size_limit: int | None = None,
) -> pa.Table:
    """Read one or more files into a table; the arguments are those of `pyarrow.parquet.read_table`.

    Parameters
    ----------
    source : path, list of paths, bytes-like, or file object
        A file, as in `parquetext.open`; or, as in `parquetext.dataset`, a list of files, a directory, or a pattern such
        as ``lake/*.parquet``.
    columns : list of str or tuple, optional
        Top-level columns; ``"a.b"`` is the field ``b`` of the struct ``a``, as a column of this name. A name given
        twice gives two columns. A tuple, or a path through a list or map, keeps its nested form, as in `File.read`. All
        columns by default.
    filters, rows, use_threads, use_pandas_metadata, engine
        As in `File.read`. For several files, row numbers count the rows of the files in order.
    schema : pyarrow.Schema, optional
        The table's columns. Columns that the file lacks are null, others are cast. By default, the file's schema.
    read_dictionary : list of str, optional
        Leaves of text or bytes that become dictionaries. Leaves that are not read are ignored.
    binary_type, list_type : pyarrow.DataType, and a class of such, optional
        The types of byte arrays and lists, if the file does not specify them.
    memory_map : bool
        If True, a local file is mapped into memory.
    buffer_size : int
        Size of a buffer for each column, in bytes; 0 for none.
    partitioning : "hive", list of str, pyarrow.dataset.Partitioning or PartitioningFactory, or None
        How directory names become columns, if `source` is a directory, a pattern or a list.
    filesystem : pyarrow.fs.FileSystem, fsspec filesystem or URI, optional
        The filesystem of the path `source`.
    ignore_prefixes : list of str, optional
        Files and directories below `source` whose names begin with one of these are ignored; by default ``.`` and
        ``_``.
    pre_buffer : bool, optional
        If True, pyarrow fetches all ranges first, in parallel. This is the default for large reads and remote files.
    coerce_int96_timestamp_unit : str, optional
        The unit of INT96 timestamps, such as ``"ms"``; nanoseconds by default.
    decryption_properties : pyarrow.parquet.FileDecryptionProperties, optional
        Keys of an encrypted file. If given, pyarrow reads the file, by its Thrift footer.
    decoded_size_limit : int, optional
        As in `File.read`, for one file. For several files, set the environment variable
        ``PARQUETEXT_DECODED_SIZE_LIMIT``.
    thrift_string_size_limit, thrift_container_size_limit, schema_depth_limit : int, optional
        Limits of the whole Thrift footer, as in `File.read`.
    page_checksum_verification : bool
        If True, pages' checksums are verified.
    arrow_extensions_enabled : bool
        If True, Parquet's logical types become Arrow's extension types, such as ``arrow.uuid``.
    key_values : bool
        If True, the table's schema has the file's key-values as its metadata. pandas restores its index and types from
        them. In a wide file written by pandas they describe all columns, and take most of the time of reading one
        column.
    sidecar : bool or sidecar.Plan
        If True and the file has a matching sidecar, plan, prune and slice by the sidecar, without reading the footer. A
        plan, such as that of a sidecar matched by a version token, rules out row groups; data is then read through the
        footer.

    Returns
    -------
    pyarrow.Table

    Raises
    ------
    ColumnError
        If a name is unknown or ambiguous; also a `pyarrow.ArrowInvalid`.
    RowIndexError
        If there is no row of a number in `rows`.
    Malformed, Damaged
        If the file's bytes are invalid, or if `sidecar` is a plan of another content; also a `pyarrow.ArrowInvalid`.
    FileNotFoundError, OSError
        If there is no such file, if it cannot be opened, or if it is encrypted and there are no keys.
    TypeError
        If `source` is not readable.
    Unsupported
        If our decoder is requested and does not support the data; also a `pyarrow.ArrowNotImplementedError`.
    ValueError
        If `rows` is given together with `filters`, `decryption_properties` or a plan. If `columns` is one string,
        except for one letter with `use_pandas_metadata`. If folders, filters or `schema` need the module
        `pyarrow.dataset` and pyarrow lacks it.

    Examples
    --------
    >>> parquetext.read_table("wide.parquet", ["id"], filters=[("price", ">=", 298)])["id"].to_pylist()
    [298, 299]
    """
    check_engine(engine)
    options = options_given(locals())
    if isinstance(columns, str):
        # pandas passes a one-letter string for a list of one letter
        if not (use_pandas_metadata and len(columns) == 1):
            raise ValueError("columns is a list of names, not one string")
        columns = [columns]
    if not isinstance(columns, Iterable | None):
        raise TypeError(f"columns is a list of names, not {columns!r}")
    if schema is not None:
        check_schema(schema)
    if rows is not None:
        plan = None if isinstance(sidecar, bool) else sidecar
        check_rows_alone(filters=filters, decryption_properties=decryption_properties, sidecar=plan)
    filesystem = filesystem_of(source, filesystem)
    if pre_buffer:
        options["pre_buffer"] = True  # by default, short chunks of a local file are read one by one
    taking: Any = {
        "use_threads": use_threads,
        "use_pandas_metadata": use_pandas_metadata,
        "key_values": key_values,
    }
    several: Any = {"schema": schema, "partitioning": partitioning, "ignore_prefixes": ignore_prefixes}
    if decryption_properties is not None:
        from .encrypted_reading import read_encrypted

        options |= {"memory_map": memory_map, "decryption_properties": decryption_properties}
        return read_encrypted(source, filesystem, columns, filters, engine=engine, **taking, **several, **options)
    one = taking | options | {"memory_map": memory_map, "engine": engine, "rows": rows}
    if decoded_size_limit is not None:
        one["decoded_size_limit"] = decoded_size_limit
    try:
        file = None if isinstance(source, list) else _opened_one(source, filesystem, sidecar)
        if file is None:
            return read_many(source, filesystem, columns, filters, engine, options, rows=rows, **taking, **several)
        with file:
            return _read_one(file, columns, filters, schema, one, _left_by_plan(sidecar, file, filters))
    except ImportError as error:
        raise as_pyarrow_reports(error, filters, schema) from None


def read_pandas(source: Any, columns: Iterable[str | tuple[str, ...]] | None = None, **options: Any) -> pa.Table:
    """Read a table with the columns of pandas's index, as `pyarrow.parquet.read_pandas` does.

    Parameters
    ----------
    source, columns, **options
        As in `read_table`.

    Returns
    -------
    pyarrow.Table
        Its `to_pandas` returns the written frame, or these columns of it.

    Raises
    ------
    ColumnError, Malformed, Damaged, OSError, TypeError
        As in `read_table`.

    Examples
    --------
    >>> parquetext.read_pandas("wide.parquet", ["price"]).to_pandas().shape
    (300, 1)
    """
    return read_table(source, columns, use_pandas_metadata=True, **options)


def _opened_one(source: Any, filesystem: object, sidecar: bool | Plan) -> File | None:
    """Open the file of a source; return None if the source is several files."""
    target = source if filesystem is None else readable(source, filesystem)
    try:
        if sidecar is not True:
            return open_file(target)
        from .planned import open_planned

        return open_planned(target)
    except OSError as error:
        if (sidecar and sidecar is not True) or not _is_many(target, error):  # a plan refers to one file
            raise
        return None


def _left_by_plan(sidecar: bool | Plan, file: File, filters: object) -> Sequence[int] | None:
    """Return the row groups that a plan does not rule out, or None if there is no plan."""
    if not sidecar or sidecar is True:
        return None
    from .planned import row_groups_left

    return row_groups_left(sidecar, file, filters)


def _is_many(source: Any, error: OSError) -> bool:
    """Return True if a source that could not be opened is a directory or a pattern."""
    target = readable(source)
    if target.is_open or "://" in target.path:  # HTTP has no directories, and "?" begins a query
        return False
    if isinstance(error, IsADirectoryError):
        return True
    if not PATTERN.isdisjoint(target.path) and isinstance(error, FileNotFoundError):
        return True
    if target.is_local:
        return False
    import pyarrow.fs as pafs

    return bool(info_of(target).type == pafs.FileType.Directory)


def _read_one(
    file: File,
    columns: Iterable[Any] | None,
    filters: object,
    schema: pa.Schema | None,
    options: dict[str, Any],
    row_groups: Sequence[int] | None = None,
) -> pa.Table:
    """Read a file; `row_groups` contains at least the row groups with matching rows, or is None for all."""
    if isinstance(columns, Mapping):
        from .datasets.scan_columns import ScanColumns

        wanted = ScanColumns(file.schema if schema is None else schema, columns, None)
        return wanted.project(_read_one(file, wanted.names, filters, schema, options, row_groups))
    if schema is not None:
        from .shaped import read_as

        return read_as(file, schema, columns, filters, options)
    if columns is None:
        return file.read(columns, row_groups, filters, **options)
    columns = list(columns)
    if not has_dots_or_doubles(columns):
        return file.read(columns, row_groups, filters, **options)
    flattened = Flattened.of_file(file, columns)
    return flattened.apply(file.read(flattened.names, row_groups, filters, **options))


def read_many(
    source: object,
    filesystem: object,
    columns: Iterable[Any] | None,
    filters: object,
    engine: str | None,
    options: dict[str, Any],
    *,
    rows: Any = None,
    use_threads: bool,
    use_pandas_metadata: bool,
    key_values: bool,
    schema: pa.Schema | None,
    partitioning: object,
    ignore_prefixes: Sequence[str] | None,
) -> pa.Table:
    """Read a list of files, a directory or a pattern as a dataset."""
    from .datasets.dataset import dataset
    from .read_options import EXTENSIONS, format_of
    from .shaped import pandas_index

    if partitioning == HIVE:
        import pyarrow.dataset as ds  # slow to import

        partitioning = ds.HivePartitioning.discover(infer_dictionary=True)
    lake = dataset(
        source,
        schema,
        format_of(EXTENSIONS | options) if options else None,
        filesystem,
        partitioning,
        ignore_prefixes=ignore_prefixes,
        engine=engine,
    )

    def read(columns: Any) -> pa.Table:
        if rows is not None:
            return lake.take(rows, columns, use_threads=use_threads)
        return lake.to_table(columns, filters, use_threads=use_threads)

    if columns is None or isinstance(columns, Mapping):
        table = read(columns)
    else:
        names = list(columns)
        if use_pandas_metadata:
            names += pandas_index(lake.schema.metadata, names)
        wanted = Flattened.of_schema(lake.schema, names)
        table = wanted.apply(read(wanted.tops))
    return table if key_values else table.replace_schema_metadata(None)


def read_schema(
    where: object,
    memory_map: bool = False,
    decryption_properties: object = None,
    filesystem: object = None,
    arrow_extensions_enabled: bool = True,
) -> pa.Schema:
    """Read the Arrow schema of a file; the arguments are those of `pyarrow.parquet.read_schema`.

    Parameters
    ----------
    where : path, bytes-like, or file object
        As in `parquetext.open`.
    memory_map : bool
        If True, an encrypted file is mapped into memory. Of other files, only the footer is read.
    decryption_properties : pyarrow.parquet.FileDecryptionProperties, optional
        Keys of an encrypted file. If given, pyarrow reads the file.
    filesystem : pyarrow.fs.FileSystem, fsspec filesystem or URI, optional
        The filesystem of the path `where`.
    arrow_extensions_enabled : bool
        If True, Parquet's logical types become Arrow's extension types, such as ``arrow.uuid``.

    Returns
    -------
    pyarrow.Schema

    Raises
    ------
    OSError
        If the file cannot be opened, or if it is encrypted and there are no keys.
    Malformed, Unsupported
        If it has no readable footer; `Malformed` is also a `pyarrow.ArrowInvalid`.

    Examples
    --------
    >>> parquetext.read_schema("wide.parquet").names
    ['id', 'price']
    """
    if decryption_properties is not None:
        from .encrypted_reading import schema_of_encrypted

        return schema_of_encrypted(
            where,
            filesystem,
            memory_map=memory_map,
            decryption_properties=decryption_properties,
            arrow_extensions_enabled=arrow_extensions_enabled,
        )
    with open_file(where if filesystem is None else readable(where, filesystem)) as file:
        if arrow_extensions_enabled:
            return file.schema
        return file._on_form(lambda form: whole_schema(form, arrow_extensions_enabled=False))


MODULES = "pyarrow.dataset", "pyarrow._dataset"
MISSING = "when the pyarrow.dataset module is not available"


def as_pyarrow_reports(error: ImportError, filters: object, schema: pa.Schema | None) -> Exception:
    """Return the ValueError that `pyarrow.parquet.read_table` raises then; return other errors unchanged."""
    if error.name not in MODULES:
        return error
    if filters is not None:
        return ValueError(f"the 'filters' keyword is not supported {MISSING}")
    if schema is not None:
        return ValueError(f"the 'schema' argument is not supported {MISSING}")
    return ValueError(f"the 'source' argument should be an existing parquet file and not a directory {MISSING}")
