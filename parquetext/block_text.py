"""Blocks as base64 text, which readers that take unknown bytes for UTF-8 read over (docs/formats.md, section 2)."""

from __future__ import annotations

import base64
import binascii

from . import kernels, wire

__all__ = ["TEXT_END", "decode_block", "decode_text", "reference_end", "text_end"]

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
    """Of the block that ends `text` as text: its UUID, characters, the payload's length and CRC-32; or None."""
    last = decode_block(text[-TEXT_END:]) if len(text) >= TEXT_END else None
    found = None if last is None else kernels.extension.read_trailer(last, len(last))
    if found is None:
        return None
    uuid, length, crc = found
    size = length + wire.BLOCK_TRAILER_BYTES
    return None if size % 3 else (uuid, size // 3 * 4, length, crc)


def reference_end(text) -> tuple[int, int, int] | None:
    """The same, without the UUID, of a reference to blocks aside."""
    found = text_end(text)
    return None if found is None or found[0] != wire.UUID_FOOTER_REFERENCE.bytes else found[1:]
