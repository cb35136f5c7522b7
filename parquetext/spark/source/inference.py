"""The schema of a read: the columns of the files, and the keys of directories."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from pyspark.sql.types import StructType

from ...arrow.datasets.discovery import Found
from ...arrow.datasets.file_errors import naming
from ...arrow.file import open as open_file
from ...errors import ColumnError, ParquetextError
from .keys import key_fields
from .read_shares import list_files
from .reader_options import Options
from .spark_schema import arrow_schema, merged, spark_schema

VERY_WIDE = 1_000  # minimal number of columns for a warning that all of them are read


def schema_of(options: Options) -> StructType:
    """Return the schema of the first file, or of all with `mergeSchema`, and the keys of directories.

    Raises
    ------
    ParquetextError
        If there is no file, or a requested column is missing.
    Unsupported
        If Spark does not accept a type from Arrow.
    """
    files = list_files(options)
    if not files:
        raise ParquetextError(f"no file in {', '.join(options.paths)} to take the schema from; say .schema(…)")
    keys = key_fields((file.keys for file in files), options.time_zone)
    named = {key.name.lower() for key in keys}
    own = None if options.columns is None else [name for name in options.columns if name.lower() not in named]
    whole = _schema(files if options.merge_schema else files[:1], own)
    if options.columns is None and len(whole) >= VERY_WIDE:
        logging.getLogger("parquetext").warning(
            "all %d columns are read: Spark requests every column of a Python data source's schema, even if the query "
            'selects only some of them; name the columns that you need with .schema(…), .option("columns", …) or '
            "parquetext.spark.read(columns=…)",
            len(whole),
        )
    found = _with_keys(whole, keys, options)
    arrow_schema(found)  # raises for unsupported types
    return found


def _schema(files: Iterable[Found], columns: list[str] | None) -> StructType:
    whole: Any = None
    for found in files:
        with naming(found.target), open_file(found.target) as file:
            one = file._on_form(lambda form: spark_schema(form, columns))
            whole = one if whole is None else merged(whole, one)
    return whole


def _with_keys(whole: StructType, keys: StructType, options: Options) -> StructType:
    """Return the schema with keys after the files' columns; a key replaces a column of the same name."""
    by_name = {key.name.lower(): key for key in keys}
    fields = [by_name.pop(field.name.lower(), field) for field in whole]
    fields += by_name.values()
    if options.columns is None:
        return StructType(fields)
    found = {field.name.lower(): field for field in fields}
    missing = [name for name in options.columns if name.lower() not in found]
    if missing:
        raise ColumnError(f"no column {missing[0]!r} in {', '.join(options.paths)}")
    return StructType([found[name.lower()] for name in options.columns])
