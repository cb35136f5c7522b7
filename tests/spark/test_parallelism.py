"""Reads and jobs by the parallelism of the session, which has nothing to do with the processors of the driver."""

from __future__ import annotations

import json

import pytest
from support.parquet_bytes import parquet_bytes
from support.quick_java import PLAIN

from parquetext.spark import read
from parquetext.spark.parallelism import parallelism
from parquetext.spark.source import ParquetextSource
from parquetext.spark.source.reader_options import UNTOLD, Options

CORES, FILES = 7, 70

DRIVER = """
import json, sys
from parquetext import spark as jobs
from parquetext.spark.parallelism import parallelism

lake = sys.argv[1]
spark = jobs.session(master="local[7]")
told = {"interface": spark.sparkContext.uiWebUrl, "session": parallelism(spark)}
told["plain"] = spark.read.format("parquetext").option("openCostInBytes", 1).load(lake).rdd.getNumPartitions()
told["read"] = jobs.read(spark, lake, openCostInBytes=1).rdd.getNumPartitions()
told["tasks"] = jobs.verify(spark, lake, progress=False).agg({"task": "max"}).first()[0] + 1
spark.conf.set("spark.sql.files.minPartitionNum", 10)
told["said"] = jobs.read(spark, lake, openCostInBytes=1).rdd.getNumPartitions()
print(json.dumps(told))
"""


@pytest.fixture
def lake(tmp_path):
    for number in range(FILES):
        (tmp_path / f"{number:02}.parquet").write_bytes(parquet_bytes())
    return tmp_path


def test_a_session_of_seven_cores_reads_and_works_in_as_many_parts(long, run_driver, lake):
    """And has Spark's user interface, as nobody has said otherwise."""
    with_interface = PLAIN.replace("-Dspark.ui.enabled=false", "")
    message = json.loads(run_driver(DRIVER, lake, JDK_JAVA_OPTIONS=with_interface).splitlines()[-1])
    assert message.pop("interface").startswith("http://")
    assert message == {"session": CORES, "plain": CORES, "read": CORES, "tasks": 4 * CORES, "said": 10}


def test_the_settings_take_precedence(spark, lake):
    assert parallelism(spark) == 2
    spark.conf.set("spark.sql.leafNodeDefaultParallelism", 5)
    try:
        assert parallelism(spark) == 5
        assert read(spark, lake, openCostInBytes=1).rdd.getNumPartitions() == 5
    finally:
        spark.conf.unset("spark.sql.leafNodeDefaultParallelism")


def test_the_parallelism_is_the_default_without_a_session(lake):
    assert Options.of({"path": str(lake)}).min_partitions == UNTOLD == ParquetextSource({}).parallelism
