"""Checked access to a footer index: its tail block, its cells, and the Thrift bytes that they specify."""

from __future__ import annotations

import struct
from typing import Any, NamedTuple

from .. import wire
from ..errors import ParquetextError, wire_error
from .checksum import crc32
from .index_shape import MOST, RECORD, TAIL, Shape
from .scan import IN_LISTED_STRUCT, ROW_GROUP_FIELDS
from .scan_chunk import ChunkReader, fields_of
from .tail_block import TailBlockPayload

FOOTER_LIMIT = 0xFFFFFFFF
GAP, SPAN = 2048, 65536  # a gap up to this size is read along, because another read costs more; limit of one read


class Range(NamedTuple):
    """Bytes of the Thrift footer."""

    offset: int
    length: int

    @property
    def end(self) -> int:
        return self.offset + self.length


class TailFields(NamedTuple):
    """The members of a tail block besides the shape."""

    arrow_schema: int
    version: int
    num_rows: int
    created_by: Range
    created_by_crc: int
    flags: int


class IndexFile(TailBlockPayload):
    """A payload and its footer in a source. Positions count from the payload's start, ranges from the footer's."""

    smallest_tail, layout_version = TAIL.size + RECORD.size, wire.INDEX_LAYOUT_VERSION

    def __init__(
        self, source, footer: int, payload: int, length: int, known, known_end: int | None, thrift_length: int | None
    ):
        super().__init__(source, payload, length, known, known_end)
        self.footer, size = footer, self.source.size
        self.limit = payload - footer if thrift_length is None else thrift_length  # Thrift bytes end here
        if self.limit < 0 or footer + self.limit > size or self.limit > FOOTER_LIMIT:
            raise wire_error(wire.BAD_OFFSET, payload, payload, footer)
        self.open_tail()

    # ---- opening

    def hold_all(self) -> None:
        """Load the Thrift footer and the index into memory."""
        ends = self.payload + self.length, self.footer + self.limit
        self.hold(min(self.footer, self.payload), max(ends))

    def read_counts(self, block: bytes, tail: int) -> None:
        """Read counts and widths; check that the cells they imply fill the payload."""
        *counts, arrow, version, num_rows, at, length, crc, offset, short, number, flags = TAIL.unpack_from(block)
        self.facts = TailFields(arrow, version, num_rows, Range(at, length), crc, flags)
        self.shape = shape = Shape._make((*counts, offset, short, number))
        for position, width in enumerate((offset, short, number), 48):
            if not 1 <= width <= 4:
                raise self.fail(wire.BAD_CELL, tail + position, 4, width)
        if flags > 7:
            raise self.fail(wire.BAD_CELL, tail + 51, 7, flags)
        if not shape.nodes:
            raise self.fail(wire.BAD_CELL, tail + 4, 1, 0)
        if arrow > shape.key_values:
            raise self.fail(wire.BAD_CELL, tail + 20, shape.key_values, arrow)
        if shape.tail_position != tail:
            found = shape.tail_position if shape.tail_position <= tail else MOST
            raise self.fail(wire.BAD_CELL, tail, tail, found)
        if shape.tail_bytes != len(block):
            raise self.fail(wire.BAD_CELL, tail + 16, len(block), shape.tail_bytes)
        self.listed = list(struct.iter_unpack("<II", block[TAIL.size : TAIL.size + 8 * shape.listed]))

    # ---- Thrift bytes

    def gather(self, position: int, ranges: list[Range]) -> list[bytes]:
        """Return the bytes of ranges, which ascend; `position` is the position of the ranges in the index.

        A run that cannot be read does not end the loop, so that a source that collects missing ranges learns all of
        them.
        """
        self.spend(position, sum(range.length for range in ranges))
        found: list[bytes] = []
        failure: Exception | None = None
        done = 0
        while done < len(ranges):
            run = self.run(ranges, done)
            begin, done = run[0].offset, done + len(run)
            try:
                data = self.read(self.footer + begin, run[-1].end - begin)
            except Exception as error:
                failure = failure or error
            else:
                found += [data[range.offset - begin : range.end - begin] for range in run]
        if failure is not None:
            raise failure
        return found

    @staticmethod
    def run(ranges: list[Range], first: int) -> list[Range]:
        """Return the ranges to read together with the first one."""
        begin, last = ranges[first].offset, first + 1
        while (
            last < len(ranges)
            and ranges[last].offset - ranges[last - 1].end <= GAP
            and ranges[last].end - begin <= SPAN
        ):
            last += 1
        return ranges[first:last]

    def check_thrift(self, stored: int, data: bytes, offset: int) -> None:
        """Check the checksum of Thrift bytes. A wrong one is not damage of the index."""
        if (found := crc32(data)) != stored:
            raise wire_error(wire.THRIFT_CHECKSUM, self.footer + offset, stored, found)

    def not_whole(self, range: Range) -> Exception:
        """Return the error for Thrift bytes that do not match the index."""
        return wire_error(wire.BAD_VALUE, self.footer + range.offset, range.length, 0)

    def thrift(self, position: int, range: Range, stored: int) -> bytes:
        """Return a range of the footer after checking its checksum."""
        if range.offset > self.limit or range.length > self.limit - range.offset:
            raise self.fail(wire.BAD_OFFSET, position, self.limit, range.offset)
        (data,) = self.gather(position, [range])
        self.check_thrift(stored, data, range.offset)
        return data


SORTING_COLUMN_FIELDS = fields_of("SORTING_COLUMN", i32="column_idx", true="descending nulls_first")


def read_row_group(own: bytes, columns_at: int) -> dict[str, int] | None:
    """Return the members before and after the list of columns, which is omitted at `columns_at`.

    Return None if the bytes are not a complete struct.
    """
    reader = ChunkReader(memoryview(own))
    fields: dict[str, int] = {}

    def read(id: int, type: int, at: int) -> int:
        if id != wire.ROW_GROUP_COLUMNS:
            return reader.field(id, type, at, ROW_GROUP_FIELDS, fields, IN_LISTED_STRUCT)
        return at if at == columns_at else reader.walk.skip(at, type, IN_LISTED_STRUCT)

    try:
        end = reader.walk.each(0, read)
    except ParquetextError:
        return None
    return fields if end == len(own) and "num_rows" in fields else None


def read_sorting_columns(own: bytes | memoryview, offset: int) -> list[Any]:
    """Return (column_idx, descending, nulls_first) of each item of the list at `offset`."""
    reader, columns = ChunkReader(memoryview(own)), []
    count, at = reader.list_of(offset, wire.TYPE_STRUCT, IN_LISTED_STRUCT)
    for _ in range(count or 0):
        absent = {"column_idx": 0, "descending": False, "nulls_first": False}
        found, at = reader.struct(at, SORTING_COLUMN_FIELDS, absent, IN_LISTED_STRUCT)
        columns.append((found["column_idx"], found["descending"], found["nulls_first"]))
    return columns
