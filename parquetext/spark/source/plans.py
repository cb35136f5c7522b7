"""What was made of a listing by an earlier action of this process, for as long as the listing is the same."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

__all__ = ["Kept"]

T = TypeVar("T")

MOST = 4
MOST_FILES = 1_000_000  # of one listing: larger ones are worth their memory elsewhere


class Kept:
    """The last few results by key; each of them counts as long as what it was made of is equal."""

    def __init__(self):
        self._results: dict[Hashable, tuple[Sequence[list], object]] = {}

    def of(self, key: Hashable, listing: Sequence[list], make: Callable[[], T]) -> T:
        """What was made for this key of an equal listing, or else is made now.

        `listing` has a list for each of its columns.
        """
        before, result = self._results.pop(key, (None, None))
        if before is None or before != listing:
            result = make()
        if max(map(len, listing), default=0) <= MOST_FILES:
            self._results[key] = listing, result
        while len(self._results) > MOST:
            del self._results[next(iter(self._results))]
        return result
