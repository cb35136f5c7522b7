"""Options of the Spark jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from ..edits.options import ChangeOptions, RewriteOptions

if TYPE_CHECKING:
    from ..edits.slots import Changes


class Job(TypedDict, total=False):
    """Options of every job.

    Parameters
    ----------
    state : str, optional
        A folder, on a filesystem that all machines share, in which the job records its progress as Parquet. Files that
        are recorded there and unchanged since are skipped, so a job that was killed resumes. Failed files are tried
        again, except damaged files that have not changed. The record contains no secrets of URLs: a file whose URL has
        a masked query is skipped only by its ETag.
    on_error : {"report", "raise"}
        If ``"raise"``, `JobFailed` is raised at the end if a file failed or has findings, but not if it was refused.
    progress : bool
        Print the progress on standard error, and at the end a summary with the kernels' implementation. The default is
        True.

    Notes
    -----
    The job runs before the call returns; the DataFrame reads its stored results. Without `state` they are stored in a
    temporary folder of this machine in local mode, which is removed when the process ends, and on a cluster in
    ``_parquetext`` below ``spark.sql.warehouse.dir``; tasks that cannot access the folder raise an error. The driver's
    Python needs 0.15 kB for each listed file, and 0.4 kB more while tasks are created; `parallelism.pack` assigns
    files to tasks of similar weight.
    """

    state: str | None
    on_error: str
    progress: bool


class RewriteJob(Job, RewriteOptions):
    """Options of jobs that rewrite files; the default of `timeout` is 60 seconds."""


class ChangeJob(Job, ChangeOptions):
    """Options of jobs that change the ends of files; the default of `timeout` is 60 seconds."""


class UpgradeJob(ChangeJob, total=False):
    """Options of `upgrade` on Spark; see `parquetext.upgrade` and `Job`."""

    stats: str
    placement: str | None
    marker: str
    wrap: bool
    extensions: Changes | None
