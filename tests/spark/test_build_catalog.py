"""The catalog of a lake: a job like the others, whose rows are the chunks."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext.catalog import SCHEMA, batches_of
from parquetext.catalog.footers import read_footer
from parquetext.spark import JobFailed, build_catalog, parts
from parquetext.spark.filesystems import Filesystems
from parquetext.spark.results import ROWS, Row

pytestmark = pytest.mark.slow

ORDER = [("file", "ascending"), ("row_group", "ascending"), ("leaf", "ascending")]
FILTERS = [("n", "=", 127), ("day", "=", 0)]


@pytest.fixture
def lake(tmp_path) -> Path:
    """40 files of 2 row groups of 2 columns, and one that is no Parquet file."""
    lake = tmp_path / "lake"
    for number in range(40):
        write(lake / f"day={number % 2}" / f"{number}.parquet", number)
    (lake / "day=1" / "bad.parquet").write_bytes(b"this is no Parquet file")
    return lake


def write(path: Path, number: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table({"n": range(number * 10, number * 10 + 10), "t": ["x"] * 10}), path, row_group_size=5)
    os.utime(path, ns=(0, 1_600_000_000_000_000_000 + number))  # no file is too young for a catalog to know its time


def alone(lake: Path) -> pa.Table:
    """Return the catalog as built on one machine."""
    return pa.Table.from_batches(batches_of(sorted(map(str, lake.rglob("*.parquet")))))


def rows(table: pa.Table) -> list[dict]:
    return table.select(SCHEMA.names).sort_by(ORDER).to_pylist()


def outcomes(frame) -> Counter:
    return Counter(row.outcome for row in frame.files.select("outcome").collect())


def test_a_catalog_equals_that_of_one_machine_and_plans_from_memory_and_parquet(spark, lake, tmp_path):
    frame = build_catalog(spark, lake, progress=False)
    assert frame.columns == SCHEMA.names
    arrow = frame.toArrow()
    assert rows(arrow) == rows(alone(lake))
    stored = str(tmp_path / "catalog")
    frame.write.parquet(stored)
    expected = {str(lake / "day=0" / "12.parquet"): [1], str(lake / "day=1" / "bad.parquet"): None}
    for table in (frame, arrow, stored):
        assert dict(parquetext.plan(table, FILTERS)) == expected


def test_a_catalog_runs_once_before_the_call_returns_and_reports_each_file(spark, lake, capfd):
    frame = build_catalog(spark, lake)
    implementation = parquetext.implementation()
    assert capfd.readouterr().err.splitlines()[-1] == (
        f"build_catalog: 41 files: 40 read, 1 failed ({implementation} kernels in 8 tasks)"
    )
    size = (lake / "day=0" / "0.parquet").stat().st_size
    for path in lake.rglob("*.parquet"):
        path.unlink()
    assert frame.count() == frame.count() == 161
    assert frame.files.columns == ROWS.names
    of = {Path(row.path).stem: row for row in frame.files.collect()}
    assert (of["0"].outcome, of["0"].form_before, of["0"].implementation) == ("read", "thrift", implementation)
    assert (of["0"].bytes_before, of["0"].bytes_read, of["0"].bytes_written) == (size, size, 0)
    assert (of["bad"].outcome, of["bad"].error) == ("failed", "Malformed")


def test_unreadable_files_raise_at_the_end_on_request(spark, lake):
    with pytest.raises(JobFailed, match=r"bad\.parquet: not a Parquet file") as caught:
        build_catalog(spark, lake, on_error="raise", progress=False)
    assert caught.value.results.where("error IS NOT NULL").select("file").first().file.endswith("bad.parquet")
    assert outcomes(caught.value.results) == {"read": 40, "failed": 1}


def test_with_a_state_only_new_and_changed_files_are_read(spark, lake, tmp_path):
    state = str(tmp_path / "state")
    build_catalog(spark, lake, state=state, progress=False)
    write(lake / "day=0" / "0.parquet", 500)
    write(lake / "day=1" / "new.parquet", 600)
    os.remove(lake / "day=1" / "1.parquet")
    frame = build_catalog(spark, lake, state=state, progress=False)
    assert outcomes(frame) == {"read": 2, "skipped": 38, "failed": 1}
    assert rows(frame.toArrow()) == rows(alone(lake))
    assert rows(build_catalog(spark, lake, state=state, progress=False).toArrow()) == rows(alone(lake))
    assert spark.read.parquet(state).count() == 43


def test_chunks_of_many_files_are_stored_bit_by_bit(spark, lake, tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "CHUNKS_AT_ONCE", 40)
    kept = parts.ChunkRows(Filesystems(), str(tmp_path), 0)
    stored = []
    for file in sorted(lake.rglob("*.parquet")):
        row = Row(str(file), "read")
        try:
            found = read_footer(file)
        except parquetext.errors.Malformed as error:
            row.fail(error)
            found = error
        kept.add(row, found)
        if kept.is_due():
            stored += kept.store()
    stored += kept.store()
    assert [sum(part.outcomes.values()) for part in stored] == [10, 10, 10, 10, 1]
    chunks = pa.concat_tables(pq.read_table(parts.chunks_of(part.url)) for part in stored)
    assert rows(chunks) == rows(alone(lake))
