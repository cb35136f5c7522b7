"""Run tasks in as many threads as there are processors."""

from __future__ import annotations

import os
from _thread import get_ident, start_new_thread
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Condition
from typing import TypeVar

from ...footer.model import FooterReader
from ..fields.wanted_columns import Column
from ..plan.part import SMALL_BYTES, SMALL_ROWS
from ..plan.picks import Picks

T = TypeVar("T")
R = TypeVar("R")
_LOST = object()


def workers_of(use_threads: bool, tasks: int | None = None) -> int:
    """Return the number of threads for tasks: at least one, and at most the number of tasks."""
    workers = (os.cpu_count() or 1) if use_threads else 1
    return workers if tasks is None else max(min(workers, tasks), 1)


def each(
    read: Callable[[T], R], tasks: Sequence[T], use_threads: bool, weights: Sequence[int] | None = None
) -> list[R]:
    """Run tasks in as many threads as there are processors, this one included, and return the results in order.

    Parameters
    ----------
    weights : sequence of int, optional
        The approximate cost of each task. The most expensive tasks begin first.

    Raises
    ------
    BaseException
        If tasks fail, the error of the first failed task in order is raised.
    """
    workers = workers_of(use_threads, len(tasks))
    if workers < 2:
        return [read(task) for task in tasks]
    order = range(len(tasks)) if weights is None else sorted(range(len(tasks)), key=weights.__getitem__, reverse=True)
    work = _Work(read, tasks, order)
    try:
        _start(workers - 1, work.do)
        work.do()
    finally:
        work.end()
    return work.results()


def _start(count: int, do: Callable[[], None]) -> None:
    """Start up to `count` threads; the system may allow fewer, for example none at the interpreter's end."""
    with suppress(RuntimeError):
        for _ in range(count):
            start_new_thread(do, ())  # Thread.start would wait until the thread runs


class _Work:
    """Tasks shared by threads: each free thread takes the next one. A thread that finds no task left does nothing."""

    def __init__(self, read: Callable, tasks: Sequence, order: Sequence[int]):
        self._read, self._tasks, self._waiting = read, tasks, deque(order)
        self._results: list = [_LOST] * len(tasks)
        self._failures: dict[int, BaseException] = {}
        self._changed = Condition()
        self._busy: set[int] = set()  # threads that run a task

    def do(self) -> None:
        """Run tasks that no other thread has taken, until none are left; after a failure, skip all later tasks."""
        while (number := self._next()) is not None:
            try:
                self._results[number] = self._read(self._tasks[number])
            except BaseException as error:
                self._fail(number, error)
            finally:
                self._finish()

    def end(self) -> None:
        """Start no other task, and wait for those that have begun."""
        with self._changed:
            self._waiting.clear()
            while self._busy - {get_ident()}:  # an interrupt may have left this thread in it
                self._changed.wait()

    def results(self) -> list:
        if self._failures:
            raise self._failures[min(self._failures)]
        if any(result is _LOST for result in self._results):
            raise MemoryError("a thread had no memory to say what became of its task")
        return self._results

    def _next(self) -> int | None:
        with self._changed:
            while self._waiting:
                number = self._waiting.popleft()
                if not self._failures or number < min(self._failures):
                    self._busy.add(get_ident())
                    return number
        return None

    def _fail(self, number: int, error: BaseException) -> None:
        with self._changed:
            if not isinstance(error, Exception):  # for example KeyboardInterrupt
                self._waiting.clear()
                number = -1
            self._failures[number] = error

    def _finish(self) -> None:
        with self._changed:
            self._busy.discard(get_ident())
            self._changed.notify_all()


def is_worth_threads(
    form: FooterReader, columns: Sequence[Column], groups: Sequence[Picks], row_counts: Sequence[int]
) -> bool:
    """Return True if the picked rows have many values or many stored bytes.

    Without an offset index, a chunk is read up to the last picked row; with one, only the share of the picked rows
    counts.
    """
    leaves = [leaf.leaf for column in columns for leaf in column.leaves]
    if sum(picks.cost for picks in groups) * len(leaves) >= SMALL_ROWS:
        return True
    with_rows = [number for number, picks in enumerate(groups) if picks.count]
    reaches = [groups[number].reach / row_counts[number] for number in with_rows]
    shares = [groups[number].count / row_counts[number] for number in with_rows]
    stored = 0.0
    for leaf in leaves:
        chunks = form.column(leaf)
        sizes = chunks.array("total_compressed_size")
        has_index = max(chunks.array("offset_index_length"), default=0) > 0
        for number, part in zip(with_rows, shares if has_index else reaches, strict=True):
            stored += sizes[number] * part
    return stored >= SMALL_BYTES
