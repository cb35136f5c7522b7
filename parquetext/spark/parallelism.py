"""How many tasks of a session run at the same time, on whatever machines."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["parallelism"]

_LEAVES, _CHOSEN = "spark.sql.leafNodeDefaultParallelism", "spark.default.parallelism"
_ASKED = 1 << 16  # rows of the job that tells it on a Spark Connect session


def parallelism(spark: SparkSession) -> int:
    """The session's parallelism: what its settings say, else the cores of its executors.

    Executors that the session has asked for count before they have come. A Spark Connect session tells by a job of
    rows without a file, whose partitions are counted.
    """
    context = getattr(spark, "_sc", None)
    if context is None:
        return int(spark.conf.get(_LEAVES, None) or spark.conf.get(_CHOSEN, None) or _partitions_of_a_job(spark))
    if said := spark.conf.get(_LEAVES, None):
        return int(said)
    conf = context.getConf()
    if conf.contains(_CHOSEN):
        return context.defaultParallelism
    asked = int(conf.get("spark.executor.instances", "0")) * int(conf.get("spark.executor.cores", "1"))
    return max(context.defaultParallelism, asked, int(conf.get("spark.cores.max", "0")), 1)


def _partitions_of_a_job(spark: SparkSession) -> int:
    return spark.range(_ASKED).selectExpr("spark_partition_id() AS part").selectExpr("max(part) + 1").first()[0]
