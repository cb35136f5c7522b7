"""Writing a table as a folder of files: pyarrow's writer, and each file as `ParquetWriter` writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import pyarrow as pa
import pyarrow.fs as pafs
import pyarrow.parquet as pq

from ... import storage
from ...edits.form_options import Options
from ...edits.overrides import FORCEABLE
from ...edits.table_logs import refuse_new_files
from ...edits.upgrade import FORMS, check_form
from ...errors import Refused
from ...extension import ASIDE
from ...storage.forcing import check
from .new_files import NewFiles
from .written_form import AUTO, DEFAULTS, THRIFT

__all__ = ["write_to_dataset"]


def write_to_dataset(
    table: pa.Table,
    root_path: object,
    partition_cols: Sequence[str] | None = None,
    filesystem: object = None,
    schema: pa.Schema | None = None,
    partitioning: object = None,
    basename_template: str | None = None,
    use_threads: bool | None = None,
    file_visitor: Callable | None = None,
    existing_data_behavior: str | None = None,
    *,
    form: str = AUTO,
    placement: str = ASIDE,
    marker: str = "spec",
    force: Iterable[str] = (),
    **options: object,
) -> None:
    """Write a table to files below a folder; the arguments are those of `pyarrow.parquet.write_to_dataset`.

    Each file gets its name when it is whole, with its footer in the form. If an error ends the call, files that were
    complete stay, and nothing of the others does.

    Parameters
    ----------
    table : pyarrow.Table
    root_path : str or os.PathLike
        The folder: a local path, a URI, or a path in `filesystem`.
    partition_cols : list of str, optional
        The columns whose values name folders, as ``year=2024``.
    filesystem : pyarrow.fs.FileSystem or fsspec filesystem, optional
    schema : pyarrow.Schema, optional
        Of the files.
    partitioning : pyarrow.dataset.Partitioning or list of str, optional
        Other ways to name folders; not with `partition_cols`.
    basename_template : str, optional
        A name for files with ``{i}`` in it, which a number replaces. Without, names are unique.
    use_threads : bool, optional
        Whether files are written in parallel.
    file_visitor : callable, optional
        Called with each file that was written: it has `path` and `metadata`.
    existing_data_behavior : {"overwrite_or_ignore", "error", "delete_matching"}, optional
        What happens to what is in the folder: files of the same name are replaced, an error, or each folder that gets a
        file is emptied first.
    form, placement, marker, force
        As `ParquetWriter` takes them.
    **options
        Of `pyarrow.dataset.write_dataset` and of `write_table`, such as `max_rows_per_file`, `row_group_size` or
        `compression`; `write_page_index` is true where nothing else is said. `metadata_collector` gets the metadata
        of each file.

    Raises
    ------
    ParquetextError
        An unknown form, placement, marker or refusal.
    Refused
        The folder belongs to a table of Delta Lake, Iceberg or another system that records its files (nothing is
        written, or emptied, without ``force="table-format"``); a footer of another form was asked for, and the files
        are to be encrypted; an attribute of a file that is replaced cannot be kept.
    Conflict
        Somebody else is writing or changing one of the files.
    TypeError, ValueError
        An option that is none, or does not go with another one.

    Examples
    --------
    >>> parquetext.write_to_dataset(pa.table({"year": [2023, 2024], "n": [1, 2]}), "years", ["year"])
    >>> parquetext.dataset("years").to_table(filter=[("year", "=", 2024)])["n"].to_pylist()
    [2]
    """
    check_form(form, THRIFT)
    if options.get("encryption_config") is not None:
        if form in FORMS:
            raise Refused(f"encrypted files cannot have footers of the form {form!r}")
        form = THRIFT
    base, root = _base_of(root_path, filesystem)
    forced = check(force, FORCEABLE)
    refuse_new_files((base, root), forced)
    files = NewFiles(base, form, Options(marker, placement), forced)
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
            **DEFAULTS | options,
        )
    except BaseException:
        files.abort()
        raise


def _base_of(root: object, filesystem: object) -> tuple[pafs.FileSystem, str]:
    """The filesystem that the folder is in, and its path there."""
    if isinstance(filesystem, pafs.FileSystem):
        return filesystem, str(root)  # a part of another one included: visitors see paths in it
    target = storage.resolve(root if filesystem is None else (filesystem, root))
    if isinstance(target, storage.LocalTarget):
        return pafs.LocalFileSystem(), target.path
    return target.filesystem, target.path
