"""Read ARROW:schema lazily: an encapsulated IPC message with one Schema, encoded in base64."""

from __future__ import annotations

import binascii
import re

from .. import wire
from ..errors import wire_error
from .arrow_copy import INT32_MAX, Slot, Source, broken, copy_piece
from .records import checked

BLOCK_TEXT, BLOCK_BYTES = 4096, 3072
CONTINUATION = 0xFFFFFFFF
OUTSIDE_OF_THE_ALPHABET = re.compile(rb"[^A-Za-z0-9+/]")


class _Message(Source):
    """The decoded text. Each block is decoded on its first access."""

    data: bytearray

    def __init__(self, text: bytes, size: int):
        super().__init__(bytearray(size), size)
        self._text = text
        self._decoded: set[int] = set()

    def need(self, at: int, size: int) -> None:
        super().need(at, size)
        if size:
            for block in range(at // BLOCK_BYTES, (at + size - 1) // BLOCK_BYTES + 1):
                self._decode(block)

    def _decode(self, block: int) -> None:
        if block in self._decoded:
            return
        text = self._text[block * BLOCK_TEXT : (block + 1) * BLOCK_TEXT]
        if bad := OUTSIDE_OF_THE_ALPHABET.search(text):
            raise broken(block * BLOCK_BYTES + bad.start() // 4 * 3)
        part = binascii.a2b_base64(text + b"=" * (-len(text) % 4))
        self.data[block * BLOCK_BYTES : block * BLOCK_BYTES + len(part)] = part
        self._decoded.add(block)


class Schema:
    """The Arrow schema of a key-value entry. Fields can be extracted one by one."""

    def __init__(self, source: Source, fields: int, field_count: int):
        self._source, self._fields = source, fields
        self._budget = 4 * source.size + 1024
        self.field_count = field_count

    def _field(self, index: int) -> int:
        checked(index, self.field_count)
        at = self._fields + 4 + 4 * index
        self._source.need(at, 4)
        return self._source.follow(at)

    def name(self, index: int) -> bytes:
        """Return the name of a field; empty if it has none."""
        source = self._source
        at = source.slot(source.open(self._field(index)), Slot.NAME, 4)
        if not at:
            return b""
        items, count = source.vector(source.follow(at), 1)
        return bytes(source.data[items : items + count])

    def piece(self, index: int) -> bytes:
        """Return a field without its name as a self-contained piece.

        The Field table is at offset 0, and the offset of its name points to the end.

        All pieces of one schema together take at most 4 × its size + 1024 bytes.
        """
        piece = copy_piece(self._source, self._field(index), self._budget)
        self._budget -= len(piece)
        return piece


def _metadata(text: bytes) -> tuple[Source, int]:
    """Return the message's bytes, and the offset of its FlatBuffers."""
    size = len(text) // 4 * 3 + len(text) % 4 * 3 // 4
    source = _Message(text, size)
    source.need(0, 8)
    length, at = source.number(0), 4
    if length == CONTINUATION:
        length, at = source.number(4), 8
    if length > size - at:
        raise broken(at - 4)
    source.size = at + length
    return source, at


def parse(text) -> Schema:
    """Find the fields of an ``ARROW:schema`` value.

    Parameters
    ----------
    text : bytes-like
        Base64 of an encapsulated IPC message, with or without the continuation marker. Only accessed blocks are
        decoded, so errors in other blocks are not detected.

    Raises
    ------
    Malformed
        If it contains no Schema of metadata version 4 or 5. Offsets count from the decoded message.
    """
    text = bytes(text)
    text = text[:-2] + text[-2:].rstrip(b"=")
    if len(text) % 4 == 1:
        raise broken(len(text) // 4 * 3)
    if len(text) > INT32_MAX:
        raise wire_error(wire.TOO_LARGE, 0, INT32_MAX, len(text))
    source, at = _metadata(text)
    source.need(at, 4)
    at = source.follow(at)
    message = source.open(at)
    version = source.slot(message, 0, 2)
    if not version or source.number(version, 2) not in (3, 4):
        raise broken(at)
    header_type = source.slot(message, 1, 1)
    if not header_type or source.data[header_type] != 1:
        raise broken(at)
    header = source.slot(message, 2, 4)
    if not header:
        raise broken(at)
    at = source.follow(header)
    fields = source.slot(source.open(at), 1, 4)
    if not fields:
        raise broken(at)
    at = source.follow(fields)
    if source.number(at) > (source.size - at - 4) // 4:
        raise broken(at)
    return Schema(source, at, source.number(at))
