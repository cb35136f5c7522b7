"""Which row groups may hold rows that meet a comparison, by minima, maxima and null counts.

Sound, not complete: a row group is dropped only where its bounds rule out every row; whatever is not understood stays.
Bounds may be inexact: they enclose the values, and nothing here asks for more. They are cast to the type that rows
are compared in, which keeps their order, so that bounds and rows meet the literal in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from .predicate import Comparison

__all__ = ["ColumnBounds", "is_plain", "known_nulls", "may_match"]

FEW = 64  # entries that Python compares sooner than Arrow is called


@dataclass(frozen=True, slots=True)
class ColumnBounds:
    """A leaf's typed bounds, one entry per row group; null where unknown.

    `only_nulls`, `no_nulls` say what is certain of each row group.
    """

    min: pa.Array
    max: pa.Array
    only_nulls: pa.BooleanArray
    no_nulls: pa.BooleanArray

    @classmethod
    def of(cls, minima: pa.Array, maxima: pa.Array, null_counts, num_values) -> ColumnBounds:
        """Combine arrays of bounds of an optional column with the footer's counts (-1: unknown)."""
        has_bounds = pc.or_(minima.is_valid(), maxima.is_valid()).to_pylist()
        return cls(minima, maxima, *known_nulls(has_bounds, null_counts, num_values, is_required=False))


def known_nulls(has_bounds, null_counts, num_values, is_required: bool) -> tuple[pa.BooleanArray, pa.BooleanArray]:
    """Return which row groups or pages surely have nulls only, and which surely have none.

    A null count that is negative, larger than the number of values, or above 0 in a required column cannot be right
    and counts as unknown; so does one that leaves no values in spite of bounds.

    Parameters
    ----------
    has_bounds, null_counts, num_values : sequence or pyarrow.Array
        All three of one kind; counts are -1 if unknown.
    is_required : bool
        No value of the column can be null.
    """
    if isinstance(null_counts, pa.Array):
        only = pc.and_(pc.equal(null_counts, num_values), pc.greater_equal(null_counts, 0))
        only = pc.and_(only, pc.equal(num_values, 0) if is_required else pc.invert(has_bounds))
        return only, pc.and_(pc.equal(null_counts, 0), pc.greater_equal(num_values, 0))
    counts = list(zip(has_bounds, null_counts, num_values, strict=True))
    only_nulls = [0 <= nulls == values and not (values if is_required else has) for has, nulls, values in counts]
    no_nulls = [nulls == 0 <= values for _, nulls, values in counts]
    return pa.array(only_nulls, pa.bool_()), pa.array(no_nulls, pa.bool_())


def is_plain(kind: pa.DataType, comparison: Comparison) -> bool:
    """Whether it orders values of this type, and its literal is one: nothing is cast then."""
    value = comparison.value
    if comparison.operator not in _PLAINLY:
        return False
    if pa.types.is_integer(kind):
        signed = pa.types.is_signed_integer(kind)
        low, end = (-1 << (kind.bit_width - 1), 1 << (kind.bit_width - 1)) if signed else (0, 1 << kind.bit_width)
        return type(value) is int and low <= value < end
    if pa.types.is_float64(kind):
        return type(value) is float
    return pa.types.is_string(kind) and type(value) is str


def may_match(comparison: Comparison, bounds: ColumnBounds) -> pa.BooleanArray:
    """For each row group whether rows in it may meet the comparison; never null."""
    if len(bounds.min) <= FEW and is_plain(bounds.min.type, comparison):
        return _plainly(comparison, bounds)
    try:
        keep = _RULES[comparison.operator](bounds, comparison.value)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        keep = None
    if keep is None:
        return pa.array([True] * len(bounds.min), pa.bool_())
    return pc.fill_null(keep, True)


def _plainly(comparison: Comparison, bounds: ColumnBounds) -> pa.BooleanArray:
    """The same of a few row groups: a side that is not known leaves them."""
    keeps, value = _PLAINLY[comparison.operator], comparison.value
    entries = zip(bounds.min.to_pylist(), bounds.max.to_pylist(), bounds.only_nulls.to_pylist(), strict=True)
    hides_nans = pa.types.is_floating(bounds.min.type)
    return pa.array(
        [not only_nulls and keeps(low, high, value, hides_nans) for low, high, only_nulls in entries], pa.bool_()
    )


def _literal(value, bounds: ColumnBounds) -> pa.Scalar | None:
    """The literal as a scalar that compares with the bounds; None where it does not, or is null."""
    if isinstance(value, pa.Scalar):
        value = value.as_py()
    kind = bounds.min.type
    if pa.types.is_large_binary(kind):
        if isinstance(value, str):
            value = value.encode()
        return pa.scalar(value, kind) if isinstance(value, bytes) else None
    scalar = pa.scalar(value)
    return scalar if scalar.is_valid else None


def _ordered(rule: Callable) -> Callable:
    def keep(bounds: ColumnBounds, value) -> pa.BooleanArray | None:
        literal = _literal(value, bounds)
        if literal is None:
            return None
        return pc.and_kleene(pc.invert(bounds.only_nulls), rule(bounds, literal))

    return keep


def _encloses(bounds: ColumnBounds, literal: pa.Scalar) -> pa.BooleanArray:
    return pc.and_kleene(pc.less_equal(bounds.min, literal), pc.greater_equal(bounds.max, literal))


def _all_equal(bounds: ColumnBounds, literal: pa.Scalar) -> pa.BooleanArray:
    """Whether every value that is not null surely equals the literal; a NaN hides from bounds, so floats never do."""
    if pa.types.is_floating(bounds.min.type):
        return pa.array([False] * len(bounds.min), pa.bool_())
    both = pc.and_kleene(pc.equal(bounds.min, literal), pc.equal(bounds.max, literal))
    return pc.fill_null(both, False)


def _is_in(bounds: ColumnBounds, values) -> pa.BooleanArray | None:
    keep = pa.array([False] * len(bounds.min), pa.bool_())
    for value in _members(values):
        if value is None:
            keep = pc.or_kleene(keep, pc.invert(bounds.no_nulls))
            continue
        literal = _literal(value, bounds)
        if literal is None or value != value:
            return None
        held = _encloses(bounds, literal)
        if pa.types.is_floating(bounds.min.type):  # Arrow rounds a list of doubles to the column's type
            held = pc.or_kleene(held, _encloses(bounds, literal.cast(bounds.min.type, safe=False)))
        keep = pc.or_kleene(keep, pc.and_kleene(pc.invert(bounds.only_nulls), held))
    return keep


def _is_not_in(bounds: ColumnBounds, values) -> pa.BooleanArray | None:
    """Rows that are null meet it, so a row group goes only where it has none and all its values are one of these."""
    gone = pa.array([False] * len(bounds.min), pa.bool_())
    for value in _members(values):
        literal = None if value is None else _literal(value, bounds)
        if literal is not None:
            gone = pc.or_(gone, pc.and_(bounds.no_nulls, _all_equal(bounds, literal)))
    return pc.invert(gone)


def _members(values) -> list:
    members = values.to_pylist() if isinstance(values, (pa.Array, pa.ChunkedArray)) else list(values)
    return [value.as_py() if isinstance(value, pa.Scalar) else value for value in members]


_PLAINLY: dict[str, Callable[[object, object, object, bool], bool]] = {
    "=": lambda low, high, value, _: (low is None or low <= value) and (high is None or high >= value),
    "!=": lambda low, high, value, hides_nans: hides_nans or not low == value == high,
    "<": lambda low, high, value, _: low is None or low < value,
    "<=": lambda low, high, value, _: low is None or low <= value,
    ">": lambda low, high, value, _: high is None or high > value,
    ">=": lambda low, high, value, _: high is None or high >= value,
}
_PLAINLY["=="] = _PLAINLY["="]

_RULES = {
    "=": _ordered(_encloses),
    "==": _ordered(_encloses),
    "!=": _ordered(lambda bounds, literal: pc.invert(_all_equal(bounds, literal))),
    "<": _ordered(lambda bounds, literal: pc.less(bounds.min, literal)),
    "<=": _ordered(lambda bounds, literal: pc.less_equal(bounds.min, literal)),
    ">": _ordered(lambda bounds, literal: pc.greater(bounds.max, literal)),
    ">=": _ordered(lambda bounds, literal: pc.greater_equal(bounds.max, literal)),
    "in": _is_in,
    "not in": _is_not_in,
}
