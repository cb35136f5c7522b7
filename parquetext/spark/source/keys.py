"""Columns that the names of directories give, with the types that Spark gives them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import pyarrow as pa
from pyspark.sql.types import (
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    NullType,
    StringType,
    StructField,
    StructType,
)

from ...errors import Unsupported

__all__ = ["key_scalar", "key_fields"]

_WHOLE = re.compile(r"[+-]?\d+")
_NUMBER = re.compile(r"[+-]?\d*\.\d+|[+-]?(NaN|Infinity)")
# Numbers to Java, of one type or another: with spaces around, a point or a type's letter at the end, an exponent.
_ODD = re.compile(r"\s*[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|NaN|Infinity)[dDfF]?\s*")
_TIME = re.compile(r"\d{1,2}:\d{1,2}(:\d.*)?")
_DATE = re.compile(r"[+-]?\d{4,7}-\d{1,2}-\d{1,2}")
_MOMENT = re.compile(r"\d{4}-\d{1,2}-\d{1,2}[ T]\d")


def key_fields(files: Iterable[Mapping[str, str | None]]) -> StructType:
    """The keys of all files, in the order in which they come, each with the one type that all of its values have."""
    values: dict[str, set[str | None]] = {}
    for keys in files:
        for key, value in keys.items():
            values.setdefault(key, set()).add(value)
    return StructType([StructField(key, _type_of(key, texts - {None})) for key, texts in values.items()])


def _type_of(key: str, texts: set[str]) -> DataType:
    if not texts:
        return NullType()
    if all(map(_WHOLE.fullmatch, texts)):
        largest = max(int(text) if int(text) >= 0 else -int(text) - 1 for text in texts)
        return IntegerType() if largest < 1 << 31 else LongType() if largest < 1 << 63 else _decimal(texts)
    if all(_NUMBER.fullmatch(text) or _WHOLE.fullmatch(text) for text in texts):
        return DoubleType()
    if all(map(_ODD.fullmatch, texts)) or all(map(_TIME.fullmatch, texts)):
        raise Unsupported(f"directories {key}=… look like numbers or times of a kind of which only spark.read.parquet "
                          f"can tell the type: use it, or give a schema in which {key} is a string")
    if all(map(_DATE.fullmatch, texts)) and _cast(texts, pa.date32()) is not None:
        return DateType()
    if all(_MOMENT.match(text) or _DATE.fullmatch(text) for text in texts):
        raise Unsupported(f"directories {key}=… look like timestamps, which depend on the session's time zone: give a "
                          f"schema in which {key} is a string, or use spark.read.parquet")
    return StringType()


def _decimal(texts: set[str]) -> DataType:
    digits = max(len(text.lstrip("+-")) for text in texts)
    return DecimalType(digits, 0) if digits <= 38 else DoubleType()


def _cast(texts: Iterable[str], kind: pa.DataType) -> pa.Array | None:
    try:
        return pa.array(texts, pa.string()).cast(kind)
    except pa.ArrowException:
        return None


def key_scalar(value: str | None, kind: pa.DataType, key: str) -> pa.Scalar:
    """A directory's value as a column's type has it.

    Raises
    ------
    Unsupported
        It is no such value.
    """
    if value is None:
        return pa.scalar(None, kind)
    if pa.types.is_string(kind):
        return pa.scalar(value, kind)
    if pa.types.is_timestamp(kind):
        raise Unsupported(f"{key}={value}: a directory's timestamp depends on the session's time zone: read {key} as a "
                          "string, or use spark.read.parquet")
    made = _cast([value.removeprefix("+")], kind)
    if made is None:
        raise Unsupported(f"{key}={value} is no {kind}; read {key} as a string, or use spark.read.parquet")
    return made[0]
