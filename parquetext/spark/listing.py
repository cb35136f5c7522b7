"""List the files of directories, globs, lists and DataFrames of paths, with the whole cluster."""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..catalog.spark_frames import collected
from ..errors import ParquetextError, retold
from ..masking import without_secrets
from .filesystems import Filesystems, local_path, normal
from .folders import FILES, Folder, Walk
from .parallelism import parallelism
from .retrying import retrying
from .shipping import is_connect

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BY_THE_DRIVER = 64  # folders that the driver lists by itself, before the cluster takes over
FILES_BY_THE_DRIVER = 10_000  # found when the cluster takes over, however few the folders are
FOLDERS_PER_TASK = 16
TASKS_PER_SLOT = 8  # at most: folders are of different sizes
_PLACES = "url string, base string, glob string, table string"
_ERROR = "error"
_FOUND = f"path string, size bigint, modified bigint, etag string, table string, {_ERROR} binary"


def list_files(spark: SparkSession, paths: object) -> pa.Table:
    """Return the files that paths select, each once, sorted by path, with the information of their filesystem.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A session, classic or of Spark Connect.
    paths : str, os.PathLike, an iterable of them, or a DataFrame with a column of them (`path`, or its only one)
        Paths and URLs of files, directories and patterns (`edits.globs`). A directory selects all Parquet files
        below it, Hive partitions included: names that end in .parquet, .parq or .pq, and names without a suffix if the
        content ends like a Parquet file. Hidden names and those that begin with ``_`` are skipped there and by
        wildcards, except directories such as ``_day=1``. A literal path of a file is always
        selected, even if it does not exist.

    Returns
    -------
    pyarrow.Table
        `path`, for Spark, with the scheme of the given path; `size` in bytes (-1 if it does not exist); `modified` in
        ns since 1970 (0 if unknown); `etag`, and `table`: a description of the table whose log records the file (both
        may be empty).

    Raises
    ------
    ParquetextError
        If an argument is not a path.
    OSError, Unsupported
        If a filesystem cannot be accessed, or a package that it needs is not installed.

    Notes
    -----
    The driver lists up to 64 folders, or until it has found 10,000 files; the cluster's tasks list the folders below
    further ones. A local folder costs one call, a tree of objects one request for every thousand.

    Examples
    --------
    >>> [os.path.relpath(path) for path in parquetext.spark.list_files(spark, "lake")["path"].to_pylist()]
    ['lake/day=2024-01-01/part.parquet']
    """
    return listed(spark, Filesystems.of(spark), paths)


def listed(spark: SparkSession, filesystems: Filesystems, paths: Any) -> pa.Table:
    """List files with the session's filesystems, whose settings take a tenth of a second to read; see `list_files`."""
    if hasattr(paths, "mapInArrow"):
        table = _by_cluster(filesystems, _places_of(paths))
    else:
        if not isinstance(paths, (str, os.PathLike, Iterable)):
            raise ParquetextError(f"paths are a path, several, or a DataFrame of them, not {paths!r}")
        folders = 0 if is_connect(spark) else BY_THE_DRIVER  # a client may not have access to its server's storage
        found, left = _by_driver(filesystems, [paths] if isinstance(paths, (str, os.PathLike)) else paths, folders)
        table = _table(found)
        if left:
            rows = spark.createDataFrame([tuple(map(_encodable, folder)) for folder in left], _PLACES)
            slots = parallelism(spark)
            tasks = min(max(-(-len(left) // FOLDERS_PER_TASK), slots), len(left), TASKS_PER_SLOT * slots)
            table = pa.concat_tables([table, _by_cluster(filesystems, rows.repartition(tasks))])
    return _each_once(table)


def _places_of(paths: DataFrame) -> DataFrame:
    if "path" not in paths.columns:
        if len(paths.columns) > 1:
            raise ParquetextError(f"a DataFrame of paths has a column 'path', or only one: {', '.join(paths.columns)}")
        paths = paths.toDF("path")
    if (kind := paths.schema["path"].dataType.typeName()) != "string":
        raise ParquetextError(f"a column of paths is of strings, not {kind}")
    return paths.selectExpr("path AS url", "'' AS base", "'' AS glob", "'' AS table")


def _by_driver(
    filesystems: Filesystems, paths: Iterable[object], most: int
) -> tuple[list[tuple[Any, ...]], list[Folder]]:
    """List breadth first; return the files, and the remaining folders if there are too many for one machine."""
    walk = Walk(filesystems)
    found: list[tuple[Any, ...]] = []
    left = deque(Folder(normal(path)) for path in paths)
    for _ in range(most):
        if not left or len(found) >= FILES_BY_THE_DRIVER:
            break
        files, folders = walk.step(left.popleft())
        found += files
        left += folders
    return found, list(left)


def _by_cluster(filesystems: Filesystems, positions: DataFrame) -> pa.Table:
    here = os.getcwd()  # the driver's, which relative paths are meant to be seen from

    def below(walk: Walk, row: dict[str, str]) -> list[tuple[Any, ...]]:
        position = Folder(**row) if row["base"] else Folder(normal(row["url"], here))
        return retrying(lambda: list(walk.below(position)), remote=local_path(position.url) is None)

    def walk(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        walk = Walk(filesystems)
        for row in (row for batch in batches for row in batch.to_pylist()):
            try:
                found = _table(below(walk, row))
            except (ValueError, OSError) as error:
                yield _as_row(error)
                return
            yield from found.append_column(_ERROR, pa.nulls(found.num_rows, pa.binary())).to_batches()

    found = collected(positions.mapInArrow(walk, _FOUND), FILES.append(pa.field(_ERROR, pa.binary())))
    for error in found[_ERROR].drop_null():
        raise pickle.loads(error.as_py())
    return found.drop_columns(_ERROR).cast(FILES)


def _as_row(error: Exception) -> pa.RecordBatch:
    """Return the row for a listing's error: Spark would retry it, and report only its message."""
    if not isinstance(error, ParquetextError) and type(error).__module__ != "builtins":  # may not be made of its words
        error = OSError(f"{type(error).__name__}: {error}")
    if (message := without_secrets(str(error))) != str(error):
        error = retold(error, message)
    return pa.record_batch(
        [*(pa.nulls(1, field.type) for field in FILES), [pickle.dumps(error)]], [*FILES.names, _ERROR]
    )


def _encodable(name: str) -> str:
    """Return the name; if it is not UTF-8, which Spark needs, return an invalid path that shows the name."""
    return name.encode("utf-8", "backslashreplace").decode()


def _table(files: list[tuple[Any, ...]]) -> pa.Table:
    files = [(_encodable(path), *fields) for path, *fields in files]
    columns: list[Any] = list(zip(*files, strict=True)) or [[] for _ in FILES]
    return pa.table([pa.array(values, field.type) for values, field in zip(columns, FILES, strict=True)], schema=FILES)


def _each_once(table: pa.Table) -> pa.Table:
    others = [name for name in FILES.names if name != "path"]
    grouped = table.group_by("path", use_threads=False).aggregate([(name, "first") for name in others])
    return (
        grouped.rename_columns([name.removesuffix("_first") for name in grouped.column_names])
        .select(FILES.names)
        .cast(FILES)
        .sort_by("path")
        .combine_chunks()
    )
