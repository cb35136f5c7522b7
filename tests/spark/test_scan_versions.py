"""The jar in a Spark for which it has no classes, and in a session of the oldest one that runs already."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from support.sparks import environment_of

import parquetext

ROWS = 100


@pytest.fixture(scope="module")
def path(tmp_path_factory) -> Path:
    """A file with a flat footer."""
    path = tmp_path_factory.mktemp("upgraded") / "x.parquet"
    pq.write_table(pa.table({f"c{number}": pa.array(range(ROWS)) for number in range(40)}), path)
    parquetext.upgrade(str(path), "flat")
    return path


PROGRAM = """
    import sys
    from pyspark.sql import SparkSession

    path, jar = sys.argv[1:]
    builder = SparkSession.builder.master("local[1]").config("spark.driver.host", "127.0.0.1")
    builder = builder.config("spark.driver.memory", "1g").config("spark.jars", jar)
    spark = builder.config("spark.sql.extensions", "dev.parquetext.spark.Extensions").getOrCreate()
    print(spark.read.parquet(path).count())
"""


def check_missing_classes(start_driver, path: Path, jar: Path, missing: str, version: str) -> None:
    """Start a Spark with a jar without the classes that it needs."""
    without = path.with_name(f"without-{missing}.jar")
    with zipfile.ZipFile(jar) as whole, zipfile.ZipFile(without, "w") as part:
        for name in whole.namelist():
            if not name.startswith(f"dev/parquetext/spark/{missing}/"):
                part.writestr(name, whole.read(name))
    process = start_driver(PROGRAM, path, without, **environment_of(version))
    said, log = process.communicate()
    assert process.returncode == 0 and said.splitlines()[-1] == str(ROWS), log[-10_000:]
    assert log.count("Spark's own scans parse whole footers: this jar of parquetext is not for") == 1
    assert "\tat " not in log  # of a stack trace


@pytest.mark.slow
def test_a_jar_without_classes_for_spark_4_logs_one_line(start_driver, needed_scan_jar, path):
    check_missing_classes(start_driver, path, needed_scan_jar, "scan", pyspark.__version__)


def test_a_jar_without_classes_for_spark_3_5_logs_one_line(long, start_driver, needed_scan_jar, path, oldest):
    check_missing_classes(start_driver, path, needed_scan_jar, "scan_2_12", oldest)


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


@pytest.mark.slow
def test_a_running_session_of_spark_3_5_gets_its_jar(run_driver, needed_scan_jar, path, oldest):
    said = run_driver(ADDED, path, **environment_of(oldest))
    assert said.splitlines()[-1] == f"{sum(range(ROWS))} True"
