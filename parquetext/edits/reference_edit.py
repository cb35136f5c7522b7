"""The reference to blocks that stand aside, read from a footer and made for one (docs/formats.md, section 8)."""

from __future__ import annotations

import base64
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from .. import kernels, wire
from ..block_text import decode_block
from ..errors import Damaged, Unsupported
from ..footer import forms
from .pieces import Piece

__all__ = ["ReferencePiece", "is_current", "read_reference", "reference_of"]

HEAD = struct.Struct("<HHIQII")
BLOCK = struct.Struct("<16sQII")


@dataclass(frozen=True, slots=True)
class ReferencePiece:
    """A reference that fits its footer.

    Attributes
    ----------
    start : int
        Where the Thrift footer stood before blocks stood aside.
    payload : bytes
    is_text : bool
    """

    start: int
    payload: bytes
    is_text: bool


def read_reference(piece: Piece, offset: int, place, front: bytes) -> tuple[ReferencePiece, tuple[Piece, ...]] | None:
    """Go by a reference, if it fits the footer at `offset` whose extension is at `place`.

    `front` are the file's bytes right in front of the footer. A reference fits if the struct ends where it says, and if
    all between the place where the footer stood before and the footer are its blocks, by the checksums of their
    trailers: nothing that is not ours is ever taken for a block and removed.
    """
    block = piece.content if piece.trailer else decode_block(piece.payload)
    if block is None or kernels.extension.block_before(block, len(block)) is None:
        return None
    payload = bytes(block[: -wire.BLOCK_TRAILER_BYTES])
    try:
        reference = kernels.reference.parse(payload, offset)
    except (Damaged, Unsupported):
        return None
    stop = place.header if place.placement == 0 else place.header - 1
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
    """Whether the reference to these blocks is the one that would be written for the struct `bare`."""
    return reference_of(reference.start, bare, blocks, is_text=False).payload == reference.payload


def reference_of(start: int, bare: bytes, blocks: Sequence[Piece], *, is_text: bool) -> Piece:
    """The reference to blocks that stand aside of the struct `bare`, from the first multiple of 8 behind `start` on."""
    entries, at = [], start + -start % 8
    for block in blocks:
        entries.append(BLOCK.pack(block.uuid.bytes, at, len(block.payload), kernels.checksum.crc32(block.trailer)))
        at += block.size
    head = HEAD.pack(wire.REFERENCE_VERSION, 0, len(blocks), start, len(bare), kernels.checksum.crc32(bare))
    payload = b"".join((head, *entries))
    copy = forms.BY_UUID[blocks[-1].uuid].tail_block(blocks[-1].payload)
    if (len(payload) + 4 + len(copy) + wire.BLOCK_TRAILER_BYTES + 2) // 3 * 4 > wire.REFERENCE_TEXT_LIMIT:
        copy = b""
    payload += len(copy).to_bytes(4, "little") + copy
    payload += bytes(-(len(payload) + wire.BLOCK_TRAILER_BYTES) % 3)
    piece = Piece.made(payload, wire.UUID_FOOTER_REFERENCE)
    return Piece(piece.uuid, base64.b64encode(piece.content)) if is_text else piece
