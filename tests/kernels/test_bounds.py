"""Which statistics count as bounds: the rules of docs/formats.md, 3.2, on both implementations."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.footers import scan_facts
from support.samples import examples
from support.twins import both

from parquetext import kernels, wire
from parquetext.thrift import write
from parquetext.thrift.values import Unknown

BOOLEAN, INT32, INT64, INT96, FLOAT, DOUBLE, BYTE_ARRAY, FIXED = range(8)
TYPE_ORDER, TOTAL_ORDER, INT96_ORDER = "TYPE_ORDER", "IEEE_754_TOTAL_ORDER", "INT96_TIMESTAMP_ORDER"
LATER_ORDER = 4  # the id of an order that parquet-format 2.14 does not define
NAN = float("nan")


def i32(value):
    return struct.pack("<i", value)


def f32(value):
    return struct.pack("<f", value)


def f64(value):
    return struct.pack("<d", value)


def f16(value):
    return struct.pack("<e", value)


def footer(element: dict, statistics: dict, order: str | int | None) -> bytes:
    empty = Unknown(wire.TYPE_STRUCT, b"\0") if isinstance(order, int) else {}
    orders = {} if order is None else {"column_orders": [{order: empty}]}
    return write(
        "FileMetaData",
        {
            "schema": [{"name": "schema", "num_children": 1}, {"name": "a"} | element],
            "num_rows": 1,
            "row_groups": [
                {"num_rows": 1, "columns": [{"meta_data": {"type": element["type"], "statistics": statistics}}]}
            ],
        }
        | orders,
    )


def bounds(element: dict, statistics: dict, order: str | int | None = TYPE_ORDER) -> tuple[bytes | None, bytes | None]:
    """Return the usable bounds of a one-chunk footer, None for missing ones."""
    data = footer(element, statistics, order)
    chunks = kernels.scan.scan(data).column(0)
    has, *ranges = chunks.bounds()
    low, low_length, high, high_length = (view[0] for view in ranges)
    found = (
        data[low : low + low_length] if has[0] & 1 else None,
        data[high : high + high_length] if has[0] & 2 else None,
    )
    assert (chunks.bound_values(1), chunks.bound_values(2)) == ([found[0]], [found[1]])
    return found


def pair(low: bytes, high: bytes) -> dict:
    return {"max_value": high, "min_value": low}


def deprecated(low: bytes, high: bytes) -> dict:
    return {"max": high, "min": low}


USED = [
    ({"type": BOOLEAN}, b"\0", b"\1"),
    ({"type": INT32}, i32(-1), i32(1)),
    ({"type": INT32, "converted_type": 13}, i32(1), i32(-1)),  # UINT_32
    ({"type": INT32, "logicalType": {"INTEGER": {"bitWidth": 32, "isSigned": False}}}, i32(1), i32(-1)),
    (
        {"type": INT32, "converted_type": 13, "logicalType": {"INTEGER": {"bitWidth": 32, "isSigned": True}}},
        i32(-1),
        i32(1),
    ),
    (
        {"type": INT64, "logicalType": {"TIMESTAMP": {"isAdjustedToUTC": True, "unit": {"MICROS": {}}}}},
        bytes(8),
        b"\1" + bytes(7),
    ),
    ({"type": FLOAT}, f32(-2), f32(1)),
    ({"type": DOUBLE}, f64(-2), f64(-1)),
    ({"type": DOUBLE}, f64(0.0), f64(-0.0)),
    ({"type": BYTE_ARRAY}, b"", b"\xff"),
    ({"type": BYTE_ARRAY, "converted_type": 0}, b"a", b"ab"),
    ({"type": BYTE_ARRAY, "converted_type": 5}, b"\xff", b"\x00\x80"),  # DECIMAL: -1, 128
    ({"type": BYTE_ARRAY, "logicalType": {"DECIMAL": {"scale": 0, "precision": 5}}}, b"\xff\x7f", b"\xff"),
    ({"type": FIXED, "type_length": 2}, b"ab", b"\xffb"),
    ({"type": FIXED, "type_length": 2, "logicalType": {"FLOAT16": {}}}, f16(-2), f16(1)),
    ({"type": FIXED, "type_length": 16, "logicalType": {"UUID": {}}}, bytes(16), b"\xff" * 16),
]


@pytest.mark.parametrize("element, low, high", USED, ids=str)
def test_min_value_and_max_value_count_under_type_order(implementation, element, low, high):
    assert bounds(element, pair(low, high)) == (low, high)
    assert bounds(element, {"min_value": low}) == (low, None)
    assert bounds(element, {"max_value": high}) == (None, high)
    assert bounds(element, deprecated(low, high)) == (None, None)


@pytest.mark.parametrize("element, low, high", [case for case in USED if case[1] != f64(0.0)], ids=str)
def test_an_inverted_pair_is_dropped(implementation, element, low, high):
    assert bounds(element, pair(high, low)) == (None, None)
    assert bounds(element, pair(low, low)) == (low, low)


@pytest.mark.parametrize(
    "element",
    [
        {"type": INT96},
        {"type": FIXED, "type_length": 12, "converted_type": 21},  # INTERVAL
        {"type": BYTE_ARRAY, "logicalType": {"VARIANT": {}}},
        {"type": BYTE_ARRAY, "logicalType": {"GEOMETRY": {}}},
        {"type": BYTE_ARRAY, "logicalType": {"GEOGRAPHY": {}}},
        {"type": BYTE_ARRAY, "logicalType": {"FILE": {}}},
        {"type": INT32, "logicalType": {"UNKNOWN": {}}},
        {"type": BYTE_ARRAY, "logicalType": {}},
        {"type": BYTE_ARRAY, "converted_type": 77},
        {"type": 9},
        {"type": INT32, "logicalType": {"LIST": {}}},
    ],
    ids=str,
)
def test_types_without_an_order_have_no_bounds(implementation, element):
    value = bytes(12 if element["type"] in (INT96, FIXED) else 4)
    assert bounds(element, pair(value, value) | deprecated(value, value)) == (None, None)


@pytest.mark.parametrize(
    "element, value",
    [
        ({"type": BOOLEAN}, b""),
        ({"type": INT32}, bytes(8)),
        ({"type": INT64}, bytes(4)),
        ({"type": FLOAT}, bytes(5)),
        ({"type": DOUBLE}, b"1"),
        ({"type": FIXED, "type_length": 3}, bytes(2)),
        ({"type": FIXED}, bytes(2)),
        ({"type": FIXED, "type_length": 4, "logicalType": {"FLOAT16": {}}}, bytes(4)),
        ({"type": BOOLEAN}, b"\2"),
        ({"type": BYTE_ARRAY, "converted_type": 5}, b""),
        ({"type": BYTE_ARRAY, "logicalType": {"DECIMAL": {"scale": 2, "precision": 9}}}, b""),
        ({"type": FIXED, "type_length": 0, "converted_type": 5}, b""),
        ({"type": FIXED, "type_length": 12, "logicalType": {"TIMESTAMP": {}}}, bytes(8)),
        ({"type": FIXED, "type_length": 16, "logicalType": {"UUID": {}}}, bytes(15)),
    ],
    ids=str,
)
def test_a_bound_of_wrong_length_is_dropped(implementation, element, value):
    assert bounds(element, pair(value, value)) == (None, None)


@pytest.mark.parametrize(
    "element, nan, one",
    [
        ({"type": FLOAT}, f32(NAN), f32(1)),
        ({"type": DOUBLE}, f64(NAN), f64(1)),
        ({"type": DOUBLE}, b"\1\0\0\0\0\0\xf0\xff", f64(1)),
        ({"type": FIXED, "type_length": 2, "logicalType": {"FLOAT16": {}}}, f16(NAN), f16(1)),
    ],
    ids=str,
)
@pytest.mark.parametrize("order", [TYPE_ORDER, TOTAL_ORDER])
def test_a_nan_is_no_bound(implementation, element, nan, one, order):
    assert bounds(element, pair(nan, one), order) == (None, one)
    assert bounds(element, pair(one, nan), order) == (one, None)


def test_infinities_are_bounds(implementation):
    infinity = float("inf")
    assert bounds({"type": DOUBLE}, pair(f64(-infinity), f64(infinity))) == (f64(-infinity), f64(infinity))


def test_total_order_distinguishes_zeros(implementation):
    assert bounds({"type": FLOAT}, pair(f32(-0.0), f32(0.0)), TOTAL_ORDER) == (f32(-0.0), f32(0.0))
    assert bounds({"type": FLOAT}, pair(f32(0.0), f32(-0.0)), TOTAL_ORDER) == (None, None)


def test_orders_count_for_their_types_only(implementation):
    assert bounds({"type": INT96}, pair(b"\xff" * 12, bytes(12)), INT96_ORDER) == (b"\xff" * 12, bytes(12))
    assert bounds({"type": INT32}, pair(i32(1), i32(2)), INT96_ORDER) == (None, None)
    assert bounds({"type": INT32}, pair(i32(1), i32(2)), TOTAL_ORDER) == (None, None)
    assert bounds({"type": INT32}, pair(i32(1), i32(2)), None) == (None, None)


def test_the_deprecated_pair_counts_for_signed_numbers_without_an_order(implementation):
    assert bounds({"type": INT32}, deprecated(i32(-1), i32(1)), None) == (i32(-1), i32(1))
    assert bounds({"type": DOUBLE}, deprecated(f64(-1), f64(1)) | pair(f64(5), f64(6)), None) == (f64(-1), f64(1))
    assert bounds({"type": INT32, "converted_type": 13}, deprecated(i32(1), i32(2)), None) == (None, None)
    assert bounds({"type": BYTE_ARRAY}, deprecated(b"a", b"b"), None) == (None, None)
    assert bounds({"type": BYTE_ARRAY, "converted_type": 5}, deprecated(b"\1", b"\2"), None) == (None, None)


@pytest.mark.parametrize(
    "element, low, high, order",
    [
        ({"type": INT32}, i32(1), i32(2), LATER_ORDER),
        ({"type": DOUBLE}, f64(1), f64(2), LATER_ORDER),
        ({"type": INT96}, bytes(12), bytes(12), LATER_ORDER),
        ({"type": INT32}, i32(1), i32(2), INT96_ORDER),
        ({"type": INT32}, i32(1), i32(2), TOTAL_ORDER),
        ({"type": DOUBLE, "logicalType": {77: Unknown(wire.TYPE_STRUCT, b"\0")}}, f64(1), f64(2), TOTAL_ORDER),
        ({"type": DOUBLE, "converted_type": 6}, f64(1), f64(2), TOTAL_ORDER),  # DATE
        ({"type": INT96, "logicalType": {77: Unknown(wire.TYPE_STRUCT, b"\0")}}, bytes(12), bytes(12), INT96_ORDER),
        ({"type": INT96, "converted_type": 10}, bytes(12), bytes(12), INT96_ORDER),  # TIMESTAMP_MICROS
        ({"type": FIXED, "type_length": 12, "converted_type": 21}, bytes(12), bytes(12), INT96_ORDER),  # INTERVAL
    ],
    ids=str,
)
def test_statistics_of_an_unknown_combination_of_type_annotation_and_order_are_ignored(
    implementation, element, low, high, order
):
    assert bounds(element, pair(low, high) | deprecated(low, high), order) == (None, None)
    thrift = write("SchemaElement", element | {"name": "a"})
    column_order = order if isinstance(order, int) else {TOTAL_ORDER: 2, INT96_ORDER: 3}[order]
    assert list(kernels.bound_checks.judge_pairs(thrift, column_order, [low], [high])) == [wire.BOUND_UNORDERED]


@pytest.mark.parametrize(
    "element, size",
    [
        ({"type": FIXED, "type_length": 4, "logicalType": {"UUID": {}}}, 4),
        ({"type": BYTE_ARRAY, "logicalType": {"UUID": {}}}, 16),
        ({"type": BYTE_ARRAY, "logicalType": {"DATE": {}}}, 4),
        ({"type": BYTE_ARRAY, "logicalType": {"FLOAT16": {}}}, 2),
        ({"type": INT64, "logicalType": {"DATE": {}}}, 8),
        ({"type": DOUBLE, "logicalType": {"DECIMAL": {"scale": 0, "precision": 5}}}, 8),
        ({"type": FIXED, "type_length": 8, "logicalType": {"TIMESTAMP": {}}}, 8),
        ({"type": INT32, "converted_type": 14}, 4),  # UINT_64
        ({"type": INT64, "converted_type": 6}, 8),  # DATE
        ({"type": FIXED, "type_length": 2, "converted_type": 0}, 2),  # UTF8
    ],
    ids=str,
)
def test_an_annotation_that_does_not_fit_its_type_leaves_no_order(implementation, element, size):
    value = bytes(size)
    assert bounds(element, pair(value, value) | deprecated(value, value)) == (None, None)
    assert bounds(element, deprecated(value, value), None) == (None, None)


def test_timestamps_of_12_bytes_are_little_endian_and_signed(implementation):
    element = {"type": FIXED, "type_length": 12, "logicalType": {"TIMESTAMP": {}}}
    low, high = ((-1).to_bytes(12, "little", signed=True), (256).to_bytes(12, "little"))
    assert bounds(element, pair(low, high)) == (low, high)
    assert bounds(element, pair(high, low)) == (None, None)
    assert bounds(element, pair((255).to_bytes(12, "little"), high)) == ((255).to_bytes(12, "little"), high)


def test_pairs_are_judged_with_the_reason(implementation):
    thrift = write("SchemaElement", {"type": DOUBLE, "name": "a"})
    low = [f64(1), f64(2), f64(NAN), bytes(4), None, f64(1)]
    high = [f64(2), f64(1), f64(1), f64(1), None, None]
    both_there = wire.BOUND_MIN | wire.BOUND_MAX
    judged = kernels.bound_checks.judge_pairs(thrift, 1, low, high)
    assert list(judged) == [
        both_there,
        wire.BOUND_INVERTED,
        wire.BOUND_NAN | wire.BOUND_MAX,
        wire.BOUND_NO_VALUE | wire.BOUND_MAX,
        0,
        wire.BOUND_MIN,
    ]
    assert list(kernels.bound_checks.judge_pairs(thrift, 0, low[:1], high[:1])) == [wire.BOUND_UNORDERED]
    with pytest.raises(ValueError, match=r"maxima|argument"):
        kernels.bound_checks.judge_pairs(thrift, 1, low, high[1:])


sized = st.sampled_from([1, 2, 4, 8, 12]).flatmap(lambda size: st.binary(min_size=size, max_size=size))
values = st.one_of(st.binary(max_size=13), sized)


@settings(max_examples=examples(400), deadline=None)
@given(
    st.integers(-1, 8),
    st.integers(0, 12),
    st.one_of(st.none(), st.integers(0, 22)),
    st.sampled_from([None, "STRING", "DECIMAL", "FLOAT16", "INTEGER", "UNKNOWN"]),
    st.sampled_from([None, TYPE_ORDER, TOTAL_ORDER, INT96_ORDER, LATER_ORDER, 300]),
    st.dictionaries(st.sampled_from(["min", "max", "min_value", "max_value"]), values),
)
def test_both_implementations_accept_the_same_bounds(type, length, converted, logical, order, statistics):
    element = {"type": type, "type_length": length}
    element |= {} if converted is None else {"converted_type": converted}
    element |= {} if logical is None else {"logicalType": {logical: {}}}
    data = footer(element, statistics, order)
    native, pure = both("scan")
    assert scan_facts(native, data) == scan_facts(pure, data)
