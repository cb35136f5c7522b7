"""Select the row groups that may contain rows that match a comparison, by minima, maxima and null counts.

A row group is skipped only if its bounds rule out every row. Bounds may be inexact: it is enough that they enclose the
values. They are compared with literals by the same rule as rows (`comparing`). A row group is read if some of its rows
may not be comparable with a literal, so that Arrow raises the same error in every layout.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import pyarrow as pa

from .. import compute as pc
from ..records import frozen
from .boxes import BoundingBox
from .comparing import ORDERED, Members, compared, is_text, members_of, never_fails, text_literal
from .predicate import Comparison

FEW = 64  # entries that Python compares sooner than Arrow is called
FEW_MEMBERS = 8  # of a list that are compared with all bounds one by one
UNCOMPARED = pa.ArrowException, TypeError, ValueError, OverflowError


class Outcome(NamedTuple):
    """The row groups that may contain matching rows, and those with rows that Arrow cannot compare; never null.

    `fails` is None if there are none of the latter.
    """

    meets: pa.BooleanArray
    fails: pa.BooleanArray | None = None


@frozen
class ColumnBounds:
    """A leaf's typed bounds, one entry per row group; null if unknown.

    `only_nulls` and `no_nulls` are true for the row groups for which this is certain. `only_nans` and `no_nans` are
    true if all values that are not null, or none of them, are NaN; they are None if nothing is known for any row group.
    `boxes` are the bounding boxes of geometries, None for other types.
    """

    min: pa.Array
    max: pa.Array
    only_nulls: pa.BooleanArray
    no_nulls: pa.BooleanArray
    only_nans: pa.BooleanArray | None = None
    no_nans: pa.BooleanArray | None = None
    boxes: Sequence[BoundingBox | None] | None = None

    @classmethod
    def of(cls, minima: pa.Array, maxima: pa.Array, null_counts, num_values) -> ColumnBounds:
        """Combine arrays of bounds of an optional column with the footer's counts (-1: unknown)."""
        has_bounds = pc.or_(minima.is_valid(), maxima.is_valid()).to_pylist()
        return cls(minima, maxima, *known_nulls(has_bounds, null_counts, num_values, is_required=False))

    @classmethod
    def unknown(cls, kind: pa.DataType, count: int) -> ColumnBounds:
        """Return unknown bounds for `count` row groups."""
        return cls(pa.nulls(count, kind), pa.nulls(count, kind), _never(count), _never(count))

    @classmethod
    def joined(cls, parts: Sequence[ColumnBounds]) -> ColumnBounds:
        """Concatenate bounds of one type."""
        if len(parts) == 1:
            return parts[0]
        sides: list[Any] = [pa.concat_arrays([getattr(part, name) for part in parts]) for name in _ARRAYS]
        sides += [_joined_flags(parts, name) for name in _FLAGS]
        boxes = [box for part in parts for box in part.boxes or [None] * len(part.min)]
        sides.append(boxes if any(boxes) else None)
        return cls(*sides)

    def take(self, indices: pa.Array) -> ColumnBounds:
        """Return the bounds of some row groups."""
        sides: list[Any] = [getattr(self, name) for name in (*_ARRAYS, *_FLAGS)]
        sides = [None if side is None else side.take(indices) for side in sides]
        sides.append(None if self.boxes is None else [self.boxes[index] for index in indices.to_pylist()])
        return ColumnBounds(*sides)


_ARRAYS, _FLAGS = ("min", "max", "only_nulls", "no_nulls"), ("only_nans", "no_nans")


def _joined_flags(parts: Sequence[ColumnBounds], name: str) -> pa.BooleanArray | None:
    sides = [(len(part.min), getattr(part, name)) for part in parts]
    if all(side is None for _, side in sides):
        return None
    return pa.concat_arrays([_never(count) if side is None else side for count, side in sides])


def _never(count: int) -> pa.BooleanArray:
    return pa.repeat(False, count)


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


def known_nans(
    has_bounds, nan_counts: Sequence[int], null_counts: Sequence[int], num_values: Sequence[int], is_required: bool
) -> tuple[pa.BooleanArray, pa.BooleanArray]:
    """Return in which row groups or pages all values that are not null are NaN, and in which none is.

    Counts are -1 if unknown. Those that cannot be right count as unknown: a count of NaN that is larger than that of
    the values, or equal to it in spite of bounds, which NaN do not have.
    """
    only, none = [], []
    for has, nans, nulls, values in zip(has_bounds, nan_counts, null_counts, num_values, strict=True):
        others = values - nulls if 0 <= nulls <= values and not (nulls and is_required) else -1
        only.append(not has and nans >= 0 and nans in (values, others))
        none.append(nans == 0 <= values)
    return pa.array(only, pa.bool_()), pa.array(none, pa.bool_())


def is_plain(kind: pa.DataType, comparison: Comparison) -> bool:
    """Return True if a comparison orders values of this type by a literal without a cast that can fail."""
    value = comparison.value
    if comparison.operator not in _PLAINLY:
        return False
    if pa.types.is_integer(kind):
        if pa.types.is_uint64(kind):
            return False  # Arrow compares these as int64 with Python's integers, or fails
        signed = pa.types.is_signed_integer(kind)
        low, end = (-1 << (kind.bit_width - 1), 1 << (kind.bit_width - 1)) if signed else (0, 1 << kind.bit_width)
        return type(value) is int and low <= value < end
    if pa.types.is_float64(kind):
        return type(value) is float
    return pa.types.is_string(kind) and type(value) is str


def may_match(comparison: Comparison, bounds: ColumnBounds) -> Outcome:
    """Judge each row group by a column's bounds."""
    kind = bounds.min.type
    if len(bounds.min) <= FEW and is_plain(kind, comparison):
        return Outcome(_without_nans(comparison, bounds, _plainly(comparison, bounds)))
    rule = _ordered if comparison.operator in ORDERED else _in_list
    try:
        outcome = rule(comparison, bounds)
    except UNCOMPARED:
        return _anything(len(bounds.min))
    if is_text(kind) or outcome.fails is not None:
        return outcome
    unknown = pc.and_(pc.invert(bounds.only_nulls), pc.or_(pc.is_null(bounds.min), pc.is_null(bounds.max)))
    return outcome if not unknown.true_count or never_fails(kind, comparison) else Outcome(outcome.meets, unknown)


def without_bounds(comparison: Comparison, kind: pa.DataType, count: int) -> Outcome:
    """Judge row groups if only the column's type is known."""
    everything = _anything(count)
    return Outcome(everything.meets) if never_fails(kind, comparison) else everything


def _anything(count: int) -> Outcome:
    everything = pa.array([True] * count, pa.bool_())
    return Outcome(everything, everything)


def _plainly(comparison: Comparison, bounds: ColumnBounds) -> pa.BooleanArray:
    """Judge a few row groups by Python's comparisons: a side that is not known leaves them."""
    keeps, value = _PLAINLY[comparison.operator], comparison.value
    entries = zip(bounds.min.to_pylist(), bounds.max.to_pylist(), bounds.only_nulls.to_pylist(), strict=True)
    hides_nans = pa.types.is_floating(bounds.min.type)
    return pa.array(
        [not only_nulls and keeps(low, high, value, hides_nans) for low, high, only_nulls in entries], pa.bool_()
    )


def _ordered(comparison: Comparison, bounds: ColumnBounds) -> Outcome:
    value = comparison.value
    if is_text(bounds.min.type):
        literal = text_literal(value)
        if literal is None:
            return _anything(len(bounds.min))
        value = pa.scalar(literal, bounds.min.type)
    low, high = compared(bounds.min, bounds.max, comparison.operator, value)
    if comparison.operator == "!=":
        meets = pc.invert(_all_equal(bounds, low, high))
    else:
        meets = high if low is None else low if high is None else pc.and_kleene(low, high)
    meets = _without_nans(comparison, bounds, pc.fill_null(meets, True))
    return Outcome(pc.and_(pc.invert(bounds.only_nulls), meets))


def _without_nans(comparison: Comparison, bounds: ColumnBounds, meets: pa.BooleanArray) -> pa.BooleanArray:
    """Exclude row groups of NaN alone, which meet no comparison but inequality."""
    if bounds.only_nans is None or comparison.operator == "!=":
        return meets
    return pc.and_(meets, pc.invert(bounds.only_nans))


def _all_equal(bounds: ColumnBounds, low: pa.Array, high: pa.Array) -> pa.BooleanArray:
    """Return True if every value that is not null surely equals a literal that both bounds equal.

    A NaN hides from bounds, so floats never do.
    """
    if pa.types.is_floating(bounds.min.type):
        return pa.array([False] * len(bounds.min), pa.bool_())
    return pc.fill_null(pc.and_kleene(pc.equal(bounds.min, bounds.max), pc.and_kleene(low, high)), False)


def _in_list(comparison: Comparison, bounds: ColumnBounds) -> Outcome:
    members = members_of(bounds.min.type, comparison.value)
    if members is None:
        return _anything(len(bounds.min))
    low, high = (side.cast(members.values.type) for side in (bounds.min, bounds.max))
    rule = _is_in if comparison.operator == "in" else _is_not_in
    return rule(members, low, high, bounds)


def _is_in(members: Members, low: pa.Array, high: pa.Array, bounds: ColumnBounds) -> Outcome:
    held = pa.array([False] * len(low), pa.bool_())
    if pa.types.is_floating(low.type) and pc.any(pc.is_nan(members.values)).as_py():
        # a NaN hides from bounds
        held = pa.array([True] * len(low), pa.bool_()) if bounds.no_nans is None else pc.invert(bounds.no_nans)
    if len(members.values) > FEW_MEMBERS and _is_ordered_in_python(low.type):
        held = pc.or_(held, _contain(low, high, members.values))
    else:
        for member in members.values:
            held = pc.or_kleene(held, pc.and_kleene(pc.less_equal(low, member), pc.greater_equal(high, member)))
    meets = pc.and_(pc.invert(bounds.only_nulls), pc.fill_null(held, True))
    return Outcome(pc.or_(meets, pc.invert(bounds.no_nulls)) if members.has_null else meets)


def _is_ordered_in_python(kind: pa.DataType) -> bool:
    """Return True if Python's values of a type have the order of Arrow's."""
    return (
        pa.types.is_integer(kind)
        or pa.types.is_float32(kind)
        or pa.types.is_float64(kind)
        or pa.types.is_large_binary(kind)
    )


def _contain(low: pa.Array, high: pa.Array, members: pa.Array) -> pa.BooleanArray:
    """Return True if a member may be between two bounds; a bound that is not known excludes none."""
    ascending = sorted(value for value in members.to_pylist() if value is not None and value == value)
    found = []
    for least, most in zip(low.to_pylist(), high.to_pylist(), strict=True):
        first = 0 if least is None else bisect_left(ascending, least)
        found.append(first < len(ascending) and (most is None or ascending[first] <= most))
    return pa.array(found, pa.bool_())


def _is_not_in(members: Members, low: pa.Array, high: pa.Array, bounds: ColumnBounds) -> Outcome:
    """Judge "not in": a null is not in the list, so a row group with nulls is never skipped."""
    gone = pa.array([False] * len(low), pa.bool_())
    for member in members.values:
        gone = pc.or_(gone, _all_equal(bounds, pc.equal(low, member), pc.equal(high, member)))
    return Outcome(pc.invert(pc.and_(gone, bounds.no_nulls)))


_PLAINLY: dict[str, Callable[[Any, Any, Any, bool], bool]] = {
    "=": lambda low, high, value, _: (low is None or low <= value) and (high is None or high >= value),
    "!=": lambda low, high, value, hides_nans: hides_nans or not low == value == high,
    "<": lambda low, high, value, _: low is None or low < value,
    "<=": lambda low, high, value, _: low is None or low <= value,
    ">": lambda low, high, value, _: high is None or high > value,
    ">=": lambda low, high, value, _: high is None or high >= value,
}
_PLAINLY["=="] = _PLAINLY["="]
