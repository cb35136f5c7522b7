"""The leaves of a projection and the groups above them, as a checked tree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .. import wire
from .flat_names import GROUP


@dataclass
class Part:
    """A leaf or group of the projection."""

    entry: Any  # as the form's reader describes it
    above: int  # the number of the part above; -1 for the root
    first_leaf: int  # among the leaves of the projection
    children: list[Part] = field(default_factory=list)
    leaves: int = 0  # number of its leaves in the projection

    @property
    def is_leaf(self) -> bool:
        return not self.entry.id & GROUP


def projected(leaves: list[int], read: Callable[[int], Any], *, keeps_order: bool = False) -> list[Part]:
    """Return the leaves and the groups above them, in preorder.

    Raise an error if they are not a tree, or, with `keeps_order`, if the leaves are in another order. `read` returns
    the entry of a leaf or, with GROUP | node, of a group.
    """
    known: dict[int, Any] = {}
    for id in leaves or [GROUP]:
        while id not in known:
            known[id] = read(id)
            id = GROUP | known[id].parent
    parts: list[Part] = []
    open_parts: list[int] = []
    first_leaf = last = 0
    for number, entry in enumerate(sorted(known.values(), key=lambda entry: entry.schema_index)):
        while open_parts and parts[open_parts[-1]].entry.id != GROUP | entry.parent:
            open_parts.pop()
        if entry.id != GROUP if not number else not open_parts or entry.schema_index == last:
            raise entry.fail(wire.BAD_VALUE, last, entry.schema_index)
        part = Part(entry, open_parts[-1] if open_parts else -1, first_leaf)
        if part.is_leaf and keeps_order and leaves[first_leaf] != entry.id:
            raise entry.fail(wire.BAD_VALUE, leaves[first_leaf], entry.id)
        if open_parts:
            parts[open_parts[-1]].children.append(part)
        parts.append(part)
        open_parts.append(number)
        for above in open_parts if part.is_leaf else ():
            parts[above].leaves += 1
        first_leaf, last = first_leaf + part.is_leaf, entry.schema_index
    return parts
