"""The comparison of Spark's scan with and without slices compares the same work."""

from __future__ import annotations

import pytest

from benchmarks import scans
from benchmarks.shapes import Shape
from benchmarks.workspace import Workspace


@pytest.mark.usefixtures("long")
def test_scans_and_footers_are_compared_with_the_switch_on_and_off(spark, needed_scan_jar, tmp_path):
    was = spark.conf.get(scans.SWITCH, "true")
    try:
        with Workspace(tmp_path) as workspace:
            groups = list(
                scans.measure(
                    workspace,
                    spark,
                    1,
                    Shape(70, 2),
                    Shape(14, 2, rows_per_group=100),
                    files=2,
                    warm_up=0,
                    narrow_rounds=2,
                )
            )
    finally:
        spark.conf.set(scans.SWITCH, was)
    assert len(groups) == 7
    assert all([row.contender for row in group] == [scans.OURS, scans.STOCK] for group in groups)
    assert all(row.value > 0 for group in groups for row in group)
    assert [group[1].target for group in groups] == [8.0, 5.0, 8.0, 4.0, 50.0, 1 / 1.02, 2.0]
