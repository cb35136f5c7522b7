"""Directories that Spark's Structured Streaming has written: their log records sizes, so nothing changes the files."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import parquetext
from parquetext import edits
from parquetext import spark as jobs
from parquetext.errors import Refused

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def sink(spark, tmp_path_factory) -> Path:
    """A directory with the partitions day=1 and day=2, written by a streaming query."""
    folder = tmp_path_factory.mktemp("streaming")
    (folder / "in").mkdir()
    pq.write_table(pa.table({"day": pa.array([1, 2], pa.int32()), "v": [10, 20]}), folder / "in" / "x.parquet")
    rows = spark.readStream.schema("day int, v bigint").parquet(str(folder / "in"))
    writer = rows.writeStream.format("parquet").partitionBy("day").option("checkpointLocation", str(folder / "state"))
    writer.trigger(availableNow=True).start(str(folder / "out")).awaitTermination()
    return folder / "out"


def contents(sink: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in sorted(sink.rglob("*.parquet"))}


def test_no_verb_changes_a_file_of_it(sink):
    before = contents(sink)
    assert len(before) == 2
    for path in before:
        for verb in (edits.upgrade, edits.strip, edits.restore):
            with pytest.raises(Refused, match=f"Streaming table at {sink}, whose log records its size"):
                verb(path)
    assert contents(sink) == before


def test_jobs_refuse_the_directory_and_parts_of_it(spark, sink):
    before = contents(sink)
    for positions in (sink, sink / "day=1", [next(iter(before))]):
        rows = jobs.upgrade(spark, positions, form="flat", progress=False).collect()
        assert rows and {row.outcome for row in rows} == {"refused"}
        assert all(f"Spark Structured Streaming table at {sink}" in row.message for row in rows)
    assert contents(sink) == before
    assert sorted(row.v for row in spark.read.parquet(str(sink)).collect()) == [10, 20]


def test_spark_reads_nothing_after_a_forced_change_until_it_is_taken_back(spark, sink):
    before = contents(sink)
    rows = jobs.upgrade(spark, sink, form="flat", ignore="table-format", progress=False).collect()
    assert {row.outcome for row in rows} == {"upgraded"}
    with pytest.raises(Exception, match="magic number"):
        spark.read.parquet(str(sink)).collect()
    for path in before:
        edits.strip(path, ignore="table-format")
    assert contents(sink) == before
    assert sorted(row.v for row in spark.read.parquet(str(sink)).collect()) == [10, 20]


def test_reading_the_directory_by_path_warns(sink):
    with pytest.warns(UserWarning, match="Spark Structured Streaming table, whose log is not followed here"):
        assert parquetext.dataset(sink, partitioning="hive").count_rows() == 2
