"""Tasks done by as many threads as there are processors."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from threading import Thread
from typing import TypeVar

__all__ = ["each", "workers_of"]

T = TypeVar("T")
R = TypeVar("R")


def workers_of(use_threads: bool) -> int:
    """How many threads do tasks."""
    return (os.cpu_count() or 1) if use_threads else 1


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
    workers = min(len(tasks), workers_of(use_threads))
    if workers < 2:
        return [read(task) for task in tasks]
    order = range(len(tasks)) if weights is None else sorted(range(len(tasks)), key=weights.__getitem__, reverse=True)
    work = _Work(read, tasks, order)
    others = [Thread(target=work.do) for _ in range(workers - 1)]
    for thread in others:
        thread.start()
    try:
        work.do()
    finally:
        for thread in others:
            thread.join()
    return work.results()


class _Work:
    """Tasks, each done by whoever is free."""

    def __init__(self, read: Callable, tasks: Sequence, order: Sequence[int]):
        self._read, self._tasks, self._waiting = read, tasks, deque(order)
        self._results: list = [None] * len(tasks)
        self._failures: dict[int, BaseException] = {}

    def do(self) -> None:
        """Do what nobody else does; behind the first task that failed nothing."""
        while self._waiting:
            try:
                number = self._waiting.popleft()
            except IndexError:  # another thread took the last one
                return
            if self._failures and number > min(list(self._failures)):
                continue
            try:
                self._results[number] = self._read(self._tasks[number])
            except Exception as error:
                self._failures[number] = error
            except BaseException:  # such as KeyboardInterrupt
                self._waiting.clear()
                raise

    def results(self) -> list:
        if self._failures:
            raise self._failures[min(self._failures)]
        return self._results
