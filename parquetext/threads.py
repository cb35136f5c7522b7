"""Run calls in threads. If no thread can be started, for example during interpreter shutdown, the caller runs them.

Once the main thread has ended, other threads may still read, and `concurrent.futures` can neither start
threads nor be imported then. If memory or processes are limited, threads may not start, either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from threading import Event, Lock
from typing import Generic, Self, TypeVar

R = TypeVar("R")
T = TypeVar("T")


class Task(Generic[R]):
    """A call that runs once, in the first thread that claims it.

    Attributes
    ----------
    is_alone : bool
        True if no thread could be started, so that the caller of `result` runs the call.
    """

    __slots__ = ("_call", "_claim", "_error", "_is_done", "_result", "is_alone")

    def __init__(self, call: Callable[[], R]):
        self._call, self._claim, self._is_done = call, Lock(), Event()
        self._result: R  # `run` sets it, or `_error`
        self._error: BaseException | None = None
        self.is_alone = False

    def run(self) -> None:
        """Run the call, unless another thread has started it."""
        if not self._claim.acquire(blocking=False):
            return
        try:
            self._result = self._call()
        except BaseException as error:
            self._error = error
        finally:
            self._is_done.set()

    def result(self) -> R:
        """Return the call's result, or raise its error."""
        if self.is_alone:
            self.run()
        self._is_done.wait()
        if self._error is not None:
            try:
                raise self._error
            finally:
                del self  # which the error's traceback would keep
        return self._result


class Pool:
    """A context manager with a maximal number of threads, which end with it.

    Parameters
    ----------
    workers : int
    """

    def __init__(self, workers: int):
        self._threads = None
        with suppress(RuntimeError):
            from concurrent.futures import ThreadPoolExecutor

            self._threads = ThreadPoolExecutor(workers)

    def submit(self, call: Callable[..., R], *arguments: object) -> Task[R]:
        """Run a call in a thread."""
        task = Task(lambda: call(*arguments))
        try:
            if self._threads is not None:
                self._threads.submit(task.run)
                return task
        except RuntimeError:  # no thread could start; the call may be in the queue
            pass
        task.is_alone = True
        return task

    def map(self, call: Callable[[T], R], items: Iterable[T]) -> list[R]:
        """Return the results of a call for each item, in their order."""
        return [task.result() for task in [self.submit(call, item) for item in items]]

    def shutdown(self, *, wait: bool = True) -> None:
        """Start no more calls. If `wait` is set, wait for those that are running."""
        if self._threads is not None:
            self._threads.shutdown(wait=wait, cancel_futures=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
