"""Compare the literals of filters with the types of a catalog's columns.

A catalog does not contain the Arrow types of files: an INT64 may be read as a duration, and a timestamp in UTC with the
name of another zone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

import pyarrow as pa

from ..pruning import Comparison, Predicate, check_types, predicate_of, text_of
from ..pruning.serialized import Call, Field, Node, tree_of

__all__ = ["check_literals", "columns_named", "has_durations"]


def check_literals(predicate: Predicate, types: Mapping[str, pa.DataType]) -> None:
    """Raise the same error as reading if a literal cannot be compared with its column's type.

    Parameters
    ----------
    predicate : Predicate
    types : mapping of str to pyarrow.DataType
        The types of the predicate's columns. A type is nested if it is unknown, or not the same in all files.

    Raises
    ------
    pyarrow.ArrowException
        If no type of the column can be compared with the literal.
    """
    if predicate.alternatives is None:
        if not any(pa.types.is_nested(kind) or _is_open(kind) for kind in types.values()):
            check_types(predicate, pa.schema(types.items()))
        return
    for comparison in chain.from_iterable(predicate.alternatives):
        kind = types[comparison.column]
        if not pa.types.is_nested(kind):
            _check_comparison(comparison, kind)


def has_durations(predicate: Predicate) -> bool:
    """Return True if a literal may be a duration; then only the file determines how an INT64 is compared."""
    if predicate.alternatives is None:
        text = text_of(predicate.expression)
        return text is None or "duration[" in text
    kinds = (_type_of(comparison) for comparison in chain.from_iterable(predicate.alternatives))
    return any(kind is None or pa.types.is_duration(kind) for kind in kinds)


def columns_named(predicate: Predicate) -> set[str]:
    """Return the top-level columns that an expression names, even if Arrow refuses it; none if they are unknown."""
    tree = tree_of(predicate.expression)
    return set() if tree is None else set(_fields(tree))


def _fields(node: Node) -> Iterator[str]:
    if isinstance(node, Field):
        yield node.path[0]
    elif isinstance(node, Call):
        for argument in node.arguments:
            yield from _fields(argument)


def _is_open(kind: pa.DataType) -> bool:
    """Return True if a file's Arrow schema may replace the type by another one."""
    return pa.types.is_int64(kind) or (pa.types.is_timestamp(kind) and kind.tz is not None)


def _check_comparison(comparison: Comparison, kind: pa.DataType) -> None:
    part, literal = predicate_of([comparison]), _type_of(comparison)
    if pa.types.is_int64(kind) and literal is not None and pa.types.is_duration(literal):
        return
    if _is_open(kind) and literal is not None and pa.types.is_timestamp(literal) and literal.tz is not None:
        kind = pa.timestamp(kind.unit, literal.tz) if pa.types.is_timestamp(kind) else kind
    check_types(part, pa.schema([(comparison.column, kind)]))


def _type_of(comparison: Comparison) -> pa.DataType | None:
    """Return the type of a literal, or of the values of a list; None if Arrow has no type for it."""
    value = comparison.value
    if isinstance(value, (pa.Scalar, pa.Array, pa.ChunkedArray)):
        return value.type
    try:
        return (pa.array(list(value)) if comparison.operator.endswith("in") else pa.scalar(value)).type
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
