"""The note with checksums of each column and of the data that leads to them, so that plans read only parts."""

from __future__ import annotations

import struct

from .. import wire
from .checksum import crc32, xxh64
from .sidecar_footer import FIXED, Footer
from .sidecar_read import DESCRIPTOR, Chunks, Column

SUMS = struct.Struct("<QIIIII")  # the schema's XXH64 and size; columns; row groups; layout; checksum
ENTRY_HEAD = 8  # a scratchpad entry's code and length
BEHIND = 12  # checksums of the note and of the footer, and the trailer


class Parts:
    """The parts of a sidecar that its columns' chunks need, at their positions in `data`; a minimal `Reader`.

    Parameters
    ----------
    data : bytes-like
    column_count : int
    offset : int
        Offset of the footer.
    """

    def __init__(self, data, column_count: int, offset: int):
        self.data, self.view, self.column_count = data, memoryview(data), column_count
        self.footer = Footer._make((len(data), offset, 0, 0, *FIXED.unpack_from(self.view, offset), -1))
        self.row_group_count = self.footer.row_group_count
        self.features = int.from_bytes(self.view[wire.PM_HEADER_FEATURES : wire.PM_HEADER_FEATURES + 8], "little")

    @property
    def origin(self) -> bytes:
        """Return the note that identifies the sidecar's file; the note with checksums follows it."""
        at = len(self.view) - tail_bytes(self.column_count) + ENTRY_HEAD
        return bytes(self.view[at : at + wire.PM_ORIGIN_BYTES])

    def block(self, row_group: int) -> int:
        """Return the offset of a row group's block."""
        at = self.footer.offset + wire.PM_FOOTER_BYTES + row_group * wire.PM_ENTRY_BYTES
        return int.from_bytes(self.view[at : at + wire.PM_ENTRY_BYTES], "little") << wire.PM_ALIGNMENT_SHIFT

    def column(self, index: int) -> Column:
        """Return the descriptor of a column, except for its name."""
        _, *fields, _, physical, repetition, definition = DESCRIPTOR.unpack_from(self.view, descriptor(index))
        return Column._make((b"", *fields, physical, repetition, definition))

    def chunks(self, column: int, first: int = 0, count: int | None = None) -> Chunks:
        return Chunks(self, self, column, range(first, self.row_group_count if count is None else first + count))

    def stretches(self, column: int, row_group: int) -> list[slice]:
        """Return the ranges of a chunk and of its out-of-line statistics."""
        begin = self.block(row_group) + wire.PM_BLOCK_BYTES + column * wire.PM_CHUNK_BYTES
        end = begin + wire.PM_CHUNK_BYTES
        _, (low,), (low_size,), (high,), (high_size,) = self.chunks(column, row_group, 1).bounds()
        return [
            slice(begin, end),
            *(
                slice(at, at + size)
                for at, size in ((low, low_size), (high, high_size))
                if size and not begin <= at < end
            ),
        ]


def descriptor(column: int) -> int:
    return wire.PM_HEADER_BYTES + column * wire.PM_COLUMN_BYTES


def tail_bytes(column_count: int) -> int:
    """Return the size of a sidecar's end: the note of its file, the note with checksums, checksum and trailer."""
    return (
        2 * ENTRY_HEAD
        + wire.PM_ORIGIN_BYTES
        + 4 * column_count
        + wire.PM_SUMS_BYTES
        + wire.PM_CHECKSUM_BYTES
        + wire.PM_TRAILER_BYTES
    )


def column_sum(parts: Parts, column: int) -> int:
    """Return the checksum of a column: its descriptor, and each chunk with its out-of-line statistics."""
    at = descriptor(column)
    found = crc32(parts.view[at : at + wire.PM_COLUMN_BYTES])
    for row_group in range(parts.row_group_count):
        for stretch in parts.stretches(column, row_group):
            found = crc32(parts.view[stretch], found)
    return found


def lead_sum(parts: Parts, tail) -> int:
    """Return the checksum of the data that leads to the columns.

    It covers the fixed parts of the header (except the size) and of the footer, the entries, and the tail.
    """
    offset, entries = parts.footer.offset, parts.row_group_count * wire.PM_ENTRY_BYTES
    found = crc32(parts.view[wire.PM_HEADER_FEATURES : wire.PM_HEADER_BYTES])
    return crc32(tail, crc32(parts.view[offset : offset + wire.PM_FOOTER_BYTES + entries], found))


def sums_note(parts: Parts, schema: bytes) -> bytes:
    """Return the scratchpad's entry for a sidecar that so far ends with the note of its file."""
    count = parts.column_count
    note = struct.pack("<II", wire.PM_SUMS_CODE, 4 * count + wire.PM_SUMS_BYTES)
    note += struct.pack(f"<{count}I", *(column_sum(parts, column) for column in range(count)))
    fixed = SUMS.pack(xxh64(schema), len(schema), count, parts.row_group_count, wire.PM_SUMS_KNOWN_LAYOUT, 0)
    note += fixed[: wire.PM_SUMS_CRC]
    origin = parts.view[len(parts.view) - ENTRY_HEAD - wire.PM_ORIGIN_BYTES :]
    return note + lead_sum(parts, bytes(origin) + note).to_bytes(4, "little")
