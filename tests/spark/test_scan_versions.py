"""The jars in every Spark that they serve: the same rows by slices as by whole footers."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from support.maven import maven_jars
from support.sparks import OLDER, environment_of, installed_spark, spark_folder

import parquetext
from parquetext.spark.jar_build import JARS

ROWS = 2_000
PROGRAM = """
    import contextlib, io, json, sys
    from pyspark.sql import SparkSession
    from parquetext.spark import jar
    from support.spark_scans import footers

    settings = {
        "spark.jars": jar(),
        "spark.sql.extensions": "dev.parquetext.spark.Extensions",
        "spark.driver.memory": "1g",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
    }
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    folder, told = sys.argv[1], {"version": spark.version}

    def explained(frame, mode):
        with contextlib.redirect_stdout(io.StringIO()) as text:
            frame.explain(mode)
        return "Scan parquet (footers sliced by parquetext)" in text.getvalue()

    queries = {
        "one column": lambda frame: frame.where("c3 > 100").select("c7"),
        "aggregate": lambda frame: frame.groupBy("c1").count(),
        "nothing but rows": lambda frame: frame.groupBy().count(),
        "places": lambda frame: frame.selectExpr("c9", "_metadata.row_index", "input_file_name()"),
        "nested": lambda frame: frame.select("nested.a", "many"),
        "join": lambda frame: frame.select("c1").distinct().join(frame.select("c1", "c5"), "c1"),
        "all": lambda frame: frame,
    }
    for vectorized in ("true", "false"):
        spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
        for most in ("128m", "40000"):
            spark.conf.set("spark.sql.files.maxPartitionBytes", most)
            for name, query in queries.items():
                rows = []
                for enabled in ("true", "false"):
                    spark.conf.set("spark.parquetext.scan.enabled", enabled)
                    frame = query(spark.read.parquet(folder))
                    rows.append(sorted(map(repr, frame.collect())))
                    if enabled == "true":
                        sliced = footers(frame)
                counted = [sliced["sliced"], sliced["whole"]]
                told[f"{name}, {vectorized}, {most}"] = [rows[0] == rows[1], len(rows[0]), *counted]
    for enabled in ("true", "false"):
        spark.conf.set("spark.parquetext.scan.enabled", enabled)
        frame = spark.read.parquet(folder).select("c7")
        told[f"explained, {enabled}"] = [explained(frame, mode) for mode in ("simple", "formatted")]
    spark.conf.unset("spark.parquetext.scan.enabled")
    spark.sparkContext.setJobGroup("inference", "")
    spark.read.parquet(folder)
    told["inference"] = len(spark.sparkContext.statusTracker().getJobIdsForGroup("inference"))
    print(json.dumps(told))
"""


@pytest.fixture
def lake(tmp_path) -> Path:
    columns = {f"c{number}": pa.array(range(ROWS)) for number in range(40)}
    columns |= {
        "c1": pa.array([number % 7 for number in range(ROWS)]),
        "nested": pa.array([{"a": number, "b": str(number)} for number in range(ROWS)]),
        "many": pa.array([[number] * (number % 3) for number in range(ROWS)]),
    }
    for form in ("flat", "index"):
        path = tmp_path / f"{form}.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=300)
        parquetext.upgrade(str(path), form)
    return tmp_path


def check_scans(run_driver, lake: Path, version: str, infers_by_slices: bool = True, **environment: str) -> None:
    said = run_driver(PROGRAM, lake, **environment_of(version) | environment)
    message = json.loads(said.splitlines()[-1])
    assert message.pop("version") == version
    assert message.pop("inference") == (0 if infers_by_slices else 1)  # jobs
    assert message.pop("explained, true") == [True, True]
    assert message.pop("explained, false") == [False, False]
    for query, (equal, rows, sliced, whole) in message.items():
        assert equal and rows, query
        assert whole if query.startswith("all") else sliced and not whole, query


def test_a_jar_serves_the_newest_spark(run_driver, needed_scan_jar, lake):
    check_scans(run_driver, lake, pyspark.__version__)


def test_a_jar_serves_spark_3_5_whose_schemas_are_inferred_from_whole_footers(
    run_driver, needed_scan_jar, lake, oldest
):
    check_scans(run_driver, lake, oldest, infers_by_slices=False)


@pytest.mark.parametrize("version", OLDER)
def test_a_jar_serves_every_other_spark(long, run_driver, needed_scan_jar, lake, version):
    installed_spark(version)
    check_scans(run_driver, lake, version)


def test_a_jar_serves_spark_3_5_for_scala_2_13(long, run_driver, needed_scan_jar, lake, oldest, tmp_path):
    """PyPI has it only for Scala 2.12: pyspark's scripts start Spark's jars from Maven."""
    home = tmp_path / "home"
    home.mkdir()
    (home / "bin").symlink_to(spark_folder(oldest) / "pyspark" / "bin")
    (home / "jars").symlink_to(maven_jars(f"org.apache.spark:spark-sql_2.13:{oldest}"))
    check_scans(run_driver, lake, oldest, infers_by_slices=False, SPARK_HOME=str(home))


WRONG = """
    import sys
    from pyspark.sql import SparkSession

    path, jar = sys.argv[1:]
    builder = SparkSession.builder.master("local[1]").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.driver.memory", "1g").config("spark.jars", jar)
    spark = builder.config("spark.sql.extensions", "dev.parquetext.spark.Extensions").getOrCreate()
    print(spark.read.parquet(path).count())
"""


def check_wrong_jar(start_driver, lake: Path, jar: Path, version: str) -> None:
    process = start_driver(WRONG, lake / "flat.parquet", jar, **environment_of(version))
    said, log = process.communicate()
    assert process.returncode == 0 and said.splitlines()[-1] == str(ROWS), log[-10_000:]
    assert log.count("Spark's own scans parse whole footers: this jar of parquetext is not for") == 1
    assert "\tat " not in log  # of a stack trace


def test_the_jar_for_spark_3_5_logs_one_line_in_spark_4(start_driver, needed_scan_jar, lake):
    check_wrong_jar(start_driver, lake, needed_scan_jar.with_name(JARS["3.5"]), pyspark.__version__)


def test_the_jar_for_spark_4_logs_one_line_in_spark_3_5(start_driver, needed_scan_jar, lake, oldest):
    check_wrong_jar(start_driver, lake, needed_scan_jar.with_name(JARS["4"]), oldest)


ADDED = """
    import contextlib, io, sys
    from pyspark.sql import SparkSession
    from parquetext.spark import ship

    builder = SparkSession.builder.master("local[1]").config("spark.driver.host", "127.0.0.1")
    spark = builder.config("spark.driver.memory", "1g").getOrCreate()
    ship(spark)
    frame = spark.read.parquet(sys.argv[1]).selectExpr("sum(c7)")
    with contextlib.redirect_stdout(io.StringIO()) as text:
        frame.explain()
    print(frame.first()[0], "footers sliced by parquetext" in text.getvalue())
"""


def test_a_running_session_of_spark_3_5_gets_its_jar(run_driver, needed_scan_jar, lake, oldest):
    said = run_driver(ADDED, lake / "flat.parquet", **environment_of(oldest))
    assert said.splitlines()[-1] == f"{sum(range(ROWS))} True"
