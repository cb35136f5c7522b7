"""The one jar in every Spark 4: the same rows by slices as by whole footers."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.sparks import OLDER, installed_spark

import parquetext

ROWS = 2_000
PROGRAM = """
    import json, sys
    from parquetext.spark import session
    from support.spark_scans import footers

    spark = session(master="local[2]", driver_memory="1g", sql_shuffle_partitions=2)
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


@pytest.mark.parametrize("version", OLDER)
def test_the_jar_serves_every_spark_4(long, run_driver, needed_scan_jar, tmp_path, version):
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
    spark = installed_spark(version)
    paths = [spark, Path(parquetext.__file__).parents[1], Path(__file__).parents[1]]
    said = run_driver(PROGRAM, tmp_path, PYTHONPATH=":".join(map(str, paths)), SPARK_HOME=str(spark / "pyspark"))
    message = json.loads(said.splitlines()[-1])
    assert message.pop("version") == version
    assert message.pop("inference") == 0  # jobs
    for query, (equal, rows, sliced, whole) in message.items():
        assert equal and rows, query
        assert whole if query.startswith("all") else sliced and not whole, query
