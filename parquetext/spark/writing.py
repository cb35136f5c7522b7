"""Writing a DataFrame as a dataset of Parquet files with footers of the chosen form."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

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

__all__ = ["recover", "write"]

MODES = {"append": APPEND, "overwrite": OVERWRITE, "ignore": IGNORE, "error": ERROR, "errorifexists": ERROR}


def write(
    df: DataFrame,
    path: str | os.PathLike,
    mode: str = "errorifexists",
    partition_by: str | Sequence[str] = (),
    form: Form | str = AUTO,
    sidecar: bool = False,
    **options: object,
) -> Written:
    """Write a DataFrame as a dataset.

    Parameters
    ----------
    df : pyspark.sql.DataFrame
        Of a classic session, or one of Spark Connect whose client and server see the same storage.
    path : str or os.PathLike
        A folder; a URL as Spark has it.
    mode : {"errorifexists", "error", "ignore", "append", "overwrite"}
        What to do where the dataset is already; as `DataFrameWriter.mode` means it. ``"overwrite"`` replaces only
        the partitions that get rows where ``spark.sql.sources.partitionOverwriteMode``, or the option, is dynamic.
    partition_by : str or sequence of str
        Columns that become directories.
    form : str
        Of the footers, as `parquetext.ParquetWriter` takes it.
    sidecar : bool
        Write one beside each file.
    **options
        Spark's own: ``compression`` and ``partitionOverwriteMode`` (what the session says by default),
        ``maxRecordsPerFile``, and ``**{"parquet.block.size": …}``.

    Returns
    -------
    Written
        Files, rows, bytes, and the number of tasks by implementation: nothing where mode ``"ignore"`` has ignored it.

    Raises
    ------
    FileExistsError
        Mode ``"errorifexists"``, and there is something.
    ParquetextError
        An unknown option or mode, a column that is not there, a type that Parquet has no place for.
    Refused
        The dataset belongs to a table format.

    Notes
    -----
    Files are written into a hidden staging folder on the same filesystem and put in their place when all are there;
    nothing is left of a write that fails. What a killed driver left, the next write removes, or ends if it was
    decided already. The rows of each task are sorted by the partition columns, so that one file is open at a time.

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
    given = {
        "compression": spark.conf.get("spark.sql.parquet.compression.codec"),
        "partitionOverwriteMode": spark.conf.get("spark.sql.sources.partitionOverwriteMode"),
    }
    parsed = OutputOptions.of({**given, **options, "form": form, "sidecar": sidecar})
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


def recover(spark: SparkSession, path: str | os.PathLike) -> list[str]:
    """End at once what killed writes to a dataset have left, also those of drivers on other machines.

    A write does the same with what it finds, but of drivers on other machines only with what has not changed for a
    day: it cannot know whether they are alive. Whoever calls this knows that no other machine writes to the dataset.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        For its settings of filesystems; a Spark Connect session will do.
    path : str or os.PathLike
        The dataset's folder; a URL as Spark has it.

    Returns
    -------
    list of str
        The staging folders that are gone, by their paths in the dataset's filesystem. What was decided is done to its
        end, unless the dataset was overwritten meanwhile; all else is thrown away.

    Raises
    ------
    OSError, Unsupported
        The filesystem cannot be asked, or what it needs is not installed.

    Examples
    --------
    >>> parquetext.spark.recover(spark, "lake")
    []
    """
    dataset = Folder.of(Filesystems.of(spark).target(normal(path)))
    return [folder.path for folder in settle_leftovers(dataset, forgotten=0)]
