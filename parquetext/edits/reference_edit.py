"""Read and write the reference to blocks before the footer (docs/formats.md, section 8)."""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from uuid import UUID

from .. import kernels, wire
from ..block_text import decode_block
from ..errors import Damaged, Unsupported
from ..records import frozen
from .pieces import Piece

HEAD = struct.Struct("<HHIQII")
BLOCK = struct.Struct("<16sQII")


@frozen
class ReferencePiece:
    """A reference that matches its footer.

    Attributes
    ----------
    start : int
        Offset of the Thrift footer before blocks were placed aside.
    payload : bytes
    is_text : bool
    """

    start: int
    payload: bytes
    is_text: bool


def read_reference(
    piece: Piece, offset: int, location, front: bytes
) -> tuple[ReferencePiece, tuple[Piece, ...]] | None:
    """Read a reference and its blocks; return None unless it matches the footer at `offset` with the extension `place`.

    `front` are the file's bytes directly before the footer. A reference matches if the struct ends at the recorded
    offset, and if its blocks, checked by the checksums of their trailers, fill the range between the former offset of
    the footer and the footer. So bytes of other programs are never removed as a block.
    """
    block = piece.content if piece.trailer else decode_block(piece.payload)
    if block is None or kernels.extension.block_before(block, len(block)) is None:
        return None
    payload = bytes(block[: -wire.BLOCK_TRAILER_BYTES])
    try:
        reference = kernels.reference.parse(payload, offset)
    except (Damaged, Unsupported):
        return None
    stop = location.header if location.placement == 0 else location.header - 1
    if reference.struct_length != stop + 1 or offset - reference.start != len(front):
        return None
    if any(front[: reference.blocks[0].payload - reference.start]):
        return None
    view, aside = memoryview(front), []
    for entry in reference.blocks:
        begin = entry.payload - reference.start
        middle, end = begin + entry.length, begin + entry.length + wire.BLOCK_TRAILER_BYTES
        found = kernels.extension.read_trailer(view, end)
        if found is None or found[:2] != (entry.uuid, entry.length):
            return None
        if kernels.checksum.crc32(view[middle:end]) != entry.trailer_crc:
            return None
        aside.append(Piece(UUID(bytes=entry.uuid), view[begin:middle], view[middle:end], is_aside=True))
    return ReferencePiece(reference.start, payload, not piece.trailer), tuple(aside)


def is_current(reference: ReferencePiece, bare: bytes, blocks: Sequence[Piece]) -> bool:
    """Return True if the reference to these blocks equals the one that would be written for the struct `bare`."""
    return reference_of(reference.start, bare, blocks, is_text=False).payload == reference.payload


def reference_of(start: int, bare: bytes, blocks: Sequence[Piece], *, is_text: bool) -> Piece:
    """Return the reference to blocks aside of the struct `bare`; they begin at the first multiple of 8 from `start`."""
    entries, at = [], start + -start % 8
    for block in blocks:
        assert block.uuid is not None  # only blocks are aside, never the bytes before all blocks
        entries.append(BLOCK.pack(block.uuid.bytes, at, len(block.payload), kernels.checksum.crc32(block.trailer)))
        at += block.size
    head = HEAD.pack(wire.REFERENCE_VERSION, 0, len(blocks), start, len(bare), kernels.checksum.crc32(bare))
    payload = b"".join((head, *entries))
    spec = blocks[-1].spec  # None for a block of others, which another program has placed aside
    copy = b"" if spec is None else spec.tail_block(blocks[-1].payload)
    if (len(payload) + 4 + len(copy) + wire.BLOCK_TRAILER_BYTES + 2) // 3 * 4 > wire.REFERENCE_TEXT_LIMIT:
        copy = b""
    payload += len(copy).to_bytes(4, "little") + copy
    payload += bytes(-(len(payload) + wire.BLOCK_TRAILER_BYTES) % 3)
    piece = Piece.made(payload, wire.UUID_FOOTER_REFERENCE)
    return Piece(piece.uuid, base64.b64encode(piece.content)) if is_text else piece
