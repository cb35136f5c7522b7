"""Check the levels of a column's pages against each other before values are decoded."""

from __future__ import annotations

from collections.abc import Sequence

from .. import wire
from ..errors import wire_error
from .column_page import OpenPage

__all__ = ["Lists"]

NONE_BEFORE = 0xFFFF


class Lists:
    """The lists around a leaf, outermost first.

    Attributes
    ----------
    items : list of int
        The number of elements of each list in the pages that were checked.
    """

    def __init__(self, levels: Sequence[int]):
        self._levels, self.items = levels, [0] * len(levels)

    def begin(self) -> None:
        """Begin another column chunk."""
        self._last = NONE_BEFORE

    def check(self, page: OpenPage) -> None:
        """Check the levels of a page.

        If an entry continues a list, it and the entry before it must be elements of it.
        """
        for repeated, defined in zip(page.repetition or (), page.definition or (), strict=True):
            least = min(defined, self._last)
            if repeated and least < self._levels[repeated - 1]:
                raise wire_error(wire.LEVELS_CONTRADICT, 0, self._levels[repeated - 1], least)
            for number in range(max(repeated, 1) - 1, len(self._levels)):
                if self._levels[number] > defined:
                    break
                self.items[number] += 1
            self._last = defined
