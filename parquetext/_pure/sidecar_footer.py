"""Read the sidecar's footers: locate them, check them, and follow the chain to older ones."""

from __future__ import annotations

import struct
from collections import namedtuple

from .. import wire
from ..errors import wire_error

Footer = namedtuple(
    "Footer",
    "size offset length checksum parquet_footer_offset parquet_footer_length row_group_count "
    "unused_bytes previous features seq_txn",
)

FIXED = struct.Struct("<QIIQQQ")


class Snapshot:
    """A footer that was read and checked, with the positions of its parts.

    Attributes
    ----------
    footer : Footer
    entries, blooms : int
        Offsets of the blocks' entries and of the Bloom filters' matrix.
    scratchpad : int
        Offset of the first note.
    scratchpad_count : int
    checksum_at : int
    """

    __slots__ = ("blooms", "checksum_at", "entries", "footer", "scratchpad", "scratchpad_count")

    def __init__(self, header, committed: int):
        view = header.view
        offset, length = position(header, committed)
        fixed = FIXED.unpack_from(view, offset)
        groups, features = fixed[2], fixed[5]
        self.checksum_at = limit = offset + length - wire.PM_CHECKSUM_BYTES
        self.entries = offset + wire.PM_FOOTER_BYTES
        self.scratchpad = self.scratchpad_count = 0
        seq_txn = self._read_sections(header, offset, limit, groups, features)
        checksum = int.from_bytes(view[limit : limit + 4], "little")
        self.footer = Footer._make((committed, offset, length, checksum, *fixed, seq_txn))
        self._check_position(header)
        self._check_blocks(header, offset)

    @property
    def parquet_size(self) -> int:
        """Return the size of the Parquet file that the footer belongs to."""
        footer = self.footer
        return footer.parquet_footer_offset + footer.parquet_footer_length + wire.PM_PARQUET_TRAILER_BYTES

    def _read_sections(self, header, offset: int, limit: int, groups: int, features: int) -> int:
        """Read the parts after the fixed one, in their order; return the sequence number."""
        at, length = self.entries, limit + wire.PM_CHECKSUM_BYTES - offset
        if limit - at < groups * wire.PM_ENTRY_BYTES:
            needed = wire.PM_FOOTER_BYTES + groups * wire.PM_ENTRY_BYTES + wire.PM_CHECKSUM_BYTES
            raise wire_error(wire.PM_FOOTER_SHORT, offset + wire.PM_FOOTER_ROW_GROUP_COUNT, needed, length)
        self.blooms = at = at + groups * wire.PM_ENTRY_BYTES
        row = len(header.bloom_columns) * header.bloom_bytes
        if row and (limit - at) // row < groups:
            raise wire_error(wire.PM_FOOTER_SHORT, at, row, limit - at)
        at += groups * row
        if features & wire.PM_REQUIRED_MASK:
            raise wire_error(
                wire.PM_REQUIRED_FEATURES, offset + wire.PM_FOOTER_FEATURES, 0, features & wire.PM_REQUIRED_MASK
            )
        seq_txn = -1
        if features & wire.PM_FOOTER_FEATURE_SEQ_TXN:
            self._need(at, 8, offset, limit)
            seq_txn = int.from_bytes(header.view[at : at + 8], "little", signed=True)
            at += 8
        if features & wire.PM_FOOTER_FEATURE_SCRATCHPAD:
            at = self._read_scratchpad(header.view, at, offset, limit)
        unknown = header.features & ~wire.PM_KNOWN_FEATURES | features & ~wire.PM_KNOWN_FOOTER_FEATURES
        if not unknown and at != limit:
            raise wire_error(wire.PM_FOOTER_SPARE, at, at + wire.PM_CHECKSUM_BYTES - offset, length)
        return seq_txn

    @staticmethod
    def _need(at: int, size: int, offset: int, limit: int) -> None:
        if limit - at < size:
            raise wire_error(wire.PM_FOOTER_SHORT, at, at + size - offset, limit - offset)

    def _read_scratchpad(self, view: memoryview, start: int, offset: int, limit: int) -> int:
        """Check [u32 count]([u32 code][u32 length][bytes])*; return its end."""
        self._need(start, 4, offset, limit)
        count = int.from_bytes(view[start : start + 4], "little")
        if count == 0:
            raise wire_error(wire.PM_SCRATCHPAD_EMPTY, start, 1, 0)
        at = start + 4
        for _ in range(count):
            self._need(at, 8, offset, limit)
            length = int.from_bytes(view[at + 4 : at + 8], "little")
            at += 8
            self._need(at, length, offset, limit)
            at += length
        if at - start > wire.PM_SCRATCHPAD_BYTES:
            raise wire_error(wire.PM_SCRATCHPAD_SIZE, start, wire.PM_SCRATCHPAD_BYTES, at - start)
        self.scratchpad, self.scratchpad_count = start + 4, count
        return at

    def _check_position(self, header) -> None:
        """Check the order of the parts: no checksum covers the trailer, so a wrong length could lead anywhere."""
        footer, previous = self.footer, self.footer.previous
        if previous and not wire.PM_SMALLEST_BYTES <= previous <= footer.offset:
            raise wire_error(wire.PM_PREVIOUS, footer.offset + wire.PM_FOOTER_PREVIOUS_SIZE, footer.size, previous)
        header_known = not header.features & ~wire.PM_KNOWN_FEATURES
        if header_known and not previous and not footer.row_group_count and footer.offset != header.end:
            raise wire_error(wire.PM_FOOTER_PLACE, footer.size - wire.PM_TRAILER_BYTES, header.end, footer.offset)

    def _check_blocks(self, header, limit: int) -> None:
        """Check that every block is between the header and the footer."""
        size = wire.PM_BLOCK_BYTES + header.column_count * wire.PM_CHUNK_BYTES
        for row_group in range(self.footer.row_group_count):
            offset = self.block(header.view, row_group)
            entry = self.entries + row_group * wire.PM_ENTRY_BYTES
            if offset < header.end:
                raise wire_error(wire.PM_BLOCK, entry, header.end, offset)
            if offset + size > limit:
                raise wire_error(wire.PM_BLOCK, entry, limit, offset + size)

    def block(self, view: memoryview, row_group: int) -> int:
        """Return the offset of a row group's block."""
        entry = self.entries + row_group * wire.PM_ENTRY_BYTES
        return int.from_bytes(view[entry : entry + 4], "little") << wire.PM_ALIGNMENT_SHIFT


def position(header, committed: int) -> tuple[int, int]:
    """Return the offset and the length of the footer that ends at `committed`, according to its trailer."""
    view = header.view
    if committed > len(view):
        raise wire_error(wire.PM_SIZE_BEYOND, 0, len(view), committed)
    if committed < wire.PM_SMALLEST_BYTES:
        raise wire_error(wire.PM_SIZE_SMALL, 0, wire.PM_SMALLEST_BYTES, committed)
    trailer = committed - wire.PM_TRAILER_BYTES
    length = int.from_bytes(view[trailer:committed], "little")
    if length > trailer:
        raise wire_error(wire.PM_FOOTER_LENGTH, trailer, trailer, length)
    offset = trailer - length
    if offset < header.end:
        raise wire_error(wire.PM_FOOTER_PLACE, trailer, header.end, offset)
    least = wire.PM_FOOTER_BYTES + wire.PM_CHECKSUM_BYTES
    if length < least:
        raise wire_error(wire.PM_FOOTER_SHORT, trailer, least, length)
    return offset, length


def find_snapshot(header, committed: int, parquet_size: int) -> Snapshot:
    """Return the newest snapshot, from `committed` back, that belongs to a Parquet file of `parquet_size` bytes."""
    while True:
        snapshot = Snapshot(header, committed)
        if snapshot.parquet_size == parquet_size:
            return snapshot
        footer = snapshot.footer
        if footer.previous == 0:
            raise wire_error(wire.PM_CHAIN, footer.offset + wire.PM_FOOTER_PREVIOUS_SIZE, parquet_size, 0)
        committed = footer.previous  # at most the footer's offset, so the walk ends
