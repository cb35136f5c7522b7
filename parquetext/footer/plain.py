"""Encode literals as PLAIN, as Bloom filters hash them, if no other bytes could equal the literal."""

from __future__ import annotations

import math
import struct
from decimal import Decimal

import pyarrow as pa

from .. import wire
from ..pruning import Comparison, is_text
from .leaf_types import LeafType


def plain_forms(comparison: Comparison, kind: LeafType, rows: pa.DataType) -> list[bytes] | None:
    """Return the bytes, without a length, of each value in an equality or a list of values.

    Parameters
    ----------
    kind : LeafType
        The stored type of the column.
    rows : pyarrow.DataType
        The type in which its rows are compared.

    Returns
    -------
    list of bytes or None
        None if a row that matches the comparison might have other bytes.
    """
    encode = _encoder(kind, rows)
    if encode is None:
        return None
    try:
        forms = [encode(literal, kind, rows) for literal in _literals(comparison)]
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return None
    return None if None in forms else [form for several in forms for form in several]


def _literals(comparison: Comparison) -> list[pa.Scalar]:
    """Return the literals as Arrow converts them: all members of a list have one type."""
    value = comparison.value
    if comparison.operator != "in":
        return [value if isinstance(value, pa.Scalar) else pa.scalar(value)]
    return list(value if isinstance(value, (pa.Array, pa.ChunkedArray)) else pa.array(list(value)))


def _encoder(kind: LeafType, rows: pa.DataType):
    if kind.physical == wire.PHYSICAL_INT96:
        return None  # a day and its nanoseconds: an instant has several forms
    if kind.physical == wire.PHYSICAL_BYTE_ARRAY and is_text(rows) and not pa.types.is_decimal(kind.arrow):
        return _text
    if pa.types.is_timestamp(rows) and pa.types.is_timestamp(kind.arrow):
        return _instant if rows.unit == kind.arrow.unit and (rows.tz is None) == (kind.arrow.tz is None) else None
    if rows != kind.arrow:
        return None
    if pa.types.is_fixed_size_binary(rows) and kind.physical == wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return _text
    return next((encode for is_one, encode in _ENCODERS if is_one(rows)), None)


def _text(literal: pa.Scalar, kind: LeafType, rows: pa.DataType) -> list[bytes] | None:
    value = literal.as_py()
    if isinstance(value, str):
        value = value.encode()
    return [value] if isinstance(value, bytes) and len(value) == (kind.width or len(value)) else None


def _integer(literal: pa.Scalar, kind: LeafType, rows: pa.DataType) -> list[bytes] | None:
    if not pa.types.is_integer(literal.type) or not literal.is_valid:
        return None
    pa.scalar(literal.as_py(), rows)  # a literal beyond the type's range is an error here
    return [literal.as_py().to_bytes(kind.width, "little", signed=pa.types.is_signed_integer(rows))]


def _number(literal: pa.Scalar, kind: LeafType, rows: pa.DataType) -> list[bytes] | None:
    """Encode a number: zero has two forms; NaN, and numbers that would be rounded, have no certain one."""
    if not (pa.types.is_integer(literal.type) or pa.types.is_floating(literal.type)) or not literal.is_valid:
        return None
    value, code = literal.as_py(), "<f" if kind.width == 4 else "<d"
    data = struct.pack(code, value)
    if math.isnan(value) or struct.unpack(code, data)[0] != value:
        return None
    return [data] if value else [struct.pack(code, 0.0), struct.pack(code, -0.0)]


def _decimal(literal: pa.Scalar, kind: LeafType, rows: pa.DataType) -> list[bytes] | None:
    """Encode the digits at the column's scale; byte arrays of any length are uncertain, because they may be padded."""
    value = literal.as_py()
    if not isinstance(value, Decimal) or kind.physical == wire.PHYSICAL_BYTE_ARRAY:
        return None
    sign, digits, exponent = value.as_tuple()
    number, shift = int("".join(map(str, digits))), rows.scale + exponent
    number, rest = (number * 10**shift, 0) if shift >= 0 else divmod(number, 10**-shift)
    if rest or number >= 10**rows.precision:
        return None
    order = "little" if kind.physical in (wire.PHYSICAL_INT32, wire.PHYSICAL_INT64) else "big"
    return [(-number if sign else number).to_bytes(kind.width, order, signed=True)]


def _instant(literal: pa.Scalar, kind: LeafType, rows: pa.DataType) -> list[bytes] | None:
    """Encode a date, time or timestamp in the column's unit; the cast raises an error for one between two units."""
    if not literal.is_valid:
        return None
    if pa.types.is_timestamp(rows):
        same = pa.types.is_timestamp(literal.type) and (literal.type.tz is None) == (rows.tz is None)
    else:
        same = literal.type.id == rows.id or (pa.types.is_time(literal.type) and pa.types.is_time(rows))
    return [literal.cast(kind.arrow).value.to_bytes(kind.width, "little", signed=True)] if same else None


_ENCODERS = (
    (pa.types.is_integer, _integer),
    (pa.types.is_float32, _number),
    (pa.types.is_float64, _number),
    (pa.types.is_decimal, _decimal),
    (pa.types.is_date32, _instant),
    (pa.types.is_time, _instant),
)
