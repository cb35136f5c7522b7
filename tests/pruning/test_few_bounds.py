"""Few row groups are compared by Python, many by Arrow: both leave the same."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parquetext.pruning import ColumnBounds, Comparison, is_plain, may_match
from parquetext.pruning.bounds import FEW

OPERATORS = ["=", "==", "!=", "<", "<=", ">", ">="]
NUMBERS = {
    pa.int64(): st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3),
    pa.int8(): st.integers(-128, 127),
    pa.uint32(): st.integers(0, 2**32 - 1) | st.integers(0, 3),
    pa.float64(): st.floats() | st.sampled_from([0.0, -0.0, 1.0, float("nan"), float("inf")]),
}


@st.composite
def cases(draw) -> tuple[ColumnBounds, Comparison]:
    kind = draw(st.sampled_from(list(NUMBERS)))
    one = st.none() | NUMBERS[kind]
    entries = draw(st.lists(st.tuples(one, one, st.integers(-1, 2)), min_size=1, max_size=6))
    lows, highs, nulls = zip(*entries, strict=True)
    bounds = ColumnBounds.of(pa.array(lows, kind), pa.array(highs, kind), nulls, [2] * len(nulls))
    literal = draw(NUMBERS[kind] | st.sampled_from([side for side in (*lows, *highs) if side is not None] or [1]))
    return bounds, Comparison("x", draw(st.sampled_from(OPERATORS)), literal)


@given(cases())
def test_few_and_many_row_groups_are_selected_equally(case):
    bounds, comparison = case
    count = len(bounds.min)
    times = FEW // count + 1
    sides = (bounds.min, bounds.max, bounds.only_nulls, bounds.no_nulls)
    many = ColumnBounds(*(pa.concat_arrays([side] * times) for side in sides))
    left = may_match(comparison, many).meets.to_pylist()
    assert len(left) > FEW >= count
    assert may_match(comparison, bounds).meets.to_pylist() == left[:count]


@pytest.mark.parametrize(
    ("kind", "value", "plain"),
    [
        (pa.int8(), 127, True),
        (pa.int8(), 128, False),
        (pa.uint64(), -1, False),
        (pa.uint64(), 1, False),
        (pa.int64(), True, False),
        (pa.int64(), 1.0, False),
        (pa.float64(), 1, False),
        (pa.float32(), 1.0, False),
        (pa.string(), "a", True),
        (pa.string(), b"a", False),
        (pa.decimal128(5, 2), 1, False),
    ],
)
def test_only_a_literal_of_the_columns_type_is_plain(kind, value, plain):
    assert is_plain(kind, Comparison("x", "==", value)) == plain
    assert not is_plain(kind, Comparison("x", "in", [value]))
