"""Filters as pyarrow takes them: lists of tuples in disjunctive normal form, or an Arrow expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import pyarrow as pa

from .. import compute as pc
from ..masking import without_secrets
from .boxes import register

TypeOf = Callable[[str], pa.DataType | None]
OPERATORS = "=", "==", "!=", "<", ">", "<=", ">=", "in", "not in"
_SHAPE = 'filters are a list of comparisons, such as [("price", ">", 100)], or an expression of pyarrow.compute'
_BY_POSITION = "FieldPath("
_BRACKET = re.compile(r"\)")
_LONGEST_NAME = 1000
_MISSING = re.compile(r"No match for FieldRef\.(?:Nested\(FieldRef\.)?Name\(")


# The columns of the last expression, with types: the files of a dataset, which share them, ask one after the other.
_last_columns: list[tuple[pc.Expression | None, dict[str, pa.DataType]]] = [(None, {})]


class Comparison(NamedTuple):
    """One column against one literal, or a set of them."""

    column: str
    operator: str
    value: Any


class Predicate(NamedTuple):
    """The condition that rows must meet.

    `expression` decides about rows; `alternatives` is the same as an OR of ANDs, or None if only the expression is
    known.
    """

    expression: pc.Expression
    alternatives: list[list[Comparison]] | None

    def columns(self, type_of: TypeOf) -> list[str] | None:
        """Return the top-level columns of the condition; None if they are unknown, or may be all columns.

        `type_of` returns a top-level column's Arrow type, None if there is no such column; only expressions need it.
        """
        if self.alternatives is not None:
            return list(dict.fromkeys(comparison.column for group in self.alternatives for comparison in group))
        expression, used = _last_columns[0]
        if expression is not self.expression or any(type_of(name) != kind for name, kind in used.items()):
            found = _columns_of(self.expression, type_of)
            if found is None:
                return None
            _last_columns[0], used = (self.expression, found), found
        return list(used)

    def columns_in(self, schema: pa.Schema) -> list[str] | None:
        """Return the result of `columns` for a schema, in which a name that occurs more than once has no type."""
        return self.columns(lambda name: schema.field(name).type if schema.get_field_index(name) >= 0 else None)


def predicate_of(filters) -> Predicate:
    """Check filters as pyarrow does, and convert them to a predicate; a predicate is returned as it is.

    Raises
    ------
    ValueError, TypeError
        They are not well-formed.
    """
    if isinstance(filters, Predicate):
        return filters
    if isinstance(filters, pc.Expression):
        register()
        return Predicate(filters, None)
    _check_shape(filters)
    import pyarrow.parquet as pq

    filters = _with_values_kept(filters)
    expression = pq.filters_to_expression(filters)
    groups = [filters] if isinstance(filters[0][0], str) else filters
    return Predicate(expression, [[Comparison(*part) for part in group] for group in groups])


def check_types(predicate: Predicate, schema: pa.Schema) -> None:
    """Raise the error of Arrow's row filter if the types of literals do not compare with those of the columns.

    If bounds rule out all rows, or there are none, nothing else would.
    """
    pa.Table.from_batches([], schema).filter(predicate.expression)


def _check_shape(filters) -> None:
    """Raise ValueError or TypeError unless filters are a list of comparisons, or of lists of them."""
    if not isinstance(filters, (list, tuple)):
        message = without_secrets(repr(filters))  # a path, when the arguments are in another order
        raise (ValueError if isinstance(filters, str) else TypeError)(f"{_SHAPE}, not {message:.60}")
    if not filters:
        raise ValueError(f"{_SHAPE}, not an empty list: pass None for all rows")
    if isinstance(filters[0], str):
        raise ValueError(f"{_SHAPE}, not {without_secrets(repr(filters)):.60}: put the comparison into a list")
    first = filters[0][0] if isinstance(filters[0], (list, tuple)) and filters[0] else None
    for group in [filters] if isinstance(first, str) else filters:
        if not isinstance(group, (list, tuple)) or not group:
            raise ValueError(f"{_SHAPE}, and {group!r:.60} is no comparison")
        for part in group:
            _check_comparison(part)


def _check_comparison(part) -> None:
    if not isinstance(part, (list, tuple)) or len(part) != 3:
        raise ValueError(f"{_SHAPE}, and {part!r:.60} is no comparison")
    column, operator, value = part
    if operator not in OPERATORS:
        raise ValueError(f'"{operator}" is not a valid operator for column {column!r}: use {", ".join(OPERATORS)}')
    if operator in ("in", "not in") and not isinstance(value, Iterable):
        raise TypeError(f"{operator!r} needs a list or set of values for column {column!r}, not {value!r:.60}")


def text_of(expression: pc.Expression) -> str | None:
    """Return Arrow's text of an expression; None if Arrow cuts one of several texts inside a character."""
    try:
        return str(expression)
    except UnicodeDecodeError:
        return None


def _with_values_kept(filters):
    """Return the same comparison with a list of values: Arrow would exhaust an iterator."""
    if not isinstance(filters, (list, tuple)):
        return filters
    if len(filters) == 3 and isinstance(filters[0], str):
        column, operator, value = filters
        return Comparison(column, operator, list(value) if isinstance(value, Iterator) else value)
    return [_with_values_kept(part) for part in filters]


def _columns_of(expression: pc.Expression, type_of: TypeOf) -> dict[str, pa.DataType] | None:
    """Bind against a growing schema: Arrow itself says which column is missing, so none can be overlooked."""
    text = text_of(expression)
    if text is None or _BY_POSITION in text:
        return None
    used: dict[str, pa.DataType] = {}
    while True:
        try:
            # is_valid: a scan's columns are no booleans, and Arrow filters by nothing else
            pa.Table.from_batches([], pa.schema(used.items())).filter(expression.is_valid())
        except pa.ArrowInvalid as error:
            missing = _missing(str(error), used, type_of)
            if missing is None:
                return None
            used[missing[0]] = missing[1]
        except (pa.ArrowException, ValueError, KeyError):
            return None
        else:
            return used


def _missing(message: str, used: dict, type_of: TypeOf) -> tuple[str, pa.DataType] | None:
    """Return the column that Arrow's message names; a name may contain brackets."""
    match = _MISSING.match(message)
    if match is None:
        return None
    for end in _BRACKET.finditer(message, match.end()):
        name = message[match.end() : end.start()]
        if name not in used and (kind := type_of(name)) is not None:
            return name, kind
        if end.start() - match.end() > _LONGEST_NAME:
            break
    return None
