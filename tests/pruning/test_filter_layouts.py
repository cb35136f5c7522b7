"""A filter finds the same rows, or raises the same error, in every layout: what pyarrow.compute gives for all rows."""

from __future__ import annotations

import datetime
import random
import warnings
from itertools import count, product

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.filter_layouts import COLUMNS, READERS, expected_of, filters_of, layouts, outcome

import parquetext

STEP = 61  # of the ways to read: each filter takes another one


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return layouts(tmp_path_factory.mktemp("layouts"))


def ways(paths) -> list[tuple]:
    return list(product(paths, READERS, (False, True)))


def check(paths, way: tuple, filters: list, expected) -> None:
    layout, reader, is_expression = way
    made = pq.filters_to_expression if is_expression else list
    found = outcome(lambda: READERS[reader](paths[layout], made(filters)))
    assert found == expected, f"{filters} in {way}"


@pytest.mark.parametrize("column", COLUMNS)
def test_every_comparison_gives_what_pyarrow_computes_from_all_rows(paths, column):
    known = ways(paths)
    assert len(known) % STEP  # so that all are taken in turn
    places = count(list(COLUMNS).index(column), STEP)
    for (filters, expected), place in zip(filters_of(column), places, strict=False):
        check(paths, known[place % len(known)], filters, expected)


@pytest.mark.usefixtures("long")
@pytest.mark.parametrize("seed", range(8))
def test_random_filters_give_the_same_rows_in_every_layout(paths, seed):
    source = random.Random(seed)
    comparisons = [filters[0] for name in COLUMNS for filters, _ in filters_of(name) if isinstance(filters[0], tuple)]
    for _ in range(150):
        groups = [source.sample(comparisons, source.randint(1, 3)) for _ in range(source.randint(1, 2))]
        expected = expected_of(groups)
        for way in source.sample(ways(paths), 40):
            check(paths, way, groups, expected)


DAYS = [datetime.date(2000, 1, 1), datetime.date(2020, 1, 1), *[datetime.date(2024, 2, 29)] * 2, None]


@pytest.mark.parametrize("options", [{}, {"row_group_size": 2}, {"write_page_index": True, "max_rows_per_page": 2}])
@pytest.mark.parametrize("engine", ["pyarrow", "parquetext", "auto", None])
def test_moments_in_a_list_are_cut_to_the_days_of_a_column_of_dates(tmp_path, options, engine):
    path = tmp_path / "days.parquet"
    pq.write_table(pa.table({"x": pa.array(DAYS, pa.date32()), "i": range(5)}), path, **options)
    moments = [datetime.datetime(2024, 2, 29, 12), datetime.datetime(2020, 1, 1, 5)]
    for filters in ([("x", "in", moments)], pc.field("x").isin(moments)):
        assert parquetext.read_table(path, filters=filters, engine=engine)["i"].to_pylist() == [1, 2, 3]
        assert parquetext.dataset(path, engine=engine).to_table(filter=filters)["i"].to_pylist() == [1, 2, 3]


@pytest.mark.parametrize("options", [{}, {"row_group_size": 1}, {"write_page_index": True, "max_rows_per_page": 1}])
@pytest.mark.parametrize("reader", READERS)
def test_a_value_that_does_not_compare_raises_though_another_column_rules_its_row_out(tmp_path, options, reader):
    path = tmp_path / "large.parquet"
    pq.write_table(pa.table({"x": [1, 2, 2**60], "i": [0, 1, 2]}), path, **options)
    for filters in ([("x", "<", 0.1)], [("i", "<", 1), ("x", ">", 1.5)], [[("i", "=", 0)], [("x", "in", [1.5])]]):
        for given in (filters, pq.filters_to_expression(filters)):
            with pytest.raises(pa.ArrowInvalid, match="1152921504606846976 not in range"):
                READERS[reader](path, given)


def test_directories_rule_out_files_with_values_that_do_not_compare(tmp_path):
    for key, value in (("a", 1), ("b", 2**60)):
        (tmp_path / f"key={key}").mkdir()
        pq.write_table(pa.table({"x": [value]}), tmp_path / f"key={key}" / "part.parquet")
    filters = [("key", "=", "a"), ("x", ">", 0.1)]
    assert parquetext.dataset(tmp_path, partitioning="hive").to_table(["x"], filter=filters)["x"].to_pylist() == [1]
    with pytest.raises(pa.ArrowInvalid, match="not in range"):
        parquetext.dataset(tmp_path, partitioning="hive").to_table(["x"], filter=[("key", ">", ""), ("x", ">", 0.1)])
