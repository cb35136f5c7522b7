"""The levels of a column's pages compared with each other, before anything is made of them."""

from __future__ import annotations

from collections.abc import Sequence

from .. import wire
from ..errors import wire_error
from .column_page import OpenPage

__all__ = ["Lists"]

NONE_BEFORE = 0xFFFF


class Lists:
    """The lists around a leaf, the outermost first.

    Attributes
    ----------
    items : list of int
        How many elements each of them has in the pages that were checked.
    """

    def __init__(self, levels: Sequence[int]):
        self._levels, self.items = levels, [0] * len(levels)

    def begin(self) -> None:
        """Go over to another column chunk."""
        self._last = NONE_BEFORE

    def check(self, page: OpenPage) -> None:
        """Take the levels of a page: an entry that goes on with a list is an element of it, as the one before is."""
        for repeated, defined in zip(page.repetition or (), page.definition or (), strict=True):
            least = min(defined, self._last)
            if repeated and least < self._levels[repeated - 1]:
                raise wire_error(wire.LEVELS_CONTRADICT, 0, self._levels[repeated - 1], least)
            for number in range(max(repeated, 1) - 1, len(self._levels)):
                if self._levels[number] > defined:
                    break
                self.items[number] += 1
            self._last = defined
