"""Convert a file's columns to Spark's schema: cast without loss, or refuse as Spark does."""

from __future__ import annotations

from functools import lru_cache

import pyarrow as pa

from ... import compute as pc
from ...errors import Unsupported
from .calendars import Calendar

pt = pa.types
_BYTES = {pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()}


def conformed(column: pa.Array, kind: pa.DataType, name: str, calendar: Calendar, is_int96: bool) -> pa.Array:
    """Return a column of a file as an array of the type that Spark expects.

    Parameters
    ----------
    kind : pyarrow.DataType
        Of Spark's schema.
    is_int96 : bool
        True if its timestamps are stored as INT96, whose calendar may differ.

    Raises
    ------
    Unsupported
        If Spark's reader does not convert the column's type, or if the calendar of dates or times is unknown.
    """
    if not _fits(column.type, kind):
        raise Unsupported(
            f"column {name!r} is {column.type} in this file, and {kind} in Spark's schema: this reader does not "
            "convert it; read the file with spark.read.parquet"
        )
    try:
        return _converted(column, kind, calendar, "int96" if is_int96 else "datetime")
    except pa.ArrowException as error:
        raise Unsupported(f"column {name!r}: {error}; read the file with spark.read.parquet") from error


@lru_cache(maxsize=1 << 12)
def _fits(source: pa.DataType, wanted: pa.DataType) -> bool:
    if isinstance(source, pa.BaseExtensionType):
        source = source.storage_type
    if pt.is_dictionary(source):
        source = source.value_type
    if pt.is_struct(wanted):
        return pt.is_struct(source) and all(
            _fits(source.field(position).type, field.type)
            for field in wanted
            if (position := _member(source, field.name)) is not None
        )
    if pt.is_list(wanted):
        return _is_list(source) and _fits(source.value_type, wanted.value_type)
    if pt.is_map(wanted):
        return (
            pt.is_map(source) and _fits(source.key_type, wanted.key_type) and _fits(source.item_type, wanted.item_type)
        )
    if pt.is_timestamp(wanted):
        return _is_moment(source, wanted)
    return (
        source == wanted
        or pt.is_null(source)
        or any(
            of_source(source) and of_wanted(wanted) and fits(source, wanted) for of_source, of_wanted, fits in _CASTS
        )
    )


def _is_moment(source: pa.DataType, wanted: pa.DataType) -> bool:
    """Return True if Spark reads one as the other: it treats instants and local times in the same way."""
    if pt.is_date32(source):
        return wanted.tz is None
    return pt.is_null(source) or (pt.is_timestamp(source) and source.unit != "ns")


def _is_list(kind: pa.DataType) -> bool:
    return pt.is_list(kind) or pt.is_large_list(kind) or pt.is_fixed_size_list(kind)


def _is_bytes(kind: pa.DataType) -> bool:
    return kind in _BYTES or pt.is_fixed_size_binary(kind)


def _range(kind: pa.DataType) -> tuple[int, int]:
    if pt.is_signed_integer(kind):
        return -(1 << kind.bit_width - 1), (1 << kind.bit_width - 1) - 1
    return 0, (1 << kind.bit_width) - 1


def _is_within(source: pa.DataType, wanted: pa.DataType) -> bool:
    (low, high), (lowest, highest) = _range(source), _range(wanted)
    return lowest <= low and high <= highest


def _holds_all(source: pa.DataType, wanted: pa.DataType) -> bool:
    return len(str(_range(source)[1])) <= wanted.precision - wanted.scale


def _is_wider(source: pa.DataType, wanted: pa.DataType) -> bool:
    return wanted.scale >= source.scale and wanted.precision - wanted.scale >= source.precision - source.scale


_CASTS = [
    (pt.is_integer, pt.is_integer, _is_within),
    (pt.is_integer, pt.is_decimal, _holds_all),
    (pt.is_integer, pt.is_float64, lambda source, wanted: source.bit_width <= 32),
    (pt.is_float32, pt.is_float64, lambda source, wanted: True),
    (pt.is_decimal, pt.is_decimal, _is_wider),
    (_is_bytes, lambda kind: pt.is_string(kind) or pt.is_binary(kind), lambda source, wanted: True),
    (pt.is_duration, pt.is_int64, lambda source, wanted: True),
    (pt.is_int64, pt.is_duration, lambda source, wanted: wanted.unit == "us"),  # Spark's representation of intervals
]


def _member(source: pa.DataType, name: str) -> int | None:
    """Return a struct's member of that name, or the only one that differs by case alone."""
    names = [source.field(index).name for index in range(source.num_fields)]
    if names.count(name) == 1:
        return names.index(name)
    alike = [index for index, other in enumerate(names) if other.lower() == name.lower()]
    return alike[0] if len(alike) == 1 else None


def _converted(column: pa.Array, kind: pa.DataType, calendar: Calendar, what: str) -> pa.Array:
    """Return a column in a type, with dates and times (`what`: how they are stored) in the Gregorian calendar."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if column.type == kind and calendar.is_plain:
        return column
    if pt.is_fixed_size_list(column.type):
        column = column.cast(kind)
    if pt.is_struct(kind):
        return _struct(column, kind, calendar, what)
    if pt.is_list(kind):
        offsets = _from_zero(column.offsets).cast(pa.int32())
        values = column.values.slice(column.offsets[0].as_py(), offsets[-1].as_py()) if len(column) else column.values
        values = _converted(values, kind.value_type, calendar, what)
        return _masked(pa.ListArray.from_arrays(offsets, values, type=kind), column)
    if pt.is_map(kind):
        offsets = _from_zero(column.offsets)
        first, count = (column.offsets[0].as_py(), offsets[-1].as_py()) if len(column) else (0, 0)
        keys, items = (
            _converted(part.slice(first, count), wanted, calendar, what)
            for part, wanted in ((column.keys, kind.key_type), (column.items, kind.item_type))
        )
        return _masked(pa.MapArray.from_arrays(offsets, keys, items, type=kind), column)
    column = column.cast(kind)
    if pt.is_date32(kind):
        return calendar.days(column)
    return calendar.moments(column, what) if pt.is_timestamp(kind) else column


def _from_zero(offsets: pa.Array) -> pa.Array:
    return pc.subtract(offsets, offsets[0]) if len(offsets) else offsets


def _masked(made: pa.Array, like: pa.Array) -> pa.Array:
    """Return an array with the nulls of another one added."""
    return pc.if_else(like.is_valid(), made, pa.scalar(None, made.type)) if like.null_count else made


def _struct(column: pa.StructArray, kind: pa.StructType, calendar: Calendar, what: str) -> pa.Array:
    children = []
    for field in kind:
        position = _member(column.type, field.name)
        children.append(
            pa.nulls(len(column), field.type)
            if position is None
            else _converted(column.field(position), field.type, calendar, what)
        )
    return pa.StructArray.from_arrays(children, fields=list(kind), mask=column.is_null())
