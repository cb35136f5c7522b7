"""Slice a flat footer: assemble the cells of a projection into a small Thrift footer."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from .. import wire
from ..errors import ParquetextError, wire_error
from . import arrow_schema, varint
from .flat_ending import HAS_COLUMN_ORDERS
from .flat_heads import Head
from .flat_names import GROUP
from .flat_pool import pool_position
from .flat_schema import ABSENT, Struct
from .slice_write import Chunk, Element, Parts, RowGroup, write

ROOT = GROUP
LISTS_AND_MAPS_CONVERTED = (wire.CONVERTED_MAP, wire.CONVERTED_MAP_KEY_VALUE, wire.CONVERTED_LIST)
LISTS_AND_MAPS_LOGICAL = (wire.LOGICAL_MAP, wire.LOGICAL_LIST)


@dataclass
class Part:
    """A schema element of the slice."""

    id: int
    head: Head
    children: list[Part] = field(default_factory=list)
    leaves: int = 0  # number of its leaves in the slice

    @property
    def position(self) -> int:
        """Return the position of its head in the payload."""
        return self.head.cell.position + self.head.at

    @property
    def is_leaf(self) -> bool:
        return not self.id & GROUP


class Slicer:
    """One projection of an open reader."""

    def __init__(self, reader, leaves, row_groups):
        self.reader, self.leaves, self.row_groups = reader, list(map(int, leaves)), list(map(int, row_groups))

    def check(self) -> None:
        """Raise an error unless the leaves ascend and all numbers exist."""
        for index, leaf in enumerate(self.leaves):
            if not 0 <= leaf < self.reader.leaf_count:
                raise wire_error(wire.BAD_ARGUMENT, 0, self.reader.leaf_count, leaf)
            if index and leaf <= self.leaves[index - 1]:
                raise wire_error(wire.BAD_ARGUMENT, 0, self.leaves[index - 1], leaf)
        for row_group in self.row_groups:
            if not 0 <= row_group < self.reader.row_group_count:
                raise wire_error(wire.BAD_ARGUMENT, 0, self.reader.row_group_count, row_group)

    def parts(self) -> list[Part]:
        """Return the leaves and the groups above them, in preorder."""
        known: dict[int, Part] = {}
        for id in self.leaves or [ROOT]:
            while id is not None and id not in known:
                known[id] = part = Part(id, self.reader.head(id))
                id = None if id == ROOT else GROUP | part.head.parent
        return self.tree(sorted(known.values(), key=lambda part: part.head.index))

    def tree(self, parts: list[Part]) -> list[Part]:
        """Connect each part with its children; raise an error if the parts are not a tree in preorder."""
        root, above = parts[0], parts[:1]
        if root.id != ROOT:
            raise self.reader.fail(wire.BAD_VALUE, root.position, 0, root.head.index)
        for before, part in pairwise(parts):
            while above and above[-1].id != GROUP | part.head.parent:
                above.pop()
            last, index = before.head.index, part.head.index
            if not above or index == last:
                raise self.reader.fail(wire.BAD_VALUE, part.position, last, index)
            above[-1].children.append(part)
            above.append(part)
            for group in above if part.is_leaf else []:
                group.leaves += 1
        return parts

    def row_group_fields(self) -> list[RowGroup]:
        fields = {index: self.reader.row_group(index) for index in sorted(self.row_groups)}
        return [
            RowGroup(*(fields[index][name] for name in ("num_rows", "file_offset", "ordinal")))
            for index in self.row_groups
        ]

    def chunks(self) -> list[list[Chunk]]:
        """Return the members by row group; refuse a chunk in another file, because its path is not among them."""
        found, row_groups = [], sorted(set(self.row_groups))
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
            if not part.head.arrow:
                return b""
            is_cut = is_struct(part) and part.leaves < part.head.leaf_count
            keep.append(self.keep(part, 0) if is_cut else None)
            if is_cut and keep[-1] is None:
                return b""
        if not keep:
            return b""
        pieces = self.pieces(root.children)
        try:
            return arrow_schema.build(pieces, [part.head.path for part in root.children], keep)
        except ParquetextError:
            return b""

    def pieces(self, parts: list[Part]) -> list[bytes]:
        """Return the Arrow fields of top-level elements, page by page, so that each page is loaded once."""
        found = {}
        self.reader.begin()
        for part in sorted(parts, key=lambda part: pool_position(part.head.arrow)[0]):
            found[part.id] = self.reader.pool_item(part.position, part.head.arrow)
        return [found[part.id] for part in parts]

    def keep(self, group: Part, depth: int) -> bytes | None:
        """Return the selected children of the struct, then those of its children; None if the cells do not agree."""
        count = Struct(group.head.thrift, 0).integer(wire.SCHEMA_ELEMENT_NUM_CHILDREN) or 0
        if depth > wire.MAX_DEPTH or not 0 < count < self.reader.leaf_count + self.reader.node_count:
            return None
        stays = {part.head.position for part in group.children}
        if max(stays) >= count:
            return None
        below = [self.keep(part, depth + 1) for part in group.children if is_struct(part)]
        return None if None in below else bytes(at in stays for at in range(count)) + b"".join(below)


def is_struct(part: Part) -> bool:
    """Return True if Arrow reads the group as a struct."""
    if part.is_leaf:
        return False
    element = Struct(part.head.thrift, 0)
    if element.integer(wire.SCHEMA_ELEMENT_REPETITION_TYPE) == wire.REPETITION_REPEATED:
        return False
    converted = element.integer(wire.SCHEMA_ELEMENT_CONVERTED_TYPE)
    if (ABSENT if converted is None else converted) in LISTS_AND_MAPS_CONVERTED:
        return False
    logical = element.value(wire.SCHEMA_ELEMENT_LOGICAL_TYPE, wire.TYPE_STRUCT)
    members = [] if logical is None else Struct(part.head.thrift, logical).list
    return not members or members[0][0] not in LISTS_AND_MAPS_LOGICAL


def slice_reader(reader, leaves, row_groups, with_arrow_schema: bool, with_key_values: bool) -> bytes:
    """Return the slice of an open flat footer; see `slice.slice_footer`."""
    slicer = Slicer(reader, leaves, row_groups)
    slicer.check()
    reader.begin()
    parts = slicer.parts()
    row_group_fields = slicer.row_group_fields()
    reader.begin()  # the leaves' cells are read once more
    chunks = slicer.chunks()
    arrow = slicer.arrow_schema(parts[0]) if with_arrow_schema else b""
    pairs = slicer.key_values() if with_key_values else []
    return write(
        Parts(
            version=reader.version,
            elements=[Element(part.head.thrift, len(part.children), part.head.column_order) for part in parts],
            row_groups=row_group_fields,
            chunks=chunks,
            paths=[part.head.path for part in parts if part.is_leaf],
            key_values=pairs,
            arrow_schema=arrow,
            created_by=reader.created_by,
            has_column_orders=bool(reader.flags & HAS_COLUMN_ORDERS),
        )
    )
