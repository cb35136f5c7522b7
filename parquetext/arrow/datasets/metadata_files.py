"""Write files that contain a schema or metadata and no values: ``_common_metadata`` and ``_metadata``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...errors import masking
from ..metadata import FileMetaData


def write_metadata(
    schema: pa.Schema,
    where: object,
    metadata_collector: Sequence[object] | None = None,
    filesystem: object = None,
    **options: Any,
) -> None:
    """Write a file that contains only metadata; the arguments are those of `pyarrow.parquet.write_metadata`.

    The file has a Thrift footer, because pyarrow and other readers expect it in such files.

    Parameters
    ----------
    schema : pyarrow.Schema
    where : str or os.PathLike
        The path, such as ``lake/_common_metadata``.
    metadata_collector : list of pyarrow.parquet.FileMetaData, optional
        Or our class. The files whose row groups the metadata contains, as in ``lake/_metadata``.
        `FileMetaData.set_file_path` sets the path of each.
    filesystem : pyarrow.fs.FileSystem or fsspec filesystem, optional
        The filesystem of the path `where`.
    **options
        Options of `pyarrow.parquet.ParquetWriter`.

    Raises
    ------
    RuntimeError
        If a file in `metadata_collector` has another schema.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> metadata = parquetext.read_metadata("wide.parquet")
    >>> metadata.set_file_path("wide.parquet")
    >>> parquetext.write_metadata(metadata.schema.to_arrow_schema(), "_metadata", [metadata])
    >>> parquetext.read_metadata("_metadata").row_group(0).column(0).file_path
    'wide.parquet'
    """
    theirs = [each.to_pyarrow() if isinstance(each, FileMetaData) else each for each in metadata_collector or ()]
    with masking():
        pq.write_metadata(schema, where, theirs or None, filesystem, **options)
