"""Spark's filters as comparisons that rule out row groups; Spark itself applies them to rows again."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql import datasource
from pyspark.sql import types as T

from ...pruning import Comparison
from .prune import is_decided_by_bounds

_OPERATORS = {
    datasource.EqualTo: "=",
    datasource.EqualNullSafe: "=",
    datasource.GreaterThan: ">",
    datasource.GreaterThanOrEqual: ">=",
    datasource.LessThan: "<",
    datasource.LessThanOrEqual: "<=",
}
_NEGATED = {datasource.EqualTo: "!=", datasource.In: "not in"}


def comparisons_of(filters: Iterable[datasource.Filter], schema: T.StructType) -> list[Comparison]:
    """Return the comparisons, from filters that all must hold, that bounds and Bloom filters can evaluate."""
    types = {field.name: field.dataType for field in schema}
    return [comparison for each in filters for comparison in _comparisons(each, types)]


def _comparisons(each: datasource.Filter, types: dict[str, T.DataType]) -> list[Comparison]:
    if isinstance(each, datasource.Not):
        return _plain(each.child, types, _NEGATED.get(type(each.child)))
    if isinstance(each, datasource.StringStartsWith):
        return _starting(each, types)
    operator = "in" if isinstance(each, (datasource.In, datasource.IsNull)) else _OPERATORS.get(type(each))
    return _plain(each, types, operator)


def _plain(each: Any, types: dict[str, T.DataType], operator: str | None) -> list[Comparison]:
    name, kind = _column(each, types)
    if operator is None or kind is None or not is_decided_by_bounds(kind, operator):
        return []
    values = [None]
    if not isinstance(each, datasource.IsNull):
        values = list(each.value) if isinstance(each, datasource.In) else [each.value]
        if any(value is None or (isinstance(value, float) and math.isnan(value)) for value in values):
            return []
    return [Comparison(name, operator, values if operator.endswith("in") else values[0])]


def _column(each: datasource.Filter, types: dict[str, T.DataType]) -> tuple[str, T.DataType | None]:
    path: Sequence[str] = getattr(each, "attribute", ())
    return (path[0], types.get(path[0])) if len(path) == 1 else ("", None)


def _starting(each: datasource.StringStartsWith, types: dict[str, T.DataType]) -> list[Comparison]:
    """Return the range of strings that begin with the prefix."""
    name, kind = _column(each, types)
    prefix = each.value.encode() if isinstance(each.value, str) else b""
    if kind is None or not is_decided_by_bounds(kind, ">=") or not prefix:
        return []
    found = [Comparison(name, ">=", prefix)]
    stem = prefix.rstrip(b"\xff")
    return [*found, Comparison(name, "<", stem[:-1] + bytes([stem[-1] + 1]))] if stem else found
