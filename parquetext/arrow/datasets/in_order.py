"""Call a function on many items, and yield the results in order; use threads if the calls are slow."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Protocol, TypeVar

from ...threads import Pool

# Durations in seconds: a longer call waits for a network, or works in C for long without the interpreter's lock.
SLOW, LONG = 0.001, 0.02
AT_ONCE = 16
A = TypeVar("A")
B = TypeVar("B")


class Placed(Protocol):
    """An object that may be in a store or behind a URL."""

    @property
    def is_remote(self) -> bool: ...


P = TypeVar("P", bound=Placed)


def slow_seconds(waits: bool) -> float:
    """Return the seconds from which on a call is slow, for calls that wait for a network and for others."""
    return SLOW if waits else LONG


def in_order(
    function: Callable[[A], B], items: Sequence[A], *, threads: bool | None = None, waits: bool = True
) -> Iterator[B]:
    """Call `function` on each item; an error is raised at the position of its item.

    Parameters
    ----------
    threads : bool, optional
        If given, use threads or not. By default, threads are used after two slow calls in succession.
    waits : bool
        If True, calls may wait for a network. For other calls, more threads than processors would slow each other down.

    Notes
    -----
    At most twice as many results as threads are computed ahead of the consumer.
    """
    limit = slow_seconds(waits)
    done = slow = 0
    while threads is not True and done < len(items):
        began = perf_counter()
        result = function(items[done])
        slow = slow + 1 if perf_counter() - began > limit else 0
        done += 1
        yield result
        if threads is None and slow > 1:
            break
    processors = os.cpu_count() or 1
    workers = min(len(items) - done, max(AT_ONCE, processors) if waits else processors)
    if workers <= 0:
        return
    with Pool(workers) as pool:
        ahead: deque = deque()
        try:
            for item in items[done:]:
                ahead.append(pool.submit(function, item))
                if len(ahead) >= 2 * workers:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:
            pool.shutdown(wait=False)


def each_in_order(function: Callable[[P], B], fragments: Sequence[P], *, threads: bool | None = None) -> Iterator[B]:
    """Call `in_order` on fragments; calls for local files do not wait for a network."""
    return in_order(function, fragments, threads=threads, waits=any_remote(fragments))


def any_remote(fragments: Iterable[Placed]) -> bool:
    """Return True if a fragment is in a store or behind a URL, so that calls for it wait for a network."""
    return any(fragment.is_remote for fragment in fragments)
