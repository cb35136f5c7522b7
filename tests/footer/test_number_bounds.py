"""Bounds of pages of numbers are read as arrays, with the result of the judgement page by page."""

from __future__ import annotations

import math
import struct

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.parquet_bytes import footer_of
from support.samples import examples
from support.twins import both

from parquetext import thrift, wire
from parquetext.errors import Malformed
from parquetext.footer.column_index import ASCENDING, DESCENDING, ChunkCounts, StoredIndex
from parquetext.footer.number_bounds import number_bounds
from parquetext.footer.page_index import PagePlaces, parse_bounds
from parquetext.footer.thrift_form import ThriftForm
from parquetext.footer.typed_bounds import comparable_type

TYPES = {
    **{str(kind): kind for kind in (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32())},
    **{str(kind): kind for kind in (pa.uint64(), pa.date32(), pa.timestamp("us"), pa.time32("ms"))},
    **{str(kind): kind for kind in (pa.float32(), pa.float64())},
}
FEW = st.integers(0, 6)
VALUES = FEW | st.sampled_from([-1, 127, 128, 255, (1 << 31) - 1, -(1 << 31)])


@pytest.fixture(scope="module")
def forms() -> dict:
    """Return the Thrift form of a file with one column of each type."""
    found = {}
    for name, kind in TYPES.items():
        sink = pa.BufferOutputStream()
        pq.write_table(pa.table({"x": pa.array([None], kind)}), sink)
        found[name] = ThriftForm(footer_of(sink.getvalue().to_pybytes()))
    return found


def judged(index: StoredIndex, form, kind: pa.DataType, fields: ChunkCounts):
    """Return the bounds by the judgement page by page; None if it refuses the index."""
    first_rows = [sum(fields.page_values[:page]) for page in range(len(fields.page_values))]
    places = PagePlaces(first_rows, first_rows, first_rows, sum(fields.page_values))
    try:
        return parse_bounds(index, form.node(0), fields).typed(form, 0, kind, places)
    except Malformed:
        return None


def stored(width: int, value: float) -> bytes:
    if isinstance(value, float):
        return struct.pack({4: "<f", 8: "<d"}[width], value)
    return (value % (1 << 8 * width)).to_bytes(width, "little")


@st.composite
def indexes(draw, width: int, is_float: bool) -> tuple[dict, ChunkCounts]:
    """Return a column index and the counts of its chunk, mostly without a contradiction."""
    pages = draw(st.integers(1, 5))
    values = FEW if draw(st.booleans()) else VALUES
    if is_float:
        values = values.map(float) | st.sampled_from([-0.0, math.inf] + [math.nan] * draw(st.integers(0, 1)))
    minima = draw(st.lists(values, min_size=pages, max_size=pages))
    if draw(st.booleans()):
        minima.sort()
    steps = st.integers(0, 2) if draw(st.integers(0, 4)) else st.integers(-1, 2)
    maxima = [value + draw(steps) for value in minima]
    nulls = (
        [0] * pages if draw(st.integers(0, 3)) else draw(st.lists(st.integers(-1, 2), min_size=pages, max_size=pages))
    )
    index = {
        "null_pages": [False] * pages if draw(st.integers(0, 5)) else [True] + [False] * (pages - 1),
        "min_values": [stored(width, value) for value in minima],
        "max_values": [stored(width, value) for value in maxima],
        "boundary_order": draw(st.integers(0, 3)),
        "null_counts": nulls,
    }
    if not draw(st.integers(0, 9)):
        index["max_values"][draw(st.integers(0, pages - 1))] = b"abc"
    if not draw(st.integers(0, 9)):
        del index[draw(st.sampled_from(["boundary_order", "null_counts"]))]
    others = [0.0, 5.0] if is_float else [0, 5]
    ends = [stored(width, draw(st.sampled_from([end, end, end, *others]))) for end in (min(minima), max(maxima))]
    if math.isnan(sum(minima)):  # the footer's usable bounds are never NaN
        ends = [None, None]
    minimum, maximum = (end if draw(st.booleans()) else None for end in ends)
    exact = [draw(st.sampled_from([None, True, False])) for _ in range(2)]
    values = draw(st.lists(st.integers(1, 3), min_size=pages, max_size=pages))
    return index, ChunkCounts(values, sum(values), draw(st.sampled_from([-1, 0, 0, 1])), minimum, maximum, *exact)


@settings(max_examples=examples(300), deadline=None)
@given(data=st.data(), name=st.sampled_from(list(TYPES)))
def test_the_bounds_are_those_of_the_judgement_page_by_page(forms, data, name):
    form, kind = forms[name], TYPES[name]
    leaf = comparable_type(form, 0, kind)
    index, fields = data.draw(indexes(leaf.width, pa.types.is_floating(kind)))
    stored_index = StoredIndex(thrift.write("ColumnIndex", index), 0)
    found = number_bounds(stored_index, form.node(0), leaf, kind, len(fields.page_values), fields)
    if found is not None:
        assert found == judged(stored_index, form, kind, fields)


@settings(max_examples=examples(300), deadline=None)
@given(data=st.data(), name=st.sampled_from(list(TYPES)), order=st.sampled_from([0, 1, 1, 1, 2, 9]))
def test_both_implementations_return_the_same_bounds(forms, data, name, order):
    form, kind = forms[name], TYPES[name]
    index, fields = data.draw(indexes(comparable_type(form, 0, kind).width, pa.types.is_floating(kind)))
    stored_index = thrift.write("ColumnIndex", index)
    if data.draw(st.booleans()):
        flipped = bytearray(stored_index)
        flipped[data.draw(st.integers(0, len(flipped) - 1))] ^= 1 << data.draw(st.integers(0, 7))
        stored_index = bytes(flipped)
    exact = {"has_minimum": fields.has_exact_minimum is not False, "has_maximum": fields.has_exact_maximum is not False}
    pages = len(fields.page_values) + data.draw(st.sampled_from([0, 0, 0, 1, -1]))
    given_counts = stored_index, pages, fields.minimum, fields.maximum
    native, pure = (
        each.page_numbers(form.node(0).thrift, order, *given_counts, **exact) for each in both("bound_checks")
    )
    assert native == pure


def sound(width: int = 8, is_float: bool = False) -> tuple[dict, dict]:
    """Return a column index without a contradiction, and the counts of its chunk."""
    number = float if is_float else int
    index = {
        "null_pages": [False] * 3,
        "min_values": [stored(width, number(value)) for value in (0, 10, 20)],
        "max_values": [stored(width, number(value)) for value in (9, 15, 100)],
        "boundary_order": ASCENDING,
        "null_counts": [0, 0, 0],
    }
    ends = {"minimum": stored(width, number(0)), "maximum": stored(width, number(100))}
    return index, {"page_values": [5, 5, 5], "num_values": 15, "null_count": 0, **ends}


@pytest.mark.parametrize("name", TYPES)
def test_pages_without_nulls_need_no_judgement_page_by_page(forms, implementation, name):
    form, kind = forms[name], TYPES[name]
    leaf = comparable_type(form, 0, kind)
    index, fields = sound(leaf.width, pa.types.is_floating(kind))
    stored_index = StoredIndex(thrift.write("ColumnIndex", index), 0)
    found = number_bounds(stored_index, form.node(0), leaf, kind, 3, ChunkCounts(**fields))
    assert (found.min, found.max) == tuple(
        pa.array(side, pa.int32() if kind.bit_width <= 32 else pa.int64()).cast(kind)
        for side in ([0, 10, 20], [9, 15, 100])
    )
    assert found.no_nulls.true_count == 3 and found.only_nulls.false_count == 3


@pytest.mark.parametrize(
    ("of_index", "of_chunk"),
    [
        ({"min_values": [stored(8, value) for value in (0, 16, 20)]}, {}),
        ({"min_values": [stored(8, value) for value in (0, 10, 9)]}, {}),
        ({"boundary_order": DESCENDING}, {}),
        ({"boundary_order": 3}, {}),
        ({"max_values": [stored(8, 9), b"abc", stored(8, 100)]}, {}),
        ({"null_pages": [False, True, False]}, {}),
        ({"null_counts": [0, 1, 0]}, {}),
        ({"null_counts": [0, 0]}, {}),
        ({"nan_counts": [0, 0]}, {}),
        ({}, {"null_count": 1}),
        ({}, {"minimum": stored(8, -1)}),
        ({}, {"maximum": stored(8, 101)}),
        ({}, {"maximum": stored(8, 19)}),
        ({}, {"minimum": stored(8, 10), "has_exact_minimum": False}),
    ],
)
def test_an_unusual_index_is_left_to_the_judgement_page_by_page(forms, implementation, of_index, of_chunk):
    form = forms["int64"]
    leaf = comparable_type(form, 0, pa.int64())
    index, fields = sound()
    stored_index = StoredIndex(thrift.write("ColumnIndex", index | of_index), 0)
    assert number_bounds(stored_index, form.node(0), leaf, pa.int64(), 3, ChunkCounts(**fields | of_chunk)) is None


SECOND_FIELDS = {  # long headers with an id, and the content
    "an integer": (wire.TYPE_I64, b"\0"),
    "bytes": (wire.TYPE_BINARY, b"\0"),
    "a set": (wire.TYPE_SET, bytes([3 << 4 | wire.TYPE_I64, 0, 0, 0])),
    "a list of fewer items": (wire.TYPE_LIST, bytes([2 << 4 | wire.TYPE_I64, 0, 0])),
    "a list of other items": (wire.TYPE_LIST, bytes([3 << 4 | wire.TYPE_BYTE, 0, 0, 0])),
}


@pytest.mark.parametrize("second", SECOND_FIELDS)
@pytest.mark.parametrize(
    "id",
    [
        wire.COLUMN_INDEX_NULL_PAGES,
        wire.COLUMN_INDEX_MIN_VALUES,
        wire.COLUMN_INDEX_MAX_VALUES,
        wire.COLUMN_INDEX_BOUNDARY_ORDER,
        wire.COLUMN_INDEX_NULL_COUNTS,
        wire.COLUMN_INDEX_NAN_COUNTS,
    ],
)
def test_a_field_that_is_there_again_with_another_type_is_left_to_the_judgement(forms, implementation, id, second):
    form, kind = forms["int64"], pa.int64()
    type, content = SECOND_FIELDS[second]
    index, fields = sound()
    data = thrift.write("ColumnIndex", index | {"nan_counts": [0, 0, 0]})
    stored_index = StoredIndex(data[:-1] + bytes([type, 2 * id]) + content + b"\0", 0)
    leaf = comparable_type(form, 0, kind)
    assert number_bounds(stored_index, form.node(0), leaf, kind, 3, ChunkCounts(**fields)) is None
    assert judged(stored_index, form, kind, ChunkCounts(**fields)) is None


def test_counts_of_nan_of_each_page_need_no_judgement_page_by_page(forms, implementation):
    form, kind = forms["double"], pa.float64()
    index, fields = sound(8, True)
    stored_index = StoredIndex(thrift.write("ColumnIndex", index | {"nan_counts": [0, 1, 0]}), 0)
    leaf = comparable_type(form, 0, kind)
    found = number_bounds(stored_index, form.node(0), leaf, kind, 3, ChunkCounts(**fields))
    assert found is not None and found == judged(stored_index, form, kind, ChunkCounts(**fields))


def test_each_flipped_bit_is_judged_as_page_by_page(forms, implementation):
    form, kind = forms["int64"], pa.int64()
    leaf = comparable_type(form, 0, kind)
    index, fields = sound()
    data = thrift.write("ColumnIndex", index)
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        stored_index = StoredIndex(bytes(flipped), 0)
        found = number_bounds(stored_index, form.node(0), leaf, kind, 3, ChunkCounts(**fields))
        if found is not None:
            assert found == judged(stored_index, form, kind, ChunkCounts(**fields))
