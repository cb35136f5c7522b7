"""Requests of a sliced scan to a store: one status of each file, and few ranges."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import parquetext


def test_one_status_and_at_most_four_ranges_more_than_the_data(spark, needed_scan_jar, needed_own_classes, tmp_path):
    path = tmp_path / "x.parquet"
    columns = {f"c{number}": np.arange(100) * number for number in range(20_000)}
    pq.write_table(pa.table(columns), path, use_dictionary=False)
    parquetext.upgrade(str(path), form="flat")
    session, counted, counts = spark.newSession(), spark._jvm.CountedFileSystem, {}
    session.conf.set("fs.counted.impl", "CountedFileSystem")
    session.conf.set("spark.sql.files.minPartitionNum", 1)  # one task reads the file
    for enabled in ("true", "false"):
        session.conf.set("spark.parquetext.scan.enabled", enabled)
        frame = session.read.schema("c7 long").parquet(f"counted://{path}")
        frame._jdf.queryExecution().executedPlan()
        before = counted.HEADS, counted.GETS
        assert frame.selectExpr("sum(c7)").first()[0] == 7 * sum(range(100))
        counts[enabled] = counted.HEADS - before[0], counted.GETS - before[1]
    heads, gets = counts["true"]
    assert heads == counts["false"][0] <= 2  # one is the local file system's own, when it opens a file
    assert gets <= 4 + 1  # and the data
