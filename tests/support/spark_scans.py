"""Metrics of a DataFrame's file scans, and queries that compare scans with and without slices."""

from __future__ import annotations

import contextlib
import io
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from support import wide_plans

import parquetext

__all__ = ["check_compared_scans", "compared_scans", "footers", "formats", "make_scanned_files"]

SHOWN = {
    "footersSliced": "sliced",
    "footersWhole": "whole",
    "footersFellBack": "fell back",
    "footerBytes": "bytes",
}

QUERIES = {
    "one column": lambda frame: frame.where("c3 > 100").select("c7"),
    "aggregate": lambda frame: frame.groupBy("c1").count(),
    "nothing but rows": lambda frame: frame.groupBy().count(),
    "places": lambda frame: frame.selectExpr("c9", "_metadata.row_index", "input_file_name()"),
    "nested": lambda frame: frame.select("nested.a", "many"),
    "join": lambda frame: frame.select("c1").distinct().join(frame.select("c1", "c5"), "c1"),
    "all": lambda frame: frame,
}
BY_ROWS = ("one column", "places", "nested", "all")


def formats(frame: DataFrame) -> list[str]:
    """The class of each scan's format, without its package."""
    return [scan.relation().fileFormat().getClass().getSimpleName() for scan in _scans(_plan(frame))]


def footers(frame: DataFrame) -> Counter:
    """How many footers its scans have sliced, read whole …, so far."""
    counted = Counter()
    for scan in _scans(_plan(frame)):
        metrics = scan.metrics().iterator()
        while metrics.hasNext():
            entry = metrics.next()
            if name := SHOWN.get(entry._1()):
                counted[name] += max(0, entry._2().value())
    return counted


def _plan(frame: DataFrame):
    return frame._jdf.queryExecution().executedPlan()


def _scans(plan) -> Iterator:
    name = plan.getClass().getSimpleName()
    if name == "FileSourceScanExec":
        yield plan
    elif name == "AdaptiveSparkPlanExec":
        yield from _scans(plan.executedPlan())
    elif name.endswith("QueryStageExec"):
        yield from _scans(plan.plan())
    elif name == "InMemoryTableScanExec":
        yield from _scans(plan.relation().cachedPlan())
    children = plan.children()
    for position in range(children.size()):
        yield from _scans(children.apply(position))


def make_scanned_files(folder: Path) -> None:
    """Make a folder with a file of each form for `compared_scans`."""
    rows = range(2_000)
    columns = {f"c{number}": pa.array(rows) for number in range(40)}
    columns |= {
        "c1": pa.array([number % 7 for number in rows]),
        "nested": pa.array([{"a": number, "b": str(number)} for number in rows]),
        "many": pa.array([[number] * (number % 3) for number in rows]),
    }
    folder.mkdir()
    for form in ("flat", "index"):
        path = folder / f"{form}.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=300)
        parquetext.upgrade(str(path), form)
    wide_plans.make_wide_files(_wide(folder))


def _wide(folder: Path) -> Path:
    """The folder of the files for `compared_plans`, beside the other one."""
    return folder.with_name(f"{folder.name}-plans")


def compared_scans(spark: SparkSession, folder: str, all_settings: bool) -> dict:
    """Compare the rows of each query with and without slices, and return this and the metrics of plans and jobs.

    Both readers of Spark and both sizes of splits are met in two of their four combinations, the row reader with some
    of the queries; or in all of them with all.
    The settings of the session are changed.
    """
    told = {}
    for vectorized in ("true", "false"):
        spark.conf.set("spark.sql.parquet.enableVectorizedReader", vectorized)
        sizes = ("128m", "40000") if vectorized == "true" else ("40000", "128m")
        for most in sizes if all_settings else sizes[:1]:
            spark.conf.set("spark.sql.files.maxPartitionBytes", most)
            names = QUERIES if all_settings or vectorized == "true" else BY_ROWS
            for name in names:
                query, rows = QUERIES[name], []
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
        told[f"explained, {enabled}"] = [_explained(frame, mode) for mode in ("simple", "formatted")]
    spark.conf.unset("spark.parquetext.scan.enabled")
    context = spark.sparkContext
    context.setJobGroup("inference", "")
    spark.read.parquet(folder)
    told["inference"] = len(context.statusTracker().getJobIdsForGroup("inference"))
    context.setLocalProperty("spark.jobGroup.id", None)
    told["plans"] = wide_plans.compared_plans(spark.newSession(), str(_wide(Path(folder))))
    return told


def check_compared_scans(told: dict, infers_by_slices: bool = True) -> None:
    """Assert that slices change no row, and that each scan that can be sliced is sliced."""
    told = dict(told)
    assert told.pop("inference") == (0 if infers_by_slices else 1)  # jobs
    assert told.pop("explained, true") == [True, True]
    assert told.pop("explained, false") == [False, False]
    wide_plans.check_compared_plans(told.pop("plans"), hides=infers_by_slices)  # both in Spark 4 alone
    for query, (equal, rows, sliced, whole) in told.items():
        assert equal and rows, query
        assert whole if query.startswith("all") else sliced and not whole, query


def _explained(frame: DataFrame, mode: str) -> bool:
    with contextlib.redirect_stdout(io.StringIO()) as text:
        frame.explain(mode)
    return "Scan parquet (footers sliced by parquetext)" in text.getvalue()
