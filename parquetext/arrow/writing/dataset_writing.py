"""Write a table as a folder of files, with pyarrow's dataset writer and each file as in `ParquetWriter`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from ... import storage
from ...edits.options import IGNORABLE, SCAN, Options, check_optimize_for
from ...edits.table_logs import refuse_new_files
from ...errors import Refused
from ...extension import ASIDE
from ...footer.forms import AUTO, THRIFT, WRITABLE, Form, check_writable
from ...storage.refusals import check
from .layouts import writer_options
from .new_files import DEFAULTS, NewFiles
from .variants import refuse_variants
from .writer import OPTIONS, ROW_GROUP_ROWS


def write_to_dataset(
    table: pa.Table,
    root_path: object,
    partition_cols: Sequence[str] | None = None,
    filesystem: object = None,
    schema: pa.Schema | None = None,
    partitioning: object = None,
    basename_template: str | None = None,
    use_threads: bool | None = None,
    file_visitor: Callable[[Any], object] | None = None,
    existing_data_behavior: str | None = None,
    *,
    form: Form | str = AUTO,
    placement: str = ASIDE,
    marker: str = "spec",
    ignore: Iterable[str] = (),
    optimize_for: str = SCAN,
    **options: Any,
) -> None:
    """Write a table to files below a folder; the arguments are those of `pyarrow.parquet.write_to_dataset`.

    Each file gets its name when it is complete and has its footer in the form. If the call fails, complete files
    remain, and all others are removed.

    Parameters
    ----------
    table : pyarrow.Table
    root_path : str or os.PathLike
        The folder: a local path, a URI, or a path in `filesystem`.
    partition_cols : list of str, optional
        The columns whose values become folder names, such as ``year=2024``.
    filesystem : pyarrow.fs.FileSystem or fsspec filesystem, optional
    schema : pyarrow.Schema, optional
        The schema of the files.
    partitioning : pyarrow.dataset.Partitioning or list of str, optional
        Other ways to name folders; not with `partition_cols`.
    basename_template : str, optional
        A file name with ``{i}``, which is replaced by a number. By default, names are unique.
    use_threads : bool, optional
        If True, files are written in parallel.
    file_visitor : callable, optional
        Called with each file that was written: it has `path` and `metadata`.
    existing_data_behavior : {"overwrite_or_ignore", "error", "delete_matching"}, optional
        The treatment of existing files: replace files of the same name, raise an error, or empty each folder before a
        file is written to it.
    form, placement, marker, ignore
        As in `ParquetWriter`.
    optimize_for : {"scan", "random_access", "size"}
        As in `ParquetWriter`. The first rows of the table decide about the encodings of all files.
    **options
        Options of `pyarrow.dataset.write_dataset` and of `write_table`, such as `max_rows_per_file`, `row_group_size`
        or
        `compression`; `write_page_index` is True by default. `metadata_collector` receives the metadata of each file.

    Raises
    ------
    ParquetextError
        If a form, placement, marker, refusal or use is unknown.
    Refused
        If the folder belongs to a table of Delta Lake, Iceberg or another system that records its files (without
        ``ignore="table-format"``, nothing is written or deleted). If encrypted files are to get a footer of another
        form. If an attribute of a file that is replaced cannot be kept.
    Conflict
        If another process is writing or changing one of the files.
    TypeError, ValueError
        If an option is unknown, or contradicts another one.

    Examples
    --------
    >>> parquetext.write_to_dataset(pa.table({"year": [2023, 2024], "n": [1, 2]}), "years", ["year"])
    >>> parquetext.dataset("years").to_table(filter=[("year", "=", 2024)])["n"].to_pylist()
    [2]
    """
    check_writable(form, THRIFT.name)
    check_optimize_for(optimize_for)
    refuse_variants(table.schema if schema is None else schema)
    if options.get("encryption_config") is not None:
        if form in WRITABLE:
            raise Refused(f"encrypted files cannot have footers of the form {form!r}")
        form = THRIFT.name
    base, root = _base_of(root_path, filesystem)
    ignored = check(ignore, IGNORABLE)
    refuse_new_files((base, root), ignored)
    files = NewFiles(base, form, Options(marker, placement), ignored)
    options = DEFAULTS | options
    if optimize_for != SCAN:
        rows = _first_rows(table, schema, partition_cols, partitioning, options)
        given = {name: value for name, value in options.items() if name in OPTIONS}
        options |= writer_options(optimize_for, rows, given)
    try:
        pq.write_to_dataset(
            table,
            root,
            partition_cols,
            pafs.PyFileSystem(files),
            schema,
            partitioning,
            basename_template,
            use_threads,
            file_visitor,
            existing_data_behavior,
            **options,
        )
    except BaseException:
        files.abort()
        raise


def _first_rows(
    table: pa.Table,
    schema: pa.Schema | None,
    partition_cols: Sequence[str] | None,
    partitioning: Any,
    options: dict[str, Any],
) -> pa.Table:
    """Return the rows of the first row group, without the columns that become names of folders."""
    size = options.get("row_group_size") or options.get("chunk_size") or ROW_GROUP_ROWS
    rows = table.slice(0, size)
    names: Any = partition_cols or getattr(getattr(partitioning, "schema", None), "names", partitioning) or ()
    if schema is not None:
        rows = rows.select(schema.names).cast(schema)
    return rows.drop_columns([name for name in names if name in rows.column_names])


def _base_of(root: object, filesystem: object) -> tuple[pafs.FileSystem, str]:
    """Return the filesystem of the folder, and the folder's path in it."""
    if isinstance(filesystem, pafs.FileSystem):
        return filesystem, str(root)  # keep a subtree filesystem, because visitors expect paths in it
    target = storage.resolve(root, filesystem)
    return target.arrow_filesystem, target.path
