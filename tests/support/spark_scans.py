"""Metrics of a DataFrame's file scans, from its executed plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from pyspark.sql import DataFrame

__all__ = ["footers", "formats"]

SHOWN = {
    "footersSliced": "sliced",
    "footersWhole": "whole",
    "footersFellBack": "fell back",
    "footerBytes": "bytes",
}


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
