"""Columns with copies in other encodings: readers that know nothing of them find the same rows, and skip as before."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

import parquetext

ROWS = 20_000
TABLE = pa.table(
    {
        "id": pa.array(range(0, 2 * ROWS, 2), pa.int64()),
        "name": [f"name {row * 7919 % ROWS}" for row in range(ROWS)],
        "price": [row % 1013 / 100 if row % 7 else None for row in range(ROWS)],
        "list": [[*range(row % 3)] if row % 5 else None for row in range(ROWS)],
    }
)
COPIES = {"id": "pfor", "name": "fsst", "price": "alp", "list": "delta_binary_packed"}
LOW, HIGH = 12_345, 12_399
NAME = "name 4711"


@pytest.fixture(scope="module", params=["thrift", "flat"])
def files(request, tmp_path_factory) -> tuple[Path, Path]:
    """A file with page indexes and Bloom filters in four row groups, and the same one with copies of all columns."""
    folder = tmp_path_factory.mktemp("copies")
    plain, encoded = folder / "plain.parquet", folder / "encoded.parquet"
    blooms = {"bloom_filter_options": {"id": True, "name": True}}
    pq.write_table(TABLE, plain, row_group_size=ROWS // 4, write_page_index=True, max_rows_per_page=500, **blooms)
    if request.param == "flat":
        parquetext.upgrade(plain, "flat")
    parquetext.encode(plain, COPIES, codec="zstd", out=encoded)
    return plain, encoded


def by_duckdb(path: Path, where: str) -> list:
    return duckdb.sql(f"select id, name, price, list from '{path}' where {where} order by id").fetchall()


def by_polars(path: Path, where: str) -> list:
    return polars.scan_parquet(path).filter(polars.sql_expr(where)).sort("id").collect().rows()


def by_dataset(path: Path, where: str) -> list:
    column, value = (ds.field("name"), NAME) if "name" in where else (ds.field("id"), None)
    condition = column == value if value else (column >= LOW) & (column <= HIGH)
    table = ds.dataset(path).to_table(filter=condition).sort_by("id")
    return [tuple(row.values()) for row in table.to_pylist()]


READERS = {"DuckDB": by_duckdb, "Polars": by_polars, "pyarrow.dataset": by_dataset}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("where", [f"id >= {LOW} and id <= {HIGH}", f"name = '{NAME}'"], ids=["range", "name"])
def test_filters_find_the_same_rows(files, reader, where):
    plain, encoded = (READERS[reader](path, where) for path in files)
    assert encoded == plain
    assert len(plain) == (1 if "name" in where else (HIGH - LOW) // 2)


@pytest.mark.parametrize("reader", [pq.read_table, polars.read_parquet, duckdb.read_parquet])
def test_all_rows_are_the_same(files, reader):
    plain, encoded = (reader(str(path)) for path in files)
    if reader is duckdb.read_parquet:
        plain, encoded = plain.fetchall(), encoded.fetchall()
    assert encoded == plain if isinstance(plain, list) else encoded.equals(plain)


def test_page_indexes_select_the_same_pages(files):
    """Each page in an offset index has the header that was there before."""
    plain, encoded = files
    with parquetext.open(plain) as before, parquetext.open(encoded) as after:
        for column in ("id", "name", "price"):
            fields = [
                [{name: page[name] for name in page if name != "offset"} for page in file.pages(column).to_pylist()]
                for file in (before, after)
            ]
            assert fields[0] == fields[1]
            assert len(fields[0]) >= 40


@pytest.mark.parametrize("engine", ["pyarrow", "parquetext"])
def test_our_filters_skip_as_before(files, engine):
    filters = [("id", ">=", LOW), ("id", "<=", HIGH)]
    tables = [parquetext.read_table(path, filters=filters, engine=engine) for path in files]
    assert tables[0].equals(tables[1]) and tables[0].num_rows == (HIGH - LOW) // 2
    for path in files:
        assert parquetext.read_table(path, filters=[("name", "==", "no such")], engine=engine).num_rows == 0
