"""Rewrite fields of an Arrow schema: each object follows the offset that refers to it, depth first in slot order."""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from .. import wire
from ..errors import wire_error


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


def broken(at: int) -> Exception:
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

    def __init__(self, data: bytes | bytearray, size: int):
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
        position = self.number(entry, 2)
        if not position:
            return 0
        if position < 4 or position > table.size or size > table.size - position:
            raise broken(entry)
        return table.at + position

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


INT32_MAX = 2**31 - 1
CONTINUATION = b"\xff\xff\xff\xff"
# Message (V5, header type Schema) and Schema (fields), each followed by its vtable.
MESSAGE = b"".join(
    [
        struct.pack("<I iIhBx HHHHH2x", 4, -12, 20, 4, 1, 10, 12, 8, 10, 4),
        struct.pack("<iI HHHH", -8, 12, 8, 8, 0, 4),
    ]
)


class _Copier:
    """Copies tables of `source` to the end of `out`."""

    def __init__(self, source: Source, out: bytearray, room: int, keep: bytes | None = None):
        self.source, self.out, self.limit = source, out, len(out) + room
        self.keep = keep
        self.kept_at = 0

    def put(self, at: int, alignment: int, size: int = 0) -> int:
        """Append zeros up to a multiple of `alignment`, then `size` zeros, and return the offset of the latter."""
        padding = -len(self.out) % alignment
        if padding + size > self.limit - len(self.out):
            raise broken(at)
        self.out += bytes(padding + size)
        return len(self.out) - size

    def lead(self, slot: int, target: int) -> None:
        """Write an offset to `target` at position `slot` of the output."""
        struct.pack_into("<I", self.out, slot, target - slot)

    def field(self, at: int) -> None:
        """Copy a top-level field, with the offset of its name pointing to the end of the copy."""
        name = self.table(FIELD, at, 0, None)
        self.lead(name, self.put(at, 8))

    def table(self, kind: int, at: int, depth: int, slot: int | None) -> int:
        """Copy a table, and point the offset at `slot` to it.

        A table at depth 0 loses its name; return the name's slot.
        """
        layout = LAYOUTS[kind]
        found = self._slots(layout, at)
        if kind == FIELD:
            tag = self.source.data[found[Slot.TYPE_TAG]] if found[Slot.TYPE_TAG] else 0
            if not 1 <= tag <= LAST_TYPE or not found[Slot.TYPE]:
                raise broken(at)
        position, offsets = self._inline(layout, found, at, named=depth == 0)
        if slot is not None:
            self.lead(slot, position)
        for i, content in enumerate(layout):
            if found[i] and content > Kind.LONG and not (depth == 0 and i == Slot.NAME):
                self._slot(content, found, i, depth, position + offsets[i])
        return position + offsets.get(Slot.NAME, 0)

    def _slots(self, layout: tuple[Kind, ...], at: int) -> list[int]:
        """Return the position of each slot, 0 if absent; raise an error for a slot that the layout does not know."""
        source = self.source
        table = source.open(at)
        found = [source.slot(table, i, content.inline_bytes) for i, content in enumerate(layout)]
        known = table.vtable + 4 + 2 * len(layout)
        if any(source.data[known : table.vtable + table.vtable_size]):
            raise broken(at)
        return found

    def _inline(self, layout: tuple[Kind, ...], found: list[int], at: int, named: bool) -> tuple[int, dict[int, int]]:
        """Write the table's inline bytes and its vtable: first slots of 4 bytes, then those of 8, 2 and 1."""
        there = [i for i in range(len(layout)) if found[i] or (named and i == Slot.NAME)]
        there.sort(key=lambda i: (4, 8, 2, 1).index(layout[i].inline_bytes))
        offsets, size, first_long = {}, 4, 0
        for i in there:
            if layout[i] == Kind.LONG:
                first_long = first_long or size
            offsets[i] = size
            size += layout[i].inline_bytes
        size = (size + 3) // 4 * 4
        entries = [offsets.get(i, 0) for i in range(max(offsets, default=-1) + 1)]
        position = self.put(at, 4)
        if first_long and (position + first_long) % 8:
            self.put(at, 4, 4)
        position = self.put(at, 4, size + 4 + 2 * len(entries))
        struct.pack_into("<i", self.out, position, -size)
        struct.pack_into(f"<HH{len(entries)}H", self.out, position + size, 4 + 2 * len(entries), size, *entries)
        for i, to in offsets.items():
            if found[i] and layout[i] <= Kind.LONG:
                self.out[position + to : position + to + layout[i]] = self.source.data[found[i] : found[i] + layout[i]]
        return position, offsets

    def _slot(self, content: Kind, found: list[int], i: int, depth: int, slot: int) -> None:
        at = self.source.follow(found[i])
        if content == Kind.STRING:
            self._vector(at, 1, slot)
        elif content == Kind.INTS:
            self._vector(at, 4, slot)
        elif content == Kind.UNION:
            self._child(self.source.data[found[i - 1]], at, depth, slot)
        elif content == Kind.DICTIONARY:
            self._child(DICTIONARY_ENCODING, at, depth, slot)
        elif content == Kind.INT_TYPE:
            self._child(INT_TYPE, at, depth, slot)
        elif content == Kind.KEY_VALUES:
            self._tables(KEY_VALUE, at, depth, None, slot)
        else:
            self._children(found, at, depth, slot)

    def _vector(self, at: int, width: int, slot: int) -> None:
        """Copy a string (width 1, followed by a zero byte) or a vector of int."""
        items, count = self.source.vector(at, width)
        position = self.put(at, 4, 4 + width * count + (width == 1))
        struct.pack_into("<I", self.out, position, count)
        self.out[position + 4 : position + 4 + width * count] = self.source.data[items : items + width * count]
        self.lead(slot, position)

    def _child(self, kind: int, at: int, depth: int, slot: int) -> None:
        if depth >= wire.MAX_DEPTH:
            raise wire_error(wire.TOO_DEEP, at, wire.MAX_DEPTH)
        self.table(kind, at, depth + 1, slot)

    def _children(self, found: list[int], at: int, depth: int, slot: int) -> None:
        """Copy the children of a Field; drop children if the field is a struct and `keep` selects some."""
        keep = self.keep
        if keep is not None and self.source.data[found[Slot.TYPE_TAG]] == STRUCT_TYPE and not found[Slot.DICTIONARY]:
            return self._tables(FIELD, at, depth, keep, slot)
        self.keep = None
        self._tables(FIELD, at, depth, None, slot)
        self.keep = keep

    def _tables(self, kind: int, at: int, depth: int, keep: bytes | None, slot: int) -> None:
        """Copy a vector of tables; with `keep`, only the selected ones."""
        items, count = self.source.vector(at, 4)
        kept: Any = range(count)
        if keep is not None:
            if count > len(keep) - self.kept_at:
                raise broken(at)
            kept = [i for i in range(count) if keep[self.kept_at + i]]
            self.kept_at += count
        position = self.put(at, 4, 4 + 4 * len(kept))
        struct.pack_into("<I", self.out, position, len(kept))
        self.lead(slot, position)
        for written, i in enumerate(kept):
            target = self.source.follow(items + 4 * i)
            self._child(kind, target, depth, position + 4 + 4 * written)


def copy_piece(source: Source, at: int, room: int) -> bytes:
    """Return the field at `at` as a piece of at most `room` bytes."""
    out = bytearray()
    _Copier(source, out, room).field(at)
    return bytes(out)


def build(pieces: Sequence[bytes], names: Sequence[bytes], keep: Sequence[bytes | None] | None = None) -> bytes:
    """Combine pieces and names into an ``ARROW:schema`` value; see `slice.arrow_build`."""
    out = bytearray(MESSAGE)
    out += struct.pack("<I", len(pieces)) + bytes(4 * len(pieces))
    for i, (piece, name) in enumerate(zip(pieces, names, strict=True)):
        out += bytes(-len(out) % 8)
        slot = len(MESSAGE) + 4 + 4 * i
        struct.pack_into("<I", out, slot, len(out) - slot)
        _build_field(out, piece, name, keep[i] if keep is not None else None)
    out += bytes(-len(out) % 8)
    return base64.b64encode(CONTINUATION + struct.pack("<I", len(out)) + out)


def _build_field(out: bytearray, piece: bytes, name: bytes, keep: bytes | None) -> None:
    room = 4 * len(piece) + 1024 if len(piece) < INT32_MAX // 4 - 256 else INT32_MAX
    copier = _Copier(Source(piece, len(piece)), out, room, keep)
    copier.field(0)
    if keep is not None and copier.kept_at != len(keep):
        raise broken(0)
    if len(name) > INT32_MAX:
        raise wire_error(wire.TOO_LARGE, 0, INT32_MAX, len(name))
    out += struct.pack("<I", len(name)) + name + b"\0"
    if len(out) > INT32_MAX:
        raise wire_error(wire.TOO_LARGE, 0, INT32_MAX, len(out))
