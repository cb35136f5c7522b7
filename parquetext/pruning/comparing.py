"""Compare bounds with literals by the rule that Arrow's row filter uses for rows.

A row filter compares with casts that depend on the types of the column and of the literal, and some casts fail for some
values: an int64 beyond 2^53 does not compare with 0.1, a date of the year 1600 not with nanoseconds. So bounds are
compared by the same expression as rows. The casts used here keep the order of values, and fail for none between two
values for which they do not fail.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pyarrow as pa

from .. import compute as pc
from .predicate import Comparison

# Arrow's conversion of decimals to doubles is off by a few units in the last place, and need not keep their order.
DECIMAL_TOLERANCE = 2.0**-40
MILLISECONDS_OF_A_DAY = 86_400_000
ORDERED: dict[str, tuple[str | None, str | None]] = {
    "=": ("<=", ">="),
    "==": ("<=", ">="),
    "!=": ("==", "=="),
    "<": ("<", None),
    "<=": ("<=", None),
}
ORDERED |= {">": (None, ">"), ">=": (None, ">=")}
_METHODS = {"<": "__lt__", "<=": "__le__", ">": "__gt__", ">=": "__ge__", "==": "__eq__"}
FUNCTIONS = {
    "=": "equal",
    "==": "equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
}  # of pyarrow.compute
UNITS = ["s", "ms", "us", "ns"]
_HOLDING_INTEGERS = pa.types.is_integer, pa.types.is_float32, pa.types.is_float64, pa.types.is_decimal
_TEXT = (
    pa.types.is_string,
    pa.types.is_large_string,
    pa.types.is_string_view,
    pa.types.is_binary,
    pa.types.is_large_binary,
    pa.types.is_binary_view,
    pa.types.is_fixed_size_binary,
)


class Members(NamedTuple):
    """The values of a list, of one type, without nulls; `has_null` says that the list has one, `given` its type."""

    values: pa.Array
    has_null: bool
    given: pa.DataType


def is_text(kind: pa.DataType) -> bool:
    """Return True if values of a type are text or bytes, which compare as bytes."""
    return any(is_one(kind) for is_one in _TEXT)


def text_literal(value: object) -> bytes | None:
    """Return the bytes that text compares with; None if the literal is no text."""
    if isinstance(value, pa.Scalar):
        value = value.as_py()
    return value.encode() if isinstance(value, str) else value if isinstance(value, bytes) else None


def compared(minima: pa.Array, maxima: pa.Array, operator: str, value: object) -> tuple[pa.Array | None, ...]:
    """Compare both sides of bounds with a literal as Arrow's row filter does.

    Returns
    -------
    tuple of (pyarrow.Array or None)
        For minima and for maxima, whether they meet the literal by the operators of `ORDERED`; null if unknown.

    Raises
    ------
    pyarrow.ArrowException, TypeError, ValueError, OverflowError
        Rows with these values cannot be compared with the literal either.
    """
    kind, sides, signs = minima.type, (minima, maxima), ORDERED[operator]
    literal = _same_type(value, kind)
    if literal is not None:
        return tuple(
            sign and pc.call_function(FUNCTIONS[sign], [side, literal]) for side, sign in zip(sides, signs, strict=True)
        )
    literals = (value, value)
    if pa.types.is_decimal(kind) and operator != "!=":
        literals = _tolerant(value)
    both = pa.concat_arrays(sides)
    found = _evaluated(both, [(sign or "==", each) for sign, each in zip(signs, literals, strict=True)])
    count = len(minima)
    low, high = found[0].slice(0, count), found[1].slice(count)
    return (low if signs[0] else None), (high if signs[1] else None)


def never_fails(kind: pa.DataType, comparison: Comparison) -> bool:
    """Return True if every value of a type can be compared with the literals, as far as this is known."""
    operator, value = comparison.operator, comparison.value
    extremes = _extremes(kind)
    try:
        if operator in ORDERED:
            if extremes is None:
                literal = pa.scalar(value)
                return is_text(literal.type) or pa.types.is_boolean(literal.type)
            compared(extremes, extremes, operator, value)
            return True
        members = members_of(kind, value)
        if members is None or extremes is None:
            return False
        if members.values.type != kind:
            extremes.cast(members.values.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return False
    return True


def members_of(kind: pa.DataType, values: Any) -> Members | None:
    """Return the values of a list in the type in which Arrow looks for a column's values among them.

    Arrow casts the list to the column's type if it can, even if values are rounded, and otherwise the column to the
    list's type. None if the column's values would be cast in another order, or some between others could not be cast.
    """
    found = values if isinstance(values, (pa.Array, pa.ChunkedArray)) else pa.array(list(values))
    found = found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
    if pa.types.is_dictionary(found.type):
        found = found.dictionary_decode()
    given = found.type
    if is_text(kind):
        if not is_text(found.type):
            return None
        found = found.cast(kind if pa.types.is_large_binary(kind) else pa.large_binary())
    else:
        try:
            found = found.cast(kind)
        except pa.ArrowException:
            if not _widens(kind, found.type):
                return None
    return Members(found.drop_null(), found.null_count > 0, given)


def _same_type(value: object, kind: pa.DataType) -> pa.Scalar | None:
    """Return the literal in the column's type if Arrow compares in that type; None if anything is cast."""
    literal = value if isinstance(value, pa.Scalar) else pa.scalar(value)
    if literal.type == kind:
        return literal
    if pa.types.is_float32(kind) and pa.types.is_float64(literal.type):
        return literal
    if type(value) is not int or not pa.types.is_integer(kind) or pa.types.is_uint64(kind):
        return None
    bits, signed = kind.bit_width, pa.types.is_signed_integer(kind)
    low, end = (-1 << (bits - 1), 1 << (bits - 1)) if signed else (0, 1 << bits)
    return pa.scalar(value, kind) if low <= value < end else None


def _tolerant(value: object) -> tuple[object, object]:
    """Return a little more and a little less than a float, to compare with the minima and maxima of decimals."""
    number = value.as_py() if isinstance(value, pa.Scalar) else value
    if not isinstance(number, float):
        return value, value
    slack = abs(number) * DECIMAL_TOLERANCE
    return (number + slack, number - slack) if slack < float("inf") else (value, value)


def _evaluated(values: pa.Array, comparisons: list[tuple[str, object]]) -> list[pa.Array]:
    """Return the results of Arrow's expressions for a column with these values."""
    from pyarrow import acero  # takes long to import, and only filters need it

    field = pc.field("x")
    expressions = [getattr(field, _METHODS[sign])(literal) for sign, literal in comparisons]
    steps = [
        acero.Declaration("table_source", acero.TableSourceNodeOptions(pa.table({"x": values}))),
        acero.Declaration("project", acero.ProjectNodeOptions(expressions, [str(n) for n in range(len(expressions))])),
    ]
    table = acero.Declaration.from_sequence(steps).to_table(use_threads=False)
    return [pa.concat_arrays([pa.array([], pa.bool_()), *column.chunks]) for column in table.columns]


def _extremes(kind: pa.DataType) -> pa.Array | None:
    """Return the least and the greatest value of a type, or nulls if all compare alike; None if that is not known."""
    types = pa.types
    if types.is_integer(kind) or types.is_timestamp(kind) or types.is_duration(kind) or types.is_date32(kind):
        bits = kind.bit_width
        low, end = (0, 1 << bits) if types.is_unsigned_integer(kind) else (-1 << (bits - 1), 1 << (bits - 1))
        stored = kind if types.is_integer(kind) else pa.int32() if bits == 32 else pa.int64()
        return pa.array([low, end - 1], stored).view(kind)
    if types.is_date64(kind):
        most = (1 << 63) // MILLISECONDS_OF_A_DAY * MILLISECONDS_OF_A_DAY
        return pa.array([-most, most], pa.int64()).view(kind)
    if types.is_decimal(kind):
        digits = "9" * kind.precision
        most = pa.array(["-" + digits, digits]).cast(_unscaled(kind))
        return pa.Array.from_buffers(kind, 2, most.buffers())
    # Every value of these types compares like any other.
    alike = types.is_floating(kind) or types.is_time(kind) or types.is_boolean(kind) or types.is_null(kind)
    return pa.nulls(2, kind) if alike or is_text(kind) else None


def _unscaled(kind: pa.DataType) -> pa.DataType:
    makers: dict[int, Callable] = {32: pa.decimal32, 64: pa.decimal64, 128: pa.decimal128, 256: pa.decimal256}
    return makers[kind.bit_width](kind.precision, 0)


def _widens(kind: pa.DataType, wanted: pa.DataType) -> bool:
    """Return True if casts keep the order of values and fail only for values that are too large or too small."""
    types = pa.types
    if types.is_integer(kind):
        return any(is_one(wanted) for is_one in _HOLDING_INTEGERS)
    if types.is_decimal(kind):
        return types.is_decimal(wanted) and wanted.scale >= kind.scale
    for is_one in (types.is_timestamp, types.is_time, types.is_duration):
        if is_one(kind):
            return is_one(wanted) and UNITS.index(wanted.unit) >= UNITS.index(kind.unit)
    return False
