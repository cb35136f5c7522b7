"""Slice a flat footer: assemble the cells of a projection into a small Thrift footer."""

from __future__ import annotations

from .. import wire
from ..errors import ParquetextError
from . import arrow_copy, varint
from .flat_ending import HAS_COLUMN_ORDERS
from .flat_pool import pool_position
from .flat_schema import Struct
from .projection import Part, projected
from .slice import LIST_OR_MAP_CONVERTED, LIST_OR_MAP_LOGICAL
from .slice_write import Chunk, Element, Parts, RowGroup, write


class Slicer:
    """One projection of an open reader."""

    def __init__(self, reader, leaves, row_groups):
        self.reader, self.leaves, self.row_groups = reader, list(map(int, leaves)), list(map(int, row_groups))

    def row_group_fields(self) -> list[RowGroup]:
        fields = {index: self.reader.row_group(index) for index in sorted(self.row_groups)}
        return [
            RowGroup(*(fields[index][name] for name in ("num_rows", "file_offset", "ordinal")))
            for index in self.row_groups
        ]

    def chunks(self) -> list[list[Chunk]]:
        """Return the members by row group; refuse a chunk in another file, because its path is not among them."""
        row_groups = sorted(set(self.row_groups))
        found: list = []
        for leaf in self.leaves:
            found.append({})
            for row_group, fields in self.reader.chunks(leaf, row_groups):
                if fields["present"] & wire.PRESENT_FILE_PATH:
                    raise self.reader.fail(wire.UNSUPPORTED_VALUE, self.reader.head(leaf).cell.position, 0, row_group)
                found[-1][row_group] = Chunk(fields)
        return [[column[row_group] for column in found] for row_group in self.row_groups]

    def key_values(self) -> list[bytes]:
        """Return the key-values except ARROW:schema, as Thrift structs."""
        reader = self.reader
        pairs = (reader.pair(index) for index in range(reader.key_value_count) if not reader.is_arrow_schema(index))
        return [
            b"".join(b"\x18" + varint.encode(len(text)) + text for text in pair if text is not None) + b"\0"
            for pair in pairs
        ]

    # ---- ARROW:schema

    def arrow_schema(self, root: Part) -> bytes:
        """Return the projection's ARROW:schema, or nothing if the footer lacks the field of one of its elements."""
        keep = []
        for part in root.children if self.leaves else []:
            if not part.entry.arrow:
                return b""
            is_cut = is_struct(part) and part.leaves < part.entry.leaf_count
            keep.append(self.keep(part, 0) if is_cut else None)
            if is_cut and keep[-1] is None:
                return b""
        if not keep:
            return b""
        pieces = self.pieces(root.children)
        try:
            return arrow_copy.build(pieces, [part.entry.path for part in root.children], keep)
        except ParquetextError:
            return b""

    def pieces(self, parts: list[Part]) -> list[bytes]:
        """Return the Arrow fields of top-level elements, page by page, so that each page is loaded once."""
        found = {}
        self.reader.begin()
        for part in sorted(parts, key=lambda part: pool_position(part.entry.arrow)[0]):
            found[part.entry.id] = self.reader.pool_item(part.entry.cell.position + part.entry.at, part.entry.arrow)
        return [found[part.entry.id] for part in parts]

    def keep(self, group: Part, depth: int) -> bytes | None:
        """Return the selected children of the struct, then those of its children; None if the cells do not agree."""
        count = Struct(group.entry.thrift, 0).integer(wire.SCHEMA_ELEMENT_NUM_CHILDREN) or 0
        if depth > wire.MAX_DEPTH or not 0 < count < self.reader.leaf_count + self.reader.node_count:
            return None
        stays = {part.entry.position for part in group.children}
        if max(stays) >= count:
            return None
        below = [self.keep(part, depth + 1) for part in group.children if is_struct(part)]
        kept = [stay for stay in below if stay is not None]
        return bytes(at in stays for at in range(count)) + b"".join(kept) if len(kept) == len(below) else None


def is_struct(part: Part) -> bool:
    """Return True if Arrow reads the group as a struct."""
    if part.is_leaf:
        return False
    element = Struct(part.entry.thrift, 0)
    if element.integer(wire.SCHEMA_ELEMENT_REPETITION_TYPE) == wire.REPETITION_REPEATED:
        return False
    if element.integer(wire.SCHEMA_ELEMENT_CONVERTED_TYPE) in LIST_OR_MAP_CONVERTED:
        return False
    logical = element.value(wire.SCHEMA_ELEMENT_LOGICAL_TYPE, wire.TYPE_STRUCT)
    members = [] if logical is None else Struct(part.entry.thrift, logical).list
    return not members or members[0][0] not in LIST_OR_MAP_LOGICAL


def slice_reader(reader, leaves, row_groups, with_arrow_schema: bool, with_key_values: bool) -> bytes:
    """Return the slice of an open flat footer; see `slice.slice_footer`."""
    slicer = Slicer(reader, leaves, row_groups)
    reader.check_projection(slicer.leaves, slicer.row_groups)
    reader.begin()
    parts = projected(slicer.leaves, reader.head)
    row_group_fields = slicer.row_group_fields()
    reader.begin()  # the leaves' cells are read once more
    chunks = slicer.chunks()
    arrow = slicer.arrow_schema(parts[0]) if with_arrow_schema else b""
    pairs = slicer.key_values() if with_key_values else []
    return write(
        Parts(
            version=reader.version,
            elements=[Element(part.entry.thrift, len(part.children), part.entry.column_order) for part in parts],
            row_groups=row_group_fields,
            chunks=chunks,
            paths=[part.entry.path for part in parts if part.is_leaf],
            key_values=pairs,
            arrow_schema=arrow,
            created_by=reader.created_by,
            has_column_orders=bool(reader.flags & HAS_COLUMN_ORDERS),
        )
    )
