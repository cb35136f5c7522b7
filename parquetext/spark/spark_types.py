"""Spark's types: those nested in a type, and their Arrow types in every supported version of Spark."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema, to_arrow_type
from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

# Since Spark 4.2 the time zone of timestamps is a parameter. In older versions it is UTC.
_UTC: dict[str, Any] = {"timezone": "UTC"} if "timezone" in inspect.signature(to_arrow_type).parameters else {}


def within(kind: DataType) -> Iterator[DataType]:
    """Yield a type, and the types nested in it."""
    yield kind
    inner = (
        [field.dataType for field in kind]
        if isinstance(kind, StructType)
        else [getattr(kind, name) for name in ("elementType", "keyType", "valueType") if hasattr(kind, name)]
    )
    for each in inner:
        yield from within(each)


def nullable(schema: StructType) -> StructType:
    """Return a schema in which every field, item and value may be null; Spark before 4.0 has no `toNullable`."""
    return StructType([StructField(each.name, _nullable(each.dataType), True, each.metadata) for each in schema])


def _nullable(kind: DataType) -> DataType:
    if isinstance(kind, StructType):
        return nullable(kind)
    if isinstance(kind, ArrayType):
        return ArrayType(_nullable(kind.elementType), True)
    if isinstance(kind, MapType):
        return MapType(_nullable(kind.keyType), _nullable(kind.valueType), True)
    return kind


def as_arrow_type(kind: DataType) -> pa.DataType:
    """Return the Arrow type in which Spark exchanges values of a type; PySparkTypeError if there is none."""
    return to_arrow_type(kind, **_UTC)


def as_arrow_schema(schema: StructType) -> pa.Schema:
    """Return the Arrow schema in which Spark exchanges rows; PySparkTypeError if a type has none."""
    return to_arrow_schema(schema, **_UTC)
