"""Counts and widths of a footer index, which determine the position of every cell (docs/formats.md, section 7)."""

from __future__ import annotations

import struct
from typing import NamedTuple

from .. import wire
from .flat_names import bucket_count, listed_count

TAIL = struct.Struct("<6IiqIII4B")  # start of a tail block
RECORD = struct.Struct("<3I")  # layout version, bytes of the tail block, its checksum
MOST = 2**64 - 1


def parts_of(row_groups: int) -> int:
    return -(-row_groups // wire.FLAT_PART_ROW_GROUPS)


class Shape(NamedTuple):
    """The numbers of all items, and the widths in bytes of an offset, a length and a number."""

    leaves: int
    nodes: int
    row_groups: int
    key_values: int
    names: int
    offset_bytes: int
    length_bytes: int
    number_bytes: int

    # ---- bytes of cells

    @property
    def schema_bytes(self) -> int:
        """Return the size of the schema part of a COLUMN cell, or of a NODE cell up to its leaves."""
        return 8 + self.offset_bytes + self.length_bytes + 3 * self.number_bytes + 3

    @property
    def node_bytes(self) -> int:
        return self.schema_bytes + 2 * self.number_bytes

    @property
    def chunk_bytes(self) -> int:
        return self.offset_bytes + self.length_bytes

    @property
    def row_group_bytes(self) -> int:
        return 4 + 4 * self.offset_bytes

    @property
    def key_value_bytes(self) -> int:
        return 8 + 2 * self.offset_bytes

    @property
    def listed(self) -> int:
        return listed_count(self.names)

    @property
    def buckets(self) -> int:
        return bucket_count(self.names)

    @property
    def tail_bytes(self) -> int:
        return TAIL.size + 8 * self.listed + RECORD.size

    def groups(self, part: int) -> range:
        """Return the row groups of a part."""
        step = wire.FLAT_PART_ROW_GROUPS
        return range(step * part, min(step * part + step, self.row_groups))

    def part_bytes(self, part: int) -> int:
        """Return the size of the cell of a leaf's part; the first part's cell includes the schema part."""
        return (8 if part else self.schema_bytes + 4) + len(self.groups(part)) * self.chunk_bytes

    @property
    def leaf_bytes(self) -> int:
        """Return the size of all cells of a leaf."""
        more = max(parts_of(self.row_groups) - 1, 0)
        return self.schema_bytes + 4 + self.row_groups * self.chunk_bytes + 8 * more

    # ---- positions

    def part_position(self, leaf: int, part: int) -> int:
        full = 8 + wire.FLAT_PART_ROW_GROUPS * self.chunk_bytes
        return leaf * self.leaf_bytes + (self.part_bytes(0) + (part - 1) * full if part else 0)

    @property
    def nodes_position(self) -> int:
        return self.leaves * self.leaf_bytes

    @property
    def row_groups_position(self) -> int:
        return self.nodes_position + self.nodes * self.node_bytes

    @property
    def key_values_position(self) -> int:
        return self.row_groups_position + 4 * parts_of(self.row_groups) + self.row_groups * self.row_group_bytes

    @property
    def buckets_position(self) -> int:
        return self.key_values_position + self.key_values * self.key_value_bytes

    @property
    def tail_position(self) -> int:
        return self.buckets_position + self.buckets * wire.FLAT_PAGE_BYTES


class Numbers:
    """Consecutive unsigned numbers of given widths in bytes."""

    def __init__(self, data: bytes, at: int):
        self.data, self.at = data, at

    def take(self, width: int) -> int:
        self.at += width
        return int.from_bytes(self.data[self.at - width : self.at], "little")
