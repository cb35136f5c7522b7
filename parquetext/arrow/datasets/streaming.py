"""Yield the parts of many files in order; threads read ahead within bounds."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from itertools import chain
from threading import Condition
from time import perf_counter
from typing import Protocol, TypeVar

from ...threads import Pool, Task
from .in_order import slow_seconds

MOST_BYTES = 1 << 26  # of parts that wait for the reader; one part may be larger


class Sized(Protocol):
    """An object with a size in memory."""

    @property
    def nbytes(self) -> int: ...


A = TypeVar("A")
P = TypeVar("P", bound=Sized)


def stream(
    parts_of: Callable[[A], Iterator[P]],
    items: Sequence[A],
    *,
    items_ahead: int,
    parts_ahead: int,
    waits: bool = True,
) -> Generator[P]:
    """Yield the parts of each item, in order; errors are raised at their positions.

    Parameters
    ----------
    parts_of : callable
        Reads an item, part by part.
    items_ahead : int
        Number of items that are read at once. If 0, no thread reads ahead.
    parts_ahead : int
        Maximal number of parts of all items that wait for the reader. If 0, no thread reads ahead.
    waits : bool
        True if reading may wait for a network.

    Notes
    -----
    The calling thread reads the first part, so that ``head`` reads no more than it needs. Threads start with the second
    part of an item, or after two slow items in succession.
    """
    slow, limit = 0, slow_seconds(waits)
    for position, item in enumerate(items):
        began = perf_counter()
        parts = parts_of(item)
        first = next(parts, None)
        slow = slow + 1 if perf_counter() - began > limit else 0
        if first is not None:
            yield first
        second = None if first is None else next(parts, None)
        if second is None and slow < 2:
            continue
        rest = iter(()) if second is None else chain([second], parts)
        if items_ahead < 1 or parts_ahead < 1:
            yield from rest
            continue
        others = (parts_of(item) for item in items[position + 1 :])
        yield from _ReadAhead(chain([rest], others), items_ahead, parts_ahead).parts()
        return


class _Source:
    """The iterator of one item's parts, the parts that wait, and the task to run here if no thread could start."""

    __slots__ = ("alone", "is_done", "is_running", "parts", "waiting")

    def __init__(self, parts: Iterator):
        self.parts = parts
        self.waiting: deque = deque()
        self.is_running = self.is_done = False
        self.alone: Task | None = None


class _ReadAhead:
    """Read several sources with threads.

    A thread leaves its source if too many parts wait, and the reader sends a thread there again. No thread ever blocks,
    so an unfinished iterator keeps no process alive. The first source continues however many parts the others have
    read.
    """

    def __init__(self, sources: Iterator[Iterator], workers: int, most: int):
        self._left, self._workers, self._most = sources, workers, most
        self._window: deque[_Source] = deque()
        self._changed = Condition()
        self._parts = self._bytes = 0
        self._is_over = False

    def parts(self) -> Iterator:
        pool = Pool(self._workers)
        try:
            while self._refill():
                while (part := self._next(pool)) is not None:
                    if isinstance(part, BaseException):
                        raise part
                    yield part
                self._window.popleft()
        finally:
            self._end()
            pool.shutdown(wait=False)

    def _refill(self) -> bool:
        while len(self._window) < self._workers and (parts := next(self._left, None)) is not None:
            self._window.append(_Source(parts))
        return bool(self._window)

    def _next(self, pool: Pool):
        """Return the next part of the first source, or its error; return None after its last part."""
        first = self._window[0]
        while True:
            with self._changed:
                self._send_threads(pool)
                while not first.waiting and not first.is_done and first.alone is None:
                    self._changed.wait()
                if first.waiting:
                    return self._taken(first)
                if first.alone is None:
                    return None
                task, first.alone = first.alone, None
            task.run()

    def _taken(self, source: _Source):
        part = source.waiting.popleft()
        if not isinstance(part, BaseException):
            self._parts -= 1
            self._bytes -= part.nbytes
        return part

    def _send_threads(self, pool: Pool) -> None:
        for source in self._window:
            if not source.is_running and not source.is_done and not self._is_full(source):
                source.is_running = True
                task = pool.submit(self._read, source)
                source.alone = task if task.is_alone else None

    def _is_full(self, source: _Source) -> bool:
        if source is self._window[0] and not source.waiting:
            return False
        return self._parts >= self._most or self._bytes >= MOST_BYTES

    def _read(self, source: _Source) -> None:
        """Read a source until too many parts wait, or to its end; an error becomes its last part."""
        while source.is_running:
            error = part = None
            try:
                part = next(source.parts, None)
            except BaseException as raised:
                error = raised
            size = 0 if part is None else part.nbytes
            with self._changed:
                if error is not None:
                    source.waiting.append(error)
                elif part is not None:
                    source.waiting.append(part)
                    self._parts += 1
                    self._bytes += size
                source.is_done = part is None or self._is_over
                source.is_running = not source.is_done and not self._is_full(source)
                self._changed.notify_all()

    def _end(self) -> None:
        """Let threads stop after their current part."""
        with self._changed:
            self._is_over = True
            self._window.clear()
