"""Read rows of a catalog by column, from memory, Parquet or Spark."""

from __future__ import annotations

from typing import Any, Protocol

import pyarrow as pa

from .. import compute as pc
from ..arrow.datasets.dataset import dataset
from .column_types import SCHEMA
from .spark_frames import collected


class Rows(Protocol):
    """The queries on a catalog that planning needs."""

    def one_per_row_group(self, columns: list[str]) -> pa.Table:
        """Return one row for each row group, and one for each file that could not be read."""

    def of_column(self, name: str, columns: list[str]) -> pa.Table:
        """Return the rows of a column and of the columns below it."""

    def of_top_level(self, name: str, columns: list[str]) -> pa.Table:
        """Return the rows of a top-level column that has no columns below it and does not repeat."""


def rows_of(catalog) -> Rows:
    """Return the queries for a catalog, which is an argument of `plan`."""
    return _SparkRows(catalog) if hasattr(catalog, "mapInArrow") else _ArrowRows(catalog)


class _ArrowRows:
    """A catalog in memory or in Parquet; conditions compare with single values, so that row groups can be skipped."""

    def __init__(self, catalog):
        if isinstance(catalog, pa.RecordBatch):
            catalog = pa.Table.from_batches([catalog])
        self._source = catalog if hasattr(catalog, "to_table") or isinstance(catalog, pa.Table) else dataset(catalog)

    def one_per_row_group(self, columns: list[str]) -> pa.Table:
        return self._read(columns, (pc.field("leaf") == 0) | pc.field("error").is_valid())

    def of_column(self, name: str, columns: list[str]) -> pa.Table:
        column = pc.field("column")
        return self._read(columns, (column == name) | ((column >= f"{name}.") & (column < f"{name}/")))

    def of_top_level(self, name: str, columns: list[str]) -> pa.Table:
        flat = (pc.field("depth") == 1) & (pc.field("max_repetition_level") == 0)
        return self._read(columns, (pc.field("column") == name) & flat)

    def _read(self, columns: list[str], condition: pc.Expression) -> pa.Table:
        if isinstance(self._source, pa.Table):
            return self._source.filter(condition).select(columns)
        return self._source.to_table(columns=columns, filter=condition)


class _SparkRows:
    """A catalog in a Spark DataFrame, filtered by Spark."""

    def __init__(self, catalog):
        self._frame = catalog

    def one_per_row_group(self, columns: list[str]) -> pa.Table:
        return self._collected("leaf = 0 OR error IS NOT NULL", columns)

    def of_column(self, name: str, columns: list[str]) -> pa.Table:
        column = self._frame["column"]
        return self._collected((column == name) | column.startswith(f"{name}."), columns)

    def of_top_level(self, name: str, columns: list[str]) -> pa.Table:
        flat = (self._frame["depth"] == 1) & (self._frame["max_repetition_level"] == 0)
        return self._collected((self._frame["column"] == name) & flat, columns)

    def _collected(self, condition: Any, columns: list[str]) -> pa.Table:
        schema = pa.schema([SCHEMA.field(column) for column in columns])
        return collected(self._frame.where(condition).select(*columns), schema)
