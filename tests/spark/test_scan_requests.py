"""Requests of a sliced scan to a store: one status of each file, and few ranges."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.java_jars import compiled_jar

import parquetext

COUNT = """
    import json, sys
    from parquetext.spark import session

    path, jar = sys.argv[1:]
    spark = session(master="local[1]", driver_memory="1g", jars=jar, hadoop_fs_counted_impl="CountedFileSystem")
    counts = {}
    for enabled in ("true", "false"):
        spark.conf.set("spark.parquetext.scan.enabled", enabled)
        frame = spark.read.schema("c7 long").parquet(f"counted://{path}")
        frame._jdf.queryExecution().executedPlan()
        counted = spark._jvm.CountedFileSystem
        before = counted.HEADS, counted.GETS
        assert frame.selectExpr("sum(c7)").first()[0] == 7 * sum(range(100))
        counts[enabled] = [counted.HEADS - before[0], counted.GETS - before[1]]
    print(json.dumps(counts))
"""


@pytest.fixture(scope="module")
def counted_jar(tmp_path_factory) -> Path:
    return compiled_jar(tmp_path_factory.mktemp("counted"), "CountedFileSystem")


def test_one_status_and_at_most_four_ranges_more_than_the_data(run_driver, needed_scan_jar, counted_jar, tmp_path):
    path = tmp_path / "x.parquet"
    columns = {f"c{number}": np.arange(100) * number for number in range(20_000)}
    pq.write_table(pa.table(columns), path, use_dictionary=False)
    parquetext.upgrade(str(path), form="flat")
    counts = json.loads(run_driver(COUNT, path, counted_jar).splitlines()[-1])
    heads, gets = counts["true"]
    assert heads == counts["false"][0] <= 2  # one is the local file system's own, when it opens a file
    assert gets <= 4 + 1  # and the data
