"""Sliced scans where Spark is set up by others: spark-submit to a cluster, a Hive metastore."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pyspark
import pytest

import parquetext
from parquetext.spark.jar_build import EXTENSION

ROOT = Path(parquetext.__file__).parents[1]
SUPPORT = Path(__file__).parents[1]
ROWS = 1000
SUBMITTED = """
import json, sys
from pyspark.sql import SparkSession
from support.spark_scans import footers, formats

spark = SparkSession.builder.getOrCreate()
frame = spark.read.parquet(sys.argv[1]).where("c3 >= 300").selectExpr("sum(c7)")
rows = frame.collect()
executors = spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
print(json.dumps([rows[0][0], formats(frame), footers(frame), executors]))
"""
OF_HIVE = """
    import json, sys
    from pathlib import Path
    import parquetext
    from parquetext.spark import session
    from support.spark_scans import footers, formats

    folder = Path(sys.argv[1])
    derby = f"-Dderby.system.home={folder}"
    settings = {"spark.sql.catalogImplementation": "hive", "spark.driver.extraJavaOptions": derby}
    spark = session(master="local[2]", driver_memory="1g", sql_warehouse_dir=folder / "warehouse", **settings)
    names = ", ".join(f"c{number} BIGINT" for number in range(40))
    spark.sql(f"CREATE TABLE wide ({names}) PARTITIONED BY (day INT) STORED AS PARQUET")
    values = ", ".join(f"id * {number}" for number in range(40))
    for day in (1, 2):
        spark.sql(f"INSERT INTO wide PARTITION (day = {day}) SELECT {values} FROM range(100)")
    for path in (folder / "warehouse").rglob("part-*"):
        parquetext.upgrade(str(path), "flat")
    told = []
    for enabled in ("true", "false"):
        spark.conf.set("spark.parquetext.scan.enabled", enabled)
        frame = spark.sql("SELECT day, sum(c7), max(C39) FROM wide WHERE c3 > 30 GROUP BY day ORDER BY day")
        told.append([[list(row) for row in frame.collect()], formats(frame), footers(frame)])
    print(json.dumps(told))
"""


@pytest.fixture
def upgraded(tmp_path) -> str:
    folder = tmp_path / "lake"
    folder.mkdir()
    columns = {f"c{number}": np.arange(ROWS) * number for number in range(60)}
    for number in range(4):
        pq.write_table(pa.table(columns), folder / f"{number}.parquet", row_group_size=100)
        parquetext.upgrade(str(folder / f"{number}.parquet"), "flat")
    return str(folder)


def test_executors_of_a_cluster_slice_by_the_two_lines_of_configuration(
    long, standalone, java_home, needed_scan_jar, upgraded, tmp_path
):
    (tmp_path / "program.py").write_text(SUBMITTED)
    options = ["--master", standalone, "--jars", needed_scan_jar, "--conf", f"spark.sql.extensions={EXTENSION}"]
    for setting in ("spark.driver.host=127.0.0.1", "spark.driver.memory=512m", "spark.executor.memory=512m"):
        options += ["--conf", setting]
    command = [f"{pyspark.__path__[0]}/bin/spark-submit", *options, tmp_path / "program.py", upgraded]
    paths = {"PYTHONPATH": f"{ROOT}:{SUPPORT}", "JAVA_HOME": java_home, "PYSPARK_PYTHON": sys.executable}
    environment = os.environ | paths | {"SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr[-5000:]
    total, formats, counted, executors = json.loads(done.stdout.splitlines()[-1])
    assert total == 4 * 7 * sum(range(100, ROWS))
    assert formats == ["SlicingFormat"] and counted["sliced"] >= 4 and counted.get("whole", 0) == 0
    assert executors >= 1


def test_tables_of_a_hive_metastore_are_sliced(long, run_driver, needed_scan_jar, tmp_path):
    said = run_driver(OF_HIVE, tmp_path, PYTHONPATH=f"{ROOT}:{SUPPORT}")
    (rows, formats, counted), (whole_rows, whole_formats, whole) = json.loads(said.splitlines()[-1])
    assert rows == whole_rows == [[day, 7 * sum(range(11, 100)), 99 * 39] for day in (1, 2)]
    assert (formats, whole_formats) == (["SlicingFormat"], ["ParquetFileFormat"])
    assert counted["sliced"] >= 2 and counted.get("whole", 0) == 0 and not whole
