"""Tables of Spark's catalog: where their files are, kept in the schema, for Spark tells a reader nothing else of them.

Spark 4.3 hands a table's properties to a Python data source once, when the schema is asked for, that is, by
``CREATE TABLE … USING parquetext LOCATION …`` without columns (PythonDataSourceV2.getTable drops them).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql.datasource import CaseInsensitiveDict
from pyspark.sql.types import StructField, StructType

from ..errors import Unsupported
from .filesystems import is_setting

__all__ = ["is_table", "options_for", "remembering", "table_options", "without_options"]

_KEY = "parquetext.options"  # of the first column's metadata
_OPTION = "option."  # Spark gives each of OPTIONS with this before its name, too; TBLPROPERTIES without


def is_table(options: Mapping[str, str]) -> bool:
    """Whether a table is being created, of whose properties these are."""
    return "provider" in options


def table_options(properties: Mapping[str, str]) -> Mapping[str, str]:
    """What LOCATION and OPTIONS have said among a table's properties, whose names Spark gives in small letters.

    Raises
    ------
    Unsupported
        There is no location.
    """
    if not properties.get("path"):
        raise Unsupported(
            "a table without a location has no files to take columns from: CREATE TABLE … USING parquetext LOCATION '…'"
        )
    said = {name[len(_OPTION) :]: value for name, value in properties.items() if name.lower().startswith(_OPTION)}
    return CaseInsensitiveDict({**said, "path": properties["path"]})


def remembering(schema: StructType, options: Mapping[str, str]) -> StructType:
    """The schema with a table's options in it, but for what opens a store."""
    kept = {name: value for name, value in options.items() if not is_setting(name)}
    first, *others = schema
    return StructType([_with_metadata(first, {**first.metadata, _KEY: json.dumps(kept)}), *others])


def options_for(schema: StructType, options: Mapping[str, str]) -> Mapping[str, str]:
    """The options of a read: those that are said, else those of the table that the schema is of.

    Raises
    ------
    Unsupported
        There is no path in either.
    """
    if options.get("path") or options.get("paths"):
        return options
    for field in schema:
        if _KEY in field.metadata:
            return CaseInsensitiveDict({**json.loads(field.metadata[_KEY]), **options})
    raise Unsupported(
        "no path: say .load(path); of a table whose columns were declared Spark tells a Python data "
        "source no location: CREATE TABLE … USING parquetext LOCATION '…' without columns, or "
        "SELECT … FROM table WITH (path '…')"
    )


def without_options(schema: StructType) -> StructType:
    """The schema without what it remembers of a table: another one's, where a query reads that table."""
    return StructType(
        [
            _with_metadata(field, {key: value for key, value in field.metadata.items() if key != _KEY})
            for field in schema
        ]
    )


def _with_metadata(field: StructField, metadata: Mapping) -> StructField:
    return StructField(field.name, field.dataType, field.nullable, dict(metadata))
