"""The number of tasks that a session runs at the same time, and the distribution of files over tasks."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TASKS_PER_SLOT = 4  # more than 1, so that a slow machine gets fewer tasks
FILES_PER_TASK = 2_000  # limits the size of a task's description, which contains the paths of its files
WEIGHT_PER_TASK = 16 << 30  # limits the work that is lost if a task fails

_LEAVES, _DEFAULT_PARALLELISM = "spark.sql.leafNodeDefaultParallelism", "spark.default.parallelism"
_PROBE_ROWS = 1 << 16  # rows of the job that counts partitions on a Spark Connect session


def parallelism(spark: SparkSession) -> int:
    """Return the session's parallelism: its setting, or the number of cores of its executors.

    Include executors that have been requested but not started. For a Spark Connect session, count the
    partitions of a job without files.
    """
    context = getattr(spark, "_sc", None)
    if context is None:
        return int(
            spark.conf.get(_LEAVES, None) or spark.conf.get(_DEFAULT_PARALLELISM, None) or _partitions_of_a_job(spark)
        )
    if setting := spark.conf.get(_LEAVES, None):
        return int(setting)
    conf = context.getConf()
    if conf.contains(_DEFAULT_PARALLELISM):
        return context.defaultParallelism
    requested = int(conf.get("spark.executor.instances", "0")) * int(conf.get("spark.executor.cores", "1"))
    return max(context.defaultParallelism, requested, int(conf.get("spark.cores.max", "0")), 1)


def _partitions_of_a_job(spark: SparkSession) -> int:
    return spark.range(_PROBE_ROWS).selectExpr("spark_partition_id() AS part").selectExpr("max(part) + 1").head(1)[0][0]


def pack(weights: Sequence[int], slots: int) -> list[list[int]]:
    """Distribute files over tasks of similar weight; return the positions in `weights` by task, heaviest task first.

    Each weight is added to the task that is lightest so far, heavy ones before light ones (Graham's rule of the longest
    processing time), so no task is heavier than the mean plus one weight, and a file heavier than the mean gets a task
    of its own.

    Parameters
    ----------
    weights : sequence of int
        The cost of each file, in any unit; not negative.
    slots : int
        Number of tasks that run at the same time.

    Notes
    -----
    O(n log n).
    """
    if not weights:
        return []
    count = max(slots * TASKS_PER_SLOT, -(-len(weights) // FILES_PER_TASK), -(-sum(weights) // WEIGHT_PER_TASK))
    tasks: list[list[int]] = [[] for _ in range(min(count, len(weights)))]
    lightest = [(0, 0, number) for number in range(len(tasks))]
    for position in sorted(range(len(weights)), key=weights.__getitem__, reverse=True):
        weight, files, number = lightest[0]
        tasks[number].append(position)
        heapq.heapreplace(lightest, (weight + weights[position], files + 1, number))
    totals = {number: weight for weight, _, number in lightest}
    heaviest = sorted(range(len(tasks)), key=totals.__getitem__, reverse=True)
    return [sorted(tasks[number]) for number in heaviest]
