"""Values of every type as JSON has them, one by one and as columns."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parquetext.inspection.content.value_text import as_json, column_as_json

NAN, DAY = float("nan"), datetime.date(2024, 1, 31)
MAP = pa.map_(pa.field("k", pa.string(), nullable=False), pa.field("v", pa.int32()))

VALUES = [
    (pa.array([1, None], pa.uint8()), [1, None]),
    (pa.array([True, None]), [True, None]),
    (pa.array([1.5, NAN, float("-inf"), None]), [1.5, "nan", "-inf", None]),
    (pa.array([1.5, None], pa.float16()), [1.5, None]),
    (pa.array([0.1, 1e20, NAN, float("-inf"), None], pa.float32()), [0.1, 1e20, "nan", "-inf", None]),
    (pa.array(["é", "", None], pa.large_string()), ["é", "", None]),
    (pa.array([b"\x00\xff", None], pa.binary(2)), ["00ff", None]),
    (pa.array([DAY, None]), ["2024-01-31", None]),
    (pa.array([0, None], pa.timestamp("ns", "UTC")), ["1970-01-01 00:00:00.000000000Z", None]),
    (pa.array([1, None], pa.time32("s")), ["00:00:01", None]),
    (pa.array([7, None], pa.duration("ms")), [7, None]),
    (pa.array([Decimal("1.50"), None]), ["1.50", None]),
    (pa.array([None, None]), [None, None]),
    (pa.array([[1, None], None], pa.list_(pa.int8())), [[1, None], None]),
    (pa.array([[1, 2], None], pa.list_(pa.int8(), 2)), [[1, 2], None]),
    (pa.array([{"a": NAN}, None]), [{"a": "nan"}, None]),
    (pa.array([[("a", 1), ("b", None)], None], MAP), [[{"key": "a", "value": 1}, {"key": "b", "value": None}], None]),
    (pa.array(["x", None, "x"]).dictionary_encode(), ["x", None, "x"]),
]


@pytest.mark.parametrize(("values", "expected"), VALUES, ids=lambda value: str(getattr(value, "type", "")))
def test_values_as_json(values, expected):
    assert [as_json(value) for value in values] == expected
    assert column_as_json(values) == expected
    json.dumps(expected, allow_nan=False)


TIMES = [
    *(pa.timestamp(unit, zone) for unit in ("s", "ms", "us", "ns") for zone in (None, "UTC", "Asia/Kolkata")),
    *(pa.date32(), pa.date64(), pa.time32("s"), pa.time32("ms"), pa.time64("us"), pa.time64("ns")),
]


@pytest.mark.parametrize("kind", TIMES, ids=str)
def test_times_have_the_text_that_pyarrow_casts_them_to(kind):
    number = pa.int32() if kind.bit_width == 32 else pa.int64()
    for numbers in ([], [None], [0, None, 1, 86_399], [-86_400_000, 86_399_000, 2**31 - 1]):
        values = pa.array(numbers, number).view(kind)
        assert column_as_json(values) == values.cast(pa.string()).to_pylist()


@given(st.lists(st.none() | st.decimals(-(10**9), 10**9, places=9), max_size=5), st.integers(9, 19))
def test_decimals_have_the_text_that_pyarrow_casts_them_to(numbers, scale):
    for kind in (pa.decimal128(38, scale), pa.decimal256(50, scale)):
        values = pa.array(numbers, kind)
        assert column_as_json(values) == values.cast(pa.string()).to_pylist()


@given(st.lists(st.none() | st.floats(width=32), max_size=5))
def test_single_precision_numbers_have_the_shortest_text(numbers):
    values = pa.array(numbers, pa.float32())
    assert list(map(str, column_as_json(values))) == [
        "None" if text is None else str(float(text)) for text in values.cast(pa.string()).to_pylist()
    ]


def test_text_that_is_no_utf_8_keeps_its_bytes_as_surrogates():
    bad = pa.Array.from_buffers(pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0"), pa.py_buffer(b"a\xff")])
    assert column_as_json(bad) == ["a\udcff"]
