"""The choices of options: listed by the help, checked, and completed by shells."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["RowFormat", "SchemaFormat"]


class SchemaFormat(StrEnum):
    """How `schema` prints a schema."""

    parquet = "parquet"
    arrow = "arrow"
    spark = "spark"
    duckdb = "duckdb"


class RowFormat(StrEnum):
    """How `head` and `cat` print rows."""

    table = "table"
    csv = "csv"
    json = "json"
