"""What a task does with its files, on an executor."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from .. import kernels
from ..errors import Conflict, Unsupported
from ..storage import LocalTarget, RemoteTarget, open_source
from .actions import ACTIONS, FAILED, prepared, refuse_table
from .crashes import Doing
from .filesystems import Filesystems
from .folders import NOT_THERE
from .results import JOB_FILE, Row, as_table, part_name, store

if TYPE_CHECKING:
    from pyspark import Accumulator

__all__ = ["Part", "Work"]

RECORD_SECONDS = 20     # how much of a task's work a kill can take out of the record
AT_ONCE = 8             # objects: requests take long and cost no processor
ATTEMPTS = 4
PAUSE_SECONDS = 0.25    # before the second attempt; doubled each time
_LASTING = (FileNotFoundError, PermissionError, NotADirectoryError, IsADirectoryError)
_LASTING_AWS = re.compile(r"AWS Error (ACCESS_DENIED|NO_SUCH_BUCKET|INVALID_ACCESS_KEY_ID|SIGNATURE_DOES_NOT_MATCH)")


class File(NamedTuple):
    """What a listing tells."""

    path: str
    size: int
    modified: int
    etag: str
    table: str


class Part(NamedTuple):
    """A stored file of results, as its task tells the driver."""

    url: str
    outcomes: Counter
    task: int
    implementation: str
    first_failure: str


@dataclass
class Work:
    """A job as its tasks know it; picklable."""

    action: str
    options: dict
    job: str
    folder: str
    filesystems: Filesystems
    files_done: Accumulator | None = None
    bytes_done: Accumulator | None = None

    def __call__(self, task: int, partition: Iterator[list[tuple]]) -> Iterator[Part]:
        """Do the files of a partition; a part of the results every RECORD_SECONDS, and at the end."""
        check_shared(self.filesystems, self.folder)
        rows: list[Row] = []
        recorded = time.monotonic()
        for row in self._rows(task, [File(*each) for files in partition for each in files]):
            rows.append(row)
            if time.monotonic() - recorded > RECORD_SECONDS:
                yield self._recorded(task, rows)
                rows, recorded = [], time.monotonic()
        if rows:
            yield self._recorded(task, rows)

    def _rows(self, task: int, files: list[File]) -> Iterator[Row]:
        remote = any(isinstance(self.filesystems.target(file.path), RemoteTarget) for file in files)
        doing = Doing(self.filesystems, self.folder, task, _attempt())
        at_once = remote and not doing.is_noted
        with ThreadPoolExecutor(AT_ONCE if at_once else 1) as pool:
            do = partial(self._row, task, doing)
            for row in pool.map(do, files) if at_once else map(do, files):
                self.files_done += 1
                self.bytes_done += max(row.bytes_before, 0)
                yield row

    def _row(self, task: int, doing: Doing, file: File) -> Row:
        row = Row(file.path, bytes_before=max(file.size, 0), bytes_after=max(file.size, 0), task=task, job=self.job,
                  implementation=kernels.implementation())
        start = time.perf_counter()
        try:
            target = self.filesystems.target(file.path)
            with doing.file(file.path):
                done = self._done(file, target)
            for name, value in done.items():
                setattr(row, name, value)
            left = row.bytes_before if self.options.get("dry_run") else row.bytes_after
            row.size, row.modified, row.etag = _identity_if_told(target, left)
        except Exception as error:
            row.outcome, row.error = "failed", type(error).__name__
            row.offset, row.message = getattr(error, "offset", None), getattr(error, "message", str(error))
            row.size, row.modified, row.etag = file.size, file.modified, file.etag
        row.milliseconds = (time.perf_counter() - start) * 1e3
        return row

    def _done(self, file: File, target: LocalTarget | RemoteTarget) -> dict:
        action = ACTIONS[self.action]
        forced, options = prepared(action, self.options)
        if action.changes:
            refuse_table(file.table, forced, file.path)
        return patiently(lambda: action.run(target, options), remote=isinstance(target, RemoteTarget))

    def _recorded(self, task: int, rows: list[Row]) -> Part:
        failed = [row for row in rows if row.outcome in FAILED]
        url = patiently(lambda: store(self.filesystems, self.folder, part_name(task), as_table(rows)), remote=True)
        return Part(url, Counter(row.outcome for row in rows), task, rows[0].implementation,
                    f"{failed[0].path}: {failed[0].message}" if failed else "")


def patiently(action: Callable, *, remote: bool):
    """What `action` gives, tried again where somebody else was at the file, or a request failed for now."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return action()
        except (Conflict, OSError) as error:
            if attempt == ATTEMPTS or not (isinstance(error, Conflict) or (remote and _may_pass(error))):
                raise
        time.sleep(PAUSE_SECONDS * 2 ** attempt)
    raise AssertionError("unreachable")


def _may_pass(error: OSError) -> bool:
    return not isinstance(error, _LASTING) and not _LASTING_AWS.search(str(error))


def identity(target: LocalTarget | RemoteTarget) -> tuple[int, int, str]:
    """Size, time of modification in ns and ETag, as far as the filesystem tells them."""
    if isinstance(target, LocalTarget):
        status = os.stat(target.path)
        return status.st_size, status.st_mtime_ns, ""
    with open_source(target) as source:
        etag, dated = source.version.identity
        modified = source.version.modified or 0
        return source.size, modified or _nanoseconds(dated or ""), etag or ""


def _nanoseconds(dated: str) -> int:
    """A time as pyarrow tells it of an object; 0 for none."""
    try:
        return int(datetime.fromisoformat(dated).timestamp()) * 10**9
    except ValueError:
        return 0


def _identity_if_told(target: LocalTarget | RemoteTarget, size: int) -> tuple[int, int, str]:
    """The identity of a file that was left with so many bytes; one that no file has where it is another by now."""
    try:
        found = patiently(lambda: identity(target), remote=isinstance(target, RemoteTarget))
    except OSError:
        return NOT_THERE, 0, ""
    return found if found[0] == size else (NOT_THERE, 0, "")


def _attempt() -> int:
    from pyspark import TaskContext

    return TaskContext.get().attemptNumber()


def check_shared(filesystems: Filesystems, folder: str) -> None:
    """Unsupported unless the folder of results is the one that the driver has made."""
    try:
        with open_source(filesystems.target(f"{folder}/{JOB_FILE}")):
            pass
    except FileNotFoundError:
        raise Unsupported(f"{folder}: results are stored here, but this machine does not see what the driver has "
                          "written: give state=, a path that all machines share") from None
