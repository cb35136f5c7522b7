"""The option `prune`: filters as JSON that exclude row groups, independent of the filters that Spark pushes down.

Spark casts a literal and a column to a common type before it compares them. Here only values of the column's type
exclude anything, so that no row is lost that Spark's filter would keep.
"""

from __future__ import annotations

import base64
import datetime
import json
import math
import time
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import pyarrow as pa
from pyspark.sql import types as T

from ...errors import ParquetextError
from ...pruning import Comparison

_Column = tuple[str, T.DataType, pa.DataType]
_COMPARED = T.IntegralType, T.DecimalType, T.DateType, T.TimestampType, T.TimestampNTZType, T.BooleanType, T.BinaryType
# Bounds do not include NaN, which in Spark equals itself and is above all other numbers.
_OF_FLOATS = {"=", "<", "<=", "in"}
OPERATORS = ("=", "==", "!=", "<", "<=", ">", ">=", "in", "not in")
_TAKES = (
    (T.DecimalType, (int, Decimal)),
    (T.IntegralType, int),
    (T.FractionalType, (int, float)),
    (T.StringType, str),
    (T.BooleanType, bool),
    (T.BinaryType, bytes),
    (T.DateType, datetime.date),
    (T.TimestampType, datetime.datetime),
    (T.TimestampNTZType, datetime.datetime),
)


def encoded(alternatives: Iterable[Iterable[Comparison]], naive_is_local: bool) -> str:
    """Return the option's text for an OR of ANDs; a comparison whose value cannot be encoded excludes nothing.

    If `naive_is_local`, a datetime without a time zone is an instant in the time zone of this process, as in Spark.
    """

    def texts(group: Iterable[Comparison]) -> list[list]:
        found = [[part.column, part.operator, _text(part.value, naive_is_local)] for part in group]
        return [part for part in found if part[2] is not None]

    return json.dumps([texts(group) for group in alternatives])


def alternatives_of(text: str | None, schema: T.StructType, arrow: pa.Schema) -> list[list[Comparison]]:
    """Return the comparisons that apply to columns: an OR of ANDs, some of which may be empty; empty without a text.

    `arrow` contains the columns of `schema` with the types in which they are compared.

    Raises
    ------
    ParquetextError
        If the text is not such a list.
    """
    if text is None:
        return []
    by_name: dict[str, list[_Column]] = {}
    for field, compared in zip(schema, arrow, strict=True):
        by_name.setdefault(field.name.lower(), []).append((field.name, field.dataType, compared.type))
    return [[found for part in group if (found := _comparison(by_name, *part)) is not None] for group in _groups(text)]


def is_decided_by_bounds(kind: T.DataType, operator: str) -> bool:
    """Return True if Spark orders such values like Parquet's bounds."""
    if isinstance(kind, T.StringType):
        return kind == T.StringType()  # of the collation that compares bytes
    if isinstance(kind, T.FractionalType) and not isinstance(kind, T.DecimalType):
        return operator in _OF_FLOATS
    return isinstance(kind, _COMPARED)


def _groups(text: str) -> list[list[list]]:
    try:
        parts = json.loads(text)
        groups = (
            parts
            if all(isinstance(group, list) and all(isinstance(part, list) for part in group) for group in parts)
            else [parts]
        )
        good = bool(groups) and all(
            isinstance(name, str) and operator in OPERATORS for group in groups for name, operator, _ in group
        )
    except (ValueError, TypeError):
        good = False
    if not good:
        raise ParquetextError(
            "option prune is a JSON list of [column, operator, value], or of such lists, with the "
            f"operators {', '.join(OPERATORS)}; it is {text[:200]!r}"
        )
    return groups


def _comparison(by_name: dict[str, list[_Column]], name: str, operator: str, value: object) -> Comparison | None:
    operator = "=" if operator == "==" else operator
    columns = by_name.get(name.lower(), [])
    if len(columns) != 1 or not is_decided_by_bounds(columns[0][1], operator):
        return None
    ((name, kind, compared),) = columns
    several = operator.endswith("in")
    values = [_value(each, kind, compared) for each in (value if several and isinstance(value, list) else [value])]
    if not values or any(each is None for each in values):
        return None
    return Comparison(name, operator, values if several else values[0])


def _value(text: object, kind: T.DataType, compared: pa.DataType) -> object:
    """Return a value of that type, or None if Spark would cast the column."""
    value = _untagged(text)
    if isinstance(kind, T.DateType) and isinstance(value, str) and len(value) == len("2020-01-01"):
        value = _parsed(datetime.date.fromisoformat, value)  # Spark casts such texts to days
    takes = next(takes for spark_type, takes in _TAKES if isinstance(kind, spark_type))
    if not isinstance(value, takes) or (isinstance(value, bool) and takes is not bool):
        return None
    if isinstance(value, datetime.datetime) and (
        isinstance(kind, T.DateType) or (value.tzinfo is None) != isinstance(kind, T.TimestampNTZType)
    ):
        return None
    if isinstance(value, int) and isinstance(kind, T.FractionalType):
        value = Decimal(value) if isinstance(kind, T.DecimalType) else _parsed(float, value)
    return value if value is not None and _is_one_of(compared, value) else None


def _is_one_of(kind: pa.DataType, value: object) -> bool:
    """Return True if a type can represent exactly this value."""
    try:
        return pa.scalar(value, kind).as_py() == value
    except (pa.ArrowException, ArithmeticError, ValueError):
        return False


def _text(value: object, naive_is_local: bool) -> object:
    """Return JSON for a value, with its type if JSON lacks it; None if it cannot be encoded."""
    match value:
        case bool() | str() | int():
            return value
        case float():
            return value if math.isfinite(value) else None
        case list() | tuple() | set() | frozenset():
            texts = [_text(each, naive_is_local) for each in value]
            return None if any(each is None for each in texts) else texts
        case datetime.datetime():
            if value.tzinfo is None and not naive_is_local:
                return {"timestamp_ntz": value.isoformat()}
            return {"timestamp": _instant(value).isoformat()}
        case datetime.date():
            return {"date": value.isoformat()}
        case Decimal() if value.is_finite():
            return {"decimal": str(value)}
        case bytes() | bytearray():
            return {"binary": base64.b64encode(value).decode()}
    return None


def _instant(value: datetime.datetime) -> datetime.datetime:
    """Return a datetime as PySpark interprets it."""
    if value.tzinfo is not None:
        return value.astimezone(datetime.UTC)
    seconds = time.mktime(value.timetuple())
    return datetime.datetime.fromtimestamp(seconds, datetime.UTC).replace(microsecond=value.microsecond)


def _untagged(text: Any) -> object:
    if not isinstance(text, dict) or len(text) != 1:
        return text
    ((tag, content),) = text.items()
    read = _TAGS.get(tag)
    return None if read is None or not isinstance(content, str) else _parsed(read, content)


def _parsed(read: Callable, text: object) -> object:
    """Return the value of a text, or None if it cannot be parsed."""
    try:
        return read(text)
    except (ValueError, ArithmeticError):
        return None


_TAGS: dict[str, Callable] = {
    "timestamp": datetime.datetime.fromisoformat,
    "timestamp_ntz": datetime.datetime.fromisoformat,
    "date": datetime.date.fromisoformat,
    "decimal": Decimal,
    "binary": base64.b64decode,
}
