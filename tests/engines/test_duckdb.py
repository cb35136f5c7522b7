"""DuckDB over our footers returns the rows of DuckDB's reader, and reads no more than a query needs."""

from __future__ import annotations

import sys
from decimal import Decimal

import duckdb
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from support.parquet_bytes import write_upgraded
from support.spoiled import spoil_chunks

import parquetext
from parquetext.errors import ColumnError, Unsupported

ROWS = 40
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "price": pa.array([None if n % 7 == 3 else float("nan") if n % 11 == 5 else n / 4 for n in range(ROWS)]),
        "name": pa.array([None if n % 5 == 2 else f"name-{n:02}" for n in range(ROWS)]),
        "kind": pa.array(["ab"[n % 2] for n in range(ROWS)]).dictionary_encode(),
        "moment": pa.array([n * 3_600_000_000 for n in range(ROWS)], pa.timestamp("us")),
        "amount": pa.array([Decimal(n) for n in range(ROWS)], pa.decimal128(9, 2)),
        "place": pa.array([{"x": n, "y": [str(n)]} for n in range(ROWS)]),
    }
)
CONDITIONS = [
    "id BETWEEN 5 AND 9",
    "id IN (1, 17, 39) OR name = 'name-20'",
    "price > 5",
    "price >= 9.5 OR price IS NULL",
    "NOT price < 3",
    "price != 2",
    "price IN (0.5, 'nan'::DOUBLE)",
    "name IS NULL AND id > 30",
    "name LIKE 'name-3%'",
    "kind = 'a' AND moment >= TIMESTAMP '1970-01-02'",
    "amount < 3.5",
    "place.x = 7",
    "id + 1 = 8",
]


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> str:
    return write_upgraded(tmp_path_factory.mktemp("duckdb") / "wide.parquet", TABLE)


@pytest.fixture
def con():
    with duckdb.connect() as con:
        yield con


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_filter_gives_the_rows_that_it_gives_of_the_same_table_in_memory(con, path, condition):
    # DuckDB's own reader loses rows with NaN, for which "price > 5" is true: bounds leave NaN out.
    parquetext.register_duckdb(con, path, "ours")
    con.register("memory", TABLE)
    memory, ours = (
        con.execute(f"SELECT id, kind, amount, place FROM {table} WHERE {condition} ORDER BY id").fetchall()
        for table in ("memory", "ours")
    )
    assert ours == memory


def test_the_view_has_the_types_that_duckdbs_own_reader_gives(con, path):
    parquetext.register_duckdb(con, path, "ours")
    theirs, ours = (
        con.execute(f"DESCRIBE SELECT * FROM {table}").fetchall() for table in (f"read_parquet('{path}')", "ours")
    )
    assert ours == theirs


def test_the_view_has_the_name_of_the_file_without_suffix(con, tmp_path):
    for name, view in (("tall.parquet", "tall"), ("2024-01.x.parquet", "2024-01.x"), ("plain", "plain")):
        pq.write_table(TABLE, tmp_path / name)
        parquetext.register_duckdb(con, tmp_path / name)
        assert con.execute(f'SELECT count(*) FROM "{view}"').fetchall() == [(TABLE.num_rows,)]
    assert {name for (name,) in con.execute("SHOW TABLES").fetchall()} == {"tall", "2024-01.x", "plain"}


def test_a_view_with_the_path_as_its_name_takes_the_place_of_the_file(con, path):
    parquetext.register_duckdb(con, path, str(path))
    assert con.execute(f"SELECT count(*), sum(id) FROM '{path}'").fetchall() == [(ROWS, sum(range(ROWS)))]
    plan = con.execute(f"EXPLAIN SELECT id FROM '{path}'").fetchall()[0][1]
    assert "ARROW" in plan.upper() and "PARQUET_SCAN" not in plan.upper()


def test_the_returned_relation_works_as_a_table_in_a_variable(con, path):
    wide = parquetext.register_duckdb(con, path)
    assert wide.count_rows() == ROWS
    assert con.execute("SELECT count(*) FROM wide WHERE id < 3").fetchall() == [(3,)]


def test_only_the_columns_and_row_groups_of_a_query_are_read(con, tmp_path):
    copy = str(tmp_path / "spoiled.parquet")
    pq.write_table(TABLE, copy, row_group_size=8)
    assert spoil_chunks(copy, lambda row_group, name: row_group != 2 or name not in ("id", "name"))
    parquetext.register_duckdb(con, copy, copy)
    found = con.execute(f"SELECT name FROM '{copy}' WHERE id BETWEEN 18 AND 20").fetchall()
    assert found == [("name-18",), ("name-19",), ("name-20",)]
    with pytest.raises(duckdb.Error, match="page header"):
        con.execute(f"SELECT name FROM '{copy}'").fetchall()


def test_named_columns_are_all_that_the_view_has(con, path):
    parquetext.register_duckdb(con, path, "few", columns=["name", "id"])
    assert [row[0] for row in con.execute("DESCRIBE few").fetchall()] == ["name", "id"]
    assert con.execute("SELECT name FROM few WHERE id = 4").fetchall() == [("name-04",)]
    with pytest.raises(ColumnError, match="nome"):
        parquetext.register_duckdb(con, path, columns=["nome"])


def test_a_directory_is_a_view_with_its_keys(con, tmp_path):
    for day in (1, 2):
        folder = tmp_path / f"day={day}"
        folder.mkdir()
        pq.write_table(TABLE.slice(10 * day, 10), folder / "part.parquet")
    assert spoil_chunks(str(tmp_path / "day=1" / "part.parquet"), lambda *_: True)
    parquetext.register_duckdb(con, tmp_path, "lake")
    assert con.execute("SELECT count(*), min(id), max(id) FROM lake WHERE day = 2").fetchall() == [(10, 20, 29)]


def test_a_source_without_a_path_needs_a_name(con, path):
    with pytest.raises(TypeError, match="name"):
        parquetext.register_duckdb(con, [path])
    parquetext.register_duckdb(con, [path, path], "twice")
    assert con.execute("SELECT count(*) FROM twice").fetchall() == [(2 * ROWS,)]
    with pytest.raises(TypeError, match="connection"):
        parquetext.register_duckdb("connection", path)


def test_arrow_itself_reads_the_same_rows(con, path):
    wide = parquetext.register_duckdb(con, path)
    assert isinstance(wide, ds.Dataset)
    assert ds.Scanner.from_dataset(wide, columns=["id"]).to_table().equals(TABLE.select(["id"]))
    assert wide.to_table(columns=["id"], filter=ds.field("id") < 3)["id"].to_pylist() == [0, 1, 2]
    assert wide.scanner(columns=["id"], fragment_scan_options=ds.ParquetFragmentScanOptions()).count_rows() == ROWS


def test_without_duckdb_the_error_names_the_package_to_install(path, monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(Unsupported, match=r"pip install 'parquetext\[duckdb\]'"):
        parquetext.register_duckdb(object(), path)


TYPES = {
    "half": pa.array([1.5, None, float("nan"), 3.0], pa.float16()),
    "halves": pa.array([[1.5], None, [], [None]], pa.list_(pa.float16())),
    "half_of_key": pa.array([[("a", 1.5)], None, [], [("b", None)]], pa.map_(pa.string(), pa.float16())),
    "half_within": pa.array([{"x": 1.5}, None, {"x": None}, None], pa.struct({"x": pa.float16()})),
    "long_decimal": pa.array([Decimal(10), None, Decimal(-1), None], pa.decimal256(20, 2)),
    "longer_decimal": pa.array([Decimal(10) ** 50, None, Decimal(-1), None], pa.decimal256(60, 2)),
    "seconds": pa.array([0, None, 1, 2], pa.timestamp("s")),
    "milliseconds": pa.array([0, None, 1, 2], pa.timestamp("ms")),
    "zoned": pa.array([0, None, 1, 2], pa.timestamp("ms", "UTC")),
    "duration": pa.array([0, None, 1, 2], pa.duration("ns")),
    "pair": pa.array([[1, 2], None, [3, None], [5, 6]], pa.list_(pa.int32(), 2)),
}


@pytest.mark.parametrize("kind", TYPES)
def test_types_that_duckdb_refuses_or_confuses_are_those_of_its_reader(con, tmp_path, kind):
    path = str(tmp_path / "file.parquet")
    pq.write_table(pa.table({"id": range(4), "value": TYPES[kind]}), path)
    parquetext.register_duckdb(con, path, "ours")
    own = f"read_parquet('{path}')"
    for query in ("DESCRIBE SELECT * FROM {}", "SELECT id FROM {}", "SELECT value::VARCHAR FROM {} ORDER BY id"):
        theirs, ours = (con.execute(query.format(table)).fetchall() for table in (own, "ours"))
        assert ours == theirs


def test_row_groups_are_excluded_by_bounds_in_milliseconds(con, tmp_path):
    path = str(tmp_path / "file.parquet")
    moments = pa.array(range(40), pa.timestamp("ms"))
    pq.write_table(pa.table({"at": moments, "id": range(40)}), path, row_group_size=8)
    assert spoil_chunks(path, lambda row_group, name: row_group != 2)
    parquetext.register_duckdb(con, path, "ours")
    found = con.execute("SELECT id FROM ours WHERE \"at\" = TIMESTAMP '1970-01-01 00:00:00.018'").fetchall()
    assert found == [(18,)]
