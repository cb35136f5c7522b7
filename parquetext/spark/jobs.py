"""One verb over a whole dataset: what `parquetext.upgrade` and its like do to one file, on a cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from .. import wire
from ..edits.upgrade import default_placement
from ..errors import ParquetextError
from ..footer.forms import AUTO, Form
from .actions import ACTIONS, rehearse
from .balance import pack
from .filesystems import Filesystems, normal
from .listing import listed
from .parallelism import parallelism
from .results import ROWS, begin, job_label, read_stored, store_skipped
from .running import run_tasks
from .shipping import ship
from .state import KNOWN, as_skipped, done_before, first_failure, split
from .tasks import Work

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

__all__ = [
    "Done",
    "JobFailed",
    "build_sidecars",
    "encode",
    "finalize",
    "finish",
    "restore",
    "run",
    "strip",
    "upgrade",
    "verify",
]

ON_ERROR = ("report", "raise")
LOCK_SECONDS = 60  # another attempt at the same task, or another job, is at the file


class JobFailed(ParquetextError):
    """Files of a job failed, or have findings.

    Attributes
    ----------
    results : pyspark.sql.DataFrame
        What the job would have returned.
    """

    results: DataFrame


def upgrade(
    spark: SparkSession,
    paths: object,
    form: Form | str = AUTO,
    *,
    state: str | None = None,
    on_error: str = "report",
    progress: bool = True,
    **options: object,
) -> DataFrame:
    """Give every file a faster footer beside the one that it has, as `parquetext.upgrade` does it to one.

    The job runs before the call returns; the DataFrame reads what it has stored.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        A classic session.
    paths : str, os.PathLike, an iterable of them, or a DataFrame of paths
        Files, directories and globs; see `list_files`.
    form, **options
        As `parquetext.upgrade` takes them; `timeout` is 60 seconds unless told otherwise.
    state : str, optional
        A folder, on a filesystem that all machines share, that records what is done, as Parquet, while it is being
        done. Files that it has as they are now are skipped; a job that was killed goes on where it was. Files that
        failed are tried again, unless their bytes are what is wrong and have not changed. It has no secrets of URLs:
        a file whose URL has a masked query is skipped only by its ETag.
    on_error : str
        ``"report"``, or ``"raise"``: `JobFailed` in the end if any file failed or has findings, not for refused ones.
    progress : bool
        Tell on standard error how far the job is, and in the end what it did with which kernels.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file: `path`, a URL without its secrets, as `catalog.names_of` names the paths of `list_files`;
        `outcome`, as `Result.outcome`, ``"skipped"``, ``"refused"`` (a sound file that must not be touched: of a
        table, encrypted, signed) or ``"failed"``; `form_before`, `form_after`; `bytes_before`,
        `bytes_after`, `bytes_read`, `bytes_written`; `milliseconds`; `implementation` of the kernels; `error` (its
        class), `offset`, `message`; and `task`, -1 for files that were skipped.

    Raises
    ------
    JobFailed
        With ``on_error="raise"``.

    Notes
    -----
    Without `state` the results are in a temporary folder of this machine in local mode, which goes with the process,
    and below ``spark.sql.warehouse.dir``, in ``_parquetext``, on a cluster; tasks that do not see them there say so.
    The driver's Python holds 0.15 kB for each listed file, and 0.4 kB more while tasks are made. What tasks of like
    weight are: `balance.pack`.

    Examples
    --------
    >>> done = parquetext.spark.upgrade(spark, "lake", form="flat", progress=False)
    >>> [(row.outcome, row.form_after) for row in done.collect()]
    [('upgraded', 'flat')]
    """
    options.setdefault("placement", default_placement(form))  # for the state, as the form
    return run(spark, "upgrade", paths, {"form": form, **options}, state, on_error, progress)


def encode(
    spark: SparkSession,
    paths: object,
    columns: Mapping[str | tuple[str, ...], str] | str,
    *,
    state: str | None = None,
    on_error: str = "report",
    progress: bool = True,
    **options: object,
) -> DataFrame:
    """Give columns of every file a copy in another encoding, as `parquetext.encode` does; otherwise as `upgrade`.

    Each file is written anew.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        As `upgrade` takes it.
    paths : str, os.PathLike, an iterable of them, or a DataFrame of paths
        Files, directories and globs; see `list_files`.
    columns : mapping of str to str, or "best"
        Columns and their encodings, as the verb takes them.
    state, on_error, progress
        As `upgrade` takes them.
    **options
        As the verb takes them.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file, as `upgrade` gives them. Outcomes are ``"encoded"``, ``"unchanged"`` (every
        column has its copy), ``"skipped"``, ``"refused"`` and ``"failed"``.

    Raises
    ------
    JobFailed
        With ``on_error="raise"``.

    Examples
    --------
    >>> done = parquetext.spark.encode(spark, "lake", {"id": "delta_binary_packed"}, progress=False)
    >>> [row.outcome for row in done.collect()]
    ['encoded']
    """
    columns = columns if isinstance(columns, str) else dict(columns)
    return run(spark, "encode", paths, {"columns": columns, **options}, state, on_error, progress)


def strip(
    spark: SparkSession,
    paths: object,
    *,
    state: str | None = None,
    on_error: str = "report",
    progress: bool = True,
    **options: object,
) -> DataFrame:
    """Take our footers out of every file again, as `parquetext.strip` does; otherwise as `upgrade` of this module.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        As `upgrade` takes it.
    paths : str, os.PathLike, an iterable of them, or a DataFrame of paths
        Files, directories and globs; see `list_files`.
    state, on_error, progress
        As `upgrade` takes them.
    **options
        As the verb takes them.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file, as `upgrade` gives them. Outcomes are ``"stripped"``, ``"unchanged"``,
        ``"skipped"``, ``"refused"`` and ``"failed"``.

    Raises
    ------
    JobFailed
        With ``on_error="raise"``.

    Examples
    --------
    >>> done = parquetext.spark.strip(spark, "lake", progress=False)
    >>> [row.outcome for row in done.collect()]
    ['unchanged']
    """
    return run(spark, "strip", paths, options, state, on_error, progress)


def finalize(
    spark: SparkSession,
    paths: object,
    *,
    confirm: bool = False,
    state: str | None = None,
    on_error: str = "report",
    progress: bool = True,
    **options: object,
) -> DataFrame:
    """Make files that only parquetext reads, as `parquetext.finalize` does; otherwise as `upgrade` of this module.

    Readers of today cannot read such files, until `restore`.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        As `upgrade` takes it.
    paths : str, os.PathLike, an iterable of them, or a DataFrame of paths
        Files, directories and globs; see `list_files`.
    confirm : bool
        Whether nobody else has to read the files.
    state, on_error, progress
        As `upgrade` takes them.
    **options
        As the verb takes them.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file, as `upgrade` gives them. Outcomes are ``"finalized"``, ``"unchanged"``,
        ``"skipped"`` and ``"failed"``.

    Raises
    ------
    JobFailed
        With ``on_error="raise"``.
    Refused
        Without ``confirm=True``, except in a dry run.

    Examples
    --------
    >>> done = parquetext.spark.finalize(spark, "lake", confirm=True, progress=False)
    >>> [(row.outcome, row.form_after) for row in done.collect()]
    [('finalized', 'par3')]
    """
    return run(spark, "finalize", paths, {"confirm": confirm, **options}, state, on_error, progress)


def restore(
    spark: SparkSession,
    paths: object,
    *,
    state: str | None = None,
    on_error: str = "report",
    progress: bool = True,
    **options: object,
) -> DataFrame:
    """Bring Thrift footers back, as `parquetext.restore` does; otherwise as `upgrade` of this module.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        As `upgrade` takes it.
    paths : str, os.PathLike, an iterable of them, or a DataFrame of paths
        Files, directories and globs; see `list_files`.
    state, on_error, progress
        As `upgrade` takes them.
    **options
        As the verb takes them.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file, as `upgrade` gives them. Outcomes are ``"restored"``, ``"unchanged"``,
        ``"skipped"``, ``"refused"`` and ``"failed"``.

    Raises
    ------
    JobFailed
        With ``on_error="raise"``.

    Examples
    --------
    >>> parquetext.finalize("lake/day=2024-01-01/part.parquet", confirm=True).outcome
    'finalized'
    >>> [row.outcome for row in parquetext.spark.restore(spark, "lake", progress=False).collect()]
    ['restored']
    """
    return run(spark, "restore", paths, options, state, on_error, progress)


def verify(
    spark: SparkSession,
    paths: object,
    *,
    state: str | None = None,
    on_error: str = "report",
    progress: bool = True,
    **options: object,
) -> DataFrame:
    """Check every file, as `parquetext.verify` does; otherwise as `upgrade` of this module.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        As `upgrade` takes it.
    paths : str, os.PathLike, an iterable of them, or a DataFrame of paths
        Files, directories and globs; see `list_files`.
    state, on_error, progress
        As `upgrade` takes them.
    **options
        `pages` and `deep`, as the verb takes them.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file, as `upgrade` gives them. Outcomes are ``"ok"``, ``"findings"``
        (`message` has the first ten, `offset` the first one's), ``"skipped"`` and ``"failed"``.

    Raises
    ------
    JobFailed
        With ``on_error="raise"``.

    Examples
    --------
    >>> done = parquetext.spark.verify(spark, "lake", deep=True, progress=False)
    >>> [(row.outcome, row.message) for row in done.collect()]
    [('ok', '')]
    """
    return run(spark, "verify", paths, options, state, on_error, progress)


def build_sidecars(
    spark: SparkSession,
    paths: object,
    *,
    state: str | None = None,
    on_error: str = "report",
    progress: bool = True,
    **options: object,
) -> DataFrame:
    """Write every file's sidecar, as `parquetext.sidecar.build` does; otherwise as `upgrade` of this module.

    Parameters
    ----------
    spark : pyspark.sql.SparkSession
        As `upgrade` takes it.
    paths : str, os.PathLike, an iterable of them, or a DataFrame of paths
        Files, directories and globs; see `list_files`.
    state, on_error, progress
        As `upgrade` takes them.
    **options
        As `parquetext.sidecar.build` takes them.

    Returns
    -------
    pyspark.sql.DataFrame
        One row per file, as `upgrade` gives them. Outcomes are ``"built"``, ``"skipped"``,
        ``"refused"`` and ``"failed"``.

    Raises
    ------
    JobFailed
        With ``on_error="raise"``.

    Examples
    --------
    >>> [row.outcome for row in parquetext.spark.build_sidecars(spark, "lake", progress=False).collect()]
    ['built']
    """
    return run(spark, "build_sidecars", paths, options, state, on_error, progress)


def run(
    spark: SparkSession,
    action: str,
    paths: object,
    options: Mapping,
    state: str | None = None,
    on_error: str = "report",
    progress: bool = True,
) -> DataFrame:
    """Do `action` to every file that `paths` stand for, once, and return the results; see `upgrade`."""
    done = finish(spark, action, paths, options, state, on_error, progress)
    return done.checked(done.rows(spark), on_error)


@dataclass(frozen=True)
class Done:
    """A job that has run.

    Attributes
    ----------
    filesystems : Filesystems
    parts : list of str
        The files of results that its tasks have stored.
    skipped : list of str
        Those of the files that were left alone.
    records : pyarrow.Table
        What earlier runs have recorded of these, as `state.KNOWN` says.
    failure : str
        The first one, in words, or nothing.
    """

    filesystems: Filesystems
    parts: list[str]
    skipped: list[str]
    records: pa.Table
    failure: str

    def rows(self, spark: SparkSession) -> DataFrame:
        """One row per file."""
        return read_stored(spark, self.filesystems, ROWS, [*self.skipped, *self.parts])

    def checked(self, results: DataFrame, on_error: str) -> DataFrame:
        """The results; JobFailed with them, where that is asked for and something has failed."""
        if on_error == "raise" and self.failure:
            error = JobFailed(f"files failed, the first of them: {self.failure}")
            error.results = results
            raise error
        return results


def finish(
    spark: SparkSession, action: str, paths: object, options: Mapping, state: str | None, on_error: str, progress: bool
) -> Done:
    """Do `action` to every file that `paths` stand for, once."""
    if on_error not in ON_ERROR:
        raise ParquetextError(
            f"no such choice on errors: {on_error!r} (known: {', '.join(ON_ERROR)})", code=wire.BAD_ARGUMENT
        )
    if ACTIONS[action].changes:
        options = {"timeout": LOCK_SECONDS, **options}
    rehearse(action, options)
    ship(spark)
    filesystems, label = Filesystems.of(spark), job_label(action, options)
    files = listed(spark, filesystems, paths)
    records = KNOWN.empty_table()
    if state is not None:  # within the dataset, perhaps
        state = normal(state)
        files = files.filter(pc.invert(pc.starts_with(files["path"], f"{state}/")))
        records = done_before(filesystems, state, label)
    folder = begin(spark, filesystems, state, label)
    files, records = split(files, records)
    skipped = as_skipped(records)
    work = Work(action, dict(options), label, folder, filesystems)
    tasks = _tasks(files, action, options, parallelism(spark))
    parts = run_tasks(spark, work, tasks, progress, skipped.num_rows)
    failures = [first_failure(skipped), *(part.first_failure for part in parts)]
    return Done(
        filesystems,
        [part.url for part in parts],
        store_skipped(filesystems, folder, skipped),
        records,
        next(filter(None, failures), ""),
    )


def _tasks(files: pa.Table, action: str, options: Mapping, slots: int) -> list[list[tuple]]:
    """The rows of the files, in tasks of like weight."""
    weights = [ACTIONS[action].weight(size, options) for size in files["size"].to_pylist()]
    rows = list(zip(*(column.to_pylist() for column in files.columns), strict=True))
    return [[rows[position] for position in task] for task in pack(weights, slots)]
