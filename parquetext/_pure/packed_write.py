"""Write the packed footer of a scanned Thrift footer (docs/formats.md, section 15)."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from typing import Any

from .. import wire
from ..errors import wire_error
from . import packed_numbers as numbers
from . import varint
from .checksum import crc32
from .flat_ending import HAS_COLUMN_ORDERS, HAS_CREATED_BY, HAS_KEY_VALUES
from .flat_names import bucket_count, check_paths, fill_buckets, listed_count, tag_of
from .flat_names import limit_of as flat_limit_of
from .flat_schema import Elements
from .index_names import bucket_of, name_entries, signed
from .index_write import PAYLOAD_LIMIT
from .packed_frame import frame_of
from .packed_layout import (
    AREA,
    BOOKS,
    BOUNDS,
    ELEMENTS_PER_CELL,
    FRAME,
    LAYOUT_VERSION,
    LEAVES,
    LONG_TEXTS,
    NAMES,
    NODES,
    ORDER,
    PAIRS,
    PLACED,
    ROW_GROUPS,
    ROW_GROUPS_PER_CELL,
    SLOTS,
    TAIL,
    TEXTS,
    TILE_CHUNKS,
    TILE_COLUMNS,
    Area,
    Layout,
    limit_of,
    runs_of,
    seed_of,
)
from .packed_roles import CHUNKS, ELEMENTS
from .packed_roles import ROW_GROUPS as ROW_GROUP_KIND
from .packed_structs import Structs
from .packed_template import BOUND, StructParser
from .packed_template import PLACED as PLACED_ROLES
from .packed_tile import write_numbers, write_templates
from .packed_words import LEAST_COMPRESSED, write_words

Compress = Callable[[bytes], bytes]
AS_IT_IS, COMPRESSED = range(2)  # of a key-value pair


def write(scan, compress: Compress | None = None, extensions: Iterable[tuple[bytes, bytes]] = ()) -> bytes:
    """Return the packed payload for a scanned footer, without the trailer.

    Parameters
    ----------
    scan : Scan
    compress : callable, optional
        Return a zstd frame of some bytes; by default, nothing is compressed.
    extensions : iterable of (bytes, bytes)
        UUID and bytes of each extension slot; the UUIDs ascend.

    Raises
    ------
    Refused
        If the footer is encrypted or signed.
    Unsupported
        If a row group does not have one chunk per leaf, or if the payload would have 2 GiB.
    """
    return _Writer(scan, compress, list(extensions)).payload()


class _Writer:
    def __init__(self, scan, compress: Compress | None, extensions: list[tuple[bytes, bytes]]):
        self.scan, self.data, self.compress = scan, memoryview(scan.data).cast("B"), compress
        if scan.problem is not None:
            raise scan.problem
        if scan.encrypted:
            raise wire_error(wire.ENCRYPTED, 0, 0, scan.encrypted)
        scan.check_regular()
        check_paths(scan, flat_limit_of(scan.end))
        self.elements: Any = Elements(scan)
        self.rows = min(max(scan.row_group_count, 1), TILE_CHUNKS)
        self.columns = min(TILE_COLUMNS, TILE_CHUNKS // self.rows)
        self.contents: dict[int, list[bytes]] = {kind: [] for kind in ORDER}
        self.contents[SLOTS] = [uuid + data for uuid, data in extensions]

    @staticmethod
    def ranges(records, name: str) -> list[tuple[int, int]]:
        """Return the begins and ends of a range of all records."""
        pairs = zip(records(f"{name}_offset"), records(f"{name}_length"), strict=True)
        return [(begin, begin + length) for begin, length in pairs]

    def payload(self) -> bytes:
        self.chunk_ranges = self.ranges(self.scan.chunks, "chunk")
        self.chunks, self.groups, self.schema = self.divide_chunks(), self.divide_groups(), self.divide_elements()
        books = [structs.book.write() for structs in (self.chunks, self.groups, self.schema)]
        self.contents[BOOKS] = [b"".join(books)]
        self.add_tiles()
        self.add_elements()
        for run in runs_of(self.scan.row_group_count, ROW_GROUPS_PER_CELL):
            self.contents[ROW_GROUPS].append(self.groups.write_run(run, self.compress))
        self.contents[PAIRS] = [self.pair(begin, end) for begin, end in self.ranges(self.scan.key_values, "bytes")]
        frame, thrift_bytes, thrift_crc = frame_of(self.scan)
        self.contents[FRAME] = [frame]
        return self.assemble(thrift_bytes, thrift_crc)

    # ---- structs

    def divide_chunks(self) -> Structs:
        structs, elements = Structs(self.data, CHUNKS), self.elements
        parsers = [StructParser(self.data, elements.paths[leaf], elements.type[leaf]) for leaf in elements.leaves]
        for number, (begin, end) in enumerate(self.chunk_ranges):
            structs.add(parsers[number % len(parsers)], begin, end)
        structs.make_book()
        return structs

    def divide_groups(self) -> Structs:
        structs, leaves = Structs(self.data, ROW_GROUP_KIND), self.scan.leaf_count
        columns = self.ranges(self.scan.row_groups, "columns")
        for number, (begin, end) in enumerate(self.ranges(self.scan.row_groups, "bytes")):
            columns_end = columns[number][1]
            first = self.chunk_ranges[number * leaves][0] if leaves else columns_end
            structs.add(StructParser(self.data, columns=(first, columns_end)), begin, end)
        structs.make_book()
        return structs

    def divide_elements(self) -> Structs:
        structs, elements = Structs(self.data, ELEMENTS), self.elements
        parser = StructParser(self.data)
        for element in (*elements.leaves, *elements.nodes):
            begin, length = elements.thrift_places[element]
            structs.add(parser, begin, begin + length)
        structs.make_book()
        return structs

    # ---- cells

    def add_tiles(self) -> None:
        scan, book = self.scan, self.chunks.book
        for leaves in runs_of(scan.leaf_count, self.columns):
            for rows in runs_of(scan.row_group_count, self.rows):
                columns = [[self.chunks[row * scan.leaf_count + leaf] for row in rows] for leaf in leaves]
                placed = write_templates(columns) + write_numbers(book, PLACED_ROLES, columns)
                texts = write_words(book, columns, self.compress)
                for kind, content in (
                    (PLACED, placed),
                    (BOUNDS, write_numbers(book, BOUND, columns)),
                    (TEXTS, texts[0]),
                    (LONG_TEXTS, texts[1]),
                ):
                    self.contents[kind].append(content)

    def add_elements(self) -> None:
        """Add the cells of leaves and of nodes: tables of their places in the schema, then their structs."""
        e = self.elements
        for kind, elements, first in ((LEAVES, e.leaves, 0), (NODES, e.nodes, len(e.leaves))):
            for run in runs_of(len(elements), ELEMENTS_PER_CELL):
                part = [elements[number] for number in run]
                rows = [
                    [e.node_of[e.parent[element]] if element else 0 for element in part],
                    part,
                    [e.position[element] for element in part],
                    [e.column_order[element] if e.is_leaf[element] else 0 for element in part],
                    [e.max_definition[element] for element in part],
                    [e.max_repetition[element] for element in part],
                ]
                if kind == NODES:
                    rows += [[member[element] for element in part] for member in (e.first_leaf, e.leaf_count)]
                structs = self.schema.write_run([first + number for number in run], None)
                self.contents[kind].append(b"".join(numbers.encode([row]) for row in rows) + structs)

    def pair(self, begin: int, end: int) -> bytes:
        """Return a key-value pair, compressed if that is shorter, after its length."""
        data = bytes(self.data[begin:end])
        head = varint.encode(len(data))
        frame = self.compress(data) if self.compress is not None and len(data) >= LEAST_COMPRESSED else data
        if len(frame) < len(data):
            return bytes((COMPRESSED,)) + head + frame
        return bytes((AS_IT_IS,)) + head + data

    # ---- the payload

    def assemble(self, thrift_bytes: int, thrift_crc: int) -> bytes:
        scan, names = self.scan, name_entries(self.elements)
        flags = (
            (scan.created_by is not None) * HAS_CREATED_BY
            | scan.has_key_values * HAS_KEY_VALUES
            | scan.has_column_orders * HAS_COLUMN_ORDERS
        )
        arrow_schema = scan.arrow_schema()
        counts = (scan.leaf_count, len(self.elements.nodes), scan.row_group_count, scan.key_value_count, len(names))
        layout = Layout(
            *counts,
            0 if arrow_schema is None else arrow_schema + 1,
            scan.version,
            scan.num_rows,
            thrift_bytes,
            thrift_crc,
            self.columns,
            self.rows,
            flags,
            len(ORDER),
            0,
        )
        if bucket_count(layout.names):
            self.contents[NAMES] = [bucket_of(*numbered) for numbered in enumerate(fill_buckets(names))]
        payload, areas = self.lay_out()
        tail = TAIL.pack(*layout) + b"".join(AREA.pack(*area) for area in areas)
        tail += b"".join(struct.pack("<II", tag_of(hash), id) for hash, id in names[: listed_count(layout.names)])
        tail += struct.pack("<II", LAYOUT_VERSION, layout.tail_bytes)
        size = len(payload) + layout.tail_bytes
        if size > PAYLOAD_LIMIT:
            raise wire_error(wire.TOO_LARGE, 0, PAYLOAD_LIMIT, size)
        if thrift_bytes > limit_of(size):
            raise wire_error(wire.TOO_REGULAR, 0, limit_of(size), thrift_bytes)
        return payload + tail + struct.pack("<I", crc32(tail))

    def lay_out(self) -> tuple[bytes, list[Area]]:
        """Return the cells and the lists of their ends, and the areas in the order of their kinds."""
        made = bytearray()
        begins: dict[int, int] = {}
        ends: dict[int, list[int]] = {}
        areas: dict[int, Area] = {}

        def add_cells(kind: int) -> None:
            begins[kind], ends[kind] = len(made), []
            for number, content in enumerate(self.contents[kind]):
                made.extend(content if kind == NAMES else signed(content, seed_of(kind, number)))
                ends[kind].append(len(made))

        def add_directory(kind: int) -> None:
            areas[kind] = Area(kind, len(ends[kind]), begins[kind], len(made))
            made.extend(struct.pack(f"<{len(ends[kind])}I", *ends[kind]))

        others = [kind for kind in ORDER if kind != BOOKS]
        for kind in others:
            add_cells(kind)
        for kind in sorted(others):
            add_directory(kind)
        add_cells(BOOKS)
        add_directory(BOOKS)
        return bytes(made), [areas[kind] for kind in sorted(areas)]
