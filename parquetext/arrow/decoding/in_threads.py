"""Tasks done by as many threads as there are processors."""

from __future__ import annotations

import os
from _thread import get_ident, start_new_thread
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Condition
from typing import TypeVar

__all__ = ["each", "workers_of"]

T = TypeVar("T")
R = TypeVar("R")
_LOST = object()


def workers_of(use_threads: bool, tasks: int | None = None) -> int:
    """How many threads do tasks: one at least, and no more than there are tasks."""
    workers = (os.cpu_count() or 1) if use_threads else 1
    return workers if tasks is None else max(min(workers, tasks), 1)


def each(
    read: Callable[[T], R], tasks: Sequence[T], use_threads: bool, weights: Sequence[int] | None = None
) -> list[R]:
    """The results of tasks, in order, by as many threads as there are processors; this one is among them.

    Parameters
    ----------
    weights : sequence of int, optional
        What each task takes, more or less: the heaviest ones begin first.

    Raises
    ------
    BaseException
        What the first task in order raised, of those that raise anything.
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
    """Start so many threads, or as many as the system lets start: none at the interpreter's end, say."""
    with suppress(RuntimeError):
        for _ in range(count):
            start_new_thread(do, ())  # not by Thread.start, which waits until the system lets the thread run


class _Work:
    """Tasks, each done by whoever is free; a thread that comes too late for one does nothing."""

    def __init__(self, read: Callable, tasks: Sequence, order: Sequence[int]):
        self._read, self._tasks, self._waiting = read, tasks, deque(order)
        self._results: list = [_LOST] * len(tasks)
        self._failures: dict[int, BaseException] = {}
        self._changed, self._busy = Condition(), set[int]()  # threads, each at a task

    def do(self) -> None:
        """Do what nobody else does; behind the first task that failed nothing."""
        while (number := self._next()) is not None:
            try:
                self._results[number] = self._read(self._tasks[number])
            except BaseException as error:
                self._fail(number, error)
            finally:
                self._finish()

    def end(self) -> None:
        """Begin no other task, and wait for those that have begun."""
        with self._changed:
            self._waiting.clear()
            while self._busy - {get_ident()}:  # an interrupt may have left this one in it
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
            if not isinstance(error, Exception):  # such as KeyboardInterrupt
                self._waiting.clear()
                number = -1
            self._failures[number] = error

    def _finish(self) -> None:
        with self._changed:
            self._busy.discard(get_ident())
            self._changed.notify_all()
