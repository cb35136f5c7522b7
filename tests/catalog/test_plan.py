"""Plans by a catalog: never without a row group that holds a row which is wanted, and without most of the others."""

from __future__ import annotations

import datetime
import re
import warnings
from itertools import islice

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from support.filter_layouts import COLUMNS, LITERALS, filters_of
from support.filter_layouts import table as table_of_types
from support.samples import some

import parquetext
from parquetext.catalog import batches_of
from parquetext.errors import ColumnError

STEP = 5  # of the filters of one type
FILTERS = [
    [("n", "=", 137)],
    [("n", ">", 570)],
    [("n", "in", [5, 405])],
    [("n", "!=", 3)],
    [("n", "not in", [1, 2])],
    [[("n", "<", 5)], [("n", ">=", 595)]],
    [("n", ">", 100), ("s", "<", "v00150")],
    [("s", "=", "v00123")],
    [("s", "in", ["v00001", "w"])],
    [("x", "<=", 0.25)],
    [("t", ">", datetime.datetime(2020, 1, 20))],
    [("only", "=", 310)],
    [("day", "=", 2)],
    [("day", "=", 2), ("n", ">", 250)],
    [("nothing", "=", 1)],
    pc.field("n") == 137,
    (pc.field("n") > 570) | (pc.field("s") == "v00001"),
    pc.field("only").is_null(),
    pc.field("only").is_valid() & (pc.field("day") == 2),
    ~(pc.field("x") > 1.0),
]


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """Six files of ten row groups in three folders; a column changes its type, another is only in some files."""
    folder = tmp_path_factory.mktemp("lake")
    for number in range(6):
        rows = range(number * 100, number * 100 + 100)
        columns = {
            "n": pa.array(rows, pa.int32() if number % 2 else pa.int64()),
            "s": [f"v{row:05}" for row in rows],
            "x": [None if row % 7 == 0 else row / 4 for row in rows],
            "nothing": pa.nulls(100, pa.int64()),
            "t": [datetime.datetime(2020, 1, 1) + datetime.timedelta(hours=row) for row in rows],
            "deep": [{"n": row} for row in rows],
        }
        if number > 2:
            columns["only"] = pa.array(rows)
        (folder / f"day={number // 2}").mkdir(exist_ok=True)
        pq.write_table(pa.table(columns), folder / f"day={number // 2}" / f"{number}.parquet", row_group_size=10)
    return folder


@pytest.fixture(scope="module")
def catalog(lake) -> pa.Table:
    return pa.Table.from_batches(batches_of(sorted(lake.rglob("*.parquet"))))


def matching(lake, filters) -> set[tuple[str, int]]:
    """Return the row groups in which pyarrow finds rows."""
    condition = pq.filters_to_expression(filters)
    schema = pa.schema([("day", pa.int32()), ("only", pa.int64()), ("n", pa.int64())])
    found = set()
    for path in sorted(lake.rglob("*.parquet")):
        file = pq.ParquetFile(path)
        for row_group in range(file.num_row_groups):
            table = file.read_row_group(row_group)
            table = table.append_column("day", pa.repeat(int(path.parent.name[-1]), 10).cast(pa.int32()))
            if "only" not in table.column_names:
                table = table.append_column("only", pa.nulls(10, schema.field("only").type))
            if table.filter(condition).num_rows:
                found.add((str(path), row_group))
    return found


@pytest.mark.parametrize("filters", FILTERS, ids=str)
def test_row_groups_with_matching_rows_are_planned(lake, catalog, filters):
    planned = {(file, row_group) for file, row_groups in parquetext.plan(catalog, filters) for row_group in row_groups}
    wanted = matching(lake, filters)
    assert wanted <= planned
    floats = "x > 1" in str(filters)  # a NaN hides from bounds, so Arrow's expressions skip by none of floats
    assert floats or planned == wanted


def test_a_catalog_may_be_a_table_a_path_or_a_dataset(tmp_path, catalog):
    path = str(tmp_path / "catalog.parquet")
    pq.write_table(catalog, path)
    filters = [("n", ">", 170), ("only", "<", 333)]
    wanted = parquetext.plan(catalog, filters)
    assert len(wanted) == 1
    for source in (path, parquetext.dataset(path), ds.dataset(path), catalog.combine_chunks().to_batches()[0]):
        assert parquetext.plan(source, filters) == wanted


def test_a_column_that_no_file_has_is_an_error(catalog):
    with pytest.raises(ColumnError, match="'nowhere'"):
        parquetext.plan(catalog, [("nowhere", "=", 1)])


def test_filters_are_checked(catalog):
    with pytest.raises(ValueError, match="not a valid operator"):
        parquetext.plan(catalog, [("n", "~", 1)])


def test_a_struct_by_that_name_is_not_a_column_that_is_missing(catalog):
    assert sum(len(row_groups) for _, row_groups in parquetext.plan(catalog, [("deep", "=", 1)])) == 60


def test_a_file_whose_footer_could_not_be_read_is_planned_whole(tmp_path, lake):
    (tmp_path / "bad").write_bytes(b"no Parquet at all, yet long enough")
    good = next(lake.rglob("0.parquet"))
    catalog = pa.Table.from_batches(batches_of([tmp_path / "bad", good]))
    planned = dict(parquetext.plan(catalog, [("n", "=", 55)]))
    assert planned == {str(tmp_path / "bad"): None, str(good): [5]}
    only_bad = pa.Table.from_batches(batches_of([tmp_path / "bad"]))
    assert parquetext.plan(only_bad, [("n", "=", 55)]) == [(str(tmp_path / "bad"), None)]


def test_duplicate_column_names_exclude_nothing(tmp_path):
    path = str(tmp_path / "twice.parquet")
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), path)
    catalog = pa.Table.from_batches(batches_of([path]))
    assert parquetext.plan(catalog, [("a", "=", 2)]) == [(path, [0])]


def test_a_dotted_name_is_a_top_level_column_and_not_a_member(tmp_path):
    path = str(tmp_path / "dotted.parquet")
    pq.write_table(pa.table({"a.b": [1], "a": [{"b": 9}]}), path)
    catalog = pa.Table.from_batches(batches_of([path]))
    assert parquetext.plan(catalog, [("a.b", "=", 9)]) in ([], [(path, [0])])
    assert parquetext.plan(catalog, [("a.b", "=", 1)]) == [(path, [0])]


@pytest.fixture(scope="module")
def typed(tmp_path_factory) -> tuple[pa.Table, pa.Table]:
    """A catalog of a file of many types, and its rows as they are read."""
    path = tmp_path_factory.mktemp("typed") / "x.parquet"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pq.write_table(table_of_types(), path, row_group_size=2)
    return pa.Table.from_batches(batches_of([path])), parquetext.read_table(path)


def raised(call) -> type | None:
    try:
        call()
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        return type(error)
    return None


@pytest.mark.parametrize("column", COLUMNS)
def test_a_plan_raises_for_types_that_do_not_compare_if_and_only_if_reading_does(typed, column):
    catalog, rows = typed
    empty = rows.slice(0, 0)
    kind, refused = rows.schema.field(column).type, set()
    number = list(COLUMNS).index(column)
    is_open = kind in (pa.int64(), pa.duration("ms")) or getattr(kind, "tz", None)  # files say more than a catalog
    for filters, expected in islice(filters_of(column, literals=some(LITERALS, 3, number)), number % STEP, None, STEP):
        error = raised(lambda filters=filters: empty.filter(pq.filters_to_expression(filters)))
        found = raised(lambda filters=filters: parquetext.plan(catalog, filters))
        refused.add(error is not None)
        assert found is error or (found is None and is_open), filters
        if error is not OverflowError:
            expression = pq.filters_to_expression(filters)
            of_expression = raised(lambda expression=expression: parquetext.plan(catalog, expression))
            of_others = {"count", "int64"} & set(re.findall(r"\w+", str(filters)))
            assert of_expression is error or (of_expression is None and (is_open or of_others)), filters
        if found is None and isinstance(expected, list):
            planned = {group for one in parquetext.plan(catalog, filters) for group in one.row_groups}
            assert planned.issuperset(row // 2 for row in expected), filters
    assert refused == {True, False} or column == "nothing"


def test_comparing_text_with_an_integer_raises(lake, catalog):
    for filters in ([("s", "=", 5)], [[("n", "=", 1)], [("s", "<", 5)]], pc.field("s") == 5):
        with pytest.raises(pa.ArrowNotImplementedError) as error:
            parquetext.dataset(lake).to_table(filter=filters)
        with pytest.raises(pa.ArrowNotImplementedError, match=re.escape(str(error.value))):
            parquetext.plan(catalog, filters)


def test_a_column_that_is_read_as_durations_or_in_another_zone_keeps_its_rows(typed):
    catalog, rows = typed
    for column in ("span", "local"):
        for value in rows[column].drop_null().to_pylist():
            for operator in ("=", "in", ">=", "<="):
                filters = [(column, operator, [value] if operator == "in" else value)]
                wanted = rows.filter(pq.filters_to_expression(filters))["i"].to_pylist()
                assert wanted
                for form in (filters, pq.filters_to_expression(filters)):
                    planned = {group for one in parquetext.plan(catalog, form) for group in one.row_groups}
                    assert planned.issuperset(row // 2 for row in wanted), filters


def test_columns_of_different_types_are_not_checked(tmp_path):
    for name, values in (("a", [1, 2]), ("b", ["x", "y"])):
        pq.write_table(pa.table({"v": values, "n": [1, 2]}), tmp_path / f"{name}.parquet")
    catalog = pa.Table.from_batches(batches_of([tmp_path / "a.parquet", tmp_path / "b.parquet"]))
    assert len(parquetext.plan(catalog, [("v", "=", 1)])) == len(parquetext.plan(catalog, [("v", "=", "x")])) == 2
    with pytest.raises(pa.ArrowNotImplementedError):
        parquetext.plan(catalog, [("v", "=", 1), ("n", "=", "x")])
