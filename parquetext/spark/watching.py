"""Files that arrive, done as they come: a job as a Structured Streaming query."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING

from .. import wire
from ..errors import ParquetextError
from ..masking import without_secrets
from .actions import ACTIONS, rehearse
from .filesystems import local_path, normal
from .jobs import run
from .shipping import check_classic

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

__all__ = ["watch"]

_ARRIVALS = "path string, modificationTime timestamp, length bigint, content binary"
_NAMES = "*.{parquet,parq,pq,PARQUET}"


def watch(
    spark: SparkSession,
    path: str,
    action: str = "upgrade",
    *,
    checkpoint: str | None = None,
    trigger: Mapping | None = None,
    max_files: int | None = None,
    **options: object,
) -> StreamingQuery:
    """Do `action` to the files below a directory, to those that are there and to those that arrive.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic session.
    path : str
        A directory or glob, as Spark's own file source takes it; files in all folders below it count, if their names
        end in .parquet, .parq or .pq and they have their names only once they are whole.
    action : str
        The name of a job: ``"upgrade"``, ``"strip"``, ``"finalize"``, ``"restore"``, ``"verify"`` or
        ``"build_sidecars"``.
    checkpoint : str, optional
        A folder for Spark's record of what has arrived, and for ``results``, which ``spark.read.parquet`` reads; by
        default ``_parquetext/ACTION`` below a directory `path`.
    trigger : mapping, optional
        When to look, as ``writeStream.trigger`` takes it: ``{"processingTime": "1 minute"}``, or
        ``{"availableNow": True}`` to do what is there and end. By default as often as possible.
    max_files : int, optional
        At most so many files in one go.
    **options
        As the verb takes them.

    Returns
    -------
    pyspark.sql.streaming.StreamingQuery
        Running; `awaitTermination()` waits for its end, `stop()` ends it.

    Raises
    ------
    ParquetextError, TypeError
        There is no such job for files that arrive, or it does not take such options.
    Unsupported
        The session is one of Spark Connect.

    Notes
    -----
    A file is done once: that its action changes it does not make it new, nor does a later change by others, which a
    job over the directory finds. Files that fail do not end the query; they are in the results.

    Examples
    --------
    >>> lake, seen = os.path.abspath("lake"), os.path.abspath("seen")
    >>> query = parquetext.spark.watch(spark, lake, "verify", checkpoint=seen, trigger={"availableNow": True})
    >>> query.awaitTermination(60)
    True
    >>> [row.outcome for row in spark.read.parquet(f"{seen}/results").collect()]
    ['ok']
    """
    check_classic(spark, "watch")
    known = [name for name, known in ACTIONS.items() if not known.finds]
    if action not in known:
        raise ParquetextError(
            f"no such job for files that arrive: {action!r} (known: {', '.join(known)})", code=wire.BAD_ARGUMENT
        )
    rehearse(action, options)
    path = normal(path)
    checkpoint = normal(checkpoint) if checkpoint else posixpath.join(path, "_parquetext", action)
    results = posixpath.join(checkpoint, "results")

    def act(arrived: DataFrame, batch: int) -> None:
        # A batch that was cut short comes again under its number, and goes by its own record alone.
        run(arrived.sparkSession, action, arrived, {**options, "state": f"{results}/batch={batch}", "progress": False})

    source = spark.readStream.format("binaryFile").schema(_ARRIVALS).option("recursiveFileLookup", True)
    source = source.option("pathGlobFilter", _NAMES)
    if max_files is not None:
        source = source.option("maxFilesPerTrigger", max_files)
    writer = source.load(_for_spark(path)).select("path").writeStream.foreachBatch(act)
    return (
        writer.option("checkpointLocation", _for_spark(checkpoint))
        .queryName(f"parquetext {action} {without_secrets(path)}")
        .trigger(**(trigger or {"processingTime": "0 seconds"}))
        .start()
    )


def _for_spark(url: str) -> str:
    """The same place for Spark, which takes paths for those of its default filesystem, seen from where it started."""
    return url if local_path(url) is None else f"file://{url}"
