"""Process the files of a task, on an executor."""

from __future__ import annotations

import gc
import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from .. import kernels, sidecar
from ..edits.table_logs import refuse_foreign_sidecar
from ..errors import Unsupported
from ..sidecar.table_formats import refuse_sidecar
from ..storage import Target, open_source
from .actions import ACTIONS, FOUND, prepared, refuse_table
from .counters import BYTES, FILES
from .crashes import Doing
from .filesystems import Filesystems, local_path
from .folders import NOT_THERE
from .parts import ChunkRows, Part, Rows
from .results import JOB_FILE, Row
from .retrying import retrying

if TYPE_CHECKING:
    from pyspark import Accumulator

AT_ONCE = 8  # objects: requests take long and cost no processor
AHEAD = 8 * AT_ONCE  # files that may be done before a slow one


class File(NamedTuple):
    """A listed file, and its stored name without secrets; if None, that is the path."""

    path: str
    size: int
    modified: int
    etag: str
    table: str
    name: str | None = None

    @property
    def stored(self) -> str:
        """Return the file's name in results and notes."""
        return self.path if self.name is None else self.name


@dataclass
class Work:
    """A job, as it is sent to its tasks."""

    action: str
    options: dict
    job: str
    folder: str
    filesystems: Filesystems
    done: Accumulator | None = None

    def __call__(self, task: int, partition: Iterable[Sequence[tuple]]) -> Iterator[Part]:
        """Process the files of a partition. Yield parts of the results from time to time, and at the end."""
        check_shared(self.filesystems, self.folder)
        kind = ChunkRows if ACTIONS[self.action].finds else Rows
        rows = kind(self.filesystems, self.folder, task)
        for row, found in self._rows(task, [File(*each) for files in partition for each in files]):
            rows.add(row, found)
            if rows.is_due():
                yield from retrying(rows.store, remote=True)
        yield from retrying(rows.store, remote=True)
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
        """Return a file's row, and the action's other result or its error."""
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
            row.size = file.size  # earlier errors do not depend on the file's bytes
            with doing.file(file.stored):
                done = self._done(file, target)
            found = done.pop(FOUND, None)
            for name, value in done.items():
                setattr(row, name, value)
            if ACTIONS[self.action].changes:
                left = row.bytes_before if self.options.get("dry_run") else row.bytes_after
                row.size, row.modified, row.etag = _identity_if_known(target, left)
        except Exception as error:
            row.fail(error)
            found = error
        row.milliseconds = (time.perf_counter() - start) * 1e3
        return row, found

    def _done(self, file: File, target: Target) -> dict:
        action = ACTIONS[self.action]
        ignored, options = prepared(action, self.options)
        if action.changes:
            refuse_table(file.table, ignored, file.path)
            refuse_foreign_sidecar(target, ignored)
        elif self.action == "build_sidecars" and file.table and not _has_sidecar(target):
            refuse_sidecar(file.table, ignored, file.path)
        return retrying(lambda: action.run(target, options), remote=not target.is_local)


def _has_sidecar(target: Target) -> bool:
    return any(map(sidecar.exists, sidecar.candidates(target)))


@cache
def _spare_modules() -> None:
    """Exclude loaded modules from the garbage collection that Spark runs after every task."""
    gc.freeze()


def _ahead(pool: ThreadPoolExecutor, do: Callable, files: Iterable[File]) -> Iterator:
    """Yield the results of `do` in order; the pool computes a limited number of them ahead."""
    waiting: deque[Future] = deque()
    for file in files:
        waiting.append(pool.submit(do, file))
        if len(waiting) == AHEAD:
            yield waiting.popleft().result()
    while waiting:
        yield waiting.popleft().result()


def identity(target: Target) -> tuple[int, int, str]:
    """Return the size, the time of modification in ns and the ETag, if the filesystem has them."""
    if target.is_local:
        status = os.stat(target.path)
        return status.st_size, status.st_mtime_ns, ""
    with open_source(target) as source:
        return source.size, source.version.modified or 0, source.version.identity[0] or ""


def _identity_if_known(target: Target, size: int) -> tuple[int, int, str]:
    """Return the identity of a file if it has this size, else one that no file has: it was replaced."""
    try:
        found = retrying(lambda: identity(target), remote=not target.is_local)
    except OSError:
        return NOT_THERE, 0, ""
    return found if found[0] == size else (NOT_THERE, 0, "")


def _attempt() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None  # `Work` is called by tasks only
    return context.attemptNumber()


def check_shared(filesystems: Filesystems, folder: str) -> None:
    """Raise Unsupported unless the folder of results is the one that the driver has created."""
    try:
        retrying(lambda: open_source(filesystems.target(f"{folder}/{JOB_FILE}")).close(), remote=True)
    except FileNotFoundError:
        raise Unsupported(
            f"{folder}: results are stored here, but this machine does not see what the driver has "
            "written: give state=, a path that all machines share"
        ) from None
