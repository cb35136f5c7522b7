"""Files that change while Spark's own scan reads them, one split after the other."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.spark_scans import footers

import parquetext

pytestmark = [pytest.mark.usefixtures("needed_scan_jar"), pytest.mark.slow]

COLUMNS, ROWS, GROUP, SPLITS = 60, 600, 50, 5


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "x.parquet"
    table = pa.table({f"c{number}": np.arange(ROWS) * (number + 1) for number in range(COLUMNS)})
    pq.write_table(table, path, row_group_size=GROUP)
    return path


def scan(spark, path, column: str):
    """A scan of a column in some splits, planned already."""
    session = spark.newSession()
    session.conf.set("spark.sql.files.maxPartitionBytes", str(path.stat().st_size // SPLITS + 1))
    session.conf.set("spark.sql.files.openCostInBytes", "0")
    frame = session.read.parquet(str(path)).selectExpr("_metadata.row_index", column)
    frame._jdf.queryExecution().executedPlan()
    return frame


def upgraded(form: str | None):
    """Gives a file another footer: a form, or Thrift's alone."""
    return lambda path: parquetext.upgrade(str(path), form) if form else parquetext.strip(str(path))


CHANGES = [(None, "flat"), (None, "index"), ("flat", None), ("flat", "index"), ("index", "flat"), ("index", None)]


@pytest.mark.parametrize("column", ["c0", "c59"])
@pytest.mark.parametrize(("form", "other"), CHANGES)
def test_every_row_of_a_file_whose_footer_changes_meanwhile_is_read_once(spark, path, form, other, column):
    upgraded(form)(path)
    frame = scan(spark, path, column)
    splits = range(frame.rdd.getNumPartitions())
    for before in (2, SPLITS // 2 + 1):
        upgraded(form)(path)
        run = frame.sparkSession.sparkContext.runJob
        rows = run(frame.rdd, list, splits[:before])
        upgraded(other)(path)
        rows += run(frame.rdd, list, splits[before:])
        assert len(splits) >= SPLITS
        assert sorted(row.row_index for row in rows) == list(range(ROWS))


def test_a_file_that_was_upgraded_since_the_query_was_planned_is_sliced(spark, path):
    frame = scan(spark, path, "c0")
    parquetext.upgrade(str(path), "flat")
    assert sorted(row.row_index for row in frame.collect()) == list(range(ROWS))
    counted = footers(frame)
    assert counted["whole"] == counted["fell back"] == 0
    assert counted["sliced"] >= SPLITS
