"""Cache results of earlier actions of this process as long as their listing is unchanged."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

T = TypeVar("T")

MOST = 4
MOST_FILES = 1_000_000  # of one listing: larger ones take too much memory


class Kept:
    """The last few results by key, each valid as long as its listing is equal."""

    def __init__(self):
        self._results: dict[Hashable, tuple[Sequence[list], Any]] = {}

    def of(self, key: Hashable, listing: Sequence[list], make: Callable[[], T]) -> T:
        """Return the cached result for this key and an equal listing, or make it.

        `listing` contains a list for each column.
        """
        before = self._results.pop(key, None)
        result = make() if before is None or before[0] != listing else before[1]
        if max(map(len, listing), default=0) <= MOST_FILES:
            self._results[key] = listing, result
        while len(self._results) > MOST:
            del self._results[next(iter(self._results))]
        return result
