"""Run one operation for each file of a dataset on a cluster: `parquetext.upgrade` and the others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Unpack

import pyarrow as pa

from .. import compute as pc
from .. import wire
from ..catalog import SCHEMA
from ..edits.upgrade import default_placement
from ..errors import ParquetextError
from ..footer.forms import AUTO, Form
from .actions import ACTIONS, rehearse
from .filesystems import Filesystems, normal
from .job_options import ChangeJob, Job, RewriteJob, UpgradeJob
from .listing import listed
from .parallelism import pack, parallelism
from .parts import chunks_of
from .results import ROWS, begin, job_label, read_stored, store_skipped
from .running import run_tasks
from .shipping import ship
from .state import KNOWN, as_skipped, done_before, first_failure, split
from .tasks import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from ..edits.slots import Changes

CATALOG_ORDER = ("column", "file", "row_group")  # sort order of a stored catalog, which is read column by column
ON_ERROR = ("report", "raise")
LOCK_SECONDS = 60  # another attempt at the same task, or another job, may have locked the file


class JobFailed(ParquetextError):
    """Files of a job failed, or have findings.

    Attributes
    ----------
    results : pyspark.sql.DataFrame
        The rows that the job would have returned.
    """

    results: DataFrame


def upgrade(spark: SparkSession, paths: object, form: Form | str = AUTO, **options: Unpack[UpgradeJob]) -> DataFrame:
    """Add a faster footer to every file, as `parquetext.upgrade` does for one file.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A session, classic or of Spark Connect.
    paths : str, os.PathLike, an iterable of them, or a DataFrame of paths
        Files, directories and globs; see `list_files`.
    form : Form or str
        See `parquetext.upgrade`.
    **options
        See `parquetext.upgrade`, and `Job`: `state`, `on_error`, `progress`.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file: `path`, a URL without its secrets, as `catalog.names_of` names the paths of `list_files`;
        `outcome`, as `Result.outcome`, ``"skipped"``, ``"refused"`` (an intact file that must not be changed: part of a
        table, encrypted, signed) or ``"failed"``; `form_before`, `form_after`; `bytes_before`, `bytes_after`,
        `bytes_read`, `bytes_written`; `milliseconds`; `implementation` of the kernels; `error` (its class), `offset`,
        `message`; and `task`, -1 for files that were skipped.

    Raises
    ------
    JobFailed
        If ``on_error="raise"``, and a file failed.

    Examples
    --------
    >>> done = parquetext.spark.upgrade(spark, "lake", form="flat", progress=False)
    >>> [(row.outcome, row.form_after) for row in done.collect()]
    [('upgraded', 'flat')]
    """
    options.setdefault("placement", default_placement(form))  # recorded in the state, like the form
    return run(spark, "upgrade", paths, {"form": form, **options})


def add_page_index(
    spark: SparkSession, paths: object, *, bloom: object = (), wrap: bool = False, **options: Unpack[ChangeJob]
) -> DataFrame:
    """Add page indexes and Bloom filters to every file, as `parquetext.add_page_index` does for one file.

    The outcomes are ``"indexed"``, ``"unchanged"``, ``"skipped"``, ``"refused"`` and ``"failed"``.

    Parameters
    ----------
    spark, paths
        See `upgrade`.
    bloom, wrap
        See `parquetext.add_page_index`.
    **options
        See `parquetext.add_page_index` and `Job`.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file with the columns that `upgrade` describes.

    Raises
    ------
    JobFailed
        If ``on_error="raise"``, and a file failed.

    Examples
    --------
    >>> done = parquetext.spark.add_page_index(spark, "lake", progress=False)
    >>> [row.outcome for row in done.collect()]
    ['indexed']
    """
    columns = [bloom] if isinstance(bloom, str) else list(bloom)  # type: ignore[call-overload]
    return run(spark, "add_page_index", paths, {"bloom": columns, **_given({"wrap": wrap}), **options})


def encode(
    spark: SparkSession,
    paths: object,
    columns: Mapping[str | tuple[str, ...], str] | str,
    *,
    codec: str | None = None,
    max_growth: float | str | None = None,
    wrap: bool = False,
    **options: Unpack[RewriteJob],
) -> DataFrame:
    """Rewrite every file with copies of columns in other encodings, as `parquetext.encode` does for one file.

    The outcomes are ``"encoded"``, ``"unchanged"`` (every column has its copy), ``"skipped"``, ``"refused"`` and
    ``"failed"``.

    Parameters
    ----------
    spark, paths
        See `upgrade`.
    columns, codec, max_growth, wrap
        See `parquetext.encode`.
    **options
        See `parquetext.encode` and `Job`.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file with the columns that `upgrade` describes.

    Raises
    ------
    JobFailed
        If ``on_error="raise"``, and a file failed.

    Examples
    --------
    >>> done = parquetext.spark.encode(spark, "lake", {"id": "delta_binary_packed"}, progress=False)
    >>> [row.outcome for row in done.collect()]
    ['encoded']
    """
    given = {"codec": codec, "max_growth": max_growth, "wrap": wrap}
    columns = columns if isinstance(columns, str) else dict(columns)
    return run(spark, "encode", paths, {"columns": columns, **_given(given), **options})


def strip(spark: SparkSession, paths: object, *, kinds: object = None, **options: Unpack[ChangeJob]) -> DataFrame:
    """Remove our footers from every file, as `parquetext.strip` does for one file.

    The outcomes are ``"stripped"``, ``"unchanged"``, ``"skipped"``, ``"refused"`` and ``"failed"``.

    Parameters
    ----------
    spark, paths
        See `upgrade`.
    kinds
        See `parquetext.strip`.
    **options
        See `parquetext.strip` and `Job`.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file with the columns that `upgrade` describes.

    Raises
    ------
    JobFailed
        If ``on_error="raise"``, and a file failed.

    Examples
    --------
    >>> done = parquetext.spark.strip(spark, "lake", progress=False)
    >>> [row.outcome for row in done.collect()]
    ['unchanged']
    """
    return run(spark, "strip", paths, {**_given({"kinds": kinds}), **options})


def finalize(
    spark: SparkSession,
    paths: object,
    *,
    confirm: bool = False,
    extensions: Changes | None = None,
    **options: Unpack[ChangeJob],
) -> DataFrame:
    """Replace the footer of every file by a flat footer, as `parquetext.finalize` does for one file.

    Only parquetext reads such files, until `restore`. The outcomes are ``"finalized"``, ``"unchanged"``,
    ``"skipped"``, ``"refused"`` and ``"failed"``.

    Parameters
    ----------
    spark, paths
        See `upgrade`.
    confirm : bool
        True confirms that no other reader needs the files. A dry run needs no confirmation.
    extensions
        See `parquetext.finalize`.
    **options
        See `parquetext.finalize` and `Job`.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file with the columns that `upgrade` describes.

    Raises
    ------
    JobFailed
        If ``on_error="raise"``, and a file failed.
    Refused
        If `confirm` is missing.

    Examples
    --------
    >>> done = parquetext.spark.finalize(spark, "lake", confirm=True, progress=False)
    >>> [(row.outcome, row.form_after) for row in done.collect()]
    [('finalized', 'par3')]
    """
    return run(spark, "finalize", paths, {"confirm": confirm, **_given({"extensions": extensions}), **options})


def restore(
    spark: SparkSession, paths: object, *, form: Form | str | None = None, **options: Unpack[ChangeJob]
) -> DataFrame:
    """Restore the Thrift footers of finalized files, as `parquetext.restore` does for one file.

    The outcomes are ``"restored"``, ``"unchanged"``, ``"skipped"``, ``"refused"`` and ``"failed"``.

    Parameters
    ----------
    spark, paths
        See `upgrade`.
    form
        See `parquetext.restore`.
    **options
        See `parquetext.restore` and `Job`.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file with the columns that `upgrade` describes.

    Raises
    ------
    JobFailed
        If ``on_error="raise"``, and a file failed.

    Examples
    --------
    >>> parquetext.finalize("lake/day=2024-01-01/part.parquet", confirm=True).outcome
    'finalized'
    >>> [row.outcome for row in parquetext.spark.restore(spark, "lake", progress=False).collect()]
    ['restored']
    """
    return run(spark, "restore", paths, {**_given({"form": form}), **options})


def verify(
    spark: SparkSession, paths: object, *, pages: bool = False, deep: bool = False, **options: Unpack[Job]
) -> DataFrame:
    """Check every file, as `parquetext.verify` does for one file.

    The outcomes are ``"ok"``, ``"findings"`` (`message` contains the first ten, `offset` the first one's),
    ``"skipped"`` and ``"failed"``.

    Parameters
    ----------
    spark, paths
        See `upgrade`.
    pages, deep
        See `parquetext.verify`.
    **options
        See `Job`.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file with the columns that `upgrade` describes.

    Raises
    ------
    JobFailed
        If ``on_error="raise"``, and a file failed or has findings.

    Examples
    --------
    >>> done = parquetext.spark.verify(spark, "lake", deep=True, progress=False)
    >>> [(row.outcome, row.message) for row in done.collect()]
    [('ok', '')]
    """
    return run(spark, "verify", paths, {**_given({"pages": pages, "deep": deep}), **options})


def build_sidecars(
    spark: SparkSession, paths: object, *, external_blooms: bool = False, ignore: object = (), **options: Unpack[Job]
) -> DataFrame:
    """Write the sidecar of every file, as `parquetext.sidecar.build` does for one file.

    The outcomes are ``"built"``, ``"skipped"``, ``"refused"`` and ``"failed"``.

    Parameters
    ----------
    spark, paths
        See `upgrade`.
    external_blooms, ignore
        See `parquetext.sidecar.build`.
    **options
        See `Job`.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file with the columns that `upgrade` describes.

    Raises
    ------
    JobFailed
        If ``on_error="raise"``, and a file failed.

    Examples
    --------
    >>> [row.outcome for row in parquetext.spark.build_sidecars(spark, "lake", progress=False).collect()]
    ['built']
    """
    given = _given({"external_blooms": external_blooms, "ignore": ignore})
    return run(spark, "build_sidecars", paths, {**given, **options})


def build_catalog(spark: SparkSession, paths: object, *, sidecars: bool = False, **options: Unpack[Job]) -> DataFrame:
    """Collect the metadata of all files in one table with one row per column chunk: `parquetext.catalog.SCHEMA`.

    Parameters
    ----------
    spark, paths
        See `upgrade`.
    sidecars : bool
        Also look for the sidecars of remote files, which costs one or two requests for each file.
    **options
        See `Job`. With a state, only files that are new or changed are read again; the rows of the others are those
        that an earlier run has stored in that folder.

    Returns
    -------
    pyspark.sql.DataFrame
        `parquetext.plan` plans from it, in memory or stored as Parquet; `read` and the data source plan from one stored
        as Parquet. If it is sorted by column, file and row group, a plan reads only the rows of the columns that it
        uses. A file that cannot be read has one row, with `error`. The attribute `files` is a second DataFrame with one
        row per file, like the result of other jobs; the outcomes are ``"read"``, ``"skipped"``, ``"refused"``
        (encrypted) and ``"failed"``.

    Raises
    ------
    JobFailed
        If ``on_error="raise"``, and a file failed; its `results` are the rows of the catalog.

    Notes
    -----
    Tasks read only the tails of files, and store Arrow batches as Parquet beside the rows of files. A task keeps at
    most a million rows in memory, compressed.

    Examples
    --------
    >>> found = parquetext.spark.build_catalog(spark, "lake", progress=False)
    >>> [(row.column, row.row_group_rows, row.max_integer) for row in found.orderBy("column").collect()]
    [('id', 9, 8), ('price', 9, None)]
    """
    done = _finish(spark, "build_catalog", paths, {**_given({"sidecars": sidecars}), **options})
    kept = defaultdict(list)  # paths of the skipped files, by the stored file that contains their chunks
    for part, path in zip(done.records["part"].to_pylist(), done.records["path"].to_pylist(), strict=True):
        kept[chunks_of(part)].append(path)
    chunks: Any = read_stored(spark, done.filesystems, SCHEMA, list(map(chunks_of, done.parts)), kept)
    chunks.files = done.rows(spark)
    return done.checked(chunks)


def run(spark: SparkSession, action: str, paths: object, options: Mapping[str, Any]) -> DataFrame:
    """Apply `action` once to every file that `paths` select, and return the results; see `upgrade`.

    `options` contain those of `Job` and those of the operation.
    """
    done = _finish(spark, action, paths, options)
    return done.checked(done.rows(spark))


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that differ from their defaults, which are all false: only these are part of the state."""
    return {name: value for name, value in options.items() if value}


@dataclass(frozen=True)
class _Done:
    """A job that has run.

    Attributes
    ----------
    filesystems : Filesystems
    parts : list of str
        Files with the results that its tasks have stored.
    skipped : list of str
        Files with the results for skipped files.
    records : pyarrow.Table
        Records of the skipped files from earlier runs; see `state.KNOWN`.
    failure : str
        Description of the first failure, or an empty string.
    on_error : str
        See `Job`.
    """

    filesystems: Filesystems
    parts: list[str]
    skipped: list[str]
    records: pa.Table
    failure: str
    on_error: str

    def rows(self, spark: SparkSession) -> DataFrame:
        """Return one row per file."""
        return read_stored(spark, self.filesystems, ROWS, [*self.skipped, *self.parts])

    def checked(self, results: DataFrame) -> DataFrame:
        """Return the results, or raise JobFailed with them if a file failed and `on_error` is ``"raise"``."""
        if self.on_error == "raise" and self.failure:
            error = JobFailed(f"files failed, the first of them: {self.failure}")
            error.results = results
            raise error
        return results


def _finish(spark: SparkSession, action: str, paths: object, options: Mapping[str, Any]) -> _Done:
    """Apply `action` once to every file that `paths` select."""
    job: dict[str, Any] = {"state": None, "on_error": "report", "progress": True}
    options = dict(options)
    job.update({name: options.pop(name) for name in job if name in options})
    if job["on_error"] not in ON_ERROR:
        raise ParquetextError(
            f"no such choice on errors: {job['on_error']!r} (known: {', '.join(ON_ERROR)})", code=wire.BAD_ARGUMENT
        )
    if ACTIONS[action].changes:
        options = {"timeout": LOCK_SECONDS, **options}
    rehearse(action, options)
    ship(spark)
    filesystems, label = Filesystems.of(spark), job_label(action, options)
    files = listed(spark, filesystems, paths)
    records, state = KNOWN.empty_table(), job["state"]
    if state is not None:  # the folder may be within the dataset
        state = normal(state)
        files = files.filter(pc.invert(pc.starts_with(files["path"], f"{state}/")))
        records = done_before(filesystems, state, label)
    folder = begin(spark, filesystems, state, label)
    files, records = split(files, records)
    skipped = as_skipped(records)
    work = Work(action, options, label, folder, filesystems)
    tasks = _tasks(files, action, options, parallelism(spark))
    parts = run_tasks(spark, work, tasks, job["progress"], skipped.num_rows)
    failures = [first_failure(skipped), *(part.first_failure for part in parts)]
    return _Done(
        filesystems,
        [part.url for part in parts],
        store_skipped(filesystems, folder, skipped),
        records,
        next(filter(None, failures), ""),
        job["on_error"],
    )


def _tasks(files: pa.Table, action: str, options: Mapping[str, Any], slots: int) -> list[list[tuple[Any, ...]]]:
    """Return the rows of the files, grouped into tasks of similar weight."""
    weights = [ACTIONS[action].weight(size, options) for size in files["size"].to_pylist()]
    rows = list(zip(*(column.to_pylist() for column in files.columns), strict=True))
    return [[rows[position] for position in task] for task in pack(weights, slots)]
