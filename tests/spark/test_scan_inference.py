"""Schemas that Spark infers with slices of footers: those that it infers by itself, without a job."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException

import parquetext

pytestmark = [pytest.mark.usefixtures("needed_scan_jar"), pytest.mark.slow]

ENABLED = "spark.parquetext.scan.enabled"
SPARKS_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"


@pytest.fixture
def infer(spark):
    """Check that Spark infers the same schema with and without slices: `infer(*paths, **settings)`."""

    def run(*paths: Path, options: dict[str, str] | None = None, **settings: str) -> str:
        message = []
        for enabled in ("true", "false"):
            session = spark.newSession()
            session.conf.set(ENABLED, enabled)
            for name, value in settings.items():
                session.conf.set(f"spark.sql.{name.replace('__', '.')}", value)
            try:
                message.append(session.read.options(**options or {}).parquet(*map(str, paths)).schema.json())
            except PySparkException as error:
                message.append(error.getCondition())
            except Py4JJavaError as error:
                message.append(type(error).__name__)
        assert message[0] == message[1]
        return message[0]

    return run


def jobs(spark, run) -> int:
    """How many jobs Spark starts for something."""
    context = spark.sparkContext
    context.setJobGroup("counted", "jobs of a test")
    try:
        before = len(context.statusTracker().getJobIdsForGroup("counted"))
        run()
        return len(context.statusTracker().getJobIdsForGroup("counted")) - before
    finally:
        context.setLocalProperty("spark.jobGroup.id", None)


def write(path: Path, table: pa.Table, form: str | None = "flat", **options) -> Path:
    pq.write_table(table, path, **options)
    if form:
        parquetext.upgrade(str(path), form)
    return path


@pytest.mark.parametrize("form", ["flat", "index", "packed", None])
def test_the_schema_of_one_file_takes_no_job(spark, infer, tmp_path, form):
    for number in range(3):
        write(tmp_path / f"{number}.parquet", pa.table({"n": [1], "text": ["a"]}), form)
    session = spark.newSession()
    assert jobs(session, lambda: session.read.parquet(str(tmp_path))) == 0
    session.conf.set(ENABLED, "false")
    assert jobs(session, lambda: session.read.parquet(str(tmp_path))) == 1
    infer(tmp_path)


def test_a_footer_of_less_than_64_kib_takes_no_job_without_a_block(spark, infer, tmp_path):
    path = write(tmp_path / "x.parquet", pa.table({f"c{number}": [number] for number in range(250)}), form=None)
    assert 1 << 15 < pq.read_metadata(path).serialized_size < 1 << 16
    session = spark.newSession()
    assert jobs(session, lambda: session.read.parquet(str(path))) == 0
    infer(path)


def test_a_footer_beyond_the_first_read_is_parsed_by_sparks_job(spark, infer, tmp_path):
    path = write(tmp_path / "x.parquet", pa.table({f"c{number}": [number] for number in range(2000)}), form=None)
    assert pq.read_metadata(path).serialized_size > 1 << 16
    session = spark.newSession()
    assert jobs(session, lambda: session.read.parquet(str(path))) == 1
    infer(path)


TYPES = pa.table(
    {
        "bytes": pa.array([b"a"]),
        "local": pa.array([dt.datetime(2000, 1, 1)], pa.timestamp("us")),
        "instant": pa.array([dt.datetime(2000, 1, 1)], pa.timestamp("us", "UTC")),
        "many": pa.array([[1]]),
        "nothing": pa.array([None], pa.null()),
    }
)
NANOSECONDS = TYPES.append_column("exact", pa.array([1], pa.timestamp("ns", "UTC")))
SETTINGS = {
    "binary as text": {"parquet__binaryAsString": "true"},
    "no local times": {"parquet__inferTimestampNTZ__enabled": "false"},
    "numbers of nanoseconds": {"legacy__parquet__nanosAsLong": "true"},
    "no INT96": {"parquet__int96AsTimestamp": "false"},
    "names by their case": {"caseSensitive": "true"},
    "field ids": {"parquet__fieldId__read__enabled": "true"},
    "nothing else": {},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS.keys())
def test_settings_decide_about_types_as_ever(infer, tmp_path, settings):
    path = write(tmp_path / "x.parquet", TYPES)
    assert '"bytes"' in infer(path, **settings)
    infer(write(tmp_path / "nanoseconds.parquet", NANOSECONDS), **settings)
    infer(write(tmp_path / "int96.parquet", TYPES, use_deprecated_int96_timestamps=True), **settings)


@pytest.mark.parametrize("ignored", ["true", "false"])
def test_variants_are_inferred_as_ever(spark, infer, tmp_path, ignored):
    """Files without the schema that Spark stores when it writes."""
    frame = spark.sql("SELECT parse_json('{\"a\": 1}') AS v, 1 AS n")
    frame.coalesce(1).write.option("spark.sql.parquet.variant.annotateLogicalType.enabled", "true").parquet(
        str(tmp_path / "written")
    )
    content = next((tmp_path / "written").glob("*.parquet")).read_bytes()
    assert content.count(SPARKS_SCHEMA) == 1
    path = tmp_path / "x.parquet"
    path.write_bytes(content.replace(SPARKS_SCHEMA, SPARKS_SCHEMA.upper()))
    parquetext.upgrade(str(path), "flat")
    assert "variant" in infer(path, parquet__ignoreVariantAnnotation=ignored)


def test_the_schema_that_spark_has_written_counts(spark, infer, tmp_path):
    frame = spark.sql("SELECT CAST('a' AS CHAR(3)) AS text, 1Y AS small, INTERVAL '1' DAY AS span")
    frame.coalesce(1).write.parquet(str(tmp_path / "x"))
    for path in (tmp_path / "x").glob("*.parquet"):
        parquetext.upgrade(str(path), "flat")
    assert '"byte"' in infer(tmp_path / "x")


def test_the_first_file_by_its_path_decides_unless_there_is_a_summary(infer, tmp_path):
    (tmp_path / "day=1").mkdir()
    (tmp_path / "day=2").mkdir()
    write(tmp_path / "day=2" / "a.parquet", pa.table({"late": [1]}))
    write(tmp_path / "day=1" / "é.parquet", pa.table({"accented": [1]}))
    write(tmp_path / "day=1" / "z.parquet", pa.table({"plain": [1]}))
    assert '"plain"' in infer(tmp_path)
    merged = infer(tmp_path, options={"mergeSchema": "true"})
    assert all(name in merged for name in ("late", "accented", "plain"))
    pq.write_metadata(pa.schema({"summary": pa.int64()}), tmp_path / "_metadata")
    assert '"summary"' in infer(tmp_path)
    pq.write_metadata(pa.schema({"common": pa.int64()}), tmp_path / "_common_metadata")
    assert '"common"' in infer(tmp_path)


BROKEN = {
    "empty": b"",
    "magic alone": b"PAR1",
    "text": b"no parquet file",
    "footer longer than the file": b"PAR1" + bytes(60) + b"\xff\0\0\0PAR1",
    "footer of zeros": b"PAR1" + bytes(60) + b"\x20\0\0\0PAR1",
}


@pytest.mark.parametrize("ignored", ["true", "false"])
@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_files_that_are_not_parquet_raise_the_same_error(infer, tmp_path, content, ignored):
    (tmp_path / "a.parquet").write_bytes(content)
    write(tmp_path / "b.parquet", TYPES)
    infer(tmp_path, options={"ignoreCorruptFiles": ignored})
    infer(tmp_path, options={"ignoreCorruptFiles": ignored, "mergeSchema": "true"})
