"""Arguments of a wrong type raise errors that name the expected and the given type."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.errors import ParquetextError


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("wrong") / "a.parquet"
    pq.write_table(pa.table({"price": [1.0, 2.0, 3.0], "id": [1, 2, 3]}), path)
    return path


@pytest.mark.parametrize(
    ("filters", "error", "message"),
    [
        ("price > 1", ValueError, "filters are a list of comparisons.*not 'price > 1'"),
        (("price", ">", 1), ValueError, r"not \('price', '>', 1\): put the comparison into a list"),
        (["price", ">", 1], ValueError, "put the comparison into a list"),
        ([("price", ">")], ValueError, r"\('price', '>'\) is no comparison"),
        ([[("price", ">", 1)], 5], ValueError, "5 is no comparison"),
        ([("price", ">", 1), "id"], ValueError, "'id' is no comparison"),
        (
            [("price", "=>", 1)],
            ValueError,
            "\"=>\" is not a valid operator for column 'price': use =, ==, !=, <, >, <=, >=",
        ),
        ([("id", "in", 5)], TypeError, "'in' needs a list or set of values for column 'id', not 5"),
        ([], ValueError, "pass None for all rows"),
        ([[]], ValueError, "is no comparison"),
        ({"id": 1}, TypeError, "filters are a list of comparisons"),
        (5, TypeError, "filters are a list of comparisons.*not 5"),
    ],
    ids=str,
)
def test_filters_of_a_wrong_shape_are_errors_that_show_the_right_one(path, filters, error, message):
    for read in (
        lambda: parquetext.read_table(path, filters=filters),
        lambda: parquetext.dataset(path).to_table(filter=filters),
    ):
        with pytest.raises(error, match=message):
            read()


@pytest.mark.parametrize(
    "filters",
    [[("id", "in", {1, 3})], [["id", "not in", (2,)]], [[("id", "<", 2)], [("id", ">", 2)]], (("id", "!=", 2),)],
)
def test_filters_of_every_right_shape_are_taken(path, filters):
    assert parquetext.read_table(path, filters=filters)["id"].to_pylist() == [1, 3]


@pytest.mark.parametrize("kind", [tuple, iter, np.array, pd.Index, pd.Series])
def test_columns_of_every_right_type_are_taken(path, kind):
    assert parquetext.read_table(path, kind(["id", "price"])).column_names == ["id", "price"]


def test_columns_are_a_list(path):
    with parquetext.open(path) as file:
        for wrong in (lambda: parquetext.read_table(path, columns=5), lambda: file.read(columns=5)):
            with pytest.raises(TypeError, match="columns is a list of names, not 5"):
                wrong()


def test_a_batch_has_at_least_one_row(path):
    with parquetext.open(path) as file:
        for size in (0, -1):
            with pytest.raises(ValueError, match=f"batch_size is {size}, and at least 1 is needed"):
                next(file.iter_batches(size))


def test_merge_takes_a_list_of_files(path, tmp_path):
    for one in (str(path), path):
        with pytest.raises(TypeError, match="paths is a list of files, not the one path"):
            parquetext.merge(one, tmp_path / "out.parquet")


def test_a_directory_is_named_as_one(path):
    for call in (parquetext.layout, parquetext.advise):
        with pytest.raises(ParquetextError, match="a directory, not a regular file: name a file in it"):
            call(path.parent)
