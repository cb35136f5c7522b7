"""Kinds of columns that filters compare: their Arrow types, and values of them, few enough to meet literals."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal

import pyarrow as pa
from hypothesis import strategies as st

__all__ = ["KINDS", "OPERATORS"]

FLOATS = st.one_of(st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf, 1.0]), st.floats(width=32))
MOMENTS = st.datetimes(datetime.datetime(1969, 12, 31), datetime.datetime(1970, 1, 2))
TIMES = st.sampled_from([datetime.time(0), datetime.time(12, 0, 0, 1), datetime.time(23, 59, 59)])
KINDS = {
    "int8": (pa.int8(), st.integers(-3, 3)),
    "int16": (pa.int16(), st.sampled_from([-(2**15), -1, 0, 1])),
    "int32": (pa.int32(), st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 2) | st.just(-(2**31))),
    "int64": (pa.int64(), st.integers(-(2**63), 2**63 - 1) | st.integers(-2, 2) | st.just(-(2**63))),
    "uint8": (pa.uint8(), st.integers(0, 3) | st.just(255)),
    "uint16": (pa.uint16(), st.sampled_from([0, 1, 2**15, 2**16 - 1])),
    "uint32": (pa.uint32(), st.integers(0, 2**32 - 1) | st.integers(0, 3)),
    "uint64": (pa.uint64(), st.integers(2**63 - 2, 2**63 + 2) | st.integers(0, 2)),
    "half": (pa.float16(), st.sampled_from([0.0, -0.0, math.nan, math.inf, -2.0, 1.5])),
    "float32": (pa.float32(), FLOATS),
    "float64": (pa.float64(), FLOATS),
    "bool": (pa.bool_(), st.booleans()),
    "string": (pa.string(), st.text("aé\U0001f600z", max_size=3)),
    "binary": (pa.binary(), st.binary(max_size=3)),
    "fixed": (pa.binary(3), st.binary(min_size=3, max_size=3)),
    "uuid": (pa.binary(16), st.binary(min_size=1, max_size=1).map(lambda byte: byte * 16)),
    "date": (pa.date32(), st.dates(datetime.date(1969, 12, 29), datetime.date(1970, 1, 3))),
    "milliseconds": (pa.timestamp("ms"), MOMENTS.map(lambda value: value.replace(microsecond=0))),
    "timestamp": (pa.timestamp("us"), MOMENTS),
    "nanoseconds": (pa.timestamp("ns"), MOMENTS),
    "zoned": (pa.timestamp("ms", "UTC"), MOMENTS.map(lambda value: value.replace(microsecond=0, tzinfo=datetime.UTC))),
    "seconds": (pa.time32("s"), TIMES.map(lambda value: value.replace(microsecond=0))),
    "time": (pa.time64("us"), TIMES),
    "words": (pa.dictionary(pa.int32(), pa.string()), st.sampled_from(["", "a", "é", "z"])),
    "small": (pa.decimal128(5, 2), st.decimals(-9, 9, places=2)),
    "large": (pa.decimal128(30, 1), st.sampled_from([Decimal(-10) ** 21, Decimal("0.5"), Decimal(10) ** 21])),
}
OPERATORS = ("=", "!=", "<", "<=", ">", ">=", "in", "not in")
