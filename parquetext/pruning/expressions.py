"""Select the row groups that may contain rows that match an Arrow expression, by its tree of comparisons.

Arrow's own simplification of expressions compares bounds in other types than rows, so it is not used.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa

from .. import compute as pc
from .bounds import ColumnBounds, Outcome, may_match, without_bounds
from .boxes import INTERSECTS, box_may_intersect
from .comparing import never_fails
from .predicate import Comparison
from .serialized import Call, Field, Literal, Node, tree_of

OPERATORS = {
    "equal": "=",
    "not_equal": "!=",
    "less": "<",
    "less_equal": "<=",
    "greater": ">",
    "greater_equal": ">=",
}
MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
OPPOSITE = {"=": "!=", "!=": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
MATCH = 0  # of the options of is_in: a null in the list equals the column's nulls
# Functions that give a result for every value of their arguments.
TOTAL = {
    *("and", "or", "and_not", "and_not_kleene", "xor", "true_unless_null", "if_else", "coalesce"),
    *("is_nan", "is_finite", "is_inf", "is_null", "is_valid", "struct_field", "list_value_length"),
    *("starts_with", "ends_with", "match_substring", "match_substring_regex", "match_like", "find_substring"),
    *("binary_length", "utf8_length", "utf8_lower", "utf8_upper", "ascii_lower", "ascii_upper", "utf8_trim"),
    *("add", "subtract", "multiply", "abs", "negate", "sign", "floor", "ceil", "trunc"),
    INTERSECTS,
    *("year", "month", "day", "hour", "minute", "second", "day_of_week", "day_of_year", "quarter"),
}
BOOLEAN = {*OPERATORS, "and_kleene", "or_kleene", "invert", "is_in", "is_null", "is_valid", "is_nan"}

_last_tree: list[tuple[pc.Expression | None, Node | None]] = [(None, None)]


class Verdict(NamedTuple):
    """In which row groups an expression may be true of a row, and in which it may be false; never null."""

    true: pa.BooleanArray
    false: pa.BooleanArray


def may_meet(
    expression: pc.Expression, columns: Mapping[str, tuple[pa.DataType, ColumnBounds | None]], count: int
) -> Outcome:
    """Judge `count` row groups by the bounds of the columns that an expression looks at.

    `columns` has their types and, if they are known, their bounds.
    """
    known, tree = _last_tree[0]
    if known is not expression:
        tree = tree_of(expression)
        _last_tree[0] = expression, tree
    judge = _Judge(columns, count)
    try:
        verdict = judge.unknown() if tree is None else judge.of(tree)
    except RecursionError:
        verdict = judge.unknown()
    return Outcome(verdict.true, judge.fails)


class _Judge:
    """Walks a tree; `fails` says in which row groups Arrow may have no result for a row."""

    def __init__(self, columns: Mapping[str, tuple[pa.DataType, ColumnBounds | None]], count: int):
        self._columns, self._count = columns, count
        self._all = pa.array([True] * count, pa.bool_())
        self._anything = Verdict(self._all, self._all)
        self.fails: pa.BooleanArray | None = None

    def unknown(self) -> Verdict:
        """Return the knowledge about an expression that may fail."""
        self.fails = self._all
        return self._anything

    def of(self, node: Node) -> Verdict:
        match node:
            case Call("and_kleene", [left, right], _):
                one, other = self.of(left), self.of(right)
                return Verdict(pc.and_(one.true, other.true), pc.or_(one.false, other.false))
            case Call("or_kleene", [left, right], _):
                one, other = self.of(left), self.of(right)
                return Verdict(pc.or_(one.true, other.true), pc.and_(one.false, other.false))
            case Call("invert", [inner], _):
                true, false = self.of(inner)
                return Verdict(false, true)
            case Call(name, [Field((column,)), Literal(value)], _) if name in OPERATORS and column in self._columns:
                return self._compared(column, OPERATORS[name], value)
            case Call(name, [Literal(value), Field((column,))], _) if name in OPERATORS and column in self._columns:
                return self._compared(column, MIRRORED[OPERATORS[name]], value)
            case Call("is_in", [Field((column,))], options) if column in self._columns:
                return self._is_in(column, options)
            case Call("is_null", [Field((column,))], options) if column in self._columns:
                return self._is_null(column, options)
            case Call("is_valid", [Field((column,))], _) if column in self._columns:
                true, false = self._is_null(column, None)
                return Verdict(false, true)
            case Call("is_nan", [Field((column,))], _) if column in self._columns:
                return self._is_nan(column)
            case Call(name, [Call("cast", [Field((column,))], _), *limits], _) if (
                name == INTERSECTS and column in self._columns
            ):
                return self._intersects(column, limits)
            case Literal(value):
                return self._constant(value)
            case Field():
                return self._anything
        return self._function(node)

    def _outcome(self, comparison: Comparison) -> Outcome:
        kind, bounds = self._columns[comparison.column]
        if bounds is not None:
            outcome = may_match(comparison, bounds)
        else:
            outcome = without_bounds(comparison, _plain(kind), self._count)
        if outcome.fails is not None:
            self.fails = outcome.fails if self.fails is None else pc.or_(self.fails, outcome.fails)
        return outcome

    def _compared(self, column: str, operator: str, value: pa.Scalar) -> Verdict:
        kind, bounds = self._columns[column]
        true = self._outcome(Comparison(column, operator, value)).meets
        has_nans = pa.types.is_floating(_plain(kind)) or _is_nan(value)
        if has_nans and operator not in ("=", "!="):  # with a NaN on a side, an order and its opposite are both false
            return Verdict(true, self._all if bounds is None else pc.invert(bounds.only_nulls))
        return Verdict(true, self._outcome(Comparison(column, OPPOSITE[operator], value)).meets)

    def _is_in(self, column: str, options: pa.Scalar | None) -> Verdict:
        values = _members(options)
        if values is None:
            return self.unknown()
        return Verdict(*(self._outcome(Comparison(column, operator, values)).meets for operator in ("in", "not in")))

    def _is_null(self, column: str, options: pa.Scalar | None) -> Verdict:
        kind, bounds = self._columns[column]
        if bounds is None:
            return self._anything
        of_nans = options is not None and options["nan_is_null"].as_py() and pa.types.is_floating(_plain(kind))
        if not of_nans:
            return Verdict(pc.invert(bounds.no_nulls), pc.invert(bounds.only_nulls))
        is_nan = self._is_nan(column)
        return Verdict(pc.or_(is_nan.true, pc.invert(bounds.no_nulls)), is_nan.false)

    def _is_nan(self, column: str) -> Verdict:
        """Judge by counts of NaN; of nulls, the result is null."""
        bounds = self._columns[column][1]
        if bounds is None:
            return self._anything
        sides = (bounds.no_nans, bounds.only_nans)
        gone = [bounds.only_nulls if side is None else pc.or_(side, bounds.only_nulls) for side in sides]
        return Verdict(*map(pc.invert, gone))

    def _intersects(self, column: str, limits: Sequence[Node]) -> Verdict:
        """Judge by bounding boxes; a row group that one of them does not exclude may have rows on both sides."""
        bounds = self._columns[column][1]
        if bounds is None or bounds.boxes is None:
            return self._anything
        sides = [limit.value.as_py() for limit in limits if isinstance(limit, Literal)]
        some = pa.array([box_may_intersect(box, *sides) for box in bounds.boxes], pa.bool_())
        has_values = pc.invert(bounds.only_nulls)
        return Verdict(pc.and_(some, has_values), has_values)

    def _constant(self, value: pa.Scalar) -> Verdict:
        truth = value.as_py()
        if not isinstance(truth, bool):
            return self._anything
        return Verdict(*(pa.array([truth is wanted] * self._count, pa.bool_()) for wanted in (True, False)))

    def _function(self, call: Call) -> Verdict:
        """Return the knowledge about another function: whether it may fail."""
        for argument in call.arguments:
            self.of(argument)
        return self._anything if call.name in TOTAL or self._compares_all(call) else self.unknown()

    def _compares_all(self, call: Call) -> bool:
        """Return True if a comparison has a result for all values of its arguments."""
        match call:
            case Call("is_in", [inner], options) if (values := _members(options)) is not None:
                kind = self._type_of(inner)
                return kind is not None and never_fails(kind, Comparison("", "in", values))
            case Call(name, [Literal(value), inner] | [inner, Literal(value)], _) if name in OPERATORS:
                if (kind := self._type_of(inner)) is not None:
                    return never_fails(kind, Comparison("", OPERATORS[name], value))
                return _casts_nothing(value.type)
            case Call(name, [one, other], _) if name in OPERATORS:
                kind = self._type_of(one)
                return kind is not None and kind == self._type_of(other)
        return False

    def _type_of(self, node: Node) -> pa.DataType | None:
        match node:
            case Field((column, *path)) if column in self._columns:
                kind = _plain(self._columns[column][0])
                for name in path:
                    if not pa.types.is_struct(kind) or kind.get_field_index(name) < 0:
                        return None
                    kind = _plain(kind.field(name).type)
                return kind
            case Call(name, _, _) if name in BOOLEAN:
                return pa.bool_()
        return None


def _members(options: pa.Scalar | None) -> pa.Array | None:
    """Return the values that is_in looks for; None if it takes nulls in another way than pyarrow's isin."""
    if options is None or options["null_matching_behavior"].as_py() != MATCH:
        return None
    return options["value_set"].values


def _casts_nothing(kind: pa.DataType) -> bool:
    """Return True if an operand is compared with literals of a type without a cast."""
    return pa.types.is_boolean(kind) or pa.types.is_string(kind) or pa.types.is_binary(kind)


def _is_nan(value: pa.Scalar) -> bool:
    return pa.types.is_floating(value.type) and value.is_valid and math.isnan(value.as_py())


def _plain(kind: pa.DataType) -> pa.DataType:
    return kind.value_type if pa.types.is_dictionary(kind) else kind
