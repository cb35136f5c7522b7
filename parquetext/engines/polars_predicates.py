"""Convert Polars' predicates to lists of necessary conditions, which bounds and Bloom filters can evaluate.

A part without such a form is ignored. Polars applies the whole predicate to the remaining rows.
"""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import polars as pl

MOST_ALTERNATIVES = 64
OPERATORS = {"Eq": "=", "NotEq": "!=", "Lt": "<", "LtEq": "<=", "Gt": ">", "GtEq": ">="}
MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
# For Polars a NaN is greater than any number; bounds and Arrow's comparisons leave NaN out.
WITHOUT_NANS = {"=", "<", "<="}
BETWEEN = {"Both": (">=", "<="), "Left": (">=", "<"), "Right": (">", "<="), "None": (">", "<")}
EQUAL_ONLY = {pl.Boolean}
ORDERED = {pl.String, pl.Binary, pl.Date}

Alternatives = list[list[tuple]]


def filters_of(predicate: pl.Expr, types: Mapping[str, pl.DataType]) -> Alternatives | None:
    """Return filters that every row with a true predicate meets; None if there are none.

    Parameters
    ----------
    predicate : polars.Expr
    types : mapping of str to polars.DataType
        Of the columns that may be looked at.
    """
    return _Translation(types).alternatives(json.loads(predicate.meta.serialize(format="json")))


class _Translation:
    """Walks the tree that Polars writes; a node of an unknown kind, or of another shape than expected, is no filter."""

    def __init__(self, types: Mapping[str, pl.DataType]):
        self._types = types

    def alternatives(self, node: object) -> Alternatives | None:
        match node:
            case {"BinaryExpr": {"left": left, "op": "And" | "LogicalAnd", "right": right}}:
                return _both(self.alternatives(left), self.alternatives(right))
            case {"BinaryExpr": {"left": left, "op": "Or" | "LogicalOr", "right": right}}:
                return _either(self.alternatives(left), self.alternatives(right))
            case {"BinaryExpr": {"left": {"Column": str(name)}, "op": op, "right": right}} if op in OPERATORS:
                return self._comparison(name, OPERATORS[op], right)
            case {"BinaryExpr": {"left": left, "op": op, "right": {"Column": str(name)}}} if op in OPERATORS:
                return self._comparison(name, MIRRORED[OPERATORS[op]], left)
            case {
                "Function": {
                    "input": [{"Column": str(name)}, low, high],
                    "function": {"Boolean": {"IsBetween": {"closed": closed}}},
                }
            } if closed in BETWEEN:
                above, below = BETWEEN[closed]
                return _both(self._comparison(name, above, low), self._comparison(name, below, high))
            case {
                "Function": {
                    "input": [{"Column": str(name)}, values],
                    "function": {"Boolean": {"IsIn": {"nulls_equal": False}}},
                }
            }:
                return self._membership(name, values)
        return None

    def _comparison(self, name: str, operator: str, node: object) -> Alternatives | None:
        literal = _literal(node)
        kind = self._types.get(name)
        if literal is None or kind is None or not _is_comparable(kind, literal.dtype, operator):
            return None
        value = _float_of(node, kind) if kind.is_float() else literal.to_arrow()[0].as_py()
        return None if value is None or value != value else [[(name, operator, value)]]

    def _membership(self, name: str, node: object) -> Alternatives | None:
        literal = _literal(node)
        kind = self._types.get(name)
        if literal is None or kind is None or not isinstance(literal.dtype, pl.List):
            return None
        if kind.is_float() or not _is_comparable(kind, literal.dtype.inner, "="):
            return None
        values = literal.explode(empty_as_null=False).drop_nulls().to_arrow().to_pylist()
        return [[(name, "in", values)]] if values else None  # Arrow takes a list of nothing for nulls


def _literal(node: object) -> pl.Series | None:
    """Return the value of a node that refers to no column, as Polars evaluates it."""
    try:
        expression = pl.Expr.deserialize(io.BytesIO(json.dumps(node).encode()), format="json")
    except pl.exceptions.ComputeError:  # JSON has no infinite numbers, and no NaN
        return None
    if expression.meta.root_names() or not expression.meta.is_literal(allow_aliasing=True):
        return None
    found = pl.select(expression).to_series()
    return found if len(found) == 1 else None


def _float_of(node: object, kind: pl.DataType) -> float | None:
    """Return the one floating-point number in a node. Polars itself reads some numbers of JSON as their neighbours."""
    found = list(_floats_in(node))
    if len(found) != 1:
        return None
    return struct.unpack("<f", struct.pack("<f", found[0]))[0] if kind == pl.Float32 else found[0]


def _floats_in(node: object) -> Iterator[float]:
    if isinstance(node, float):
        yield node
    elif isinstance(node, (dict, list)):
        for part in node.values() if isinstance(node, dict) else node:
            yield from _floats_in(part)


def _is_comparable(column: pl.DataType, literal: Any, operator: str) -> bool:
    """Return True if Polars, Arrow and bounds compare values of a column with a literal in the same way."""
    if column != literal:
        return isinstance(column, pl.Decimal) and isinstance(literal, pl.Decimal) and column.scale == literal.scale
    if column.is_float():
        return operator in WITHOUT_NANS
    if column in EQUAL_ONLY:
        return operator == "="
    if isinstance(column, pl.Datetime):
        return column.time_unit != "ns"  # Python's datetime has no nanoseconds
    if column == pl.UInt64:
        return False  # Arrow compares with Python's integers as int64
    return column.is_integer() or isinstance(column, pl.Decimal) or column in ORDERED


def _both(left: Alternatives | None, right: Alternatives | None) -> Alternatives | None:
    if left is None or right is None:
        return right if left is None else left
    if len(left) * len(right) > MOST_ALTERNATIVES:
        return left
    return [[*one, *other] for one, other in product(left, right)]


def _either(left: Alternatives | None, right: Alternatives | None) -> Alternatives | None:
    if left is None or right is None or len(left) + len(right) > MOST_ALTERNATIVES:
        return None
    return [*left, *right]
