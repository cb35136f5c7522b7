"""Polars over our footers returns the rows of Polars' reader, and reads no more than a query needs."""

from __future__ import annotations

import base64
import datetime as dt
import io
import math
import sys
from decimal import Decimal
from operator import and_, or_
from pathlib import Path

import fsspec
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from support.parquet_bytes import write_upgraded
from support.samples import examples
from support.spoiled import spoil_chunks

import parquetext
from parquetext.engines.polars_predicates import filters_of
from parquetext.errors import ColumnError, Unsupported

ROWS = 40
DAY = dt.date(2024, 1, 1)
MOMENT = dt.datetime(2024, 1, 1)


def column(make, *, other=None) -> list:
    return [None if n % 7 == 3 else other if n % 11 == 5 and other is not None else make(n) for n in range(ROWS)]


TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "small": pa.array(column(lambda n: n - 20), pa.int8()),
        "price": pa.array(column(lambda n: n / 4, other=math.nan), pa.float64()),
        "ratio": pa.array(column(lambda n: n / 8), pa.float32()),
        "name": pa.array(column(lambda n: f"name-{n:02}"), pa.string()),
        "kind": pa.array(column(lambda n: "ab"[n % 2])).dictionary_encode(),
        "raw": pa.array(column(lambda n: bytes([n])), pa.binary()),
        "flag": pa.array(column(lambda n: n > 20), pa.bool_()),
        "day": pa.array(column(lambda n: DAY + dt.timedelta(n)), pa.date32()),
        "at": pa.array(column(lambda n: MOMENT + dt.timedelta(hours=n)), pa.timestamp("us")),
        "at_ns": pa.array(column(lambda n: n * 1_000_000_007), pa.timestamp("ns")),
        "zoned": pa.array(column(lambda n: n * 1_000_000), pa.timestamp("us", "Europe/Berlin")),
        "amount": pa.array(column(lambda n: Decimal(n).scaleb(-2)), pa.decimal128(9, 2)),
        "tags": pa.array(column(lambda n: [n, n + 1]), pa.list_(pa.int32())),
        "place": pa.array(column(lambda n: {"x": n, "y": str(n)})),
    }
)


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    return write_upgraded(tmp_path_factory.mktemp("polars") / "wide.parquet", TABLE)


def assert_same(path, query, **options) -> None:
    """The same frame, or the same class of error."""
    wanted, found = (
        query(scan(path)) for scan in (pl.scan_parquet, lambda path: parquetext.scan_polars(path, **options))
    )
    try:
        expected = wanted.collect()
    except pl.exceptions.PolarsError as error:
        with pytest.raises(type(error)):
            found.collect()
        return
    assert_frame_equal(found.collect(), expected)


def test_all_types_come_as_polars_own_reader_gives_them(path):
    assert parquetext.scan_polars(path).collect_schema() == pl.scan_parquet(path).collect_schema()
    assert_same(path, lambda frame: frame)


@pytest.mark.parametrize("size", [2, 4])
def test_lists_of_a_fixed_length_with_nulls_are_read_from_any_row_on(tmp_path, size):
    pairs = pa.array([[1, 2], None, None, [5, None]], pa.list_(pa.int32(), 2))
    pq.write_table(pa.table({"id": range(4), "pair": pairs}), tmp_path / "x.parquet", row_group_size=size)
    assert_same(tmp_path / "x.parquet", lambda frame: frame)
    assert_same(tmp_path / "x.parquet", lambda frame: frame.filter(pl.col("id") > 1))


@pytest.mark.parametrize("kind", [pa.decimal32(5, 2), pa.decimal64(12, 2), pa.decimal256(30, 2)], ids=str)
def test_decimals_of_any_width_are_filtered_as_by_polars_own_reader(tmp_path, kind):
    amounts = pa.array([Decimal("1.25"), None, Decimal("-3.50"), Decimal("2.00")], kind)
    pq.write_table(pa.table({"amount": amounts}), tmp_path / "x.parquet", row_group_size=2)
    some = pl.Series([Decimal("1.25"), Decimal("7.00")], dtype=pl.Decimal(kind.precision, 2))
    for predicate in (pl.col("amount").is_in(some.implode()), pl.col("amount") > Decimal("1.00")):
        assert_same(tmp_path / "x.parquet", lambda frame, predicate=predicate: frame.filter(predicate))


def test_views_of_texts_and_bytes_are_filtered_as_by_polars_own_reader(tmp_path):
    path, view = tmp_path / "x.parquet", pa.string_view()
    texts = pa.array([None, "b", "c" * 40, ""], view)
    kinds = {"text": view, "raw": pa.binary_view(), "place": pa.struct([("x", view)]), "tags": pa.list_(view)}
    kinds |= {"names": pa.map_(view, view), "many": pa.large_list(view), "pair": pa.list_(view, 2)}
    written = pa.table(
        {
            "text": texts.cast(pa.string()),
            "raw": pa.array([b"1", None, b"", b"4" * 40]),
            "place": [{"x": "a"}, None, {"x": None}, {"x": "d"}],
            "tags": [["a", None], [], None, ["b"]],
            "names": pa.array([[("a", "b")], [], [("c", None)], None], pa.map_(pa.string(), pa.string())),
            "many": [["a", None], [], None, ["b"]],
            "pair": [["a", "b"], ["c", "d"], None, ["e", None]],
        }
    )
    message = base64.b64encode(pa.schema(kinds.items()).serialize()).decode()  # pyarrow itself writes few views
    with pq.ParquetWriter(path, written.schema, store_schema=False) as writer:
        writer.write_table(written, row_group_size=2)
        writer.add_key_value_metadata({"ARROW:schema": message})
    assert pq.read_schema(path).field("tags").type == pa.list_(pa.field("element", view))
    assert_same(path, lambda frame: frame)
    for predicate in (pl.col("text") == "b", pl.col("text").is_null(), pl.col("raw") > b"2", pl.col("place").is_null()):
        assert_same(path, lambda frame, predicate=predicate: frame.filter(predicate))


NUMBERS = st.integers(-25, 45)
VALUES = {
    "id": NUMBERS,
    "small": NUMBERS,
    "price": st.one_of(NUMBERS.map(lambda n: n / 4), st.sampled_from([math.nan, math.inf, -0.0])),
    "ratio": NUMBERS.map(lambda n: n / 8),
    "name": NUMBERS.map(lambda n: f"name-{n:02}"),
    "kind": st.sampled_from(["a", "b", "c"]),
    "raw": st.integers(0, 45).map(lambda n: bytes([n])),
    "flag": st.booleans(),
    "day": NUMBERS.map(lambda n: DAY + dt.timedelta(n)),
    "at": NUMBERS.map(lambda n: MOMENT + dt.timedelta(hours=n)),
    "amount": NUMBERS.map(lambda n: Decimal(n).scaleb(-2)),
}
COMPARE = [pl.Expr.__eq__, pl.Expr.__ne__, pl.Expr.__lt__, pl.Expr.__le__, pl.Expr.__gt__, pl.Expr.__ge__]


@st.composite
def comparisons(draw) -> pl.Expr:
    name = draw(st.sampled_from([*VALUES]))
    field, values = pl.col(name), VALUES[name]
    match draw(st.integers(0, 5)):
        case 0:
            return field.is_in(
                draw(st.lists(values, max_size=3).map(lambda some: pl.Series(some, dtype=_kind(name)).implode()))
            )
        case 1:
            bounds = (draw(values), draw(values))
            return field.is_between(*bounds, closed=draw(st.sampled_from(["both", "left", "right", "none"])))
        case 2:
            return field.is_null()
        case 3:
            return pl.lit(draw(values)) > field
        case _:
            return draw(st.sampled_from(COMPARE))(field, draw(values))


def _kind(name: str) -> pl.DataType:
    return pl.Schema(TABLE.schema)[name]


PREDICATES = st.recursive(
    comparisons(),
    lambda inner: st.one_of(
        st.tuples(st.sampled_from([and_, or_]), inner, inner).map(lambda parts: parts[0](*parts[1:])),
        inner.map(lambda predicate: ~predicate),
    ),
    max_leaves=5,
)


@settings(max_examples=examples(60))
@given(predicate=PREDICATES, most=st.sampled_from([None, 0, 11]))
def test_any_filter_gives_the_rows_that_polars_own_reader_gives(path, predicate, most):
    def query(frame: pl.LazyFrame) -> pl.LazyFrame:
        return (frame if most is None else frame.head(most)).filter(predicate).select("id", "price")

    assert_same(path, query)


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_queries_of_several_steps_give_the_same(path, engine):
    for query in (
        lambda frame: frame.select(pl.len()),
        lambda frame: frame.filter(pl.col("id") > 10).select(pl.len()),
        lambda frame: frame.filter(pl.col("id") > 10).sort("price", "id").head(3),
        lambda frame: frame.sort("id", descending=True).head(3),
        lambda frame: frame.slice(5, 7).select("name"),
        lambda frame: frame.tail(3),
        lambda frame: frame.filter(pl.col("name").str.ends_with("7"), pl.col("id") < 30),
        lambda frame: frame.group_by("kind").agg(pl.col("price").count()).sort("kind"),
        lambda frame: frame.join(frame.filter(pl.col("id") < 3), on="id").sort("id"),
        lambda frame: frame.with_row_index().filter(pl.col("id") >= 38),
    ):
        expected = query(pl.scan_parquet(path)).collect(engine=engine)
        assert_frame_equal(query(parquetext.scan_polars(path)).collect(engine=engine), expected)


def test_only_the_columns_and_row_groups_of_a_query_are_read(path, tmp_path):
    copy = str(tmp_path / "spoiled.parquet")
    pq.write_table(TABLE, copy, row_group_size=8)
    assert spoil_chunks(copy, lambda row_group, name: row_group != 2 or name not in ("id", "name"))
    frame = parquetext.scan_polars(copy)
    read = frame.filter(pl.col("id").is_between(16, 20) & (pl.col("name") > "name-")).select("name")
    assert read.collect()["name"].to_list() == ["name-16", "name-18", "name-19", "name-20"]
    with pytest.raises(OSError, match="page header"):
        frame.select("name").collect()


def test_files_after_the_last_requested_row_are_not_read(tmp_path):
    for number in range(3):
        pq.write_table(TABLE.slice(10 * number, 10), tmp_path / f"{number}.parquet")
    assert spoil_chunks(str(tmp_path / "2.parquet"), lambda *_: True)
    frame = parquetext.scan_polars(tmp_path)
    assert frame.head(15).collect()["id"].to_list() == list(range(15))
    with pytest.raises(OSError, match="page header"):
        frame.collect()


def test_an_empty_membership_with_another_condition_finds_no_further_rows(path):
    for nothing in (pl.Series([], dtype=pl.String), pl.Series([None], dtype=pl.String)):
        predicate = (pl.col("id") == 3) | pl.col("name").is_in(nothing.implode())
        expected = pl.scan_parquet(path).filter(predicate).select("id").collect()
        assert_frame_equal(parquetext.scan_polars(path).filter(predicate).select("id").collect(), expected)


def test_named_columns_are_all_that_the_frame_has(path):
    frame = parquetext.scan_polars(path, ["price", "id"])
    assert frame.collect_schema().names() == ["price", "id"]
    assert_frame_equal(frame.collect(), pl.read_parquet(path, columns=["price", "id"]).select("price", "id"))
    with pytest.raises(ColumnError, match="'prise' in the first file; the nearest: 'price'"):
        parquetext.scan_polars(path, ["prise"])
    with pytest.raises(TypeError, match="list of names"):
        parquetext.scan_polars(path, "price")


def test_a_leaf_is_no_column_of_a_frame_and_is_not_named_as_one(path):
    with pytest.raises(ColumnError, match=r"no column 'place\.x' in the first file; the nearest: 'place'$"):
        parquetext.scan_polars(path, ["place.x"])


def test_decimals_in_256_bits_that_polars_panics_at_are_taken_as_its_own_reader_takes_them(tmp_path):
    path = str(tmp_path / "file.parquet")
    pq.write_table(pa.table({"amount": pa.array([Decimal(3), None], pa.decimal256(20, 2))}), path)
    assert_same(path, lambda frame: frame)
    assert_same(path, lambda frame: frame.filter(pl.col("amount") > 2))


KEYS = [
    ["1", "20"],
    ["007"],
    ["1.5", "2"],
    ["true", "false"],
    ["2024-01-01"],
    ["x", "a b", "1"],
    ["9999999999"],
    ["NaN"],
]


@pytest.mark.parametrize("values", KEYS, ids=str)
def test_keys_of_directories_have_the_types_that_polars_gives_them(tmp_path, values):
    for number, value in enumerate([*values, "__HIVE_DEFAULT_PARTITION__"]):
        folder = tmp_path / f"key={value}"
        folder.mkdir()
        pq.write_table(pa.table({"id": [number]}), folder / "part.parquet")
    assert_same(tmp_path, lambda frame: frame.sort("id"))
    assert_same(tmp_path, lambda frame: frame.filter(pl.col("key").is_not_null()).sort("id"))
    named = parquetext.scan_polars(tmp_path, ["key", "id"]).sort("id").collect()
    assert_frame_equal(named, pl.scan_parquet(tmp_path).sort("id").select("key", "id").collect())


def test_a_list_of_files_is_a_frame_without_keys(tmp_path):
    paths = []
    for number in range(3):
        folder = tmp_path / f"key={number}"
        folder.mkdir()
        paths.append(str(folder / "part.parquet"))
        pq.write_table(TABLE.slice(10 * number, 10), paths[-1])
    assert_same(paths, lambda frame: frame.filter(pl.col("id") > 8))
    assert_same(paths[1], lambda frame: frame)


@pytest.mark.parametrize("columns", [None, ["x"], ["part", "x"]])
def test_a_list_of_datasets_is_scanned_with_the_keys_of_each(tmp_path, columns):
    for part in (1, 2):
        folder = tmp_path / f"lake{part}" / f"part={part}"
        folder.mkdir(parents=True)
        pq.write_table(pa.table({"x": [part, part + 10]}), folder / "a.parquet")
    lakes = [parquetext.dataset(tmp_path / f"lake{part}") for part in (1, 2)]
    frame = parquetext.scan_polars(lakes, columns).collect()
    rows = {"x": [1, 11, 2, 12], "part": [1, 1, 2, 2]}
    assert frame.to_dict(as_series=False) == {name: rows[name] for name in columns or rows}
    assert parquetext.scan_polars(lakes).filter(pl.col("part") == 2).collect()["x"].to_list() == [2, 12]


def test_patterns_and_urls_are_scanned_and_open_files_are_refused(path):
    pattern = path.replace("wide", "w*")
    assert_same(pattern, lambda frame: frame.select("id"))
    memory = fsspec.filesystem("memory")
    memory.pipe("/engines/wide.parquet", Path(path).read_bytes())
    url = "memory://engines/wide.parquet"
    assert_frame_equal(parquetext.scan_polars(url, ["id"]).collect(), pl.read_parquet(path, columns=["id"]))
    with pytest.raises(TypeError, match="paths"):
        parquetext.scan_polars(io.BytesIO(Path(path).read_bytes()))


def test_another_filesystem_is_scanned_through_its_path(path):
    frame = parquetext.scan_polars(path, filesystem=pa.fs.LocalFileSystem())
    assert frame.filter(pl.col("id") == 7).select("id").collect()["id"].to_list() == [7]


def test_without_polars_the_error_names_the_package_to_install(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "polars", None)
    with pytest.raises(Unsupported, match=r"pip install 'parquetext\[polars\]'"):
        parquetext.scan_polars(path)


def test_numbers_beyond_int64_are_compared(tmp_path):
    path = tmp_path / "x.parquet"
    numbers = pl.DataFrame({"n": pl.Series([1, 1 << 63, (1 << 64) - 1], dtype=pl.UInt64)})
    numbers.write_parquet(path)
    column = pl.col("n")
    for predicate in (column > 1 << 63, column.is_in([1, (1 << 64) - 1]), column < (1 << 64) - 1, column >= 1):
        assert parquetext.scan_polars(path).filter(predicate).collect().equals(numbers.filter(predicate))


@pytest.mark.parametrize("kind", [pl.Float64, pl.Float32], ids=str)
def test_rows_that_equal_a_floating_point_number_of_a_filter_are_kept(tmp_path, kind):
    numbers = pl.DataFrame({"x": pl.Series([-108.01075012946387, 0.1, 1e-300, 5.0], dtype=kind)})
    numbers.write_parquet(tmp_path / "x.parquet")
    frame = parquetext.scan_polars(tmp_path / "x.parquet")
    for number in numbers["x"]:
        literal = pl.lit(number, dtype=kind)
        for predicate in (pl.col("x") == literal, pl.col("x") <= literal, pl.col("x").is_between(literal, literal)):
            assert frame.filter(predicate).collect().equals(numbers.filter(predicate))


def test_floating_point_literals_are_not_rounded():
    predicate = pl.col("x") <= -108.01075012946387
    assert filters_of(predicate, {"x": pl.Float64()}) == [[("x", "<=", -108.01075012946387)]]
