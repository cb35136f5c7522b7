"""Progress of a job's tasks: an accumulator sends counts to the driver, and Spark's UI shows them by stage."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.accumulators import AccumulatorParam

if TYPE_CHECKING:
    from pyspark import SparkContext

FILES, BYTES = "files", "bytes"
PREFIX = "parquetext "
_TAGS = "spark.job.tags"


class Tally(AccumulatorParam):
    """Add counts by name; on the driver, call `show` with the total after each update."""

    def __init__(self, show: Callable[[Counter], None] | None = None):
        self._show = show

    def __reduce__(self):
        return Tally, ()

    def zero(self, value: Counter) -> Counter:
        return Counter()

    def addInPlace(self, total: Counter, more: Counter) -> Counter:
        total = total + more
        if self._show is not None:
            self._show(total)
        return total


class StagePage:
    """Show the counts as accumulators on the page of a running job's final stage.

    Spark shows only accumulators with names, and Python's have none. So each count has an accumulator of the JVM, whose
    value is added to the stage while Spark's scheduler waits for the driver to process a task's counts: before the
    stage ends, and while no other thread accesses the scheduler's jobs.

    Parameters
    ----------
    context : pyspark.SparkContext
    tag : str
        Tag of the jobs.
    """

    def __init__(self, context: SparkContext, tag: str):
        self._context, self._tag = context, tag
        self._shown: dict[Any, Any] = {}
        self._works = True

    def __call__(self, counts: Counter) -> None:
        """Show counts; if this version of Spark does not support it, log that once."""
        if not self._works:
            return
        try:
            self._put(counts)
        except (Py4JError, AttributeError, TypeError) as error:
            logging.getLogger("parquetext").info("no counts in Spark's UI: %s", error)
            self._works = False

    def _put(self, counts: Counter) -> None:
        assert self._context._jvm is not None  # a context starts the JVM
        spark, scala = self._context._jsc.sc(), self._context._jvm.scala
        for job in scala.jdk.javaapi.CollectionConverters.asJava(spark.dagScheduler().activeJobs()):
            if self._tag not in (job.properties().getProperty(_TAGS) or "").split(","):
                continue
            accumulables = job.finalStage().latestInfo().accumulables()
            for name, count in counts.items():
                if name not in self._shown:
                    self._shown[name] = spark.longAccumulator(PREFIX + name)
                accumulator = self._shown[name]
                accumulator.setValue(count)
                info = accumulator.toInfo(scala.Option.empty(), scala.Option.apply(accumulator.value()))
                accumulables.put(accumulator.id(), info)
