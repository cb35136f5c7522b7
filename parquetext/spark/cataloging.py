"""`parquetext.spark.catalog`: a whole lake's metadata as a table."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from ..catalog import SCHEMA
from .jobs import Done, finish
from .parts import chunks_of
from .results import read_stored

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = ["ORDER", "catalog"]

ORDER = ("column", "file", "row_group")  # of a stored catalog, which is read column by column


def catalog(
    spark: SparkSession,
    paths: object,
    *,
    sidecars: bool = False,
    state: str | None = None,
    on_error: str = "report",
    progress: bool = True,
) -> DataFrame:
    """One row per column chunk of all files: what `parquetext.catalog.column_types.SCHEMA` says.

    The job runs before the call returns; the DataFrame reads what it has stored.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        One of Spark Connect will do, as `upgrade` says.
    paths : str, os.PathLike, an iterable of them, or a DataFrame of paths
        Files, directories and globs; see `list_files`.
    sidecars : bool
        Also look for the sidecars of remote files, which costs a request or two for each.
    state, on_error, progress
        As `parquetext.spark.upgrade` takes them. With a state only files that are new or changed are read again; of
        the others the rows are those that an earlier run has stored in that folder.

    Returns
    -------
    pyspark.sql.DataFrame
        Written as Parquet, or as it is, `parquetext.plan` plans by it, and `read` and the data source by one in
        Parquet: sorted by column, file and row group a plan reads only the rows of the columns that it looks at. A file
        that cannot be read is one row, with `error`. The attribute `files` is a second DataFrame, with one row per file
        as other jobs give them; outcomes are ``"read"``, ``"skipped"``, ``"refused"`` (encrypted) and ``"failed"``.

    Raises
    ------
    JobFailed
        With ``on_error="raise"``; its `results` are what would have been returned.

    Notes
    -----
    Tasks read tails only, and store Arrow batches as Parquet beside the rows of files: where that is, `upgrade` says.
    A task holds a million rows, compressed, at most.

    Examples
    --------
    >>> found = parquetext.spark.catalog(spark, "lake", progress=False)
    >>> [(row.column, row.row_group_rows, row.max_integer) for row in found.orderBy("column").collect()]
    [('id', 9, 8), ('price', 9, None)]
    """
    done = finish(spark, "catalog", paths, {"sidecars": True} if sidecars else {}, state, on_error, progress)
    chunks = read_stored(spark, done.filesystems, SCHEMA, list(map(chunks_of, done.parts)), _kept(done))
    chunks.files = done.rows(spark)
    return done.checked(chunks, on_error)


def _kept(done: Done) -> dict[str, list[str]]:
    """Of stored chunks, those of files that were left alone: paths by the file that has their rows."""
    kept = defaultdict(list)
    for part, path in zip(done.records["part"].to_pylist(), done.records["path"].to_pylist(), strict=True):
        kept[chunks_of(part)].append(path)
    return kept
