"""Check that columns can be written: Spark's reader must return the same values from the files."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.errors import PySparkException
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import StructType

from ...errors import Unsupported
from ...logical_types import entries
from ..spark_types import within

__all__ = ["arrow_columns", "check_columns"]


def arrow_columns(schema: StructType) -> pa.Schema:
    """Return the columns as Spark passes them to Arrow."""
    return to_arrow_schema(schema, timezone="UTC", prefers_large_types=False)


def check_columns(schema: StructType) -> None:
    """Refuse columns that cannot be written, before any file is.

    Raises
    ------
    Unsupported
        If Arrow's Parquet writer does not support a type, or Spark would not read it back.
    """
    refused = {entry.spark_name for entry in entries() if not entry.spark_to_arrow}
    alien = [field for field in schema if any(_name(kind.typeName()) in refused for kind in within(field.dataType))]
    if not alien and not _is_known(schema):
        alien = [field for field in schema if not _is_known(StructType([field]))]
    if alien:
        raise Unsupported(
            f"column {alien[0].name!r} of type {alien[0].dataType.simpleString()} cannot be written "
            "through Arrow as Spark has it: leave it out, or use df.write.parquet"
        )


def _name(type_name: str) -> str:
    return type_name.partition("(")[0]


def _is_known(schema: StructType) -> bool:
    """Return True if Arrow's writer accepts the columns."""
    try:
        pq.ParquetWriter(pa.BufferOutputStream(), arrow_columns(schema)).close()
    except (PySparkException, pa.ArrowException, ValueError):
        return False
    return True
