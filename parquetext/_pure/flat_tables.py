"""Write tables of the flat footer. The set of present fields determines their layout (docs/formats.md, 3.1)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

from .. import wire
from ..errors import wire_error
from . import checksum

PAYLOAD_LIMIT = 0x7FFFFFFF
LATER = 0  # placeholder for a table or vector: the offset is linked when its target is written

_CODES = {4: "I", 8: "Q", 2: "H", 1: "B"}  # in the order of a table's fields


class Octets(bytes):
    """A vector of bytes. Plain bytes are a string, which is followed by a zero byte."""


class Numbers(list):
    """A vector of 32-bit numbers. A plain list contains tables or strings."""


class Table(NamedTuple):
    """A table to write: fields in slot order. None is absent; values other than numbers follow the table."""

    name: str
    fields: Mapping[str, int | bytes | Table | Shared | list | None]


def table_of(name: str, /, **fields: Any) -> Table:
    """Return a table of these fields, which are in slot order."""
    return Table(name, fields)


class Shared(NamedTuple):
    """A table of numbers that schema elements share. It follows all of them."""

    table: Table


class Shape(NamedTuple):
    """The layout of a table's fields for one set of present fields."""

    vtable: bytes
    at: dict[str, int]  # in slot order
    order: tuple[tuple[str, int], ...]  # (field, mask of its width), in layout order
    inline: struct.Struct
    align: int
    lead: int  # the table starts at `lead` modulo `align`


@cache
def shape_of(name: str, present: tuple[str, ...]) -> Shape:
    """Lay out a table: fields of 4 bytes, then of 8, 2 and 1, each in slot order; padded to a multiple of 4."""
    layout = {field: position for field, position in wire.FLAT_TABLES[name].items() if field in present}
    order = [(field, width) for width in _CODES for field, (_, bytes_) in layout.items() if bytes_ == width]
    at, end = {}, 4
    for field, width in order:
        at[field] = end
        end += width
    size = (end + 3) & ~3
    entries = [0] * max((slot + 1 for slot, _ in layout.values()), default=0)
    for field, (slot, _) in layout.items():
        entries[slot] = at[field]
    eights = [at[field] for field, width in order if width == 8]
    return Shape(
        vtable=struct.pack(f"<{2 + len(entries)}H", 4 + 2 * len(entries), size, *entries),
        at={field: at[field] for field in layout},
        order=tuple((field, (1 << 8 * width) - 1) for field, width in order),
        inline=struct.Struct("<I" + "".join(_CODES[width] for _, width in order) + "x" * (size - end)),
        align=8 if eights else 4,
        lead=-eights[0] % 8 if eights else 0,
    )


class Written(NamedTuple):
    """A table in the payload: its position, and those of its fields relative to it."""

    position: int
    at: dict[str, int]

    def field(self, name: str) -> int:
        """Return the payload offset of a field."""
        return self.position + self.at[name]


class Payload:
    """A payload that grows from front to back. Vtables are written with the tail block, checksums after the vtables."""

    def __init__(self):
        self.out = bytearray()
        self.vtables: dict[bytes, int] = {}  # vtable -> its offset among the vtables
        self.vtable_bytes = 0
        self.tables: list[tuple[int, int]] = []  # (position, offset of its vtable)
        self.cells: list[int] = []
        self.shared: dict[tuple, tuple[Table, list[int]]] = {}  # content -> table, fields that refer to it

    def pad(self, multiple: int, lead: int = 0) -> int:
        """Append zeros up to the next position that is `lead` modulo `multiple`; return that position."""
        self.out += bytes((lead - len(self.out)) % multiple)
        return len(self.out)

    def u32(self, position: int, value: int) -> None:
        """Overwrite a u32."""
        struct.pack_into("<I", self.out, position, value)

    def append(self, data) -> int:
        """Append bytes unchanged; return their position."""
        position = len(self.out)
        self.out += data
        return position

    def link(self, field: int, target: int) -> None:
        """Make the offset at `field` refer to `target`."""
        self.u32(field, target - field)

    def table(self, table: Table) -> Written:
        """Write a table and then, in slot order and depth first, everything it refers to."""
        name, fields = table
        shape = shape_of(name, tuple([field for field, value in fields.items() if value is not None]))
        position = self.pad(shape.align, shape.lead)
        numbers = [value & mask if isinstance(value := fields[field], int) else 0 for field, mask in shape.order]
        self.out += shape.inline.pack(0, *numbers)
        self.tables.append((position, self._vtable(shape.vtable)))
        for field, at in shape.at.items():
            value = fields[field]
            if value is not None and not isinstance(value, int):
                self.follow(position + at, value)
        return Written(position, shape.at)

    def follow(self, field: int, value: bytes | Table | Shared | list) -> None:
        """Write the target of the offset at `field`; shared tables are deferred while there are few."""
        if isinstance(value, Shared):
            key = value.table.name, *value.table.fields.items()
            if key in self.shared or len(self.shared) < wire.FLAT_SHARED_TABLES:
                self.shared.setdefault(key, (value.table, []))[1].append(field)
                return
            value = value.table
        self.link(field, self.behind(value))

    def write_shared(self) -> None:
        """Write the deferred shared tables."""
        for table, fields in self.shared.values():
            position = self.table(table).position
            for field in fields:
                self.link(field, position)

    def numbers(self, values: Numbers) -> int:
        """Write a vector of numbers; return its position."""
        position = self.pad(4)
        self.out += struct.pack(f"<I{len(values)}i", len(values), *values)
        return position

    def vector(self, entries: list[Table | bytes | int]) -> int:
        """Write a vector of offsets, and the tables or strings that it refers to; return its position."""
        position = self.pad(4)
        self.out += struct.pack("<I", len(entries)) + bytes(4 * len(entries))
        for index, entry in enumerate(entries):
            if not isinstance(entry, int):
                self.link(position + 4 + 4 * index, self.behind(entry))
        return position

    def string(self, text: bytes) -> int:
        """Write a string, or a vector of bytes; return its position."""
        position = self.pad(4)
        self.out += struct.pack("<I", len(text)) + text
        if not isinstance(text, Octets):
            self.out.append(0)
        return position

    def behind(self, value: bytes | Table | list) -> int:
        if isinstance(value, Table):
            return self.table(value).position
        if isinstance(value, Numbers):
            return self.numbers(value)
        return self.vector(value) if isinstance(value, list) else self.string(value)

    def _vtable(self, vtable: bytes) -> int:
        if vtable not in self.vtables:
            self.vtables[vtable] = self.vtable_bytes
            self.vtable_bytes += len(vtable)
        return self.vtables[vtable]

    @contextmanager
    def cell(self, kind: int, number: int, part: int = 0):
        """Write a cell around the bytes that are written in the context; yield its position."""
        position = self.pad(8)
        self.cells.append(position)
        self.out += struct.pack("<IIHHI", 0, 0, kind, min(part, 0xFFFF), number)
        yield position
        self.u32(position + 4, self.pad(8) - position)

    def write_vtables(self) -> None:
        """Write the vtables, and make each table so far refer to its vtable."""
        area = self.append(b"".join(self.vtables))
        for position, vtable in self.tables:
            self.u32(position, (position - area - vtable) & 0xFFFFFFFF)

    def sign(self) -> bytes:
        """Return the payload with the checksum of each cell. Raise TOO_LARGE from 2 GiB on."""
        if len(self.out) > PAYLOAD_LIMIT:
            raise wire_error(wire.TOO_LARGE, 0, PAYLOAD_LIMIT, len(self.out))
        view = memoryview(self.out)
        for position in self.cells:
            (length,) = struct.unpack_from("<I", view, position + 4)
            self.u32(position, checksum.crc32(view[position + 4 : position + length]))
        return bytes(view)
