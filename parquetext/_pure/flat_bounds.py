"""Convert bounds from the slots of Statistics in a flat footer to bytes (docs/formats.md, 3.2)."""

from __future__ import annotations

from typing import Literal

from .. import wire
from .flat_cells import Cell
from .flat_chunk import SHORT_BOUND

_BYTE_ARRAYS = (wire.PHYSICAL_BYTE_ARRAY, wire.PHYSICAL_FIXED_LEN_BYTE_ARRAY)
_SIDES = {  # side: (shift in `exactness`, bit for presence, bit for stated exactness, bit for exact)
    "min": (0, wire.PRESENT_MIN_VALUE, wire.PRESENT_MIN_EXACT_SET, wire.PRESENT_MIN_EXACT),
    "max": (2, wire.PRESENT_MAX_VALUE, wire.PRESENT_MAX_EXACT_SET, wire.PRESENT_MAX_EXACT),
}
_EXACT = 2  # a bit of a side's exactness


class Bounds:
    """The bounds of one part of a column. They are appended to an arena as they are read."""

    def __init__(self, cell: Cell, type: int, arena: bytearray):
        self.cell, self.type, self.arena = cell, type, arena
        self.long_bytes = 0

    def unpack(self, statistics: dict[str, int], fact: dict[str, int]) -> int:
        """Add the ranges in the arena to a chunk's members; return its presence bits."""
        exactness, present = self.cell.number_at(statistics, "exactness", "B", 0), 0
        for side, (shift, is_there, said, exact) in _SIDES.items():
            value = self._value(statistics, side)
            if value is None:
                continue
            fact[f"{side}_value_offset"], fact[f"{side}_value_length"] = len(self.arena), len(value)
            self.arena += value
            said_of_it = exactness >> shift & 3
            present |= is_there | (said if said_of_it else 0) | (exact if said_of_it & _EXACT else 0)
        return present

    def _value(self, statistics: dict[str, int], side: str) -> bytes | None:
        if self.type in wire.WIDTH_OF_TYPE:
            return self._number(statistics, side, wire.WIDTH_OF_TYPE[self.type])
        return self._octets(statistics, side) if self.type in _BYTE_ARRAYS else None

    def _slot(self, statistics: dict[str, int], name: str, size: int, order: Literal["little", "big"]) -> bytes:
        """Return a slot's bytes; zeros if it is absent."""
        value = self.cell.number_at(statistics, name, "I" if size == 4 else "Q", 0)
        return value.to_bytes(size, order)

    def _length(self, statistics: dict[str, int], side: str) -> int | None:
        name = f"{side}_len"
        return abs(self.cell.number_at(statistics, name, "b", 0)) if name in statistics else None

    def _number(self, statistics: dict[str, int], side: str, width: int) -> bytes | None:
        length = self._length(statistics, side)
        if length is None:
            return None
        if length != width:
            raise self.cell.fail(wire.BAD_VALUE, statistics[f"{side}_len"], width, length)
        low = self._slot(statistics, f"{side}_lo4", 4, "little") if width != 8 else b""
        return (low + self._slot(statistics, f"{side}_lo8", 8, "little"))[:width]

    def _octets(self, statistics: dict[str, int], side: str) -> bytes | None:
        if f"{side}_value" in statistics:
            return self._long(statistics, side)
        length = self._length(statistics, side)
        if length is None:
            return None
        if length > SHORT_BOUND:
            raise self.cell.fail(wire.BAD_VALUE, statistics[f"{side}_len"], SHORT_BOUND, length)
        value = self._slot(statistics, f"{side}_hi8", 8, "big") + self._slot(statistics, f"{side}_lo8", 8, "big")
        return value[:length]

    def _long(self, statistics: dict[str, int], side: str) -> bytes:
        """Return a bound in its separate slot.

        All bounds of a part are in its cell, so together they cannot be longer than the cell.
        """
        vector = self.cell.follow(statistics[f"{side}_value"])
        value = self.cell.blob(vector)
        self.long_bytes += len(value)
        if self.long_bytes > self.cell.size:
            raise self.cell.fail(wire.BAD_OFFSET, vector, self.cell.size, self.long_bytes)
        return value
