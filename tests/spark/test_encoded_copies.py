"""Copies of columns in other encodings: a job adds them to a dataset, and Spark reads the same values as before."""

from __future__ import annotations

import json
import struct
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.footers import footer_of
from support.typer_runner import CliRunner

import parquetext
from parquetext import kernels
from parquetext import spark as jobs
from parquetext.spark.__main__ import app

pytestmark = pytest.mark.slow

ROWS, ROW_GROUPS = 15_000, 3
TABLE = pa.table(
    {
        "id": pa.array(range(ROWS), pa.int64()),
        "price": [row % 997 / 100 if row % 5 else None for row in range(ROWS)],
        "name": [f"name {row * 7919 % ROWS}" for row in range(ROWS)],
        "values": [[*range(row % 3)] if row % 4 else None for row in range(ROWS)],
    }
)
COLUMNS = {"price": "alp", "id": "delta_binary_packed"}
LEAVES = {"id": "pfor", "price": "alp", "name": "fsst", "values": "delta_binary_packed"}
SPLIT = "spark.sql.files.maxPartitionBytes"


@contextmanager
def splits_of(spark, size: int):
    names = {SPLIT: str(size), "spark.sql.files.openCostInBytes": "0"}
    before = {name: spark.conf.get(name) for name in names}
    try:
        for name, value in names.items():
            spark.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            spark.conf.set(name, value)


def rows_of(frame) -> list[tuple]:
    return sorted(tuple(row) for row in frame.collect())


@pytest.fixture
def lake(tmp_path) -> Path:
    lake = tmp_path / "lake"
    for day in range(2):
        (lake / f"day={day}").mkdir(parents=True)
        pq.write_table(TABLE[: 100 * (day + 1)], lake / f"day={day}" / "x.parquet", row_group_size=60)
    return lake


def contents(lake: Path) -> dict[str, bytes]:
    return {path.parent.name: path.read_bytes() for path in lake.rglob("*.parquet")}


def outcomes(results) -> list[str]:
    return sorted(row.outcome for row in results.select("outcome").collect())


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("splits") / "x.parquet"
    pq.write_table(TABLE, path, row_group_size=ROWS // ROW_GROUPS, compression="none", use_dictionary=False)
    return path


@pytest.mark.parametrize("leaf", LEAVES)
def test_every_row_is_read_once_however_the_file_is_split(spark, plain, tmp_path, leaf):
    """Spark gives a row group to the split that holds its first column's offset plus half its size."""
    path = tmp_path / "x.parquet"
    parquetext.encode(plain, {leaf: LEAVES[leaf]}, out=path)
    expected = list(zip(*TABLE.to_pydict().values(), strict=True))
    for size in (64 << 10, path.stat().st_size + 1):
        with splits_of(spark, size):
            frame = spark.read.parquet(str(path))
            assert frame.count() == ROWS
            assert (frame.rdd.getNumPartitions() > ROW_GROUPS) == (size == 64 << 10)
            assert rows_of(frame) == expected


@pytest.mark.parametrize("leaf", LEAVES)
def test_slices_of_encoded_files_are_read_once_however_they_are_split(spark, plain, tmp_path, leaf):
    """The column with a copy stands behind the others in the file, and in front of them in the slice."""
    path, columns = tmp_path / "x.parquet", TABLE.column_names[TABLE.column_names.index(leaf) :]
    parquetext.encode(plain, {leaf: LEAVES[leaf]}, out=path)
    data = path.read_bytes()
    scan = kernels.scan.scan(footer_of(data))
    slice = kernels.slice.slice_footer(scan, range(TABLE.column_names.index(leaf), 4), range(ROW_GROUPS))
    path.write_bytes(data + slice + struct.pack("<I", len(slice)) + b"PAR1")
    expected = list(zip(*TABLE.select(columns).to_pydict().values(), strict=True))
    for size in (64 << 10, path.stat().st_size + 1):
        with splits_of(spark, size):
            frame = spark.read.parquet(str(path))
            assert frame.columns == columns and frame.count() == ROWS
            assert frame.rdd.map(tuple).collect() == expected


def test_a_job_encodes_like_single_calls_and_can_be_resumed(spark, lake, tmp_path):
    before, alone = contents(lake), {}
    for path in lake.rglob("*.parquet"):
        out = tmp_path / "alone.parquet"
        parquetext.encode(path, COLUMNS, codec="zstd", out=out)
        alone[path.parent.name] = out.read_bytes()
    options = {"codec": "zstd", "state": tmp_path / "state", "progress": False}
    assert outcomes(jobs.encode(spark, lake, COLUMNS, **options)) == ["encoded"] * 2
    assert contents(lake) == alone
    pq.write_table(TABLE[:50], lake / "day=1" / "late.parquet")
    assert outcomes(jobs.encode(spark, lake, COLUMNS, **options)) == ["encoded", "skipped", "skipped"]
    assert outcomes(jobs.encode(spark, lake, COLUMNS, codec="zstd", progress=False)) == ["unchanged"] * 3
    (lake / "day=1" / "late.parquet").unlink()
    assert outcomes(jobs.strip(spark, lake, progress=False)) == ["stripped"] * 2
    assert contents(lake) == before


def test_a_column_that_a_file_lacks_fails_for_that_file_alone(spark, lake):
    pq.write_table(pa.table({"id": [1]}), lake / "day=1" / "other.parquet")
    results = {Path(row.path).name: row for row in jobs.encode(spark, lake, COLUMNS, progress=False).collect()}
    assert (results["other.parquet"].outcome, results["other.parquet"].error) == ("failed", "ColumnError")
    assert results["x.parquet"].outcome == "encoded"


@pytest.mark.parametrize("form", ["flat", "index"])
def test_upgrade_keeps_copies_and_encode_renews_footers(spark, lake, form):
    before, expected = contents(lake), TABLE[:200]
    path = lake / "day=1" / "x.parquet"
    for names in (["price"], ["id"]):
        columns = {name: COLUMNS[name] for name in names}
        assert outcomes(jobs.encode(spark, lake, columns, progress=False)) == ["encoded"] * 2
        jobs.upgrade(spark, lake, form, progress=False)
        assert outcomes(jobs.verify(spark, lake, deep=True, progress=False)) == ["ok"] * 2
        with parquetext.open(path) as file:
            assert (file.form, file.read(engine="parquetext").equals(expected)) == (form, True)
            assert not file.findings
    assert pq.read_table(path, partitioning=None).equals(expected)
    for _ in range(2):
        jobs.strip(spark, lake, progress=False)
    jobs.strip(spark, lake, progress=False)
    assert contents(lake) == before


def test_the_command_pairs_columns_with_encodings(spark, lake):
    def run(*arguments):
        return CliRunner().invoke(app, ["encode", str(lake), "--quiet", "--json", *arguments])

    wrong = run("--column", "id", "--column", "price", "--encoding", "plain", "--encoding", "alp", "--encoding", "alp")
    assert wrong.exit_code == 2 and "2 columns and 3 encodings" in wrong.stderr
    assert run("--column", "id", "--encoding", "no such").exit_code == 2
    dry = run("--column", "id", "--encoding", "plain", "--dry-run")
    assert {json.loads(line)["outcome"] for line in dry.stdout.splitlines()} == {"would-encode"}
    done = run("--column", "id", "--column", "price", "--encoding", "byte_stream_split", "--codec", "zstd")
    assert done.exit_code == 0, done.output
    assert [json.loads(line)["outcome"] for line in done.stdout.splitlines()] == ["encoded"] * 2
