"""Parse the reference to blocks aside, which are before the Thrift footer (docs/formats.md, section 8)."""

from __future__ import annotations

import struct
from typing import NamedTuple

from .. import wire
from ..errors import wire_error

__all__ = ["AsideBlock", "Reference", "parse"]

HEAD = struct.Struct("<HHIQII")  # version, 0, blocks, K, T and its checksum
BLOCK = struct.Struct("<16sQII")
SMALLEST = HEAD.size + BLOCK.size + 4


class AsideBlock(NamedTuple):
    """A block in the file's data section, before the Thrift footer."""

    uuid: bytes
    payload: int  # position in the file; the trailer follows the payload
    length: int
    trailer_crc: int


class Reference(NamedTuple):
    """The content of a reference to such blocks."""

    start: int  # position of the Thrift footer before the blocks were added
    struct_length: int  # of the Thrift struct without extension, including its stop
    struct_crc: int
    blocks: tuple[AsideBlock, ...]
    tail_block: bytes  # a copy of the last payload's end, or empty


def parse(payload, footer: int) -> Reference:
    """Parse the payload of a reference block in a file whose Thrift footer begins at `footer`.

    Raise Damaged if a value is wrong, Unsupported if the version is unknown. Offsets count from `payload`.
    """
    payload = bytes(payload)
    if len(payload) < SMALLEST:
        raise wire_error(wire.REFERENCE, 0, SMALLEST, len(payload))
    version, zero, count, start, struct_length, struct_crc = HEAD.unpack_from(payload)
    if version != wire.REFERENCE_VERSION:
        raise wire_error(wire.UNKNOWN_LAYOUT, 0, wire.REFERENCE_VERSION, version)
    if zero:
        raise wire_error(wire.REFERENCE, 2, 0, zero)
    most = (len(payload) - HEAD.size - 4) // BLOCK.size
    if not 1 <= count <= most:
        raise wire_error(wire.REFERENCE, 4, most, count)
    if start > footer:
        raise wire_error(wire.REFERENCE, 8, footer, start)
    if not struct_length:
        raise wire_error(wire.REFERENCE, 16, 1, 0)
    at = HEAD.size + count * BLOCK.size
    blocks = tuple(map(AsideBlock._make, BLOCK.iter_unpack(payload[HEAD.size : at])))
    _check_blocks(blocks, start, footer)
    copied, left = int.from_bytes(payload[at : at + 4], "little"), min(len(payload) - at - 4, blocks[-1].length)
    if copied > left:
        raise wire_error(wire.REFERENCE, at, left, copied)
    return Reference(start, struct_length, struct_crc, blocks, payload[at + 4 : at + 4 + copied])


def _check_blocks(blocks: tuple[AsideBlock, ...], start: int, footer: int) -> None:
    """Check that the blocks are adjacent from the first multiple of 8 at or after `start` to the Thrift footer."""
    expected = (start + 7) & ~7
    for index, block in enumerate(blocks):
        at = HEAD.size + index * BLOCK.size
        if block.payload != expected:
            raise wire_error(wire.REFERENCE, at + 16, expected, block.payload)
        room = max(footer - expected, 0)
        most = max(room - wire.BLOCK_TRAILER_BYTES, 0)
        if room < wire.BLOCK_TRAILER_BYTES or block.length > most or (block is blocks[-1] and block.length != most):
            raise wire_error(wire.REFERENCE, at + 24, most, block.length)
        expected += block.length + wire.BLOCK_TRAILER_BYTES
