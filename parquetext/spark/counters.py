"""What a job's tasks have done so far: told to the driver by an accumulator, and shown by stage in Spark's UI."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from py4j.protocol import Py4JError
from pyspark.accumulators import AccumulatorParam

if TYPE_CHECKING:
    from pyspark import SparkContext

__all__ = ["BYTES", "FILES", "StagePage", "Tally"]

FILES, BYTES = "files", "bytes"
PREFIX = "parquetext "
_TAGS = "spark.job.tags"


class Tally(AccumulatorParam):
    """Counts by name; `show` gets the total whenever the driver hears of more. Tasks have one that shows nothing."""

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
    """The counts in the table of accumulators on the page of the stage that a running job ends with.

    Spark shows accumulators that have a name, and Python's have none. So each count has one of the JVM's, whose value
    is put beside the stage while Spark's scheduler waits for the driver to take a task's counts: before the stage ends,
    and while nobody else looks at the scheduler's jobs.

    Parameters
    ----------
    context : pyspark.SparkContext
    tag : str
        Of the jobs that the counts are of.
    """

    def __init__(self, context: SparkContext, tag: str):
        self._context, self._tag = context, tag
        self._shown = {}
        self._works = True

    def __call__(self, counts: Counter) -> None:
        """Show counts; where this Spark has no such place, the log says so once and nothing else happens."""
        if not self._works:
            return
        try:
            self._put(counts)
        except (Py4JError, AttributeError, TypeError) as error:
            logging.getLogger("parquetext").info("no counts in Spark's UI: %s", error)
            self._works = False

    def _put(self, counts: Counter) -> None:
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
