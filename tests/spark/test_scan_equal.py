"""Sliced scans return the rows of Spark's scans of whole footers: every query runs both ways."""

from __future__ import annotations

import datetime as dt
import decimal
import random
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql.types import LongType, StructField, StructType
from support.spark_scans import footers

import parquetext
from parquetext.errors import ParquetextError

pytestmark = [pytest.mark.usefixtures("needed_scan_jar"), pytest.mark.slow]

ROWS = 300
ERRORS = (PySparkException, Py4JJavaError)
ENABLED = "spark.parquetext.scan.enabled"


@pytest.fixture
def same(spark):
    """Run a query by slices and by whole footers: the rows are equal. `same(query, **settings)` counts the footers."""
    sliced, whole = spark.newSession(), spark.newSession()
    whole.conf.set(ENABLED, "false")

    def run(query, *, errors_may_vanish: bool = False, **settings) -> Counter:
        for session in (sliced, whole):
            for name, value in settings.items():
                session.conf.set(f"spark.sql.{name.replace('__', '.')}", value)
        frame, expected = query(sliced), query(whole)
        assert frame.schema == expected.schema
        rows = told(expected)
        assert told(frame) == rows or (errors_may_vanish and rows == [Py4JJavaError.__name__])
        return footers(frame)

    return run


def told(frame) -> list[str]:
    """Its rows as text, sorted; or its error."""
    try:
        return sorted(map(repr, frame.collect()))
    except ERRORS as error:
        condition = error.getCondition() if isinstance(error, PySparkException) else None
        return [condition or type(error).__name__]


def random_values(kind: str, random: random.Random) -> pa.Array:
    def one():
        if random.random() < 0.2:
            return None
        number = random.randrange(-50, 50)
        return {
            "long": number,
            "int": number,
            "double": random.choice([number / 4, float("nan"), -0.0]),
            "string": f"text {number}",
            "bool": number > 0,
            "date": dt.date(2000, 1, 1) + dt.timedelta(number),
            "time": dt.datetime(2000, 1, 1) + dt.timedelta(hours=number),
            "decimal": decimal.Decimal(number) / 4,
            "list": [number, None, 3][: abs(number) % 4],
            "struct": {"a": number, "b": f"{number}"},
            "map": [(f"{number}", number)],
        }[kind]

    types = {
        "long": pa.int64(),
        "int": pa.int32(),
        "double": pa.float64(),
        "string": pa.string(),
        "bool": pa.bool_(),
        "date": pa.date32(),
        "time": pa.timestamp("us", "UTC"),
        "decimal": pa.decimal128(9, 2),
        "list": pa.list_(pa.int64()),
        "struct": pa.struct({"a": pa.int64(), "b": pa.string()}),
        "map": pa.map_(pa.string(), pa.int64()),
    }
    return pa.array([one() for _ in range(ROWS)], types[kind])


SIMPLE = ["long", "int", "double", "string", "bool", "date", "time", "decimal"]
KINDS = [*SIMPLE, "list", "struct", "map"]
PREDICATES = {
    "long": ["{} > 10", "{} = 7", "{} IN (1, 2, 3)", "{} IS NULL"],
    "int": ["{} <= -20", "{} <> 7"],
    "double": ["{} > 5", "{} = 0", "isnan({})"],
    "string": ["{} LIKE 'text 1%'", "{} = 'text 7'", "{} >= 'text 3'"],
    "bool": ["{}", "NOT {}"],
    "date": ["{} < DATE'2000-01-10'"],
    "time": ["{} > TIMESTAMP'2000-01-01 05:00:00'"],
    "decimal": ["{} = 2.50", "{} > 3"],
    "list": ["size({}) = 2", "{} IS NOT NULL"],
    "struct": ["{}.a > 10", "{}.b = '7'"],
    "map": ["size({}) = 1"],
}


@pytest.mark.parametrize("form", ["flat", "index", "packed"])
@pytest.mark.parametrize("seed", range(2))
def test_random_queries_of_random_tables(same, tmp_path, seed, form):
    check_random_queries(same, tmp_path, seed, form, queries=2)


@pytest.mark.parametrize("form", ["flat", "index", "packed"])
@pytest.mark.parametrize("seed", range(2, 20))
def test_many_random_queries_of_random_tables(long, same, tmp_path, seed, form):
    check_random_queries(same, tmp_path, seed, form, queries=20)


def check_random_queries(same, tmp_path, seed, form, queries):
    chance = random.Random(seed)
    kinds = [chance.choice(SIMPLE if seed % 2 else KINDS) for _ in range(40)]
    # Spark's row reader fails on short pages of pyarrow's lists, whoever reads the footer.
    pages = {"data_page_size": 200, "write_batch_size": 10} if seed % 2 else {}
    table = pa.table({f"c{position}": random_values(kind, chance) for position, kind in enumerate(kinds)})
    for number in range(2):
        path = tmp_path / f"{number}.parquet"
        size = chance.choice([37, 100, ROWS])
        pq.write_table(table, path, row_group_size=size, write_page_index=True, **pages)
        parquetext.upgrade(str(path), form)
    sliced = 0
    for _ in range(queries):
        wanted = chance.sample(range(len(kinds)), chance.randrange(1, 5))
        position = chance.randrange(len(kinds))
        predicate = chance.choice(PREDICATES[kinds[position]]).format(f"c{position}")
        most, vectorized = chance.choice(["3000", "128m"]), chance.choice(["true", "false"])
        counted = same(
            lambda session, wanted=wanted, predicate=predicate: (
                session.read.parquet(str(tmp_path)).where(predicate).select(*(f"c{each}" for each in wanted))
            ),
            files__maxPartitionBytes=most,
            parquet__enableVectorizedReader=vectorized,
        )
        sliced += counted["sliced"]
        assert counted["fell back"] == 0
    assert sliced >= queries


def test_nothing_but_rows_is_counted(same, wide):
    counted = same(lambda session: session.read.parquet(wide).groupBy().count())
    assert counted["sliced"] == 1
    same(lambda session: session.read.parquet(wide).agg(F.max("c3"), F.min("c5"), F.sum("c7")))
    same(lambda session: session.read.parquet(wide).groupBy((F.col("c1") % 7).alias("k")).agg(F.avg("c9")))


@pytest.fixture(scope="module")
def wide(tmp_path_factory) -> str:
    path = str(tmp_path_factory.mktemp("wide") / "x.parquet")
    table = pa.table({f"c{number}": np.arange(ROWS) * number for number in range(60)})
    pq.write_table(table.append_column("Name", pa.array(map(str, range(ROWS)))), path, row_group_size=50)
    parquetext.upgrade(path, "flat")
    return path


def test_names_are_found_by_another_case(same, wide):
    for sensitive in ("false", "true"):
        for names in (
            "C3 long, nAME string",
            "c3 long, Name string, missing int",
            "missing int",
            "NAME string, c4 long",
        ):
            counted = same(lambda session, n=names: session.read.schema(n).parquet(wide), caseSensitive=sensitive)
            assert counted["sliced"] == 1


@pytest.mark.parametrize("count", [40, 3000])
def test_names_that_differ_in_case_alone_are_as_ambiguous_as_ever(same, tmp_path, count):
    columns = {f"c{number}": np.arange(3) for number in range(count)}
    pq.write_table(pa.table(columns | {"C3": np.arange(3) + 1}), tmp_path / "x.parquet")
    parquetext.upgrade(str(tmp_path / "x.parquet"), "flat")
    for sensitive in ("false", "true"):
        same(lambda session: session.read.schema("c3 long").parquet(str(tmp_path)), caseSensitive=sensitive)


def test_directories_give_columns(same, wide, tmp_path):
    for day in (1, 2):
        (tmp_path / f"day={day}").mkdir()
        shutil.copy(wide, tmp_path / f"day={day}" / "x.parquet")
    counted = same(lambda session: session.read.parquet(str(tmp_path)).where("day = 2 AND c3 > 30").select("c4", "day"))
    assert counted["sliced"] == 1
    same(lambda session: session.read.parquet(str(tmp_path)).select("day"))


@pytest.mark.parametrize("vectorized", ["true", "false"])
def test_metadata_columns(same, wide, vectorized):
    names = ("file_path", "file_name", "file_size", "row_index", "file_modification_time")
    counted = same(
        lambda session: session.read.parquet(wide).selectExpr(
            "c3", *(f"_metadata.{name}" for name in names), "input_file_name()"
        ),
        files__maxPartitionBytes="5000",
        parquet__enableVectorizedReader=vectorized,
    )
    assert counted["sliced"] > 1


def test_old_calendars_and_int96(spark, same, tmp_path):
    writer = spark.newSession()
    writer.conf.set("spark.sql.parquet.datetimeRebaseModeInWrite", "LEGACY")
    writer.conf.set("spark.sql.parquet.int96RebaseModeInWrite", "LEGACY")
    text = (
        "SELECT id, DATE'1200-03-01' + CAST(id AS INT) AS d, TIMESTAMP'1100-01-01 00:00:00' + id * INTERVAL 1 DAY AS t"
    )
    frame = writer.sql(f"{text} FROM range(20)").select("*", *(F.col("id").alias(f"x{each}") for each in range(20)))
    for kind in ("INT96", "TIMESTAMP_MICROS", "TIMESTAMP_MILLIS"):
        writer.conf.set("spark.sql.parquet.outputTimestampType", kind)
        folder = tmp_path / kind
        frame.coalesce(1).write.parquet(str(folder))
        for path in folder.glob("*.parquet"):
            parquetext.upgrade(str(path), "flat")
        counted = same(lambda session, folder=folder: session.read.parquet(str(folder)).select("d", "t"))
        assert counted["sliced"] == 1
        same(lambda session, folder=folder: session.read.parquet(str(folder)).where("d < DATE'1200-03-05'").select("t"))


def test_page_indexes_bloom_filters_and_dictionaries_rule_out_the_same_rows(spark, same, tmp_path):
    frame = spark.range(20_000, numPartitions=1).select(
        "id",
        F.hash("id").alias("h"),
        (F.col("id") % 2 * 6).alias("few"),
        *(F.lit(1).alias(f"x{each}") for each in range(20)),
    )
    options = {"parquet.bloom.filter.enabled#h": "true", "parquet.bloom.filter.expected.ndv#h": "20000"}
    frame.write.options(**options, **{"parquet.page.row.count.limit": "1000"}).parquet(str(tmp_path / "x"))
    for path in (tmp_path / "x").glob("*.parquet"):
        parquetext.upgrade(str(path), "flat")
    read = []
    for enabled in ("true", "false"):
        session = spark.newSession()
        session.conf.set(ENABLED, enabled)
        for predicate in ("id = 777", "h = 12345", "id BETWEEN 5000 AND 5100", "few = 3"):
            found = session.read.parquet(str(tmp_path / "x")).where(predicate).select("id")
            found.collect()
            read.append(scanned(found))
    assert read[:4] == read[4:]
    assert read[0] <= 1000 and read[1] == read[3] == 0


def scanned(frame) -> int:
    plan = frame._jdf.queryExecution().executedPlan()
    while plan.children().size():
        plan = plan.children().apply(0)
    return plan.metrics().apply("numOutputRows").value()


def test_files_of_encode(same, wide, tmp_path):
    path = tmp_path / "x.parquet"
    shutil.copy(wide, path)
    parquetext.encode(str(path), {"c3": "byte_stream_split", "c59": "delta_binary_packed"})
    counted = same(
        lambda session: session.read.parquet(str(path)).where("c3 > 30").select("c3", "c59"),
        files__maxPartitionBytes="2000",
    )
    assert counted["sliced"] >= 1 and counted["fell back"] == 0


def test_tables_of_the_catalog_buckets_caches_and_joins(spark, wide, same):
    frame = spark.read.parquet(wide)
    frame.write.bucketBy(4, "c1").sortBy("c1").mode("overwrite").saveAsTable("scan_buckets")
    frame.write.mode("overwrite").saveAsTable("scan_table")
    try:
        for name in ("scan_buckets", "scan_table"):
            folder = Path(spark.sql(f"DESCRIBE FORMATTED {name}").where("col_name = 'Location'").first()[1][5:])
            for path in folder.glob("*.parquet"):
                parquetext.upgrade(str(path), "flat")
            counted = same(lambda session, name=name: session.sql(f"SELECT sum(c3), max(c5) FROM {name} WHERE c1 > 7"))
            assert counted["sliced"] >= 1
        joined = "SELECT a.c2, b.c3 FROM scan_buckets a JOIN scan_buckets b ON a.c1 = b.c1 WHERE a.c4 > 100"
        same(lambda session: session.sql(joined), autoBroadcastJoinThreshold="-1")
        same(lambda session: session.sql(joined), adaptive__enabled="false")
        same(lambda session: session.sql("SELECT c2 FROM scan_table WHERE c3 = (SELECT max(c3) FROM scan_buckets)"))
        session = spark.newSession()
        session.table("scan_table").select("c1", "c2").createOrReplaceTempView("kept")
        session.sql("CACHE TABLE kept")
        assert session.sql("SELECT count(*), sum(c2) FROM kept").first() == (ROWS, 2 * sum(range(ROWS)))
        session.sql("UNCACHE TABLE kept")
    finally:
        spark.sql("DROP TABLE scan_buckets")
        spark.sql("DROP TABLE scan_table")


def test_a_stream_of_files(spark, wide, tmp_path):
    (tmp_path / "in").mkdir()
    shutil.copy(wide, tmp_path / "in" / "x.parquet")
    session = spark.newSession()
    stream = session.readStream.schema("c3 long, c7 long").parquet(str(tmp_path / "in")).where("c3 > 30")
    query = stream.writeStream.format("memory").queryName("streamed").trigger(availableNow=True)
    query.option("checkpointLocation", str(tmp_path / "checkpoint")).start().awaitTermination()
    rows = [tuple(row) for row in session.table("streamed").orderBy("c3").collect()]
    assert rows == [(number * 3, number * 7) for number in range(11, ROWS)]


def test_fields_found_by_their_ids(same, tmp_path):
    fields = [pa.field(f"c{each}", pa.int64(), metadata={"PARQUET:field_id": f"{each + 1}"}) for each in range(30)]
    pq.write_table(
        pa.table([np.arange(ROWS) + each for each in range(30)], schema=pa.schema(fields)), tmp_path / "x.parquet"
    )
    parquetext.upgrade(str(tmp_path / "x.parquet"), "flat")
    wanted = StructType([StructField("other", LongType(), True, {"parquet.field.id": 7})])
    same(lambda session: session.read.schema(wanted).parquet(str(tmp_path)), parquet__fieldId__read__enabled="true")
    same(lambda session: session.read.schema(wanted).parquet(str(tmp_path)), parquet__fieldId__read__enabled="false")


def test_scans_that_are_not_taken_stay_as_they_are(same, wide):
    """Of the V2 source, and where files may be encrypted by keys of their own."""
    frame = lambda session: session.read.parquet(wide).where("c3 > 30").select("c3")  # noqa: E731
    assert not same(frame, sources__useV1SourceList="")
    assert not same(frame, parquet__enableVectorizedReader="false", sources__useV1SourceList="")


def test_an_encrypted_file_is_the_same_error(same, tmp_path):
    class Keys(pe.KmsClient):
        def wrap_key(self, key, name):
            return key

        def unwrap_key(self, key, name):
            return key

    encryption = pe.EncryptionConfiguration(footer_key="f", uniform_encryption=True)
    properties = pe.CryptoFactory(lambda _: Keys()).file_encryption_properties(pe.KmsConnectionConfig(), encryption)
    table = pa.table({f"c{number}": np.arange(9) for number in range(9)})
    with pq.ParquetWriter(tmp_path / "x.parquet", table.schema, encryption_properties=properties) as writer:
        writer.write_table(table)
    counted = same(lambda session: session.read.schema("c3 long").parquet(str(tmp_path)))
    assert counted["sliced"] == counted["fell back"] == 0


def test_files_that_change_between_planning_and_scanning(spark, same, wide, tmp_path):
    def stripped(path):
        parquetext.strip(str(path))

    def replaced(path):
        new = path.with_name("new")
        pq.write_table(pa.table({f"c{number}": np.arange(ROWS) + 1 for number in range(60)}), new)
        new.rename(path)

    def upgraded(path):
        parquetext.upgrade(str(path), "index")

    for change in (stripped, replaced, upgraded):
        told_by = []
        for enabled in ("true", "false"):
            path = tmp_path / f"{change.__name__}-{enabled}.parquet"
            shutil.copy(wide, path)
            session = spark.newSession()
            session.conf.set(ENABLED, enabled)
            frame = session.read.parquet(str(path)).where("c3 > 30").select("c4")
            frame._jdf.queryExecution().executedPlan()
            change(path)
            told_by.append(told(frame))
        assert told_by[0] == told_by[1]
        assert len(told_by[0]) > 100


def test_damaged_blocks_are_ignored(spark, wide, tmp_path):
    """The rows are right, or there is the error of Spark's own reader; never other rows."""
    path = tmp_path / "x.parquet"
    content = Path(wide).read_bytes()
    before = len(content) - pq.read_metadata(wide).serialized_size - 8
    rows = {}
    sliced, whole = spark.newSession(), spark.newSession()
    whole.conf.set(ENABLED, "false")
    outcomes = Counter()
    for position in range(before - 5000, len(content) - 8, 3001):
        damaged = bytearray(content)
        damaged[position] ^= 0x55
        path.write_bytes(damaged)
        frame = sliced.read.schema("c3 long, c59 long").parquet(str(path))
        rows = told(frame)
        if rows != told(sliced.read.schema("c3 long, c59 long").parquet(wide)):
            assert rows == told(whole.read.schema("c3 long, c59 long").parquet(str(path)))
        outcomes += footers(frame)
    assert outcomes["sliced"] and outcomes["fell back"]


def test_errors_name_the_file(spark, wide, tmp_path):
    session = spark.newSession()
    path = tmp_path / "x.parquet"
    shutil.copy(wide, path)
    frame = session.read.parquet(str(path)).select("c3")
    frame._jdf.queryExecution().executedPlan()
    path.unlink()
    with pytest.raises(ERRORS, match=f"{path} does not exist"):
        frame.collect()
    session.conf.set("spark.sql.files.ignoreMissingFiles", "true")
    shutil.copy(wide, path)
    frame = session.read.parquet(str(path)).select("c3")
    frame._jdf.queryExecution().executedPlan()
    path.unlink()
    assert frame.collect() == []
    path.write_bytes(b"no parquet file at all")
    with pytest.raises(ERRORS, match=f"{path} is not a Parquet file"):
        session.read.schema("c3 long").parquet(str(path)).collect()


def test_files_of_the_corpus(same, corpus, expected, tmp_path):
    check_corpus(same, corpus, expected, tmp_path, most=4)


def test_all_files_of_the_corpus(long, same, corpus, expected, tmp_path):
    check_corpus(same, corpus, expected, tmp_path, most=1000)


def check_corpus(same, corpus, expected, tmp_path, most):
    sliced = 0
    for number, each in enumerate(each for each in expected if each.get("columns", 0) > 2 and each["size"] < 1_000_000):
        if sliced == most:
            break
        path = tmp_path / f"{number}.parquet"
        shutil.copy(corpus / each["file"], path)
        try:
            parquetext.upgrade(str(path), "flat")
        except ParquetextError:
            continue
        name = each["leaves"][len(each["leaves"]) // 2]["path"].split(".")[0]
        # A footer that Spark refuses for another column's sake may have a slice that it takes.
        query = lambda session, path=path, name=name: column(session, path, name)  # noqa: E731
        sliced += bool(same(query, errors_may_vanish=True)["sliced"])
    assert sliced >= min(most, 60)


def column(session, path, name):
    try:
        return session.read.parquet(str(path)).select(f"`{name}`")
    except ERRORS:  # types that Spark does not read
        return session.range(0)
