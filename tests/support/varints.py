"""ULEB128 varints, written independently of the package."""

from __future__ import annotations

__all__ = ["varint", "zigzag"]


def varint(value: int, padding: int = 0) -> bytes:
    """ULEB128, made `padding` bytes longer than it has to be."""
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    if padding:
        out[-1] |= 0x80
        out += b"\x80" * (padding - 1) + b"\x00"
    return bytes(out)


def zigzag(value: int) -> bytes:
    """A signed integer of any size as a varint."""
    return varint(value * 2 if value >= 0 else -value * 2 - 1)
