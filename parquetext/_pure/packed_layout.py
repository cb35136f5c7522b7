"""The parts of a packed footer: cells in areas, and the tail block (docs/formats.md, 15.1)."""

from __future__ import annotations

import struct
from typing import NamedTuple

from .. import wire
from .flat_names import bucket_count, listed_count
from .index_shape import RECORD

TAIL = struct.Struct("<6IiqIIHHBBH")  # start of a tail block
AREA = struct.Struct("<4I")
LAYOUT_VERSION = wire.PACKED_LAYOUT_VERSION
BOOKS, LEAVES, NODES, ROW_GROUPS = wire.CELLS_BOOKS, wire.CELLS_LEAVES, wire.CELLS_NODES, wire.CELLS_ROW_GROUPS
PLACED, BOUNDS, TEXTS, LONG_TEXTS = wire.CELLS_PLACED, wire.CELLS_BOUNDS, wire.CELLS_TEXTS, wire.CELLS_LONG_TEXTS
PAIRS, NAMES, FRAME, SLOTS = wire.CELLS_PAIRS, wire.CELLS_NAMES, wire.CELLS_FRAME, wire.CELLS_SLOTS
# The areas that a first look-up needs are near the end. BOOKS follow the other areas' directories.
ORDER = (LONG_TEXTS, TEXTS, BOUNDS, PAIRS, SLOTS, FRAME, LEAVES, NODES, ROW_GROUPS, PLACED, NAMES, BOOKS)
ELEMENTS_PER_CELL, ROW_GROUPS_PER_CELL = wire.PACKED_ELEMENTS_PER_CELL, wire.PACKED_ROW_GROUPS_PER_CELL
TILE_CHUNKS, TILE_COLUMNS = wire.PACKED_TILE_CHUNKS, wire.PACKED_TILE_COLUMNS
CRC_BYTES = wire.PACKED_CRC_BYTES
LEAST_ROW_GROUP, LEAST_CHUNK = wire.PACKED_LEAST_ROW_GROUP, wire.PACKED_LEAST_CHUNK  # Thrift bytes


def seed_of(kind: int, number: int) -> int:
    """Return the start of a cell's checksum, so that no cell is taken for another one."""
    return (number << 4 | kind) & 0xFFFFFFFF


def limit_of(payload: int) -> int:
    """Return the size of the largest Thrift footer that a payload of this size may claim."""
    return wire.PACKED_LIMIT_TIMES * payload + wire.PACKED_LIMIT_BESIDE


def runs_of(count: int, most: int) -> list[range]:
    return [range(first, min(first + most, count)) for first in range(0, count, most)]


class Area(NamedTuple):
    """The cells of one kind: their number, the place of the first one, and the place of the list of their ends."""

    kind: int
    cells: int
    begin: int
    directory: int


class Layout(NamedTuple):
    """The counts of a tail block."""

    leaves: int
    nodes: int
    row_groups: int
    key_values: int
    names: int
    arrow_schema: int
    version: int
    num_rows: int
    thrift_bytes: int
    thrift_crc: int
    tile_columns: int
    tile_rows: int
    flags: int
    areas: int
    zero: int

    @property
    def names_at(self) -> int:
        """Return where the tail block lists names."""
        return TAIL.size + self.areas * AREA.size

    @property
    def tail_bytes(self) -> int:
        return self.names_at + 8 * listed_count(self.names) + RECORD.size

    @property
    def tiles_below(self) -> int:
        """Return the number of tiles of the same leaves."""
        return -(-self.row_groups // self.tile_rows)

    def cells_of(self, kind: int) -> int | None:
        """Return the number of cells that an area must have; None for any number."""
        tiles = -(-self.leaves // self.tile_columns) * self.tiles_below
        return {
            BOOKS: 1,
            LEAVES: -(-self.leaves // ELEMENTS_PER_CELL),
            NODES: -(-self.nodes // ELEMENTS_PER_CELL),
            ROW_GROUPS: -(-self.row_groups // ROW_GROUPS_PER_CELL),
            PLACED: tiles,
            BOUNDS: tiles,
            TEXTS: tiles,
            LONG_TEXTS: tiles,
            PAIRS: self.key_values,
            NAMES: bucket_count(self.names),
            FRAME: 1,
        }.get(kind)
