"""The tables of Arrow's Schema.fbs that make up a field, and checked access to their bytes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from .. import wire
from ..errors import ParquetextError, wire_error

__all__ = [
    "DICTIONARY_ENCODING",
    "FIELD",
    "INT_TYPE",
    "KEY_VALUE",
    "LAST_TYPE",
    "LAYOUTS",
    "STRUCT_TYPE",
    "Kind",
    "Slot",
    "Source",
    "Table",
    "broken",
]


class Kind(IntEnum):
    """The content of a slot. A scalar's number is its size in bytes; a union's tag is in the slot before it."""

    BYTE, SHORT, INT, LONG = 1, 2, 4, 8
    STRING, INTS, UNION, DICTIONARY, INT_TYPE, FIELDS, KEY_VALUES = range(16, 23)

    @property
    def inline_bytes(self) -> int:
        return self.value if self <= Kind.LONG else 4


class Slot(IntEnum):
    """The slots of a Field."""

    NAME, NULLABLE, TYPE_TAG, TYPE, DICTIONARY, CHILDREN, METADATA = range(7)


INT_TYPE, STRUCT_TYPE, LAST_TYPE, FIELD, DICTIONARY_ENCODING, KEY_VALUE = 2, 13, 26, 27, 28, 29

# The tables of Arrow's Schema.fbs that make up a field. A type's number is its tag in the union Type.
LAYOUTS: dict[int, tuple[Kind, ...]] = {tag: () for tag in range(1, LAST_TYPE + 1)} | {
    INT_TYPE: (Kind.INT, Kind.BYTE),  # bitWidth, is_signed
    3: (Kind.SHORT,),  # FloatingPoint: precision
    7: (Kind.INT, Kind.INT, Kind.INT),  # Decimal: precision, scale, bitWidth
    8: (Kind.SHORT,),  # Date: unit
    9: (Kind.SHORT, Kind.INT),  # Time: unit, bitWidth
    10: (Kind.SHORT, Kind.STRING),  # Timestamp: unit, timezone
    11: (Kind.SHORT,),  # Interval: unit
    14: (Kind.SHORT, Kind.INTS),  # Union: mode, typeIds
    15: (Kind.INT,),  # FixedSizeBinary: byteWidth
    16: (Kind.INT,),  # FixedSizeList: listSize
    17: (Kind.BYTE,),  # Map: keysSorted
    18: (Kind.SHORT,),  # Duration: unit
    FIELD: (Kind.STRING, Kind.BYTE, Kind.BYTE, Kind.UNION, Kind.DICTIONARY, Kind.FIELDS, Kind.KEY_VALUES),
    DICTIONARY_ENCODING: (Kind.LONG, Kind.INT_TYPE, Kind.BYTE, Kind.SHORT),  # id, indexType, isOrdered, dictionaryKind
    KEY_VALUE: (Kind.STRING, Kind.STRING),
}


def broken(at: int) -> ParquetextError:
    """Return the error for damage at `at`."""
    return wire_error(wire.ARROW_SCHEMA, at)


@dataclass
class Table:
    """A table. Its bytes and those of its vtable are within the source."""

    at: int
    vtable: int
    size: int
    vtable_size: int


class Source:
    """Bytes with checked access."""

    def __init__(self, data: bytes, size: int):
        self.data, self.size = data, size

    def need(self, at: int, size: int) -> None:
        """Raise an error if [at, at + size) exceeds the source."""
        if at > self.size or size > self.size - at:
            raise broken(at)

    def number(self, at: int, size: int = 4, signed: bool = False) -> int:
        """Return the little-endian number at `at`. The caller has checked the range."""
        return int.from_bytes(self.data[at : at + size], "little", signed=signed)

    def open(self, at: int) -> Table:
        """Return the table at `at`."""
        self.need(at, 4)
        vtable = at - self.number(at, signed=True)
        if vtable < 0:
            raise broken(at)
        self.need(vtable, 4)
        table = Table(at, vtable, self.number(vtable + 2, 2), self.number(vtable, 2))
        if table.vtable_size < 4 or table.vtable_size % 2 or table.size < 4:
            raise broken(vtable)
        self.need(vtable, table.vtable_size)
        self.need(at, table.size)
        return table

    def slot(self, table: Table, slot: int, size: int) -> int:
        """Return the position of slot `slot`, of `size` bytes, in the table; 0 if it is absent."""
        if 4 + 2 * slot >= table.vtable_size:
            return 0
        entry = table.vtable + 4 + 2 * slot
        place = self.number(entry, 2)
        if not place:
            return 0
        if place < 4 or place > table.size or size > table.size - place:
            raise broken(entry)
        return table.at + place

    def follow(self, at: int) -> int:
        """Return the target of the offset at `at`. The caller has checked the offset's 4 bytes."""
        offset = self.number(at)
        if not offset or offset > self.size - at:
            raise broken(at)
        self.need(at + offset, 4)
        return at + offset

    def vector(self, at: int, width: int) -> tuple[int, int]:
        """Return the position of the first item and the number of items of the string or vector at `at`.

        Items have `width` bytes each.
        """
        self.need(at, 4)
        count = self.number(at)
        if count > (self.size - at - 4) // width:
            raise broken(at)
        self.need(at + 4, count * width)
        return at + 4, count
