"""Which rows meet a predicate: compared at once as Arrow's expressions decide."""

from __future__ import annotations

import pyarrow as pa
import pytest

from parquetext.pruning import predicate_of
from parquetext.reading.execute.matching import mask_of

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
    """Return the rows that are kept, or the name of Arrow's error if it cannot compare."""
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
