"""Rebuild the Thrift footer from a packed payload, and check a payload (docs/formats.md, 15.6)."""

from __future__ import annotations

from itertools import accumulate, pairwise

from .. import wire
from ..errors import wire_error
from .checksum import crc32
from .flat_names import GROUP
from .index_read import Entry
from .packed_frame import GROUPS, KEY_VALUES, LITERAL, PLACE, SCHEMA
from .packed_layout import FRAME, NAMES, ORDER
from .packed_read import Reader
from .packed_template import emit


def to_thrift(reader: Reader) -> bytes:
    """Return the Thrift FileMetaData from which a payload was written, byte for byte, without its extension.

    Raises
    ------
    Damaged
        If a cell is damaged, or if the result does not have the stored checksum.
    """
    layout = reader.file.layout
    reader.begin()
    content = reader.file.cell(FRAME, 0)
    content.skip(PLACE.size)
    thrift = bytearray()
    done: set[int] = set()
    while content.left and len(thrift) <= layout.thrift_bytes:
        at, step = content.at, content.byte()
        if step > KEY_VALUES:
            raise content.fail(wire.BAD_VALUE, at, KEY_VALUES, step)
        if step in done:
            raise content.fail(wire.BAD_VALUE, at, 0, step)
        done |= {step} - {LITERAL}
        thrift += bytes(content.take(content.varint())) if step == LITERAL else LISTS[step](reader)
    found = crc32(thrift)
    if (len(thrift), found) != (layout.thrift_bytes, layout.thrift_crc):
        raise reader.file.fail(wire.CHECKSUM, reader.file.tail + 40, layout.thrift_crc, found)
    return bytes(thrift)


def schema(reader: Reader) -> bytes:
    entries: list[Entry] = []
    size, limit = 0, reader.file.layout.thrift_bytes
    for id in (*range(reader.leaf_count), *range(GROUP, GROUP + reader.node_count)):
        reader.begin()
        entries.append(reader.entry(id))
        size += len(entries[-1].thrift)
        if size > limit:
            raise wire_error(wire.BAD_CELL, entries[-1].offset, limit, size)
    return b"".join(entry.thrift for entry in sorted(entries, key=lambda entry: entry.schema_index))


def row_groups(reader: Reader) -> bytes:
    """Return all row groups; the chunks are made tile by tile."""
    pieces = []
    rows, limit = reader.file.layout.tile_rows, reader.file.layout.thrift_bytes
    for first in range(0, reader.row_group_count, rows):
        numbers = range(first, min(first + rows, reader.row_group_count))
        columns, size = [], 0
        for leaf in range(reader.leaf_count):
            reader.begin()
            data, ranges = reader.chunk_bytes(leaf, numbers)
            size += len(data)
            if size > limit:
                raise reader.file.fail(wire.BAD_CELL, 0, limit, size)
            ends = list(accumulate((range.length for range in ranges), initial=0))
            columns.append([data[begin:end] for begin, end in pairwise(ends)])
        for row, number in enumerate(numbers):
            reader.begin()
            run, at = reader.row_group_run(number)
            pieces.append(emit(*run.parts(at), columns=b"".join(column[row] for column in columns)))
    return b"".join(pieces)


def key_values(reader: Reader) -> bytes:
    pieces = []
    for index in range(reader.key_value_count):
        reader.begin()
        pieces.append(reader.pair_bytes(index))
    return b"".join(pieces)


LISTS = {SCHEMA: schema, GROUPS: row_groups, KEY_VALUES: key_values}


def verify(reader: Reader) -> None:
    """Check each cell of a payload: its checksum, and that each name is found."""
    file = reader.file
    for kind, area in sorted(file.areas.items()):
        for number in range(area.cells if kind in ORDER else 0):
            reader.begin()
            file.bucket(number) if kind == NAMES else file.cell(kind, number)
    for id in (*range(reader.leaf_count), *range(GROUP + 1, GROUP + reader.node_count)):
        reader.begin()
        if not reader.find_name(reader.named(id).path or b""):
            raise file.fail(wire.BAD_VALUE, 0, 1, 0)
