"""The data source for Spark: its name, schema, reader and writer."""

from __future__ import annotations

import traceback

from pyspark.sql.datasource import DataSource, DataSourceReader
from pyspark.sql.types import StructType

from ..catalog_tables import is_table, options_for, remembering, table_options, without_options
from ..output.source_writer import DatasetWriter
from .inference import schema_of
from .reader_options import UNTOLD, Options
from .source_readers import PruningReader, SourceReader

# Before, filters of one query stay for all queries of a DataFrame: the next one would return wrong rows
# (readInfo of PythonDataSourceV2; SPARK-58551 brings pushLimit and puts an end to it).
KEEPS_SCANS_APART = hasattr(DataSourceReader, "pushLimit")
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
        found = schema_of(Options.of(said))
        return remembering(found, said) if is_table(self.options) else found

    def reader(self, schema: StructType) -> SourceReader:
        """Return a reader that accepts filters if Spark pushes them down, and applies them only to their scan."""
        kind = PruningReader if _is_pushing() and KEEPS_SCANS_APART else SourceReader
        return kind(Options.of(options_for(schema, self.options), self.parallelism), without_options(schema))

    def writer(self, schema: StructType, overwrite: bool) -> DatasetWriter:
        """Return a writer that appends to the dataset, or replaces it."""
        return DatasetWriter(self.options, schema, overwrite)


def _is_pushing() -> bool:
    """Return True in the worker for filters: only there can it be known that Spark's setting is enabled."""
    return any(frame.f_code.co_filename.endswith(_PUSHING) for frame, _ in traceback.walk_stack(None))
