"""`parquetext.spark.catalog`: a whole lake's metadata as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow as pa

from ..catalog import SCHEMA, batches_of
from .filesystems import Filesystems
from .listing import list_files
from .shipping import classic_context, ship

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["catalog"]

TASKS_PER_SLOT = 4
FILES_PER_TASK = 16, 2_000  # at least, where there are slots for more tasks; at most


def catalog(spark: SparkSession, paths: object, *, sidecars: bool = False) -> DataFrame:
    """One row per column chunk of all files: what `parquetext.catalog.columns.SCHEMA` says.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic session.
    paths : str, os.PathLike, an iterable of them, or a DataFrame of paths
        Files, directories and globs; see `list_files`.
    sidecars : bool
        Also look for the sidecars of remote files, which costs a request or two for each.

    Returns
    -------
    pyspark.sql.DataFrame
        A query that runs when it is asked: write it as Parquet, and `parquetext.plan` plans by it. A file that cannot
        be read is one row, with `error`.

    Notes
    -----
    The files are listed before the call returns. Tasks read tails only, and pass Arrow batches on.
    """
    from pyspark.sql.pandas.types import from_arrow_schema

    context = classic_context(spark)
    ship(spark)
    files, filesystems = list_files(spark, paths), Filesystems.of(spark)

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        listed = (path for batch in batches for path in batch.column(0).to_pylist())
        return batches_of(listed, sidecars=sidecars, target_of=filesystems.target)

    least, most = FILES_PER_TASK
    tasks = max(min(context.defaultParallelism * TASKS_PER_SLOT, -(-files.num_rows // least)),
                -(-files.num_rows // most), 1)
    listed = spark.createDataFrame(files.select(["path"])).repartition(tasks)
    return listed.mapInArrow(read, from_arrow_schema(SCHEMA))
