"""Write the footer index: positions, names and checksums (docs/formats.md, section 7)."""

from __future__ import annotations

import struct
from typing import Any

from .. import wire
from ..errors import wire_error
from .checksum import crc32
from .flat_ending import HAS_COLUMN_ORDERS, HAS_CREATED_BY, HAS_KEY_VALUES
from .flat_names import check_paths, fill_buckets, limit_of, tag_of
from .flat_schema import Elements
from .index_names import bucket_of, name_entries, signed
from .index_shape import MOST, TAIL, Shape, parts_of

PAYLOAD_LIMIT = 0x7FFFFFFF


def write(scan) -> bytes:
    """Return the index's payload for a scanned footer, without the trailer.

    Raises
    ------
    Refused
        If the footer is encrypted or signed.
    Unsupported
        If a row group does not have one chunk per leaf, or if the payload would have 2 GiB, or more than 16 times the
        footer and 4 MiB.
    """
    return _Writer(scan).payload()


def bytes_for(largest: int) -> int:
    return min(max(-(-largest.bit_length() // 8), 1), 4)


class _Writer:
    def __init__(self, scan):
        self.scan, self.data = scan, memoryview(scan.data).cast("B")
        if scan.problem is not None:
            raise scan.problem
        if scan.encrypted:
            raise wire_error(wire.ENCRYPTED, 0, 0, scan.encrypted)
        scan.check_regular()
        self.limit = limit_of(scan.end)
        check_paths(scan, self.limit)
        self.elements: Any = Elements(scan)
        self.chunks = self.ranges(scan.chunks, "chunk")
        self.groups, self.columns = (self.ranges(scan.row_groups, name) for name in ("bytes", "columns"))
        self.pairs = self.ranges(scan.key_values, "bytes")
        self.entries = name_entries(self.elements)
        self.shape = self.measure()

    @staticmethod
    def ranges(records, name: str) -> list[tuple[int, int]]:
        return list(zip(records(f"{name}_offset"), records(f"{name}_length"), strict=True))

    def measure(self) -> Shape:
        """Compute the widths of offsets, lengths and numbers."""
        elements, scan = self.elements.thrift_places, self.scan
        largest = max(sum(range) for range in (*elements, *self.groups, *self.pairs))
        longest = max(length for _, length in (*elements, *self.chunks))
        shape = Shape(
            scan.leaf_count,
            len(self.elements.nodes),
            scan.row_group_count,
            scan.key_value_count,
            len(self.entries),
            bytes_for(largest),
            bytes_for(longest),
            bytes_for(scan.element_count),
        )
        size = shape.tail_position + shape.tail_bytes if shape.tail_position <= PAYLOAD_LIMIT else MOST
        if size > PAYLOAD_LIMIT:
            raise wire_error(wire.TOO_LARGE, 0, PAYLOAD_LIMIT, size)
        if size > self.limit:
            raise wire_error(wire.OUT_OF_PROPORTION, 0, self.limit, size)
        return shape

    def payload(self) -> bytes:
        shape = self.shape
        pieces = [self.leaf(leaf) for leaf in range(shape.leaves)]
        pieces += [
            signed(
                self.schema_part(element)
                + self.number(self.elements.first_leaf[element])
                + self.number(self.elements.leaf_count[element])
            )
            for element in self.elements.nodes
        ]
        pieces += [self.row_groups(part) for part in range(parts_of(shape.row_groups))]
        pieces += [signed(self.crc(range) + self.offset(range[0]) + self.offset(range[1])) for range in self.pairs]
        if shape.buckets:
            pieces += [bucket_of(*numbered) for numbered in enumerate(fill_buckets(self.entries))]
        return b"".join(pieces) + self.tail()

    # ---- numbers

    def offset(self, value: int) -> bytes:
        return value.to_bytes(self.shape.offset_bytes, "little")

    def length(self, value: int) -> bytes:
        return value.to_bytes(self.shape.length_bytes, "little")

    def number(self, value: int) -> bytes:
        return value.to_bytes(self.shape.number_bytes, "little")

    def crc(self, *ranges: tuple[int, int]) -> bytes:
        """Return the checksum of the footer's ranges, concatenated."""
        crc = 0
        for at, length in ranges:
            crc = crc32(self.data[at : at + length], crc)
        return struct.pack("<I", crc)

    # ---- cells

    def schema_part(self, element: int) -> bytes:
        elements = self.elements
        parent = elements.node_of[elements.parent[element]] if element else 0
        at, length = elements.thrift_places[element]
        order = elements.column_order[element] if elements.is_leaf[element] else 0
        return b"".join(
            (
                self.crc((at, length)),
                self.offset(at),
                self.length(length),
                self.number(parent),
                self.number(element),
                self.number(elements.position[element]),
                bytes((order, elements.max_definition[element], elements.max_repetition[element])),
            )
        )

    def leaf(self, leaf: int) -> bytes:
        cells = [signed(self.schema_part(self.elements.leaves[leaf]) + self.part(leaf, 0))]
        cells += [signed(self.part(leaf, part)) for part in range(1, parts_of(self.shape.row_groups))]
        return b"".join(cells)

    def part(self, leaf: int, part: int) -> bytes:
        """Return one checksum over all chunks of the part, then their offsets, then their lengths."""
        chunks = [self.chunks[group * self.shape.leaves + leaf] for group in self.shape.groups(part)]
        return b"".join(
            (self.crc(*chunks), *(self.offset(at) for at, _ in chunks), *(self.length(length) for _, length in chunks))
        )

    def row_groups(self, part: int) -> bytes:
        cell = []
        for group in self.shape.groups(part):
            (begin, length), (columns, columns_length) = self.groups[group], self.columns[group]
            columns_end, end = columns + columns_length, begin + length
            cell.append(self.crc((begin, columns - begin), (columns_end, end - columns_end)))
            cell += [self.offset(at) for at in (begin, columns, columns_end, end)]
        return signed(b"".join(cell))

    # ---- the tail block

    def tail(self) -> bytes:
        scan, shape = self.scan, self.shape
        at, length = scan.created_by_position
        has_created_by, arrow_schema = scan.created_by is not None, scan.arrow_schema()
        flags = (
            has_created_by * HAS_CREATED_BY
            | scan.has_key_values * HAS_KEY_VALUES
            | scan.has_column_orders * HAS_COLUMN_ORDERS
        )
        block = TAIL.pack(
            *shape[:5],
            0 if arrow_schema is None else arrow_schema + 1,
            scan.version,
            scan.num_rows,
            at,
            length,
            crc32(scan.created_by) if has_created_by else 0,
            *shape[5:],
            flags,
        )
        block += b"".join(struct.pack("<II", tag_of(hash), id) for hash, id in self.entries[: shape.listed])
        block += struct.pack("<II", wire.INDEX_LAYOUT_VERSION, shape.tail_bytes)
        return block + struct.pack("<I", crc32(block))
