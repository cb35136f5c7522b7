"""Columns that the names of directories give, with the types that Spark gives them."""

from __future__ import annotations

import datetime
import decimal
import re
import zoneinfo
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T

from ...arrow.datasets.discovery import shared
from ...errors import Unsupported

MAX_PRECISION = 38
# Numbers as Java parses them: whole ones, those without a fraction, and all others, in blanks and with a type's letter.
_WHOLE = re.compile(r"[+-]?\d+")
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_HEX = re.compile(r"[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d{1,3}", re.ASCII)
_NO_NUMBER = re.compile(r"[+-]?(NaN|Infinity)")
_BLANKS = "".join(map(chr, range(33)))
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d)?", re.ASCII)  # values that Spark recognizes
_GIVEN_MOMENT = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?", re.ASCII)
_TIME = re.compile(r"([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,6})?", re.ASCII)
_OFFSET = re.compile(r"(?:UTC|GMT|UT)?([+-])(\d\d?)(?::?(\d\d))?")
_EPOCH = datetime.datetime(1970, 1, 1)
_TIMES = "times of day"  # a type of Spark's that is not in all its versions


def key_fields(files: Iterable[Mapping[str, str | None]], zone: str | None) -> T.StructType:
    """Return the keys of all files, in order of appearance, each with the common type of its values.

    Raises
    ------
    Unsupported
        If values are times of day, or timestamps without a known time zone.
    """
    values: dict[str, set[str]] = {}
    for keys in shared(files):
        for key, value in keys.items():
            values.setdefault(key, set()).update(() if value is None else (value,))
    fields = T.StructType([T.StructField(key, _common({*map(_kind, texts)}, key)) for key, texts in values.items()])
    for field in fields:
        if field.dataType == T.TimestampType() and zone is None:
            raise _zoneless(field.name)
    return fields


def _kind(text: str) -> T.DataType | str:
    """Return Spark's type of a single value."""
    if _WHOLE.fullmatch(text) and -(1 << 63) <= (number := int(text)) < 1 << 63:
        return T.IntegerType() if -(1 << 31) <= number < 1 << 31 else T.LongType()
    if _DECIMAL.fullmatch(text):
        _, digits, exponent = decimal.Decimal(text).as_tuple()
        assert isinstance(exponent, int)  # the pattern admits no NaN and no infinity
        precision = len(digits) + exponent
        return T.DecimalType(precision, 0) if exponent >= 0 and precision <= MAX_PRECISION else T.DoubleType()
    if _double(text) is not None:
        return T.DoubleType()
    for pattern, kind in ((_MOMENT, T.TimestampType()), (_DATE, T.DateType())):
        if pattern.fullmatch(text) and _moment(text) is not None:
            return kind
    return _TIMES if _TIME.fullmatch(text) else T.StringType()


def _common(kinds: set[Any], key: str) -> T.DataType:
    """Return the common type of several types."""
    if kinds == {_TIMES}:
        raise Unsupported(
            f"directories {key}=… look like times of day: give a schema in which {key} is a string, or "
            "use spark.read.parquet"
        )
    if len(kinds) < 2:
        return next(iter(kinds), T.NullType())
    precisions = {T.IntegerType(): 10, T.LongType(): 20}
    decimals = [kind for kind in kinds if isinstance(kind, T.DecimalType)]
    if kinds <= {*precisions, *decimals}:
        if not decimals:
            return T.LongType()
        widest = max(precisions.get(kind) or kind.precision for kind in kinds)
        return T.DecimalType(widest, 0)
    if kinds == {T.IntegerType(), T.DoubleType()}:
        return T.DoubleType()
    return T.TimestampType() if kinds == {T.DateType(), T.TimestampType()} else T.StringType()


def key_scalar(value: str | None, kind: pa.DataType, key: str, zone: str | None) -> pa.Scalar:
    """Return a directory's value as a scalar of a column's type.

    Raises
    ------
    Unsupported
        If it is not a value of the type, or an instant without a known time zone.
    """
    if value is None:
        return pa.scalar(None, kind)
    if pa.types.is_string(kind):
        return pa.scalar(value, kind)
    if pa.types.is_timestamp(kind):
        return pa.scalar(_micros(value, kind, key, zone), kind)
    try:
        if pa.types.is_floating(kind):
            return pa.scalar(_double(value), pa.float64()).cast(kind)
        return pa.array([value.removeprefix("+")], pa.string()).cast(kind)[0]
    except pa.ArrowException:
        raise _alien(value, kind, key) from None


def _micros(value: str, kind: pa.TimestampType, key: str, zone: str | None) -> int:
    moment = _moment(value) if _GIVEN_MOMENT.fullmatch(value) else None
    if moment is None:
        raise _alien(value, kind, key)
    since = moment - _EPOCH
    if kind.tz is not None:
        if zone is None:
            raise _zoneless(key)
        # As in Java: if clocks are set back, the first time counts; if they are set forward, the old offset.
        since = moment.replace(tzinfo=_zone(zone)) - _EPOCH.replace(tzinfo=datetime.UTC)
    return since // datetime.timedelta(microseconds=1)


def _moment(text: str) -> datetime.datetime | None:
    try:
        return datetime.datetime.fromisoformat(text)
    except ValueError:
        return None


def _double(text: str) -> float | None:
    """Parse a number like Java's `Double.parseDouble`."""
    text = text.strip(_BLANKS)
    if _NO_NUMBER.fullmatch(text):
        return float(text)
    for pattern, parse in ((_DECIMAL, float), (_HEX, float.fromhex)):
        for number in (text, text[:-1] if text[-1:] in ("d", "D", "f", "F") else ""):
            if pattern.fullmatch(number):
                return parse(number)
    return None


def _zone(name: str) -> datetime.tzinfo:
    if offset := _OFFSET.fullmatch(name):
        sign, hours, minutes = offset.groups()
        shift = datetime.timedelta(hours=int(hours), minutes=int(minutes or 0))
        return datetime.timezone(shift if sign == "+" else -shift)
    try:
        return zoneinfo.ZoneInfo("UTC" if name == "Z" else name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        raise Unsupported(
            f"time zone {name!r} is not known to this Python: give another by the option timeZone, or "
            "use spark.read.parquet"
        ) from None


def _zoneless(key: str) -> Unsupported:
    return Unsupported(
        f"directories {key}=… are timestamps, which depend on a time zone: give it by the option "
        "timeZone, or a schema in which they are strings, or use spark.read.parquet"
    )


def _alien(value: str, kind: pa.DataType, key: str) -> Unsupported:
    return Unsupported(f"{key}={value} is no {kind}; read {key} as a string, or use spark.read.parquet")
