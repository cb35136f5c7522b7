"""The choices of options: listed by the help, checked, and completed by shells."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Forceable", "NewForm", "RowFormat", "SchemaFormat"]


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


class NewForm(StrEnum):
    """The footer of a new file."""

    auto = "auto"
    flat = "flat"
    index = "index"
    thrift = "thrift"


class Forceable(StrEnum):
    """Refusals that can be passed over: keys of `edits.FORCEABLE`."""

    table_format = "table-format"
    free_form = "free-form"
    size = "size"
    hard_links = "hard-links"
    attributes = "attributes"
    lock = "lock"
