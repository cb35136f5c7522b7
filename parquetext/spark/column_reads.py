"""`parquetext.spark.read`: read some columns of the rows that match filters."""

from __future__ import annotations

import functools
import json
import operator
import os
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..pruning import Comparison
from .filesystems import Filesystems, local_path, normal
from .parallelism import parallelism
from .shipping import ship
from .versions import has_data_source

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


def read(
    spark: SparkSession,
    path: object,
    columns: Sequence[str] | None = None,
    filters: object = None,
    *,
    catalog: str | os.PathLike[str] | None = None,
    **options: Any,
) -> DataFrame:
    """Read Parquet files by their fastest footers, as ``spark.read.format("parquetext")`` does.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A session, classic or of Spark Connect; the latter needs the package on its server.
    path : str, os.PathLike, or list of them
        Files, or directories of files, with or without Hive partitions. URLs are resolved with the session's ``fs.…``
        settings, and timestamps in names of directories are in its time zone.
    columns : list of str, optional
        Top-level columns, which may be keys of directories; by default all. If the footers are flat, not even the
        metadata of other columns is read.
    filters : list of tuples or list of lists of tuples, optional
        As in `parquetext.read_table`, an OR of ANDs. Row groups that they exclude are not read; a value whose type
        differs from the column's excludes nothing. Rows are compared by Spark's rules.
    catalog : str or os.PathLike, optional
        A stored catalog of the files (`parquetext.spark.build_catalog`): files that the filters exclude are neither
        opened nor assigned to a task. Listed files that are missing in the catalog, or have another size or time there,
        are read as without it. With ``listing=False`` nothing is listed, and the files are those of the catalog.
    **options
        Options of the data source; see docs/spark.md.

    Returns
    -------
    pyspark.sql.DataFrame
        Lazy; schemas and footers are read by Python workers.

    Raises
    ------
    TypeError, ValueError
        If the filters or the columns are invalid.

    Examples
    --------
    >>> parquetext.spark.read(spark, "lake", ["id", "day"], [("id", "<", 2)]).orderBy("id").collect()
    [Row(id=0, day=datetime.date(2024, 1, 1)), Row(id=1, day=datetime.date(2024, 1, 1))]
    """
    ship(spark)
    if isinstance(columns, str):
        raise TypeError(f"columns is a list of names, not {columns!r}")
    alternatives = _alternatives(filters)
    paths = [normal(each) for each in (path if isinstance(path, (list, tuple)) else [path])]
    positions = list(paths)
    if catalog is not None:
        positions.append(normal(catalog))
        options["catalog"] = positions[-1]
    settings: Any = {} if all(local_path(each) is not None for each in positions) else Filesystems.of(spark).options
    settings["minPartitionNum"] = spark.conf.get("spark.sql.files.minPartitionNum", None) or parallelism(spark)
    settings["timeZone"] = spark.conf.get("spark.sql.session.timeZone")
    if "basePath" in options:
        options["basePath"] = normal(options["basePath"])
    options = {**settings, **options}
    if columns is not None:
        used = [part.column for parts in alternatives for part in parts]
        options["columns"] = json.dumps(list(dict.fromkeys([*columns, *used])))
    if alternatives:
        from .source.prune import encoded

        options["prune"] = encoded(alternatives, spark.conf.get("spark.sql.timestampType") == "TIMESTAMP_LTZ")
    frame = _loaded(spark, paths, {name: _option(value) for name, value in options.items()})
    if alternatives:
        frame = frame.where(functools.reduce(operator.or_, (_condition(frame, parts) for parts in alternatives)))
    return frame if columns is None else frame.select(*map(_quoted, columns))


def _loaded(spark: SparkSession, paths: list[str], options: dict[str, str]) -> DataFrame:
    if has_data_source():
        return spark.read.format("parquetext").options(**options).load(paths)
    from .source.job_reads import read_by_job

    return read_by_job(spark, {**options, "paths": json.dumps(paths)})


def _option(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _alternatives(filters: Any) -> list[list[Comparison]]:
    """Return the expression as an OR of ANDs."""
    if filters is None:
        return []
    if not isinstance(filters, (list, tuple)) or not filters:
        raise TypeError("filters is a list of (column, operator, value), or a list of such lists")
    groups = filters if isinstance(filters[0], list) else [filters]
    if not all(groups):
        raise TypeError("filters has an empty list, which no row meets or fails")
    for part in (part for group in groups for part in group):
        if not isinstance(part, (list, tuple)) or len(part) != 3:
            raise TypeError(f"a filter is (column, operator, value), not {part!r}")
    return [[Comparison(*part) for part in group] for group in groups]


def _condition(frame: DataFrame, parts: Iterable[Comparison]) -> Column:
    return functools.reduce(operator.and_, (_compared(frame, part) for part in parts))


def _compared(frame: DataFrame, part: Comparison) -> Column:
    column = frame[_quoted(part.column)]
    if part.operator in ("in", "not in"):
        held = column.isin(list(part.value))
        return held if part.operator == "in" else ~held
    compare = _COMPARE.get(part.operator)
    if compare is None:
        raise ValueError(f"{part.operator!r} is no operator; there are {', '.join([*_COMPARE, 'in', 'not in'])}")
    return compare(column, part.value)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


_COMPARE: dict[str, Callable[[Column, Any], Column]] = {
    "=": operator.eq,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
