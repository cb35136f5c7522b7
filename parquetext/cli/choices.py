"""The choices of options: listed by the help, checked, and completed by shells."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["SchemaFormat"]


class SchemaFormat(StrEnum):
    """How `schema` prints a schema."""

    parquet = "parquet"
    arrow = "arrow"
    spark = "spark"
    duckdb = "duckdb"
