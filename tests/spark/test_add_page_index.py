"""A job adds page indexes to a dataset: each reader then finds the same rows, and Spark reads fewer pages for them."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest
from support.typer_runner import CliRunner

import parquetext
from parquetext import spark as jobs
from parquetext.cli.app import app

ROWS, ROWS_OF_PAGE = 20_000, 500
WANTED = 12_345
TABLE = pa.table({"id": pa.array(range(ROWS), pa.int64()), "name": [f"name {row % 97}" for row in range(ROWS)]})


@pytest.fixture
def lake(tmp_path) -> Path:
    folder = tmp_path / "lake"
    for name in ("part=0", "part=1"):
        (folder / name).mkdir(parents=True)
        pq.write_table(
            TABLE,
            folder / name / "x.parquet",
            max_rows_per_page=ROWS_OF_PAGE,
            write_batch_size=100,
            use_dictionary=False,
        )
    return folder


def contents(lake: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in sorted(lake.rglob("*.parquet"))}


def scanned(frame) -> tuple[list, int]:
    """Return the rows of a DataFrame, and how many rows its scan has read for them."""
    rows = frame.collect()
    plan = frame._jdf.queryExecution().executedPlan()
    leaves = frame.sparkSession._jvm.scala.jdk.javaapi.CollectionConverters.asJava(plan.collectLeaves())
    return rows, sum(leaf.metrics().apply("numOutputRows").value() for leaf in leaves)


def test_a_job_indexes_a_dataset_and_spark_scans_one_page_for_a_row(spark, lake):
    before = contents(lake)

    def found() -> tuple[list, int]:
        return scanned(spark.read.parquet(str(lake / "part=0")).where(f"id = {WANTED}"))

    rows, scanned_before = found()
    done = jobs.add_page_index(spark, lake, bloom="name", progress=False).collect()
    assert [row.outcome for row in done] == ["indexed"] * 2
    rows_after, scanned_after = found()
    assert rows_after == rows and len(rows) == 1
    assert (scanned_before, scanned_after) == (ROWS, ROWS_OF_PAGE)
    again = jobs.add_page_index(spark, lake, bloom="name", progress=False).collect()
    assert [row.outcome for row in again] == ["unchanged"] * 2
    stripped = jobs.strip(spark, lake, progress=False).collect()
    assert [row.outcome for row in stripped] == ["stripped"] * 2
    assert contents(lake) == before


def filtered(path: Path) -> list[list[dict]]:
    """Return the wanted row as each reader finds it."""
    con = duckdb.connect(config={"threads": 1})
    return [
        pq.read_table(path, filters=[("id", "=", WANTED)], partitioning=None).to_pylist(),
        ds.dataset(path).to_table(filter=ds.field("id") == WANTED).to_pylist(),
        pl.scan_parquet(path).filter(pl.col("id") == WANTED).collect().to_dicts(),
        con.sql(f"select * from read_parquet('{path}', hive_partitioning=false) where id = {WANTED}")
        .to_arrow_table()
        .to_pylist(),
        parquetext.read_table(path, filters=[("id", "=", WANTED)], engine="parquetext").to_pylist(),
    ]


def test_readers_find_the_same_rows_before_and_after(lake):
    path = lake / "part=0" / "x.parquet"
    before = filtered(path)
    result = CliRunner().invoke(app, ["add-page-index", "--json", "--bloom", "name", str(path)])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout.splitlines()[0])["outcome"] == "indexed"
    assert filtered(path) == before
    assert all(len(rows) == 1 for rows in before)
    with duckdb.connect() as con:
        probe = f"select bloom_filter_excludes from parquet_bloom_probe('{path}', 'name', 'no such name')"
        assert con.sql(probe).fetchall() == [(True,)]
