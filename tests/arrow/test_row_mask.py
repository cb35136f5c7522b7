"""Which rows meet a predicate: compared at once as Arrow's expressions decide, and the blocks that they are in."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from parquetext.arrow.row_mask import mask_of, set_blocks
from parquetext.pruning import predicate_of

TABLE = pa.table(
    {
        "row": range(6),
        "n": pa.chunked_array([[1, None, 3], [], [7, -9, 2**62]], pa.int64()),
        "tiny": pa.chunked_array([[1, 2, 3, None], [127, -128]], pa.int8()),
        "real": pa.chunked_array([[0.0, -0.0, None, float("nan"), float("inf"), 1.5]], pa.float64()),
        "text": pa.chunked_array([["a", "ä"], ["", None, "b", "aa"]], pa.string()),
        "coded": pa.chunked_array([pa.array(["a", "b", None, "a", "c", "a"]).dictionary_encode()]),
    }
)
OPERATORS = ["=", "==", "!=", "<", "<=", ">", ">="]
LITERALS = {
    "n": [1, 7, -9, 0, 2**62, 1.5, True],
    "tiny": [3, 127, 300, -129, 2.0],
    "real": [0.0, 1.5, float("inf"), float("nan"), 1],
    "text": ["a", "", "ä", "zz"],
    "coded": ["a", "x"],
}


def rows_by_mask(predicate) -> list[int] | str:
    """The rows that are kept; what Arrow says where it cannot compare."""
    try:
        return TABLE.filter(mask_of(TABLE, predicate))["row"].to_pylist()
    except pa.ArrowException as error:
        return type(error).__name__


def rows_by_expression(predicate) -> list[int] | str:
    try:
        return TABLE.filter(predicate.expression)["row"].to_pylist()
    except pa.ArrowException as error:
        return type(error).__name__


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("name", LITERALS)
def test_rows_are_those_of_the_expression(name, operator):
    for literal in LITERALS[name]:
        predicate = predicate_of([(name, operator, literal)])
        assert rows_by_mask(predicate) == rows_by_expression(predicate)


@pytest.mark.parametrize(
    "filters",
    [
        [("n", ">", 1), ("tiny", "<", 100)],
        [[("n", ">", 1), ("real", "<=", 1.5)], [("text", "==", "ä")]],
        [[("n", "==", 1)], [("n", "in", [3, 7])]],
        [("n", "==", 12345)],
    ],
)
def test_alternatives_are_those_of_the_expression(filters):
    predicate = predicate_of(filters)
    assert rows_by_mask(predicate) == rows_by_expression(predicate)


def test_a_table_without_rows_has_a_mask_without_rows():
    assert len(mask_of(TABLE.slice(0, 0), predicate_of([("n", ">", 1)]))) == 0


@given(
    parts=st.lists(st.tuples(st.integers(0, 300), st.lists(st.integers(0, 299), max_size=4)), max_size=5),
    nulls=st.booleans(),
    begin=st.integers(0, 70),
)
def test_blocks_are_those_of_the_rows_that_are_set(parts, nulls, begin):
    chunks = []
    for count, places in parts:
        bits = [(None if nulls else False) if row not in places else True for row in range(count)]
        chunks.append(pa.array(bits, pa.bool_())[min(begin, count) :])
    mask = pa.chunked_array(chunks, pa.bool_())
    assert set_blocks(mask, 64) == sorted({row // 64 for row, bit in enumerate(mask.to_pylist()) if bit})
    assert set_blocks(mask, 128) == sorted({row // 128 for row, bit in enumerate(mask.to_pylist()) if bit})


def test_many_blocks_are_found():
    mask = pa.chunked_array([pa.array([row % 3 == 0 for row in range(100_000)])])
    assert set_blocks(mask, 1024) == list(range(98))
