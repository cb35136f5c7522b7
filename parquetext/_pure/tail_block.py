"""Checked access to a payload that is opened by its tail block, and whose cells begin with their checksums."""

from __future__ import annotations

from typing import ClassVar

from .. import wire
from .checksum import crc32
from .flat_cells import FIRST_READ, OpenPayload
from .index_shape import RECORD

CRC_BYTES = 4


class TailBlockPayload(OpenPayload):
    """A payload in a source. Positions count from the payload's start, those of bytes in memory from the file's.

    Attributes
    ----------
    smallest_tail, layout_version : int
        The size of the smallest tail block, and the version of the layout that is read.
    """

    smallest_tail: ClassVar[int]
    layout_version: ClassVar[int]

    def __init__(self, source, payload: int, length: int, known, known_end: int | None):
        known = memoryview(known)
        super().__init__(source, payload, length, known, known_end, self.smallest_tail)
        self.held_begin, self.memory = self.known_begin, bytes(known)

    def hold(self, begin: int, end: int) -> None:
        """Load the file's bytes from `begin` to `end` into memory."""
        if not (self.held_begin <= begin and end <= self.held_begin + len(self.memory)):
            self.memory, self.held_begin = self.source.read(begin, end - begin), begin

    def open_tail(self) -> None:
        """Check the tail block, and read its counts."""
        record, end = self.length - RECORD.size, self.payload + self.length
        if self.held_begin > end - RECORD.size or self.held_begin + len(self.memory) < end:
            self.hold(self.payload + max(0, self.length - FIRST_READ), end)
        version, size, stored = RECORD.unpack_from(self.memory, end - RECORD.size - self.held_begin)
        if not self.smallest_tail <= size <= self.length:
            raise self.fail(wire.BAD_CELL, record + 4, self.length, size)
        self.hold(end - size, end)
        block = self.memory[end - size - self.held_begin : end - self.held_begin]
        if (found := crc32(block[:-CRC_BYTES])) != stored:
            raise self.fail(wire.CHECKSUM, record + 8, stored, found)
        if version != self.layout_version:
            raise self.fail(wire.UNKNOWN_LAYOUT, record, self.layout_version, version)
        self.read_counts(block, self.length - size)

    def read_counts(self, block: bytes, tail: int) -> None:
        """Read and check the contents of the tail block, which is at `tail`."""
        raise NotImplementedError

    def read(self, at: int, size: int) -> bytes:
        """Return bytes of the file from memory or from the source."""
        begin = at - self.held_begin
        if not size or 0 <= begin <= len(self.memory) - size:
            return self.memory[begin : begin + size] if size else b""
        return self.source.read(at, size)

    def checked_cell(self, position: int, size: int, seed: int = 0) -> bytes:
        """Return a cell after checking its checksum, which begins with `seed`."""
        cell = self.read(self.payload + position, size)
        stored = int.from_bytes(cell[:CRC_BYTES], "little")
        if (found := crc32(cell[CRC_BYTES:], seed)) != stored:
            raise self.fail(wire.CHECKSUM, position, stored, found)
        return cell
