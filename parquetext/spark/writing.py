"""Write a DataFrame as a dataset of Parquet files with footers of the chosen form."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..errors import ParquetextError
from ..footer.forms import AUTO, Form
from .catalog_tables import without_options
from .filesystems import Filesystems, normal
from .output.committing import APPEND, ERROR, IGNORE, OVERWRITE, settle_leftovers
from .output.job import OutputJob, Written
from .output.staging import Folder
from .output.write_options import OutputOptions
from .shipping import ship

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MODES = {"append": APPEND, "overwrite": OVERWRITE, "ignore": IGNORE, "error": ERROR, "errorifexists": ERROR}


def write(
    df: DataFrame,
    path: str | os.PathLike[str],
    mode: str = "errorifexists",
    partition_by: str | Sequence[str] = (),
    form: Form | str = AUTO,
    sidecar: bool = False,
    **options: Any,
) -> Written:
    """Write a DataFrame as a dataset.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        A DataFrame of a classic session, or of Spark Connect if client and server access the same storage.
    path : str or os.PathLike
        A folder, or its URL for Spark.
    mode : {"errorifexists", "error", "ignore", "append", "overwrite"}
        Treatment of an existing dataset, as in `DataFrameWriter.mode`. ``"overwrite"`` replaces only the partitions
        that get rows if ``spark.sql.sources.partitionOverwriteMode``, or the option, is dynamic.
    partition_by : str or sequence of str
        Columns that become directories.
    form : Form or str
        Form of the footers; see `parquetext.ParquetWriter`.
    sidecar : bool
        Write a sidecar beside each file.
    **options
        Spark's options: ``compression`` and ``partitionOverwriteMode`` (by default the session's settings),
        ``maxRecordsPerFile``, and ``**{"parquet.block.size": …}``. ``optimizeFor`` is `optimize_for` of
        `parquetext.ParquetWriter`; it also chooses the codec if ``compression`` is not given.

    Returns
    -------
    Written
        Numbers of files, rows, bytes, and tasks by implementation; zeros if mode ``"ignore"`` has skipped the write.

    Raises
    ------
    FileExistsError
        If the dataset exists, in mode ``"errorifexists"``.
    ParquetextError
        If an option, a mode or a column is unknown, or if Parquet has no such type.
    Refused
        If the dataset belongs to a table format.

    Notes
    -----
    Files are written into a hidden staging folder on the same filesystem, and moved when all are complete; a write that
    fails leaves no files. The next write removes the files of a killed driver, or moves them if the write had been
    committed. The rows of each task are sorted by the partition columns, so that one file is open at a time.

    Examples
    --------
    >>> written = parquetext.spark.write(spark.range(9), "new", form="flat")
    >>> (written.rows, parquetext.dataset("new").count_rows())
    (9, 9)
    """
    spark = df.sparkSession
    chosen = MODES.get(mode.lower().replace("_", ""))
    if chosen is None:
        raise ParquetextError(f"mode {mode!r}: one of {', '.join(MODES)} expected")
    given = {"partitionOverwriteMode": spark.conf.get("spark.sql.sources.partitionOverwriteMode")}
    if "optimizefor" not in map(str.lower, options):  # otherwise, only an explicit codec counts
        given["compression"] = spark.conf.get("spark.sql.parquet.compression.codec")
    parsed = OutputOptions.of({**given, **options} | {"form": form, "sidecar": sidecar})
    keys = [partition_by] if isinstance(partition_by, str) else list(partition_by)
    target = Filesystems.of(spark).target(normal(path))
    job = OutputJob.prepare(target, without_options(df.schema), chosen, keys, parsed)
    if job is None:
        return Written(0, 0, 0, {})
    try:

        def run_task(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            yield pa.RecordBatch.from_pylist([{"output": pickle.dumps(job.run_task(batches))}])

        ship(spark)
        ordered = df.sortWithinPartitions(*(f"`{key.replace('`', '``')}`" for key in job.keys)) if job.keys else df
        rows = ordered.mapInArrow(run_task, "output binary").collect()
        return job.commit(pickle.loads(row.output) for row in rows)
    except BaseException:
        job.abort()
        raise


def recover(spark: SparkSession, path: str | os.PathLike[str]) -> list[str]:
    """Finish or remove killed writes to a dataset, also those of drivers on other machines.

    A write does the same, but for drivers on other machines, which may be alive, only with files that have not changed
    for a day. Call this function only if no other machine is writing to the dataset.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A session, classic or of Spark Connect, with the settings of filesystems.
    path : str or os.PathLike
        The dataset's folder, or its URL for Spark.

    Returns
    -------
    list of str
        The removed staging folders, as paths in the dataset's filesystem. Committed writes are finished, unless the
        dataset has been overwritten since; others are discarded.

    Raises
    ------
    OSError, Unsupported
        If the filesystem cannot be accessed, or a package that it needs is not installed.

    Examples
    --------
    >>> parquetext.spark.recover(spark, "lake")
    []
    """
    dataset = Folder.of(Filesystems.of(spark).target(normal(path)))
    return [folder.path for folder in settle_leftovers(dataset, forgotten=0)]
