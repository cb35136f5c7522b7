"""Results of a function over many things, in their order, by threads where a call takes long enough for them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import perf_counter
from typing import Protocol, TypeVar

from ...threads import Pool

__all__ = ["any_remote", "each_in_order", "in_order", "slow_seconds"]

# Seconds of a call, from which on it waits for a network, or works in C for long, without the interpreter's lock.
SLOW, LONG = 0.001, 0.02
AT_ONCE = 16
A = TypeVar("A")
B = TypeVar("B")


class Placed(Protocol):
    """What may be in a store or behind a URL."""

    @property
    def is_remote(self) -> bool: ...


P = TypeVar("P", bound=Placed)


def slow_seconds(waits: bool) -> float:
    """From how many seconds on a call is slow: one that waits for a network, or one that does not."""
    return SLOW if waits else LONG


def in_order(
    function: Callable[[A], B], items: Sequence[A], *, threads: bool | None = None, waits: bool = True
) -> Iterator[B]:
    """Call `function` on each item; what it raises comes at its place.

    Parameters
    ----------
    threads : bool, optional
        Whether to use threads. Without, as soon as two calls in succession were slow.
    waits : bool
        Whether calls may wait for a network. Of those that do not, more threads than processors hold each other up.

    Notes
    -----
    No more results than twice the threads are ahead of who takes them.
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
    """`in_order` over fragments: calls about local files wait for no network."""
    return in_order(function, fragments, threads=threads, waits=any_remote(fragments))


def any_remote(fragments: Iterable[Placed]) -> bool:
    """Whether one of them is in a store or behind a URL, so that calls about it wait for a network."""
    return any(fragment.is_remote for fragment in fragments)
