"""Values are compared with ranges while they are decoded: the booleans equal comparisons of the decoded values."""

from __future__ import annotations

import math
import struct

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.columns import PHYSICAL, array_of, stored_columns, write
from support.twins import both

from parquetext import kernels, wire
from parquetext.errors import ParquetextError

SPECIAL = [0.0, -0.0, math.inf, -math.inf, math.nan]
VALUES = {
    pa.bool_(): st.booleans(),
    pa.int32(): st.integers(-4, 4) | st.sampled_from([-(2**31), 2**31 - 1, 300, -300]),
    pa.int64(): st.integers(-4, 4) | st.sampled_from([-(2**63), 2**63 - 1]),
    pa.float32(): st.floats(width=32) | st.sampled_from(SPECIAL),
    pa.float64(): st.floats() | st.sampled_from(SPECIAL),
    pa.string(): st.text("ab\0", max_size=3),
}
LAYOUTS = {
    "dictionaries": {},
    "plain": {"use_dictionary": False},
    "V2 in small pages": {"use_dictionary": False, "data_page_version": "2.0", "data_page_size": 50},
    "dictionaries that become too large": {"data_page_size": 50, "dictionary_pagesize_limit": 20},
    "deltas": {"use_dictionary": False, "column_encoding": "DELTA"},
}
DELTAS = {
    pa.int32(): "DELTA_BINARY_PACKED",
    pa.int64(): "DELTA_BINARY_PACKED",
    pa.float32(): "BYTE_STREAM_SPLIT",
    pa.float64(): "BYTE_STREAM_SPLIT",
    pa.string(): "DELTA_BYTE_ARRAY",
    pa.bool_(): "RLE",
}


def key_of(kind: pa.DataType, value, bits: int, unsigned: bool) -> int | bytes:
    """Return the number, or the bytes, that has the order of the values."""
    if pa.types.is_string(kind):
        return value.encode()
    if pa.types.is_floating(kind):
        width = kind.bit_width
        half = 1 << (width - 1)
        stored = int.from_bytes(struct.pack("<f" if width == 32 else "<d", value or 0.0), "little")
        return half + stored if stored < half else 2 * half - 1 - stored
    if pa.types.is_integer(kind):
        width = kind.bit_width
        bits = bits if width == 32 else 64
        low = value % (1 << bits)
        signed = low - (1 << bits) if low >= 1 << (bits - 1) else low
        return low if unsigned else signed + (1 << (width - 1))
    return int(value)


@st.composite
def cases(draw):
    kind = draw(st.sampled_from(list(VALUES)))
    options = {"bits": draw(st.sampled_from([8, 16, 32])), "is_unsigned": draw(st.booleans())}
    points = [value for value in draw(st.lists(VALUES[kind], max_size=14)) if value == value]
    keys = sorted(key_of(kind, value, *options.values()) for value in points)
    bounds: list[tuple] = []
    for low, high in zip(keys[::2], keys[1::2], strict=False):
        if not bounds or low > bounds[-1][1]:
            bounds.append((low, high + b"\0" if pa.types.is_string(kind) else high))
    if bounds and pa.types.is_string(kind) and draw(st.booleans()):
        bounds[-1] = bounds[-1][0], None
    return kind, draw(st.lists(st.none() | VALUES[kind], max_size=40)), bounds, options


def is_found(kind: pa.DataType, value, bounds: list[tuple], has_nan: bool, options: dict) -> bool | None:
    if value is None or value != value:
        return None if value is None else has_nan
    key = key_of(kind, value, *options.values())
    if pa.types.is_string(kind):
        return any(low <= key and (end is None or key < end) for low, end in bounds)
    return any(low <= key <= high for low, high in bounds)


def found(columns, file: bytes, kind: pa.DataType, ranges, step: int) -> list:
    (stored,) = stored_columns(file, pa.schema([("x", kind)]))
    leaf = stored.leaf
    levels = leaf.max_definition, leaf.max_repetition, leaf.repeated_definition
    column = columns.Column(leaf.type, leaf.type_length, *levels, ranges=ranges)
    column.chunk(stored.num_values, stored.num_rows)
    column.pages(stored.headers, stored.data)
    while column.read(step):
        pass
    return array_of(pa.field("x", pa.bool_()), iter([column.take()]))[0].to_pylist()


@settings(deadline=None)
@given(cases(), st.booleans(), st.sampled_from(list(LAYOUTS)), st.integers(1, 50))
def test_booleans_equal_comparisons_of_the_values(case, has_nan, layout, step):
    kind, values, bounds, options = case
    array = pa.array(values, kind)
    writing = dict(LAYOUTS[layout])
    if "column_encoding" in writing:
        writing["column_encoding"] = DELTAS[kind]
    file = write(pa.table({"x": array}), **writing)
    wanted = [is_found(kind, value, bounds, has_nan, options) for value in array.to_pylist()]
    for columns, ranges in zip(both("column"), both("ranges"), strict=True):
        accepted = ranges.Ranges(PHYSICAL[kind], bounds, has_nan=has_nan, **options)
        assert found(columns, file, kind, accepted, step) == wanted


def test_many_values_of_every_length_are_compared():
    rows = 70_000
    texts = [None if row % 11 == 0 else "x" * (row % 70) + str(row % 900) for row in range(rows)]
    numbers = [None if row % 7 == 0 else row % 5000 for row in range(rows)]
    wanted_texts = sorted({text.encode() for text in texts[100:160] if text})
    bounds = [(text, text + b"\0") for text in wanted_texts]
    for options in ({}, {"use_dictionary": False}):
        file = write(pa.table({"x": texts}), **options)
        ranges = kernels.ranges.Ranges(wire.PHYSICAL_BYTE_ARRAY, bounds)
        members = set(wanted_texts)
        assert found(kernels.column, file, pa.string(), ranges, rows) == [
            text and text.encode() in members for text in texts
        ]
        file = write(pa.table({"x": pa.array(numbers, pa.int64())}), **options)
        half = 1 << 63
        ranges = kernels.ranges.Ranges(wire.PHYSICAL_INT64, [(half + low, half + low) for low in range(0, 5000, 3)])
        expected = [None if number is None else number % 3 == 0 for number in numbers]
        assert found(kernels.column, file, pa.int64(), ranges, rows) == expected


@pytest.mark.parametrize(
    ("type", "bounds", "options"),
    [
        (wire.PHYSICAL_INT96, [], {}),
        (wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY, [], {}),
        (wire.PHYSICAL_INT32, [], {"bits": 12}),
        (wire.PHYSICAL_INT32, [(5, 4)], {}),
        (wire.PHYSICAL_INT32, [(1, 2), (2, 3)], {}),
        (wire.PHYSICAL_INT32, [(1, 1 << 32)], {}),
        (wire.PHYSICAL_BOOLEAN, [(0, 2)], {}),
        (wire.PHYSICAL_BYTE_ARRAY, [(b"a", b"a")], {}),
        (wire.PHYSICAL_BYTE_ARRAY, [(b"a", b"c"), (b"b", None)], {}),
    ],
)
def test_ranges_that_no_value_could_be_compared_with_are_refused(type, bounds, options, implementation):
    with pytest.raises(ParquetextError) as error:
        kernels.ranges.Ranges(type, bounds, **options)
    assert error.value.code == wire.BAD_ARGUMENT


def test_a_column_refuses_ranges_of_another_type_or_for_lists(implementation):
    ranges = kernels.ranges.Ranges(wire.PHYSICAL_INT64, [(1, 2)])
    for type, definition, repetition in ((wire.PHYSICAL_INT32, 0, 0), (wire.PHYSICAL_INT64, 1, 1)):
        with pytest.raises(ParquetextError) as error:
            kernels.column.Column(type, 0, definition, repetition, 0, ranges=ranges)
        assert error.value.code == wire.BAD_ARGUMENT
