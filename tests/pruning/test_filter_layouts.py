"""A filter finds the rows, or raises the error, of pyarrow.compute over all rows, in every layout."""

from __future__ import annotations

import datetime
import math
import random
import warnings
from functools import partial
from itertools import count, product
from operator import ge, gt, le, lt

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from support.changed_metadata import with_footer
from support.filter_layouts import COLUMNS, LITERALS, READERS, expected_of, filters_of, layouts, outcome, table
from support.samples import some
from support.stored_otherwise import DECIMALS, MOMENTS, OPTIONS, declare, stored_table

import parquetext

STEP = 61  # of the ways to read: each filter takes another one


@pytest.fixture(scope="module")
def paths(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return layouts(tmp_path_factory.mktemp("layouts"))


@pytest.fixture(scope="module")
def stored_otherwise(tmp_path_factory):
    return layouts(tmp_path_factory.mktemp("stored"), stored_table(14), declare, **OPTIONS)


@pytest.fixture(scope="module")
def fine(tmp_path_factory):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return layouts(tmp_path_factory.mktemp("fine"), FINE)


def ways(paths) -> list[tuple]:
    return list(product(paths, READERS, (False, True)))


def check(paths, way: tuple, filters: list, expected) -> None:
    layout, reader, is_expression = way
    made = pq.filters_to_expression if is_expression else list
    found = outcome(lambda: READERS[reader](paths[layout], made(filters)))
    assert found == expected, f"{filters} in {way}"


@pytest.mark.parametrize("column", COLUMNS)
def test_every_comparison_gives_pyarrows_result_for_all_rows(paths, column):
    """Without --long each literal is compared with every third column."""
    known, number = ways(paths), list(COLUMNS).index(column)
    assert len(known) % STEP  # so that all are taken in turn
    positions, literals = count(number, STEP), some(LITERALS, 3, number)
    for (filters, expected), position in zip(filters_of(column, literals=literals), positions, strict=False):
        check(paths, known[position % len(known)], filters, expected)


NUMERIC = [name for name, (kind, _) in COLUMNS.items() if pa.types.is_integer(kind) or pa.types.is_decimal(kind)]
ORDERS = lt, le, gt, ge


@pytest.mark.parametrize("column", NUMERIC)
def test_every_number_meets_the_negation_of_an_order_with_nan(paths, column):
    whole, positions = table(), count(NUMERIC.index(column), STEP)
    known = list(product(paths, READERS))
    for compare, nan, is_mirrored in product(ORDERS, (math.nan, pa.scalar(math.nan, pa.float32())), (False, True)):
        sides = pc.field(column), pc.scalar(nan)
        expression = ~compare(*reversed(sides) if is_mirrored else sides)
        expected = outcome(partial(whole.filter, expression))
        for _ in range(4):
            layout, reader = known[next(positions) % len(known)]
            found = outcome(partial(READERS[reader], paths[layout], expression))
            assert found == expected != [], f"{expression}, {layout}, {reader}"


@pytest.mark.parametrize("column", [*DECIMALS, *MOMENTS])
def test_decimals_of_bytes_and_int96_compare_as_pyarrow_reads_them(stored_otherwise, column):
    whole = pq.read_table(stored_otherwise["one row group"])
    assert pa.types.is_decimal(whole[column].type) or whole[column].type == pa.timestamp("ns")
    values = whole[column].drop_null().to_pylist()
    assert values == sorted(values) and len(values) > 5
    known = ways(stored_otherwise)
    number = whole.column_names.index(column)
    positions, literals = count(number, STEP), some(LITERALS, 3, number)
    for (filters, expected), position in zip(filters_of(column, values, whole, literals), positions, strict=False):
        check(stored_otherwise, known[position % len(known)], filters, expected)


@pytest.mark.parametrize("form", ["thrift", "flat", "index"])
def test_inverted_bounds_of_int96_rule_nothing_out(tmp_path, form):
    path = tmp_path / "x.parquet"
    pq.write_table(stored_table(14), path, **OPTIONS)
    declare(path)

    def invert(footer: dict) -> None:
        statistics = footer["row_groups"][0]["columns"][8]["meta_data"]["statistics"]
        statistics["min_value"], statistics["max_value"] = statistics["max_value"], statistics["min_value"]

    with_footer(path, invert)
    if form != "thrift":
        parquetext.upgrade(path, form=form)
    for filters in ([("ordered", "<", MOMENTS["ordered"][1])], [("ordered", "=", MOMENTS["ordered"][0])]):
        for reader in READERS.values():
            assert reader(path, filters)["i"].to_pylist() == [0]


MICROSECONDS = [-2, -1, 0, 1, 2, 1000, None, None]
FINE = pa.table(
    {
        "i": range(len(MICROSECONDS)),
        "us": pa.array(MICROSECONDS, pa.timestamp("us")),
        "utc": pa.array(MICROSECONDS, pa.timestamp("us", "UTC")),
        "ms": pa.array(MICROSECONDS, pa.timestamp("ms")),
        "time": pa.array([None if value is None else value + 2 for value in MICROSECONDS], pa.time64("us")),
        "span": pa.array(MICROSECONDS, pa.duration("us")),
    }
)
NANOSECONDS = [-1001, -1000, -999, -1, 0, 1, 999, 1000, 1001, 1_000_001]


@pytest.mark.parametrize("column", FINE.column_names[1:])
def test_nanoseconds_between_coarser_values_rule_out_no_rows_that_arrow_finds(fine, column):
    """Each operator is tried with one column in every layout by every way to read, with the others by some.

    Without --long the operators share the ways to read.
    """
    kinds = {"utc": pa.timestamp("ns", "UTC"), "time": pa.time64("ns"), "span": pa.duration("ns")}
    kind = kinds.get(column, pa.timestamp("ns"))
    known = ways(fine)
    for number, operator in enumerate(("=", "!=", "<", "<=", ">", ">=", "in", "not in")):
        positions = range(0, len(known), 1 if column == "us" else len(known) // 20)
        for position in some(positions, 4, number):
            way, literal = known[position], pa.scalar(NANOSECONDS[position % len(NANOSECONDS)], kind)
            filters = [(column, operator, [literal] if operator.endswith("in") else literal)]
            check(fine, way, filters, expected_of(filters, FINE))


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
