"""Decode blocks as base64 text, which readers skip that take unknown bytes for UTF-8 (docs/formats.md, section 2)."""

from __future__ import annotations

import base64
import binascii

from . import kernels, wire

TEXT_END = 40  # characters that hold the end of a block


def decode_text(text) -> bytes | None:
    """Decode bytes that are base64 throughout; None for other bytes."""
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def decode_block(text) -> bytes | None:
    """Decode the text of one block, which has no padding; other text may precede it."""
    text = bytes(text)
    return None if b"=" in text else decode_text(text)


def text_end(text) -> tuple[bytes, int, int, int] | None:
    """Return UUID, characters, payload length and CRC-32 of the block as text at the end of `text`, or None."""
    last = decode_block(text[-TEXT_END:]) if len(text) >= TEXT_END else None
    found = None if last is None else kernels.extension.read_trailer(last, len(last))
    if found is None:
        return None
    uuid, length, crc = found
    size = length + wire.BLOCK_TRAILER_BYTES
    return None if size % 3 else (uuid, size // 3 * 4, length, crc)
