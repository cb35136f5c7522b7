"""The data source for Spark: its name, schema, reader and writer."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Iterable
from typing import Any

from pyspark.sql.datasource import DataSource, DataSourceReader
from pyspark.sql.types import StructType

from ...arrow.datasets.discovery import Found
from ...arrow.datasets.file_errors import naming
from ...arrow.file import open as open_file
from ...errors import ColumnError, ParquetextError
from ..catalog_tables import is_table, options_for, remembering, table_options, without_options
from ..output.source_writer import DatasetWriter
from .keys import key_fields
from .partition_reader import PruningReader, Reader
from .read_shares import list_files
from .reader_options import UNTOLD, Options
from .spark_schema import arrow_schema, merged, spark_schema

# Before, filters of one query stay for all queries of a DataFrame: the next one would return wrong rows
# (readInfo of PythonDataSourceV2; SPARK-58551 brings pushLimit and puts an end to it).
KEEPS_SCANS_APART = hasattr(DataSourceReader, "pushLimit")
VERY_WIDE = 1_000  # minimal number of columns for a warning that all of them are read
_PUSHING = "data_source_pushdown_filters.py"  # the worker that Spark runs when filters are pushed down


class ParquetextSource(DataSource):
    """``spark.read.format("parquetext")``: read Parquet files by their fastest footers, as Arrow batches.

    See docs/spark.md for the options.

    Attributes
    ----------
    parallelism : int
        Parallelism of the session in which `ship` has registered the data source: minimum number of partitions of
        large reads.
    """

    parallelism = UNTOLD

    @classmethod
    def name(cls) -> str:
        return "parquetext"

    def schema(self) -> StructType:
        """Return the schema of the first file, or of all with `mergeSchema`, and the keys of directories."""
        said = table_options(self.options) if is_table(self.options) else self.options
        options = Options.of(said)
        files = list_files(options)
        if not files:
            raise ParquetextError(f"no file in {', '.join(options.paths)} to take the schema from; say .schema(…)")
        keys = key_fields((file.keys for file in files), options.time_zone)
        named = {key.name.lower() for key in keys}
        own = None if options.columns is None else [name for name in options.columns if name.lower() not in named]
        whole = _schema(files if options.merge_schema else files[:1], own)
        if options.columns is None and len(whole) >= VERY_WIDE:
            logging.getLogger("parquetext").warning(
                "%d columns are read whole: Spark asks a Python data source for all columns of its schema, whatever "
                'is selected later; name those you need by .schema(…), .option("columns", …) or '
                "parquetext.spark.read(columns=…)",
                len(whole),
            )
        found = _with_keys(whole, keys, options)
        arrow_schema(found)  # raises for unsupported types
        return remembering(found, said) if is_table(self.options) else found

    def reader(self, schema: StructType) -> Reader:
        """Return a reader that accepts filters if Spark pushes them down, and applies them only to their scan."""
        kind = PruningReader if _is_pushing() and KEEPS_SCANS_APART else Reader
        return kind(Options.of(options_for(schema, self.options), self.parallelism), without_options(schema))

    def writer(self, schema: StructType, overwrite: bool) -> DatasetWriter:
        """Return a writer that appends to the dataset, or replaces it."""
        return DatasetWriter(self.options, schema, overwrite)


def _is_pushing() -> bool:
    """Return True in the worker for filters: only there can it be known that Spark's setting is enabled."""
    return any(frame.f_code.co_filename.endswith(_PUSHING) for frame, _ in traceback.walk_stack(None))


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
