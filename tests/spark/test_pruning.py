"""Filters that Spark pushes down: excluded data is not read, and rows follow Spark's rules."""

from __future__ import annotations

import datetime
from decimal import Decimal

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
from parquetext.errors import ParquetextError
from parquetext.pruning import Comparison
from parquetext.spark import read
from parquetext.spark.source.datasource import ParquetextSource
from parquetext.spark.source.prune import encoded
from parquetext.spark.source.reader_options import Options
from parquetext.spark.source.source_readers import PruningReader

pytestmark = pytest.mark.slow

PUSHDOWN = "spark.sql.python.filterPushdown.enabled"
TYPES = {
    "n": LongType(),
    "text": StringType(),
    "x": DoubleType(),
    "maybe": LongType(),
    "day": DateType(),
    "part": IntegerType(),
}
FILTERS = {
    "equal": ([EqualTo(("n",), 137)], [13]),
    "null-safe": ([EqualNullSafe(("n",), 5)], [0]),
    "above": ([GreaterThan(("n",), 380)], [38, 39]),
    "at least": ([GreaterThanOrEqual(("n",), 390)], [39]),
    "below": ([LessThan(("n",), 11)], [0, 1]),
    "at most": ([LessThanOrEqual(("n",), 9)], [0]),
    "one of": ([In(("n",), (3, 399))], [0, 39]),
    "both": ([GreaterThan(("n",), 100), LessThan(("n",), 105)], [10]),
    "text": ([EqualTo(("text",), "v0123")], [12]),
    "prefix": ([StringStartsWith(("text",), "v03")], range(30, 40)),
    "day": ([LessThan(("day",), datetime.date(2020, 1, 3))], [0, 1]),
    "null": ([IsNull(("maybe",))], range(20)),
    "not": ([Not(EqualTo(("maybe",), 1))], range(20, 40)),
    "key": ([EqualTo(("part",), 1)], range(20, 40)),
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
        table = pa.table(
            {
                "n": rows,
                "text": [f"v{row:04}" for row in rows],
                "x": [row / 2 for row in rows],
                "maybe": pa.array([None if row < 200 else row for row in rows], pa.int64()),
                "day": [start + datetime.timedelta(days=row // 10) for row in rows],
            }
        )
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
    return sorted(
        {n // 10 for share in reader.partitions() for batch in reader.read(share) for n in batch.column(0).to_pylist()}
    )


@pytest.mark.parametrize("name", FILTERS)
def test_row_groups_that_filters_rule_out_are_not_read(lake, name):
    filters, wanted = FILTERS[name]
    assert row_groups_read(lake, filters) == list(wanted)


def test_bloom_filters_are_used(tmp_path):
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"n": [1, 1000, 2, 999]}), path, row_group_size=2, bloom_filter_options={"n": True})
    reader = reader_of(path, "n")
    reader.pushFilters([EqualTo(("n",), 999)])
    (share,) = reader.partitions()
    assert [batch.column(0).to_pylist() for batch in reader.read(share)] == [[2, 999]]


def test_a_file_with_a_sidecar_is_planned_and_read_without_its_footer(tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"n": range(40)}), path, row_group_size=10)
    parquetext.sidecar.build(str(path))
    blind(path)
    reader = reader_of(str(path), "n", sidecar="true")
    reader.pushFilters([GreaterThan(("n",), 25)])
    (share,) = reader.partitions()
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
        [{"n": 5, "part": 2}]
    ]


def test_days_of_the_old_calendar_rule_nothing_out(tmp_path):
    path = str(tmp_path / "t.parquet")
    table = pa.table({"day": [datetime.date(1500, 1, 1)]})
    pq.write_table(table.replace_schema_metadata({"org.apache.spark.version": "2.4.8"}), path)
    reader = reader_of(path, "day")
    reader.pushFilters([EqualTo(("day",), datetime.date(1499, 12, 23))])
    (share,) = reader.partitions()
    assert [batch.column(0).to_pylist() for batch in reader.read(share)] == [[datetime.date(1499, 12, 23)]]


def scanned(frame) -> tuple[int, int]:
    """How many rows it has, and how many were read for them."""
    found = len(frame.collect())
    plan = frame._jdf.queryExecution().executedPlan()
    leaves = frame.sparkSession._jvm.scala.jdk.javaapi.CollectionConverters.asJava(plan.collectLeaves())
    return found, sum(leaf.metrics().apply("numOutputRows").value() for leaf in leaves)


@pytest.fixture
def hundred(tmp_path) -> str:
    """A file of numbers from 0 to 99, ten in a row group."""
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"n": range(100)}), path, row_group_size=10)
    return path


def test_spark_pushes_filters_down_if_its_setting_is_on(spark, hundred):
    class Pushing(ParquetextSource):
        """As with a Spark that keeps scans apart."""

        @classmethod
        def name(cls) -> str:
            return "parquetext_pushing"

        def reader(self, schema):
            from parquetext.spark.source import datasource

            with pytest.MonkeyPatch.context() as patch:  # the worker lives on
                patch.setattr(datasource, "KEEPS_SCANS_APART", True)
                return super().reader(schema)

    spark.dataSource.register(Pushing)
    before = spark.conf.get(PUSHDOWN)
    try:
        for setting, expected in (("true", (5, 10)), ("false", (5, 100))):
            spark.conf.set(PUSHDOWN, setting)
            frame = spark.read.format("parquetext_pushing").schema("n bigint").load(hundred)
            assert scanned(frame.where("n > 94")) == expected
    finally:
        spark.conf.set(PUSHDOWN, before)


def test_each_query_of_a_dataframe_has_its_own_rows(spark, hundred):
    assert spark.conf.get(PUSHDOWN) == "true"
    frame = spark.read.format("parquetext").load(hundred)
    first, last, both = frame.where("n < 5"), frame.where("n > 94"), frame.where("n < 2 or n > 95")
    assert [each.count() for each in (last, frame, both, first, both, frame)] == [5, 100, 6, 5, 6, 100]
    assert first.union(last).count() == first.union(both).count() - 1 == 10
    assert first.crossJoin(last).count() == 25


def test_a_filtered_dataframe_reads_the_same_rows_with_any_setting(spark, hundred):
    frame = read(spark, hundred, filters=[[("n", "<", 5)], [("n", "in", (50, 99))]])
    before = spark.conf.get(PUSHDOWN)
    try:
        for setting in ("true", "false"):
            spark.conf.set(PUSHDOWN, setting)
            assert scanned(frame) == (7, 30)
            assert scanned(frame.where("n > 60")) == (1, 30)
    finally:
        spark.conf.set(PUSHDOWN, before)
    unread = spark.read.format("parquetext").option("prune", '["n", ">", 94]').load(hundred)
    with pytest.raises(Exception, match=r"option prune is a JSON list of \[column, operator, value\]"):
        unread.count()


NEW_YEAR = datetime.datetime(2020, 1, 1, 12, 30, 0, 250_000, datetime.UTC)
# A column's two row groups of one value each; a filter; the row groups that are left.
PRUNED = {
    "numbers": (pa.array([1, 300], pa.int16()), (">", 250), [1]),
    "numbers that its type lacks": (pa.array([1, 2], pa.int8()), ("<", 300), [0, 1]),
    "a fraction of a whole": (pa.array([1, 2]), (">", 1.5), [0, 1]),
    "truth is no number": (pa.array([0, 1]), ("=", True), [0, 1]),
    "whole doubles": (pa.array([1.0, 5.5]), ("<", 5), [0]),
    "doubles from above": (pa.array([1.0, 5.5]), (">", 5), [0, 1]),
    "no number": (pa.array([1.0, 5.5]), ("=", float("nan")), [0, 1]),
    "floats": (pa.array([0.5, 1.5], pa.float32()), ("<", 0.75), [0]),
    "floats between which a double lies": (pa.array([0.7, 1.5], pa.float32()), ("<", 0.7), [0, 1]),
    "decimals": (pa.array([Decimal("1.50"), Decimal("9.99")]), ("<=", Decimal("1.5")), [0]),
    "decimals, whole": (pa.array([Decimal("1.50"), Decimal("9.99")]), (">", 2), [1]),
    "decimals of more digits": (pa.array([Decimal("1.50"), Decimal("9.99")]), (">", Decimal("1.555")), [0, 1]),
    "texts": (pa.array(["a", "b"]), ("==", "b"), [1]),
    "a text's number": (pa.array(["9", "10"]), ("<", 10), [0, 1]),
    "several": (pa.array(["a", "b"]), ("in", {"b", "c"}), [1]),
    "several, one of which is null": (pa.array(["a", "b"]), ("in", ["b", None]), [0, 1]),
    "none of": (pa.array(["a", "b"]), ("not in", ["a"]), [1]),
    "another": (pa.array(["a", "b"]), ("!=", "a"), [1]),
    "truth": (pa.array([False, True]), ("=", True), [1]),
    "bytes": (pa.array([b"\xfe", b"\xff"]), (">=", bytearray(b"\xff")), [1]),
    "days": (pa.array([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]), (">", datetime.date(2020, 5, 5)), [1]),
    "a day's text": (pa.array([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]), ("<", "2020-05-05"), [0]),
    "no day's text": (pa.array([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]), ("<", "2020-05-50"), [0, 1]),
    "a moment of a day": (pa.array([datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)]), ("<", NEW_YEAR), [0, 1]),
    "moments": (
        pa.array([NEW_YEAR, NEW_YEAR.replace(year=2021)]),
        ("=", NEW_YEAR.astimezone(datetime.timezone(datetime.timedelta(hours=5)))),
        [0],
    ),
    "moments by this clock": (
        pa.array([NEW_YEAR, NEW_YEAR.replace(year=2021)]),
        ("=", NEW_YEAR.astimezone().replace(tzinfo=None)),
        [0],
    ),
    "local times": (
        pa.array([NEW_YEAR.replace(tzinfo=None), NEW_YEAR.replace(year=2021, tzinfo=None)]),
        ("=", NEW_YEAR),
        [0, 1],
    ),
    "another case of the name": (pa.array([1, 2]), ("<", 2), [0]),
    "what nobody knows": (pa.array([1, 2]), ("<", object()), [0, 1]),
    "nothing": (pa.array([1, 2]), ("=", None), [0, 1]),
}


@pytest.mark.parametrize("name", PRUNED)
def test_given_filters_exclude_only_rows_that_no_cast_of_spark_keeps(tmp_path, name):
    values, (operator, value), left = PRUNED[name]
    path = str(tmp_path / "t.parquet")
    pq.write_table(pa.table({"x": values}), path, row_group_size=1)
    given = Comparison("X" if name == "another case of the name" else "x", operator, value)
    source = ParquetextSource({"path": path, "prune": encoded([[given]], naive_is_local=True)})
    reader = source.reader(source.schema())
    batches = [batch.column(0) for share in reader.partitions() for batch in reader.read(share)]
    assert pa.chunked_array(batches, batches[0].type if batches else values.type).to_pylist() == [
        values[row_group].as_py() for row_group in left
    ]


def test_local_times_are_compared_if_spark_prefers_them(tmp_path):
    path, early = str(tmp_path / "t.parquet"), NEW_YEAR.replace(tzinfo=None)
    pq.write_table(pa.table({"x": [early, early.replace(year=2021)]}), path, row_group_size=1)
    source = ParquetextSource({"path": path, "prune": encoded([[Comparison("x", "=", early)]], naive_is_local=False)})
    reader = source.reader(source.schema())
    assert [batch.column(0).to_pylist() for share in reader.partitions() for batch in reader.read(share)] == [[early]]


def test_given_filters_and_pushed_ones_rule_out_together(hundred):
    reader = reader_of(hundred, "n", prune='[[["n", "<", 15]], [["n", ">", 84]]]')
    reader.pushFilters([GreaterThan(("n",), 9)])
    assert [
        n for share in reader.partitions() for batch in reader.read(share) for n in batch.column(0).to_pylist()
    ] == [*range(10, 20), *range(80, 100)]


@pytest.mark.parametrize("text", ["n > 5", "[]", '[["n", ">"]]', '[["n", "~", 5]]', '[[5, ">", 5]]', '{"n": 5}', "5"])
def test_a_text_that_is_no_list_of_filters_is_refused(hundred, text):
    with pytest.raises(ParquetextError, match="option prune"):
        reader_of(hundred, "n", prune=text)


@pytest.mark.parametrize(
    ("column", "condition"),
    [
        (pa.array([-0.0]), "x = 0"),
        (pa.array([1], pa.timestamp("ms", "UTC")), "x < timestamp_micros(1500)"),
    ],
    ids=["zeros of both signs", "fractions of a millisecond"],
)
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
    assert counts[0] == (0 if pyspark.__version__.startswith("4.3") else 1), "docs/spark.md says so"
