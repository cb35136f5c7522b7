"""Checked access to a packed footer: its tail block, then single cells (docs/formats.md, 15.1)."""

from __future__ import annotations

import struct
from contextlib import suppress

from .. import wire
from ..errors import ParquetextError
from .flat_names import listed_count
from .index_file import Range
from .packed_content import Content
from .packed_layout import (
    AREA,
    CRC_BYTES,
    LAYOUT_VERSION,
    LEAST_CHUNK,
    LEAST_ROW_GROUP,
    NAMES,
    ORDER,
    RECORD,
    TAIL,
    TILE_CHUNKS,
    Area,
    Layout,
    limit_of,
    seed_of,
)
from .tail_block import TailBlockPayload

ALL_FLAGS = 7
DIRECTORIES_AT_ONCE = 8192  # bytes


class PackedFile(TailBlockPayload):
    """A packed payload in a source."""

    smallest_tail, layout_version = TAIL.size + RECORD.size, LAYOUT_VERSION

    def __init__(self, source, payload: int, length: int, known, known_end: int | None):
        super().__init__(source, payload, length, known, known_end)
        self.begin()
        self.open_tail()

    # ---- opening

    def hold_all(self) -> None:
        """Load the payload into memory."""
        self.hold(self.payload, self.payload + self.length)

    def read_counts(self, block: bytes, tail: int) -> None:
        self.layout = self.facts = layout = Layout(*TAIL.unpack_from(block))
        if not layout.nodes:
            raise self.fail(wire.BAD_CELL, tail + 4, 1, 0)
        if layout.arrow_schema > layout.key_values:
            raise self.fail(wire.BAD_CELL, tail + 20, layout.key_values, layout.arrow_schema)
        most = limit_of(self.length)
        if layout.thrift_bytes > most:
            raise self.fail(wire.BAD_CELL, tail + 36, most, layout.thrift_bytes)
        most = layout.thrift_bytes // (LEAST_ROW_GROUP + LEAST_CHUNK * layout.leaves)
        if layout.row_groups > most:
            raise self.fail(wire.BAD_CELL, tail + 8, most, layout.row_groups)
        if not 1 <= layout.tile_columns * layout.tile_rows <= TILE_CHUNKS:
            raise self.fail(wire.BAD_CELL, tail + 44, TILE_CHUNKS, layout.tile_columns * layout.tile_rows)
        if layout.flags > ALL_FLAGS:
            raise self.fail(wire.BAD_CELL, tail + 48, ALL_FLAGS, layout.flags)
        if layout.tail_bytes != len(block):
            raise self.fail(wire.BAD_CELL, tail + 16, len(block), layout.tail_bytes)
        self.areas: dict[int, Area] = {}
        for number in range(layout.areas):
            at = TAIL.size + number * AREA.size
            self.add_area(Area(*AREA.unpack_from(block, at)), tail, tail + at)
        for kind in ORDER:
            expected, found = layout.cells_of(kind), self.areas[kind].cells if kind in self.areas else 0
            if expected is not None and found != expected:
                raise self.fail(wire.BAD_CELL, tail + 49, expected, found)
        names = block[layout.names_at : layout.names_at + 8 * listed_count(layout.names)]
        self.listed = list(struct.iter_unpack("<II", names))
        self.tail = tail
        self.directories = min((area.directory for area in self.areas.values()), default=tail)

    def add_area(self, area: Area, tail: int, at: int) -> None:
        """Add an area whose entry is at `at`; areas of unknown kinds are allowed."""
        if area.directory > tail or area.cells > (tail - area.directory) // 4:
            raise self.fail(wire.BAD_CELL, at + 12, tail, area.directory)
        if area.begin > area.directory:
            raise self.fail(wire.BAD_CELL, at + 8, area.directory, area.begin)
        if area.kind == NAMES and area.cells > (area.directory - area.begin) // wire.FLAT_PAGE_BYTES:
            raise self.fail(wire.BAD_CELL, at + 4, (area.directory - area.begin) // wire.FLAT_PAGE_BYTES, area.cells)
        self.areas[area.kind] = area

    def not_whole(self, range: Range) -> Exception:
        """Return the error for Thrift bytes that are no struct of the expected kind."""
        return self.fail(wire.BAD_VALUE, range.offset, range.length, 0)

    # ---- cells

    def cell(self, kind: int, number: int) -> Content:
        """Return the content of a cell after checking its checksum."""
        area = self.areas[kind]
        self.hold_directories()
        place = area.directory + 4 * number
        if number:
            begin, end = struct.unpack("<II", self.read(self.payload + place - 4, 8))
        else:
            begin, end = area.begin, *struct.unpack("<I", self.read(self.payload + place, 4))
        if not area.begin <= begin <= end - CRC_BYTES <= area.directory - CRC_BYTES:
            raise self.fail(wire.BAD_OFFSET, place, area.directory, end)
        self.spend(place, end - begin)
        data = self.checked_cell(begin, end - begin, seed_of(kind, number))
        return Content(data, self.payload + begin, CRC_BYTES)

    def bucket(self, number: int) -> tuple[int, bytes]:
        """Return the place of a bucket of names and the bucket, after checking its checksum."""
        place = self.areas[NAMES].begin + wire.FLAT_PAGE_BYTES * number
        try:
            return place, self.checked_cell(place, wire.FLAT_PAGE_BYTES)
        except Exception as error:
            if not isinstance(error, ParquetextError):  # the elements to which names lead need directories
                with suppress(Exception):
                    self.hold_directories()
            raise

    def hold_directories(self) -> None:
        """Load the directories, if they are few."""
        if self.tail - self.directories <= DIRECTORIES_AT_ONCE:
            self.hold(self.payload + self.directories, self.payload + self.length)
