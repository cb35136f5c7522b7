"""Run a job on arriving files, as a Structured Streaming query."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import wire
from ..errors import ParquetextError, Unsupported
from ..masking import without_secrets
from .actions import ACTIONS, rehearse
from .filesystems import local_path, normal
from .jobs import run
from .shipping import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import StreamingQuery

_ARRIVALS = "path string, modificationTime timestamp, length bigint, content binary"
_NAMES = "*.{parquet,parq,pq,PARQUET}"


def watch(
    spark: SparkSession,
    path: str,
    action: str = "upgrade",
    *,
    checkpoint: str | None = None,
    trigger: Mapping[str, Any] | None = None,
    max_files: int | None = None,
    **options: Any,
) -> StreamingQuery:
    """Apply `action` to the files below a directory, existing and arriving ones.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic session.
    path : str
        A directory or glob, as for Spark's file source. Files in all folders below it are processed if their names end
        in .parquet, .parq or .pq; writers must give a file this name only when it is complete.
    action : str
        The name of a job: ``"upgrade"``, ``"strip"``, ``"finalize"``, ``"restore"``, ``"verify"`` or
        ``"build_sidecars"``.
    checkpoint : str, optional
        A folder for Spark's record of processed files, and for ``results``, which ``spark.read.parquet`` reads; by
        default ``_parquetext/ACTION`` below the directory `path`.
    trigger : mapping, optional
        When to list, as for ``writeStream.trigger``: ``{"processingTime": "1 minute"}``, or ``{"availableNow": True}``
        to process existing files and end. By default as often as possible.
    max_files : int, optional
        Maximum number of files in one batch.
    **options
        Options of the operation.

    Returns
    -------
    pyspark.sql.streaming.StreamingQuery
        Running; `awaitTermination()` waits for its end, `stop()` ends it.

    Raises
    ------
    ParquetextError, TypeError
        If there is no such job for arriving files, or if it does not accept the options.
    Unsupported
        If it is a Spark Connect session.

    Notes
    -----
    A file is processed once, even if the action or another program changes it later; a job over the directory finds
    such changes. Files that fail do not end the query; they are in the results.

    Examples
    --------
    >>> lake, seen = os.path.abspath("lake"), os.path.abspath("seen")
    >>> query = parquetext.spark.watch(spark, lake, "verify", checkpoint=seen, trigger={"availableNow": True})
    >>> query.awaitTermination(60)
    True
    >>> [row.outcome for row in spark.read.parquet(f"{seen}/results").collect()]
    ['ok']
    """
    if is_connect(spark):
        raise Unsupported(
            "watch needs a classic Spark session, and this is one of Spark Connect: run it on the cluster, by "
            "spark-submit or `python -m parquetext.spark`"
        )
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
        # An interrupted batch runs again with the same number, and uses only its own record.
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
    """Return the URL for Spark, which resolves plain paths on its default filesystem."""
    return url if local_path(url) is None else f"file://{url}"
