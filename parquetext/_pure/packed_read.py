"""Read parts of a packed footer: the Thrift bytes of the chunks, elements and pairs that a projection needs."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from contextlib import suppress
from itertools import groupby
from typing import Any

from .. import wire
from ..errors import ParquetextError, wire_error
from . import flat_names
from .chunks import CHUNK_MEMBERS, PLACES_MEMBERS, Chunks
from .flat_ending import HAS_CREATED_BY
from .flat_names import GROUP
from .index_file import Range, read_row_group
from .index_read import Entry
from .index_read import Reader as IndexReader
from .name_table import NameTable
from .packed_content import Content
from .packed_file import PackedFile
from .packed_layout import (
    BOOKS,
    BOUNDS,
    ELEMENTS_PER_CELL,
    FRAME,
    LEAVES,
    LONG_TEXTS,
    NODES,
    PAIRS,
    PLACED,
    ROW_GROUPS,
    ROW_GROUPS_PER_CELL,
    SLOTS,
    TEXTS,
)
from .packed_numbers import Table
from .packed_roles import Book
from .packed_template import before_columns, emit
from .packed_tile import Part, Tile
from .packed_words import Words, decompress
from .records import Records, checked
from .scan import KEY_VALUE_FIELDS

UUID_BYTES = 16
OTHER_RANGES = [f"{name}_{part}" for name in ("chunk", "metadata", "statistics") for part in ("offset", "length")]
BOUND_RANGES = {
    "min_value": wire.PRESENT_MIN_VALUE,
    "min": wire.PRESENT_MIN,
    "max_value": wire.PRESENT_MAX_VALUE,
    "max": wire.PRESENT_MAX,
}
RANGES_OF_BOUNDS = [f"{name}_{part}" for name in BOUND_RANGES for part in ("offset", "length")]
ALIKE = {"min": "min_value", "max": "max_value"}  # names of the same bound


class Run:
    """Structs that follow each other in one cell: a tile of one column, whose parts follow each other."""

    def __init__(self, book: Book, rows: int, content: Content, limit: int):
        self.content = content
        self.tile = Tile(book, 1, rows, lambda area: content, limit, has_cells=False)
        self.tile.load_bounds()
        self.words = Words(book, 1, lambda: content, lambda: content, limit, has_cells=False)
        self.words.load()
        self.words.load_rests()
        content.end()

    def struct(self, number: int) -> bytes:
        """Return a struct of the run."""
        return self.tile.structs(0, number, 1, self.words, b"")[0]

    def parts(self, number: int) -> Part:
        """Return the operations and the values of a struct of the run."""
        return self.tile.parts(0, number, 1, self.words)[0]


class Reader(IndexReader):
    """A packed footer, which is read cell by cell.

    Parameters
    ----------
    source, payload, length, known, known_end
        As for the flat form's `Reader`.
    """

    def __init__(self, source, payload: int, length: int, known, known_end: int | None = None):
        self._open = PackedFile(source, payload, length, known, known_end)
        self._is_local = isinstance(source, tuple)
        layout = self.file.layout
        self.version, self.num_rows = layout.version, layout.num_rows
        self.leaf_count, self.node_count = layout.leaves, layout.nodes
        self.row_group_count, self.key_value_count = layout.row_groups, layout.key_values
        self._entries = {}
        self._names = NameTable()
        self._groups = {}
        self._pair = None
        self._all_books: tuple[Book, Book, Book] | None = None
        self._runs: dict[int, tuple[int, Run, list[list[int]]]] = {}
        self._tile: tuple[int, Tile, Words] | None = None

    @property
    def books(self) -> tuple[Book, Book, Book]:
        """Return the books of chunks, of row groups and of elements."""
        if self._all_books is None:
            content = self.file.cell(BOOKS, 0)
            books = Book.read(content), Book.read(content), Book.read(content)
            content.end()
            self._all_books = books
        return self._all_books

    # ---- the schema

    def _load(self, id: int) -> Entry:
        is_node, number = bool(id & GROUP), id & ~GROUP
        run, rows = self._element_run(NODES if is_node else LEAVES, number // ELEMENTS_PER_CELL)
        at = number % ELEMENTS_PER_CELL
        facts = [row[at] for row in rows]
        elements = self.leaf_count + self.node_count
        limits = [1 if id == GROUP else number if is_node else self.node_count, elements, elements, 256, 256, 256]
        first_leaf, leaf_count = facts[6:] if is_node else (number, 1)
        if is_node:
            limits += [self.leaf_count + 1, self.leaf_count - first_leaf + 1]
        place = run.content.place
        for value, limit in zip(facts, limits, strict=True):
            if not 0 <= value < limit:
                raise wire_error(wire.BAD_VALUE, place, limit, value % (1 << 64))
        thrift = run.struct(at)
        element = self._element(thrift, Range(place - self.file.payload, len(thrift)))
        element |= zip(("column_order", "max_definition", "max_repetition"), facts[3:6], strict=True)
        parent, index, position = facts[:3]
        return Entry(id, b"", place, thrift, element, parent, index, position, first_leaf, leaf_count, None)

    def _element_run(self, kind: int, cell: int) -> tuple[Run, list[list[int]]]:
        """Return a run of elements, and where they are in the schema: a list for each fact."""
        kept = self._runs.get(kind)
        if kept is None or kept[0] != cell:
            count = self.node_count if kind == NODES else self.leaf_count
            size = min(ELEMENTS_PER_CELL, count - cell * ELEMENTS_PER_CELL)
            book = self.books[2]
            content = self.file.cell(kind, cell)
            rows = [Table(content, 1, size).column(0) for _ in range(8 if kind == NODES else 6)]
            run = Run(book, size, content, self.file.layout.thrift_bytes)
            kept = self._runs[kind] = cell, run, rows
        return kept[1:]

    # ---- chunks

    def _load_tile(self, number: int) -> tuple[Tile, Words]:
        file, layout = self.file, self.file.layout
        if self._tile is None or self._tile[0] != number:
            block, below = divmod(number, layout.tiles_below)
            columns = min(layout.tile_columns, layout.leaves - block * layout.tile_columns)
            rows = min(layout.tile_rows, layout.row_groups - below * layout.tile_rows)
            self._tile = None
            book, limit = self.books[0], layout.thrift_bytes
            tile = Tile(
                book, columns, rows, lambda area: file.cell((PLACED, BOUNDS)[area], number), limit, has_cells=True
            )
            words = Words(
                book,
                columns,
                lambda: file.cell(TEXTS, number),
                lambda: file.cell(LONG_TEXTS, number),
                limit,
                has_cells=True,
            )
            self._tile = number, tile, words
        return self._tile[1:]

    def _want_tile(self, leaf: int, row_group: int, kinds: Iterable[int]) -> None:
        """Request the tile of an unreadable leaf, so that a source that collects missing ranges learns them."""
        layout = self.file.layout
        number = leaf // layout.tile_columns * layout.tiles_below + row_group // layout.tile_rows
        for kind in kinds:
            with suppress(Exception):  # the original error is raised anyway
                self.file.cell(kind, number)

    def column(self, leaf: int, first: int = 0, count: int | None = None, bounds: bool = True) -> Chunks:
        """Return a leaf's chunks in the row groups [first, first + count).

        Without `bounds` these are not read, and no chunk has a usable one.
        """
        if bounds:
            return super().column(leaf, first, count)
        checked(leaf, self.leaf_count)
        facts = self._placed_facts(leaf, self.check_range(first, count))
        return self.chunks_of(leaf, facts, b"", lacks_bounds=True)

    def row_group_chunks(self, row_group: int) -> Chunks:
        """Return the chunks of a row group without their bounds, one for each leaf."""
        checked(row_group, self.row_group_count)
        records = Records(CHUNK_MEMBERS | PLACES_MEMBERS)
        for leaf in range(self.leaf_count):
            records.append(self._placed_facts(leaf, range(row_group, row_group + 1))[0])
        return Chunks(records, b"", lacks_bounds=True)

    def _placed_facts(self, leaf: int, row_groups: range) -> list[dict[str, int]]:
        """Return the members of a leaf's chunks, whose bounds are empty."""
        self.begin()
        facts = self.decode_chunks(*self.chunk_bytes(leaf, row_groups, bounds=False))
        return [fact | dict.fromkeys(OTHER_RANGES + RANGES_OF_BOUNDS, 0) for fact in facts]

    def chunk_bytes(self, leaf: int, row_groups, bounds: bool = True) -> tuple[bytes, list[Range]]:
        """Return the concatenated Thrift bytes of a leaf's chunks in row groups, which ascend, and their lengths.

        Without `bounds`, values of BOUND are 0 and texts are empty.
        """
        layout, row_groups = self.file.layout, list(row_groups)
        try:
            path = self.named(leaf).path or b""
        except Exception as error:
            if not isinstance(error, ParquetextError) and row_groups:
                self._want_tile(leaf, row_groups[0], (PLACED, BOUNDS, TEXTS) if bounds else (PLACED,))
            raise
        pieces: list[bytes] = []
        size, limit = 0, layout.thrift_bytes
        block, column = divmod(leaf, layout.tile_columns)
        for below, numbers in groupby(row_groups, lambda row_group: row_group // layout.tile_rows):
            tile, words = self._load_tile(block * layout.tiles_below + below)
            rows = [number - below * layout.tile_rows for number in numbers]
            is_one_run = rows[-1] - rows[0] + 1 == len(rows)
            for first, count in [(rows[0], len(rows))] if is_one_run else [(row, 1) for row in rows]:
                made = tile.structs(column, first, count, words, path, bounds)
                pieces += made
                size += sum(map(len, made))
                if size > limit:
                    raise tile.placed.fail(wire.BAD_CELL, 0, limit, size)
        return b"".join(pieces), [Range(0, len(piece)) for piece in pieces]

    def facts(self, data: bytes, ranges: list[Range]) -> tuple[list[dict[str, int]], bytes]:
        """Return the members of chunks, and the bytes of their bounds alone; a bound with two names is there once."""
        found, kept = self.decode_chunks(data, ranges), bytearray()
        for fact in found:
            fact |= dict.fromkeys(OTHER_RANGES, 0)
            bounds: dict[str, bytes] = {}
            for name, bit in BOUND_RANGES.items():
                if not fact["present"] & bit:
                    continue
                begin, like = fact[f"{name}_offset"], ALIKE.get(name)
                bounds[name] = data[begin : begin + fact[f"{name}_length"]]
                if like is not None and bounds.get(like) == bounds[name]:
                    fact[f"{name}_offset"] = fact[f"{like}_offset"]
                else:
                    fact[f"{name}_offset"] = len(kept)
                    kept += bounds[name]
        return found, bytes(kept)

    # ---- row groups

    def row_group_run(self, number: int) -> tuple[Run, int]:
        """Return the run with a row group, and its number in it."""
        cell, at = divmod(number, ROW_GROUPS_PER_CELL)
        kept = self._runs.get(ROW_GROUPS)
        if kept is None or kept[0] != cell:
            rows = min(ROW_GROUPS_PER_CELL, self.row_group_count - cell * ROW_GROUPS_PER_CELL)
            run = Run(self.books[1], rows, self.file.cell(ROW_GROUPS, cell), self.file.layout.thrift_bytes)
            kept = self._runs[ROW_GROUPS] = cell, run, []
        return kept[1], at

    def row_group_fields(self, first: int, count: int) -> list[dict[str, Any]]:
        found = []
        for number in range(first, first + count):
            run, at = self.row_group_run(number)
            own = run.struct(at)
            fields = read_row_group(own, len(emit(*before_columns(*run.parts(at)))))
            if fields is None:
                raise wire_error(wire.BAD_VALUE, run.content.place, len(own), 0)
            found.append(fields | {"chunk_count": self.leaf_count, "own": own})
        return found

    # ---- key-values and the rest

    def pair(self, index: int) -> tuple[dict[str, int], bytes]:
        if self._pair is None or self._pair[0] != index:
            self._pair = None
            data = self.pair_bytes(index)
            self._pair = index, self._decode(data, Range(0, len(data)), KEY_VALUE_FIELDS, {}), data
        return self._pair[1:]

    def pair_bytes(self, index: int) -> bytes:
        """Return the Thrift bytes of a pair."""
        content, limit = self.file.cell(PAIRS, index), self.file.layout.thrift_bytes
        at, form, size = content.at, content.byte(), content.varint()
        if form > 1:
            raise content.fail(wire.BAD_VALUE, at, 1, form)
        if size > limit:
            raise content.fail(wire.BAD_CELL, at + 1, limit, size)
        data = bytes(content.take(content.left))
        if form:
            return decompress(content, at, data, size)
        if len(data) != size:
            raise content.fail(wire.BAD_CELL, at + 1, size, len(data))
        return data

    def read_created_by(self) -> bytes | None:
        if not self.file.layout.flags & HAS_CREATED_BY:
            return None
        content = self.file.cell(FRAME, 0)
        at = content.at
        begin, length = struct.unpack("<II", content.take(8))
        if begin > content.left + 8 or length > content.left + 8 - begin:
            raise content.fail(wire.BAD_OFFSET, at, content.left + 8, begin)
        content.at = at + begin
        return bytes(content.take(length))

    def extensions(self) -> list[tuple[bytes, int]]:
        """Return the UUID and the content's length of each extension slot, ascending."""
        slots = (self._slot(number) for number in range(self._slot_count))
        return [(uuid, len(data)) for uuid, data in slots]

    def extension(self, index: int) -> bytes:
        """Return the content of an extension slot."""
        return self._slot(checked(index, self._slot_count))[1]

    @property
    def _slot_count(self) -> int:
        return self.file.areas[SLOTS].cells if SLOTS in self.file.areas else 0

    def _slot(self, number: int) -> tuple[bytes, bytes]:
        self.begin()
        content = self.file.cell(SLOTS, number)
        return bytes(content.take(UUID_BYTES)), bytes(content.take(content.left))

    # ---- names

    def _candidates(self, hash: int):
        file, buckets = self.file, flat_names.bucket_count(self.file.layout.names)
        if not buckets:
            yield self._placed(file.tail + file.layout.names_at, file.listed), True
        for step in range(buckets):
            number = (flat_names.home_of(hash, buckets) + step) % buckets
            place, data = file.bucket(number)
            entries = self._entries_of(place, number, data)
            yield (
                self._placed(place + wire.FLAT_CELL_HEADER_BYTES, entries),
                len(entries) < wire.FLAT_BUCKET_ENTRIES or step + 1 == buckets,
            )
