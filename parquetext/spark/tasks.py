"""What a task does with its files, on an executor."""

from __future__ import annotations

import gc
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from .. import kernels, sidecar
from ..edits.table_logs import refuse_foreign_sidecar
from ..errors import Unsupported
from ..storage import Target, open_source
from .actions import ACTIONS, FOUND, prepared, refuse_sidecar, refuse_table
from .counters import BYTES, FILES
from .crashes import Doing
from .filesystems import Filesystems, local_path
from .folders import NOT_THERE
from .parts import ChunkRows, Part, Rows
from .patience import patiently
from .results import JOB_FILE, Row

if TYPE_CHECKING:
    from pyspark import Accumulator

__all__ = ["Work"]

AT_ONCE = 8  # objects: requests take long and cost no processor
AHEAD = 8 * AT_ONCE  # files that may be done before a slow one


class File(NamedTuple):
    """What a listing tells, and the name that is stored, without secrets; none: the path."""

    path: str
    size: int
    modified: int
    etag: str
    table: str
    name: str | None = None

    @property
    def stored(self) -> str:
        """What results and notes call the file."""
        return self.path if self.name is None else self.name


@dataclass
class Work:
    """A job as its tasks know it; picklable."""

    action: str
    options: dict
    job: str
    folder: str
    filesystems: Filesystems
    done: Accumulator | None = None

    def __call__(self, task: int, partition: Iterator[list[tuple]]) -> Iterator[Part]:
        """Do the files of a partition; a part of the results every now and then, and at the end."""
        check_shared(self.filesystems, self.folder)
        kind = ChunkRows if ACTIONS[self.action].finds else Rows
        rows = kind(self.filesystems, self.folder, task)
        for row, found in self._rows(task, [File(*each) for files in partition for each in files]):
            rows.add(row, found)
            if rows.is_due():
                yield from patiently(rows.store, remote=True)
        yield from patiently(rows.store, remote=True)
        _spare_modules()

    def _rows(self, task: int, files: list[File]) -> Iterator[tuple[Row, object]]:
        remote = any(local_path(file.path) is None for file in files)
        doing = Doing(self.filesystems, self.folder, task, _attempt())
        at_once = remote and not doing.is_noted
        with doing, ThreadPoolExecutor(AT_ONCE if at_once else 1) as pool:
            do, files = partial(self._row, task, doing), sorted(files, key=lambda file: doing.is_doubtful(file.stored))
            for row, found in _ahead(pool, do, files) if at_once else map(do, files):
                if self.done is not None:
                    self.done += Counter({FILES: 1, BYTES: max(row.bytes_before, 0), row.outcome: 1})
                yield row, found

    def _row(self, task: int, doing: Doing, file: File) -> tuple[Row, object]:
        """A file's row, and what the action has found or the error that it failed with."""
        row = Row(
            file.stored,
            bytes_before=max(file.size, 0),
            bytes_after=max(file.size, 0),
            task=task,
            job=self.job,
            implementation=kernels.implementation(),
            modified=file.modified,
            etag=file.etag,
        )
        start, found = time.perf_counter(), None
        try:
            target = self.filesystems.target(file.path)
            row.size = file.size  # what goes wrong before is nothing that the same bytes would give again
            with doing.file(file.stored):
                done = self._done(file, target)
            found = done.pop(FOUND, None)
            for name, value in done.items():
                setattr(row, name, value)
            if ACTIONS[self.action].changes:
                left = row.bytes_before if self.options.get("dry_run") else row.bytes_after
                row.size, row.modified, row.etag = _identity_if_told(target, left)
        except Exception as error:
            row.fail(error)
            found = error
        row.milliseconds = (time.perf_counter() - start) * 1e3
        return row, found

    def _done(self, file: File, target: Target) -> dict:
        action = ACTIONS[self.action]
        forced, options = prepared(action, self.options)
        if action.changes:
            refuse_table(file.table, forced, file.path)
            refuse_foreign_sidecar(target, forced)
        elif self.action == "build_sidecars" and file.table and not _has_sidecar(target):
            refuse_sidecar(file.table, forced, file.path)
        return patiently(lambda: action.run(target, options), remote=not target.is_local)


def _has_sidecar(target: Target) -> bool:
    return any(map(sidecar.exists, sidecar.candidates(target)))


@cache
def _spare_modules() -> None:
    """Keep what a process has loaded by its first task out of the collections that Spark makes after every task."""
    gc.freeze()


def _ahead(pool: ThreadPoolExecutor, do: Callable, files: Iterable[File]) -> Iterator:
    """What `do` gives for each, in order, done by the pool while earlier ones are taken; only so many wait for that."""
    waiting: deque[Future] = deque()
    for file in files:
        waiting.append(pool.submit(do, file))
        if len(waiting) == AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def identity(target: Target) -> tuple[int, int, str]:
    """Size, time of modification in ns and ETag, as far as the filesystem tells them."""
    if target.is_local:
        status = os.stat(target.path)
        return status.st_size, status.st_mtime_ns, ""
    with open_source(target) as source:
        return source.size, source.version.modified or 0, source.version.identity[0] or ""


def _identity_if_told(target: Target, size: int) -> tuple[int, int, str]:
    """The identity of a file that was left with so many bytes; one that no file has where it is another by now."""
    try:
        found = patiently(lambda: identity(target), remote=not target.is_local)
    except OSError:
        return NOT_THERE, 0, ""
    return found if found[0] == size else (NOT_THERE, 0, "")


def _attempt() -> int:
    from pyspark import TaskContext

    return TaskContext.get().attemptNumber()


def check_shared(filesystems: Filesystems, folder: str) -> None:
    """Unsupported unless the folder of results is the one that the driver has made."""
    try:
        patiently(lambda: open_source(filesystems.target(f"{folder}/{JOB_FILE}")).close(), remote=True)
    except FileNotFoundError:
        raise Unsupported(
            f"{folder}: results are stored here, but this machine does not see what the driver has "
            "written: give state=, a path that all machines share"
        ) from None
