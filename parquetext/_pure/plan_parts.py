"""Read only the parts of a sidecar that a plan needs: a few hundred bytes, each covered by a checksum of PQTC."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import NamedTuple

from .. import systems, wire
from ..errors import ParquetextError
from .checksum import xxh64
from .sidecar_sums import BEHIND, ENTRY_HEAD, SUMS, Parts, column_sum, descriptor, lead_sum, tail_bytes

__all__ = ["OTHER", "PLANNED", "UNUSED", "Wanted", "read_parts"]

PLANNED, NONE, UNUSED, OTHER = range(4)
PAGE, READS = 1 << 12, 4  # reading a page takes about as long as starting a read
LARGEST = 0xFFFFFFFF
HEADER = struct.Struct("<QQiII")


class Wanted(NamedTuple):
    """The request of a plan: files of this schema, these columns."""

    schema: bytes
    hash: int
    leaves: Sequence[int]

    @classmethod
    def of(cls, schema: bytes, leaves: Sequence[int]) -> Wanted:
        return cls(schema, xxh64(schema), leaves)


class Unsuitable(Exception):
    """The sidecar must be read completely."""


def need(condition: bool) -> None:
    if not condition:
        raise Unsuitable


class Pieces:
    """A file in memory, of which only the requested pieces are loaded."""

    def __init__(self, fd: int):
        self.fd, self.data = fd, bytearray()

    def read(self, at: int, size: int) -> bytes:
        found = systems.pread(self.fd, size, at)
        need(len(found) == size)
        self.data[at : at + size] = found
        return found


def read_parts(fd: int, wanted: Wanted) -> tuple[int, Parts | None]:
    """Return PLANNED or OTHER if checksums of parts cover all bytes read, except for the check of the file itself."""
    try:
        return read(Pieces(fd), wanted)
    except (Unsuitable, ParquetextError, OSError):
        return UNUSED, None


def read(pieces: Pieces, wanted: Wanted) -> tuple[int, Parts | None]:
    committed, features, _, _, columns = HEADER.unpack_from(
        pieces.read(0, min(PAGE, descriptor(max(wanted.leaves, default=-1) + 1)))
    )
    end, size = descriptor(columns), tail_bytes(columns)
    need(READS * PAGE <= committed <= LARGEST and not features & wire.PM_REQUIRED_MASK)
    need(end + wire.PM_FOOTER_BYTES + size <= committed)
    need(len(systems.pread(pieces.fd, 1, committed - 1)) == 1)
    pieces.data += bytes(committed - len(pieces.data))
    tail = pieces.read(committed - size, size)
    sums_at = ENTRY_HEAD + wire.PM_ORIGIN_BYTES
    fixed = len(tail) - BEHIND - wire.PM_SUMS_CRC
    need(struct.unpack_from("<II", tail) == (wire.PM_ORIGIN_CODE, wire.PM_ORIGIN_BYTES))
    need(struct.unpack_from("<II", tail, sums_at) == (wire.PM_SUMS_CODE, 4 * columns + wire.PM_SUMS_BYTES))
    schema_hash, schema_length, count, groups, layout, sum_said = SUMS.unpack_from(tail, fixed)
    need((layout, count) == (wire.PM_SUMS_KNOWN_LAYOUT, columns))
    parts = footer_of(pieces, columns, groups, size)
    need(lead_sum(parts, tail[:-BEHIND]) == sum_said)
    check_blocks(parts, end)
    if (schema_hash, schema_length) != (wanted.hash, len(wanted.schema)):
        return OTHER, parts
    need(READS + len(wanted.leaves) * groups <= committed // PAGE)
    for leaf in wanted.leaves:
        need(leaf < columns)
        read_column(pieces, parts, leaf)
        at = sums_at + ENTRY_HEAD + 4 * leaf
        need(column_sum(parts, leaf) == int.from_bytes(tail[at : at + 4], "little"))
    return PLANNED, parts


def footer_of(pieces: Pieces, columns: int, groups: int, tail: int) -> Parts:
    """Return the sidecar by its footer's fixed part and entries."""
    trailer = len(pieces.data) - wire.PM_TRAILER_BYTES
    length, entries = int.from_bytes(pieces.data[trailer:], "little"), groups * wire.PM_ENTRY_BYTES
    need(wire.PM_FOOTER_BYTES + entries + tail - wire.PM_TRAILER_BYTES <= length <= trailer - descriptor(columns))
    pieces.read(trailer - length, wire.PM_FOOTER_BYTES + entries)
    parts = Parts(pieces.data, columns, trailer - length)
    need(parts.row_group_count == groups and not parts.footer.features & wire.PM_REQUIRED_MASK)
    return parts


def check_blocks(parts: Parts, end: int) -> None:
    size = wire.PM_BLOCK_BYTES + parts.column_count * wire.PM_CHUNK_BYTES
    for row_group in range(parts.row_group_count):
        need(end <= parts.block(row_group) <= parts.footer.offset - size)


def read_column(pieces: Pieces, parts: Parts, column: int) -> None:
    """Read a column's descriptor, its chunks, and its out-of-line values."""
    if descriptor(column + 1) > PAGE:
        pieces.read(descriptor(column), wire.PM_COLUMN_BYTES)
    for row_group in range(parts.row_group_count):
        pieces.read(parts.block(row_group) + wire.PM_BLOCK_BYTES + column * wire.PM_CHUNK_BYTES, wire.PM_CHUNK_BYTES)
        for stretch in parts.stretches(column, row_group)[1:]:
            pieces.read(stretch.start, stretch.stop - stretch.start)
