"""Reads as jobs of `mapInArrow`, for versions of Spark without data sources in Python that get filters."""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pyarrow as pa
from pyspark.sql.types import BooleanType, StructField, StructType

from .inference import schema_of
from .partition_reader import Reader
from .reader_options import Options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_ROWS = StructType([StructField("row", BooleanType())])


def read_by_job(spark: SparkSession, options: Mapping[str, str]) -> DataFrame:
    """Return the rows that the data source would return with these options; the files are those of the call."""
    parsed = Options.of(options)
    schema = schema_of(parsed)
    reader = Reader(parsed, schema)
    shares = [pickle.dumps(share) for share in reader.partitions()]

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            found = reader.read(pickle.loads(shares[number]))
            yield from found if schema.names else map(_counted, found)

    tasks = spark.range(0, len(shares), 1, len(shares))
    # Spark loses the number of rows of batches without columns.
    return tasks.mapInArrow(read, schema) if schema.names else tasks.mapInArrow(read, _ROWS).select()


def _counted(batch: pa.RecordBatch) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.nulls(batch.num_rows, pa.bool_())], _ROWS.names)
