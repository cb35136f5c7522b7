"""The extension slots of a flat footer: UUIDs and arbitrary bytes of other software, each in a separate cell."""

from __future__ import annotations

import struct
from itertools import pairwise

from .. import wire
from ..errors import wire_error
from .flat_cells import Cell
from .flat_tables import Octets, Payload, table_of

_FIRST = 24  # offset of the entries in the list's cell
_ENTRY = struct.Struct("<16sII")  # UUID, position of the cell, length of the bytes


def check(extensions: list[tuple[bytes, bytes]]) -> None:
    """Raise BAD_ARGUMENT unless the UUIDs ascend."""
    for index, ((before, _), (uuid, _)) in enumerate(pairwise(extensions), 1):
        if before >= uuid:
            raise wire_error(wire.BAD_ARGUMENT, 0, index, index)


def write(payload: Payload, extensions: list[tuple[bytes, bytes]], first_entry: int) -> int:
    """Write the list's cell, then one cell for each extension.

    The vector of the root table, whose first entry is at `first_entry`, refers to their tables. Return the position of
    the list, 0 if there are no extensions.
    """
    if not extensions:
        return 0
    with payload.cell(wire.KIND_EXTENSIONS, 0) as listing:
        entries = payload.append(struct.pack("<II", len(extensions), 0) + bytes(_ENTRY.size * len(extensions))) + 8
    for index, (uuid, data) in enumerate(extensions):
        with payload.cell(wire.KIND_EXTENSION, index) as cell:
            table = payload.table(table_of("Extension", uuid=Octets(uuid), data=Octets(data)))
            payload.link(first_entry + 4 * index, table.position)
        _ENTRY.pack_into(payload.out, entries + _ENTRY.size * index, uuid, cell, len(data))
    return listing


def entries(footer) -> list[tuple[bytes, int, int]]:
    """Return (UUID, position of its cell, length of its bytes) of each extension, from the list's cell."""
    if not footer.counts.extensions:
        return []
    cell = footer.cell(footer.counts.extensions, wire.KIND_EXTENSIONS, 0)
    cell.require(_FIRST)
    count = cell.u32(16)
    cell.require(_FIRST + _ENTRY.size * count)
    found = list(_ENTRY.iter_unpack(cell.data[_FIRST : _FIRST + _ENTRY.size * count]))
    for index in range(1, count):
        if found[index - 1][0] >= found[index][0]:
            raise cell.fail(wire.BAD_VALUE, _FIRST + _ENTRY.size * index, 1, 0)
    return found


def load(footer, index: int) -> tuple[Cell, bytes]:
    """Return the cell of an extension, and its bytes."""
    listed = entries(footer)
    if not 0 <= index < len(listed):
        raise wire_error(wire.BAD_ARGUMENT, 0, len(listed), index)
    uuid, position, length = listed[index]
    cell = footer.cell(position, wire.KIND_EXTENSION, index)
    table = cell.table("Extension", wire.FLAT_CELL_HEADER_BYTES)
    found, data = cell.text(table, "uuid"), cell.text(table, "data") or b""
    if found != uuid:
        raise cell.fail(wire.BAD_VALUE, wire.FLAT_CELL_HEADER_BYTES, 1, 0)
    if len(data) != length:
        raise cell.fail(wire.BAD_VALUE, wire.FLAT_CELL_HEADER_BYTES, length, len(data))
    return cell, data
