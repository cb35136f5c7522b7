"""Spark's filters as comparisons that rule out row groups; Spark itself applies them to rows again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringStartsWith,
)
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    FractionalType,
    IntegralType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from ...pruning import Comparison

__all__ = ["comparisons_of", "is_decided_by_bounds"]

_COMPARED = (IntegralType, DecimalType, DateType, TimestampType, TimestampNTZType, BooleanType, BinaryType)
_OPERATORS = {
    EqualTo: "=",
    EqualNullSafe: "=",
    GreaterThan: ">",
    GreaterThanOrEqual: ">=",
    LessThan: "<",
    LessThanOrEqual: "<=",
}
# Bounds do not tell of a NaN, which Spark has equal to itself and above all other numbers.
_OF_FLOATS = {"=", "<", "<=", "in"}


def comparisons_of(filters: Iterable[Filter], schema: StructType) -> list[Comparison]:
    """Return the comparisons, from filters that all must hold, that bounds and Bloom filters can evaluate."""
    types = {field.name: field.dataType for field in schema}
    return [comparison for each in filters for comparison in _comparisons(each, types)]


def is_decided_by_bounds(kind: DataType, operator: str) -> bool:
    """Return True if Spark orders such values like Parquet's bounds."""
    if isinstance(kind, StringType):
        return kind == StringType()  # of the collation that compares bytes
    if isinstance(kind, FractionalType) and not isinstance(kind, DecimalType):
        return operator in _OF_FLOATS
    return isinstance(kind, _COMPARED)


def _comparisons(each: Filter, types: dict[str, DataType]) -> list[Comparison]:
    if isinstance(each, Not):
        inner = each.child
        return _plain(inner, types, "!=" if isinstance(inner, EqualTo) else "not in" if isinstance(inner, In) else None)
    if isinstance(each, StringStartsWith):
        return _starting(each, types)
    operator = "in" if isinstance(each, (In, IsNull)) else _OPERATORS.get(type(each))
    return _plain(each, types, operator)


def _plain(each: Any, types: dict[str, DataType], operator: str | None) -> list[Comparison]:
    name, kind = _column(each, types)
    if operator is None or kind is None or not is_decided_by_bounds(kind, operator):
        return []
    values = [None] if isinstance(each, IsNull) else list(each.value) if isinstance(each, In) else [each.value]
    if any(value is None or (isinstance(value, float) and math.isnan(value)) for value in values) and not isinstance(
        each, IsNull
    ):
        return []
    return [Comparison(name, operator, values if operator.endswith("in") else values[0])]


def _column(each: Filter, types: dict[str, DataType]) -> tuple[str, DataType | None]:
    path: Sequence[str] = getattr(each, "attribute", ())
    return (path[0], types.get(path[0])) if len(path) == 1 else ("", None)


def _starting(each: StringStartsWith, types: dict[str, DataType]) -> list[Comparison]:
    """Return the range of strings that begin with the prefix."""
    name, kind = _column(each, types)
    prefix = each.value.encode() if isinstance(each.value, str) else b""
    if kind is None or not is_decided_by_bounds(kind, ">=") or not prefix:
        return []
    found = [Comparison(name, ">=", prefix)]
    stem = prefix.rstrip(b"\xff")
    return [*found, Comparison(name, "<", stem[:-1] + bytes([stem[-1] + 1]))] if stem else found
