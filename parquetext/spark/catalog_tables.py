"""Tables of Spark's catalog: their location is stored in the schema, the only information that Spark gives a reader.

Spark 4.3 passes a table's properties to a Python data source only when it requests the schema, that is, in
``CREATE TABLE … USING parquetext LOCATION …`` without columns (PythonDataSourceV2.getTable drops them).
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pyspark.sql.types import StructField, StructType

from ..errors import Unsupported
from .filesystems import is_setting

_KEY = "parquetext.options"  # of the first column's metadata
_OPTION = "option."  # Spark gives each of OPTIONS with this before its name, too; TBLPROPERTIES without


def is_table(options: Mapping[str, str]) -> bool:
    """Return True if these are the properties of a table that is being created."""
    return "provider" in options


def table_options(properties: Mapping[str, str]) -> Mapping[str, str]:
    """Return LOCATION and OPTIONS from a table's properties, whose names Spark converts to lower case.

    Raises
    ------
    Unsupported
        If there is no location.
    """
    if not properties.get("path"):
        raise Unsupported(
            "a table without a location has no files to take columns from: CREATE TABLE … USING parquetext LOCATION '…'"
        )
    said = {name[len(_OPTION) :]: value for name, value in properties.items() if name.lower().startswith(_OPTION)}
    return {**said, "path": properties["path"]}


def remembering(schema: StructType, options: Mapping[str, str]) -> StructType:
    """Return the schema with a table's options in its metadata, except credentials and other settings of stores."""
    kept = {name: value for name, value in options.items() if not is_setting(name)}
    first, *others = schema
    return StructType([_with_metadata(first, {**first.metadata, _KEY: json.dumps(kept)}), *others])


def options_for(schema: StructType, options: Mapping[str, str]) -> Mapping[str, str]:
    """Return the options of a read, or if they have no path, those of the schema's table with them.

    Raises
    ------
    Unsupported
        If neither has a path.
    """
    if options.get("path") or options.get("paths"):
        return options
    for field in schema:
        if _KEY in field.metadata:
            return {**json.loads(field.metadata[_KEY]), **options}
    raise Unsupported(
        "no path: say .load(path); of a table whose columns were declared Spark tells a Python data "
        "source no location: CREATE TABLE … USING parquetext LOCATION '…' without columns, or "
        "SELECT … FROM table WITH (path '…')"
    )


def without_options(schema: StructType) -> StructType:
    """Return the schema without a table's options: they may belong to a table that the query reads."""
    return StructType(
        [
            _with_metadata(field, {key: value for key, value in field.metadata.items() if key != _KEY})
            for field in schema
        ]
    )


def _with_metadata(field: StructField, metadata: Mapping) -> StructField:
    return StructField(field.name, field.dataType, field.nullable, dict(metadata))
