"""A dataset is an Arrow stream and can be pickled: DuckDB, Polars, pandas, pyarrow's writers, other processes."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from support.lakes import hive_files

import parquetext

F = pc.field


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("lake")
    for number, path in hive_files(folder, "a.parquet"):
        rows = range(number * 100, number * 100 + 100)
        pq.write_table(pa.table({"v": pa.array(rows), "t": [f"t{row % 9}" for row in rows]}), path, row_group_size=40)
    return folder


@pytest.fixture
def lake(path):
    return parquetext.dataset(path)


@pytest.fixture
def expected(path) -> pa.Table:
    return ds.dataset(str(path), partitioning="hive").to_table()


def test_pyarrow_takes_it_batch_by_batch(lake, expected):
    with pa.RecordBatchReader.from_stream(lake) as reader:
        first = reader.read_next_batch()
        assert first.num_rows == 40 and reader.schema == lake.schema
    assert pa.table(lake) == expected
    assert pa.table(lake.scanner(["k", "v"], F("v") > 150)) == expected.filter(F("v") > 150).select(["k", "v"])
    assert pa.table(lake.filter(F("v") < 0)) == expected.slice(0, 0)
    assert lake.to_reader(["v"]).read_all() == expected.select(["v"])


def test_pyarrow_writes_it(lake, expected, tmp_path):
    ds.write_dataset(
        lake.filter(F("v") > 50), tmp_path, format="parquet", partitioning=["k"], partitioning_flavor="hive"
    )
    again = parquetext.dataset(tmp_path)
    wanted = expected.filter(F("v") > 50)
    assert again.to_table().select(wanted.column_names).sort_by("v") == wanted.sort_by("v")
    ds.write_dataset(lake.scanner(["v"]), tmp_path / "scanned", format="ipc")
    scanned = ds.dataset(tmp_path / "scanned", format="ipc").to_table()  # its writer's threads put batches in any order
    assert scanned.sort_by("v") == expected.select(["v"]).sort_by("v")


def test_duckdb_takes_it(lake, expected):
    with duckdb.connect() as con:
        con.register("lake", lake)
        assert con.execute("SELECT k, sum(v) FROM lake GROUP BY k ORDER BY k").fetchall() == [
            (number, sum(range(number * 100, number * 100 + 100))) for number in range(3)
        ]
        for _ in range(2):
            assert con.from_arrow(lake).filter("v > 250").order("v").to_arrow_table()["v"].to_pylist() == [
                *range(251, 300)
            ]
        con.register("theirs", lake.to_pyarrow())
        assert con.execute("SELECT max(v) FROM theirs WHERE t = 't3'").fetchall() == [(291,)]


def test_polars_and_pandas_take_it(lake, expected):
    assert pl.DataFrame(lake).equals(pl.from_arrow(expected))
    assert pl.DataFrame(lake.scanner(["v"], F("v") == 7)).to_dicts() == [{"v": 7}]
    frame = pl.scan_pyarrow_dataset(lake.to_pyarrow()).filter(pl.col("v") > 290).select("v").collect()
    assert sorted(frame["v"]) == [*range(291, 300)]
    assert lake.to_table().to_pandas().equals(expected.to_pandas())


def test_another_process_takes_it(lake):
    parts = [lake.filter([("v", ">", 270)]), *lake.get_fragments(F("v") < 140)]
    program = "import pickle, sys; print(*(part.to_table().num_rows for part in pickle.load(sys.stdin.buffer)))"
    done = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(parts), capture_output=True, check=True)
    assert done.stdout.split() == [b"29", b"100", b"40"]
