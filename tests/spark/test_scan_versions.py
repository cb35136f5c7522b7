"""The jars in every Spark that they serve: the same rows by slices as by whole footers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest
from support.sparks import OLDER, OLDEST, installed_spark, spark_folder

import parquetext

ROWS = 2_000
PROGRAM = """
    import json, sys
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


def check_scans(run_driver, lake: Path, version: str, infers_by_slices: bool = True) -> None:
    paths, environment = [Path(parquetext.__file__).parents[1], Path(__file__).parents[1]], {}
    if version != pyspark.__version__:
        paths.append(spark_folder(version))
        environment["SPARK_HOME"] = str(spark_folder(version) / "pyspark")
    said = run_driver(PROGRAM, lake, PYTHONPATH=":".join(map(str, paths)), **environment)
    message = json.loads(said.splitlines()[-1])
    assert message.pop("version") == version
    assert message.pop("inference") == (0 if infers_by_slices else 1)  # jobs
    for query, (equal, rows, sliced, whole) in message.items():
        assert equal and rows, query
        assert whole if query.startswith("all") else sliced and not whole, query


@pytest.fixture
def oldest() -> str:
    """The oldest supported Spark; tests are skipped without it, or fail if it is required."""
    if not spark_folder(OLDEST).exists():
        message = f"pyspark {OLDEST} is not installed: .ci/readers"
        if os.environ.get("PARQUETEXT_REQUIRE_READERS") == "1":
            pytest.fail(message)
        pytest.skip(message)
    return OLDEST


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
