"""The steps by which a packed footer writes FileMetaData (docs/formats.md, 15.6)."""

from __future__ import annotations

import struct

from .. import wire
from . import varint
from .checksum import crc32
from .extension import MARKERS
from .thrift import fields

LITERAL, SCHEMA, GROUPS, KEY_VALUES, END = range(5)
LISTS = {
    wire.FILE_META_DATA_SCHEMA: SCHEMA,
    wire.FILE_META_DATA_ROW_GROUPS: GROUPS,
    wire.FILE_META_DATA_KEY_VALUE_METADATA: KEY_VALUES,
}
PLACE = struct.Struct("<II")

Cut = tuple[int, int, int]  # begin and end of bytes that are not literal, and the step that writes them


def frame_of(scan) -> tuple[bytes, int, int]:
    """Return the steps that write FileMetaData without its extension, and its length and its checksum.

    The place of created_by precedes the steps. The bytes around the extension are one literal.
    """
    data = memoryview(scan.data).cast("B")
    cuts, end = cuts_of(scan, data)
    content, literal, thrift = bytearray(PLACE.size), bytearray(), bytearray()
    created_by, in_literal, at = (0, 0), None, 0
    name, length = scan.created_by_position
    for begin, after, step in [*cuts, (end, end, END)]:
        if scan.created_by is not None and at <= name and name + length <= begin:
            in_literal = len(literal) + name - at
        literal += data[at:begin]
        thrift += data[at : begin if step == LITERAL else after]
        at = after
        if step == LITERAL:
            continue
        content += bytes((LITERAL,)) + varint.encode(len(literal))
        if in_literal is not None:
            created_by, in_literal = (len(content) + in_literal, length), None
        content += literal
        content += b"" if step == END else bytes((step,))
        literal.clear()
    content[: PLACE.size] = PLACE.pack(*created_by)
    return bytes(content), len(thrift), crc32(thrift)


def cuts_of(scan, data: memoryview) -> tuple[list[Cut], int]:
    """Return the extension, and the items of lists that have cells of their own; and the end of the struct."""
    items = {
        SCHEMA: items_of(scan.elements),
        GROUPS: items_of(scan.row_groups),
        KEY_VALUES: items_of(scan.key_values),
    }
    found = fields(data)
    cuts: list[Cut] = []
    for id, _, header, value, end in found:
        begin, last = items.get(LISTS.get(id, LITERAL), (-1, -1))
        if bytes(data[header:value]) in MARKERS:
            cuts.append((header, end, LITERAL))
        elif value < begin and last == end:
            cuts.append((begin, end, LISTS[id]))
    return cuts, (found[-1][4] if found else 0) + 1


def items_of(records) -> tuple[int, int]:
    """Return the begin of the first struct of a list and the end of the last one."""
    offsets, lengths = records("bytes_offset"), records("bytes_length")
    return (offsets[0], offsets[-1] + lengths[-1]) if len(offsets) else (-1, -1)
