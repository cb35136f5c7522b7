"""Run one Spark job over tasks of files, show its progress, and print a summary."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa

from .counters import BYTES, FILES, StagePage, Tally
from .parts import Part
from .progress import Counts, shown
from .shipping import is_connect
from .tasks import Work

if TYPE_CHECKING:
    from pyspark import Accumulator, SparkContext
    from pyspark.sql import SparkSession

_GROUP, _DESCRIPTION = "spark.jobGroup.id", "spark.job.description"


def run_tasks(
    spark: SparkSession, work: Work, tasks: Sequence[Sequence[tuple]], progress: bool, skipped: int
) -> list[Part]:
    """Run `work` on the files of each task; return the parts that the accepted attempts have stored."""
    files, parts = sum(map(len, tasks)), []
    if is_connect(spark):  # a client has no accumulators, so there is no progress
        with shown(work.action, 0, lambda: Counts(0, 0, 0, 0), progress) as say:
            if tasks:
                parts = _by_connect(spark, work, tasks)
    else:
        context = spark.sparkContext
        group = _Group(context, f"parquetext {work.action}: {files:,} files")
        work.done = done = context.accumulator(Counter(), Tally(StagePage(context, group.tag)))
        with group, shown(work.action, files, lambda: _counts(group, done), progress) as say:
            if tasks:
                parts = context.parallelize(tasks, len(tasks)).mapPartitionsWithIndex(work).collect()
    say(_summary(work.action, files, parts, skipped))
    return parts


def _by_connect(spark: SparkSession, work: Work, tasks: Sequence[Sequence[tuple]]) -> list[Part]:
    """Run the tasks as a DataFrame with one row each."""

    def do(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for row in (row for batch in batches for row in batch.to_pylist()):
            for part in work(row["task"], iter([pickle.loads(row["files"])])):
                yield pa.RecordBatch.from_pylist([{"part": pickle.dumps(part)}])

    tag = f"parquetext-{id(work)}"
    rows = [(number, pickle.dumps(list(task))) for number, task in enumerate(tasks)]
    frame = spark.createDataFrame(rows, "task long, files binary").repartitionByRange(len(tasks), "task")
    spark.addTag(tag)
    try:
        return [pickle.loads(row.part) for row in frame.mapInArrow(do, "part binary").collect()]
    except BaseException:
        spark.interruptTag(tag)
        raise
    finally:
        spark.removeTag(tag)


class _Group:
    """The Spark jobs of a block, to look at and to cancel when it ends early. A group that is there is kept."""

    def __init__(self, context: SparkContext, description: str):
        self.context, self._description = context, description
        self.tag = f"parquetext-{id(self)}"

    def __enter__(self):
        context = self.context
        self._before = {name: context.getLocalProperty(name) for name in (_GROUP, _DESCRIPTION)}
        self._name = self._before[_GROUP] or f"parquetext-{id(self)}"
        self._old_jobs = set(self._jobs())
        context.setLocalProperty(_GROUP, self._name)
        context.setLocalProperty(_DESCRIPTION, self._description)
        context.addJobTag(self.tag)
        return self

    def __exit__(self, kind, *exception) -> None:
        if kind is not None:
            self.context.cancelJobsWithTag(self.tag)
        self.context.removeJobTag(self.tag)
        for name, value in self._before.items():
            self.context.setLocalProperty(name, value)

    def _jobs(self) -> Sequence[int]:
        return self.context.statusTracker().getJobIdsForGroup(self._name)

    def stages(self) -> list:
        """Yield a function that returns the status tracker's stages of the block's jobs."""
        tracker = self.context.statusTracker()
        jobs = [tracker.getJobInfo(job) for job in self._jobs() if job not in self._old_jobs]
        stages = [tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds]
        return [stage for stage in stages if stage]


def _counts(group: _Group, done: Accumulator) -> Counts:
    stages = group.stages()
    return Counts(
        done.value[FILES],
        done.value[BYTES],
        sum(stage.numCompletedTasks for stage in stages),
        sum(stage.numActiveTasks for stage in stages),
    )


def _summary(action: str, files: int, parts: Sequence[Part], skipped: int) -> str:
    """Return the counts of outcomes, and of tasks by implementation."""
    outcomes: dict = {}
    tasks: dict = {}
    for part in parts:
        for outcome, count in part.outcomes.items():
            outcomes[outcome] = outcomes.get(outcome, 0) + count
        tasks.setdefault(part.implementation, set()).add(part.task)
    message = sorted(outcomes.items(), key=lambda each: -each[1]) + [("skipped", skipped)] * bool(skipped)
    counted = ", ".join(f"{count:,} {outcome}" for outcome, count in message)
    ran = ", ".join(f"{name} kernels in {len(numbers):,} tasks" for name, numbers in sorted(tasks.items()))
    return f"{action}: {files + skipped:,} files" + (f": {counted}" if message else "") + (f" ({ran})" if ran else "")
