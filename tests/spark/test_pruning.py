"""Filters that Spark pushes down: what they rule out is not read, and rows go by Spark's own rules."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    Not,
    StringContains,
    StringStartsWith,
)
from pyspark.sql.types import DateType, DoubleType, IntegerType, LongType, StringType, StructField, StructType
from support.sidecars import blind

import parquetext
from parquetext.spark.source.options import Options
from parquetext.spark.source.reading import PruningReader

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
TYPES = {"n": LongType(), "text": StringType(), "x": DoubleType(), "maybe": LongType(), "day": DateType(),
         "part": IntegerType()}
FILTERS = {
    "equal": ([EqualTo(("n",), 137)], [13]), "null-safe": ([EqualNullSafe(("n",), 5)], [0]),
    "above": ([GreaterThan(("n",), 380)], [38, 39]), "at least": ([GreaterThanOrEqual(("n",), 390)], [39]),
    "below": ([LessThan(("n",), 11)], [0, 1]), "at most": ([LessThanOrEqual(("n",), 9)], [0]),
    "one of": ([In(("n",), (3, 399))], [0, 39]), "both": ([GreaterThan(("n",), 100), LessThan(("n",), 105)], [10]),
    "text": ([EqualTo(("text",), "v0123")], [12]), "prefix": ([StringStartsWith(("text",), "v03")], range(30, 40)),
    "day": ([LessThan(("day",), datetime.date(2020, 1, 3))], [0, 1]), "null": ([IsNull(("maybe",))], range(20)),
    "not": ([Not(EqualTo(("maybe",), 1))], range(20, 40)), "key": ([EqualTo(("part",), 1)], range(20, 40)),
    "key and value": ([EqualTo(("part",), 0), GreaterThan(("n",), 190)], [19]),
    "a gap that bounds do not show": ([EqualTo(("n",), 1000)], []),
    "floats from above": ([LessThan(("x",), 5.0)], [0]),
    "floats, where a NaN may be": ([GreaterThan(("x",), 198.0)], range(40)),
    "not understood": ([StringContains(("text",), "9"), IsNotNull(("n",)), Not(IsNull(("n",)))], range(40)),
    "of a member": ([EqualTo(("n", "deep"), 1)], range(40)),
}


@pytest.fixture(scope="module", params=["thrift", "flat", "index", "sidecar"])
def lake(request, tmp_path_factory):
    """Four files of ten row groups in two folders, in one form of footers; one value in each row group of ten."""
    folder = tmp_path_factory.mktemp(request.param)
    for number in range(4):
        rows = range(number * 100, number * 100 + 100)
        start = datetime.date(2020, 1, 1)
        table = pa.table({
            "n": rows, "text": [f"v{row:04}" for row in rows], "x": [row / 2 for row in rows],
            "maybe": pa.array([None if row < 200 else row for row in rows], pa.int64()),
            "day": [start + datetime.timedelta(days=row // 10) for row in rows]})
        path = folder / f"part={number // 2}" / f"{number}.parquet"
        path.parent.mkdir(exist_ok=True)
        pq.write_table(table, path, row_group_size=10)
        if request.param == "sidecar":
            parquetext.sidecar.build(str(path))
        elif request.param != "thrift":
            parquetext.upgrade(str(path), request.param)
    return str(folder), request.param


def reader_of(path: str, *columns: str, **options: str) -> PruningReader:
    schema = StructType([StructField(name, TYPES[name]) for name in columns])
    return PruningReader(Options.of({"path": path, **options}), schema)


def row_groups_read(lake, filters) -> list[int]:
    folder, form = lake
    reader = reader_of(folder, *TYPES, sidecar=str(form == "sidecar").lower())
    assert reader.pushFilters(filters) == filters  # Spark applies all of them to rows
    return sorted({n // 10 for share in reader.partitions() for batch in reader.read(share)
                   for n in batch.column(0).to_pylist()})


@pytest.mark.parametrize("name", FILTERS)
def test_row_groups_that_filters_rule_out_are_not_read(lake, name):
    filters, wanted = FILTERS[name]
    assert row_groups_read(lake, filters) == list(wanted)


def test_bloom_filters_are_asked(tmp_path):
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"n": [1, 1000, 2, 999]}), path, row_group_size=2, bloom_filter_options={"n": True})
    reader = reader_of(path, "n")
    reader.pushFilters([EqualTo(("n",), 999)])
    share, = reader.partitions()
    assert [batch.column(0).to_pylist() for batch in reader.read(share)] == [[2, 999]]


def test_a_file_with_a_sidecar_is_planned_and_read_without_its_footer(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": range(40)}), path, row_group_size=10)
    parquetext.sidecar.build(str(path))
    blind(path)
    reader = reader_of(str(path), "n", sidecar="true")
    reader.pushFilters([GreaterThan(("n",), 25)])
    share, = reader.partitions()
    assert [n for batch in reader.read(share) for n in batch.column(0).to_pylist()] == [*range(20, 40)]
    with pytest.raises(parquetext.errors.ParquetextError):
        list(reader_of(str(path), "n").read(share))


def test_files_that_keys_rule_out_are_not_opened(tmp_path):
    for part in (1, 2):
        (tmp_path / f"part={part}").mkdir()
    (tmp_path / "part=1" / "bad.parquet").write_bytes(b"opening this would be an error")
    pq.write_table(pa.table({"n": [5]}), tmp_path / "part=2" / "good.parquet")
    reader = reader_of(str(tmp_path), "n", "part")
    reader.pushFilters([EqualTo(("part",), 2)])
    assert [batch.to_pylist() for share in reader.partitions() for batch in reader.read(share)] == [
        [{"n": 5, "part": 2}]]


def test_days_of_the_old_calendar_rule_nothing_out(tmp_path):
    path = str(tmp_path / "t.parquet")
    table = pa.table({"day": [datetime.date(1500, 1, 1)]})
    pq.write_table(table.replace_schema_metadata({"org.apache.spark.version": "2.4.8"}), path)
    reader = reader_of(path, "day")
    reader.pushFilters([EqualTo(("day",), datetime.date(1499, 12, 23))])
    share, = reader.partitions()
    assert [batch.column(0).to_pylist() for batch in reader.read(share)] == [[datetime.date(1499, 12, 23)]]


def test_spark_pushes_filters_down_and_a_stock_session_reads_all(spark, tmp_path):
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"n": range(100)}), path, row_group_size=10)

    def read_rows() -> tuple[int, int]:
        frame = spark.read.format("parquetext").schema("n bigint").load(path).where("n > 94")
        found = len(frame.collect())
        scans = frame._jdf.queryExecution().executedPlan().toString()
        assert "BatchScan" in scans or "Scan" in scans
        metrics = spark._jvm.scala.jdk.javaapi.CollectionConverters.asJava(
            frame._jdf.queryExecution().executedPlan().collectLeaves())
        return found, sum(leaf.metrics().apply("numOutputRows").value() for leaf in metrics)

    before = spark.conf.get(PUSHDOWN)
    try:
        spark.conf.set(PUSHDOWN, "true")
        assert read_rows() == (5, 10)
        spark.conf.set(PUSHDOWN, "false")
        assert read_rows() == (5, 100)
    finally:
        spark.conf.set(PUSHDOWN, before)


@pytest.mark.parametrize(("column", "condition"), [
    (pa.array([-0.0]), "x = 0"),
    (pa.array([1], pa.timestamp("ms", "UTC")), "x < timestamp_micros(1500)"),
], ids=["zeros of both signs", "fractions of a millisecond"])
def test_rows_that_sparks_own_push_down_loses_are_there(spark, tmp_path, column, condition):
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"x": column}), path)
    setting = "spark.sql.parquet.filterPushdown"
    try:
        counts = []
        for value in ("true", "false"):
            spark.conf.set(setting, value)
            counts.append(spark.read.parquet(path).where(condition).count())
    finally:
        spark.conf.unset(setting)
    assert spark.conf.get(PUSHDOWN) == "true"
    ours = spark.read.format("parquetext").schema(spark.read.parquet(path).schema).load(path).where(condition)
    assert ours.count() == counts[1] == 1
    assert counts[0] == (0 if pyspark.__version__.startswith("4.3") else 1), "what docs/spark.md says of Spark"
