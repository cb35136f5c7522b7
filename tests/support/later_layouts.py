"""Blocks in a layout of a later version, sound in everything else."""

from __future__ import annotations

import zlib

__all__ = ["with_later_layout"]

IN_STRUCT = 28 + 1 + 8  # trailer, stop, the file's end
BEHIND_BLOCK = {"flat": IN_STRUCT, "index": IN_STRUCT, "packed": IN_STRUCT, "par3": 12 + 4}
VERSION = {"flat": -16, "index": -12, "packed": -12, "par3": -16}


def with_later_layout(data: bytes, form: str) -> bytes:
    """A file's bytes with the layout version of its block counted up; the block ends the footer, or is PAR3's."""
    changed = bytearray(data)
    end = len(changed) - BEHIND_BLOCK[form]
    changed[end + VERSION[form]] += 1
    begin = end - int.from_bytes(changed[end - 8 : end - 4], "little")
    changed[end - 4 : end] = zlib.crc32(changed[begin : end - 4]).to_bytes(4, "little")
    return bytes(changed)
