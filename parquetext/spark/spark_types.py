"""Spark's types, with their nested types."""

from __future__ import annotations

from collections.abc import Iterator

from pyspark.sql.types import DataType, StructType


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
