"""The extension of a Thrift footer, stored in a final form so that it can be restored (docs/formats.md, section 5)."""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from .. import extension, wire
from ..errors import Malformed, Refused
from ..footer import forms
from ..footer.form_spec import FormSpec, Slots
from .footer import Footer
from .pieces import Piece
from .reference_edit import ReferencePiece, is_current, reference_of

RAW, SLOT, REFERENCE = 0, 2, 4
MADE = {spec.record_code: spec for spec in forms.BY_UUID.values() if spec.record_code is not None}  # written again
EMPTY = {*MADE, REFERENCE}
RESERVED = {wire.UUID_THRIFT_EXTENSION, wire.UUID_FOOTER_REFERENCE}  # never stored as blocks in slots
BEHIND, ASIDE = 1, 2  # bits of the placement
_HEAD = struct.Struct("<BBHI")  # marker, placement, zero, pieces
_PIECE = struct.Struct("<II")  # kind, length of the content


class KeptExtension(NamedTuple):
    """Marker, placement, and the pieces from front to back: each a kind and its bytes; for a slot, its UUID.

    The placement has two bits: the extension follows the struct's stop byte, and our blocks are before the footer.
    """

    marker: str
    placement: int
    pieces: tuple[tuple[int, bytes], ...]

    @property
    def is_behind(self) -> bool:
        return bool(self.placement & BEHIND)

    def has(self, wanted: int) -> bool:
        """Return True if there is a piece of this kind."""
        return any(kind == wanted for kind, _ in self.pieces)

    def record(self) -> bytes:
        numbers = {name: number for number, name in extension.MARKER_NUMBERS.items()}
        head = _HEAD.pack(numbers[self.marker], self.placement, 0, len(self.pieces))
        return head + b"".join(_PIECE.pack(kind, len(content)) + content for kind, content in self.pieces)

    def contents(
        self, made: Mapping[int, Piece], slots: Slots, start: int, bare: bytes
    ) -> tuple[list[Piece], list[Piece]]:
        """Return the pieces of the extension, and those before the struct `bare`, which begin at `start` in the file.

        `made` are the blocks that are written again, by kind.
        """
        inside: list[Piece] = []
        aside: list[Piece] = []
        at = None
        for kind, content in self.pieces:
            if kind == REFERENCE:
                at = len(inside)
            elif kind == RAW:
                inside.append(Piece(None, content))
            elif kind == SLOT:
                uuid = UUID(bytes=content)
                inside.append(Piece.made(slots[uuid], uuid))
            else:
                (aside if self.placement & ASIDE else inside).append(made[kind])
        if aside and at is not None:
            inside.insert(at, reference_of(start, bare, aside, is_text=not inside))
        return inside, aside

    @property
    def in_slots(self) -> set[UUID]:
        """Return the slots that are blocks of the extension."""
        return {UUID(bytes=content) for kind, content in self.pieces if kind == SLOT}


def plain(base: FormSpec) -> KeptExtension:
    """Return the extension of a file without a record: the block of the form that the final form is based on."""
    return KeptExtension("spec", 0, () if base.record_code is None else ((base.record_code, b""),))


def keep(footer: Footer, slots: Slots, base: FormSpec) -> KeptExtension:
    """Return the record of a footer's extension; the payloads of intact blocks are added to `slots`."""
    if footer.location is None:
        return KeptExtension("spec", 0, ())
    pieces: list[tuple[int, bytes]] = []
    reference, aside = footer.reference, [piece for piece in footer.pieces if piece.is_aside]
    for piece in footer.pieces:
        if reference is not None and piece is aside[0]:
            pieces.append(_kept_reference(reference, footer, aside))
        spec, uuid = piece.spec, piece.uuid
        code = None if spec is None or piece.is_aside != bool(aside) else spec.record_code
        if spec is not None and code is not None and (spec is base or _is_current(piece, spec, footer)):
            pieces.append((code, b""))
        elif uuid is not None and piece.is_aside:
            raise Refused(f"its {extension.name_of(uuid)} is damaged or outdated; parquetext.upgrade renews it")
        elif uuid is not None and uuid not in (*RESERVED, *slots) and piece.is_whole:
            slots[uuid] = bytes(piece.payload)
            pieces.append((SLOT, uuid.bytes))
        else:
            pieces.append((RAW, piece.content))
    placement = (BEHIND if footer.location.placement else 0) | (ASIDE if aside else 0)
    return KeptExtension(extension.MARKER_NUMBERS[footer.location.marker], placement, tuple(pieces))


def _kept_reference(reference: ReferencePiece, footer: Footer, aside: list[Piece]) -> tuple[int, bytes]:
    """Return the reference; its bytes are stored only if they differ from those that would be written."""
    is_alone = len(aside) == len(footer.pieces)
    if reference.is_text == is_alone and is_current(reference, footer.bare, aside):
        return REFERENCE, b""
    block = Piece.made(reference.payload, wire.UUID_FOOTER_REFERENCE).content
    return RAW, base64.b64encode(block) if reference.is_text else block


def _is_current(piece: Piece, spec: FormSpec, footer: Footer) -> bool:
    return piece.is_whole and piece.payload == spec.build(footer.scan(), spec.options_of(piece.payload)).payload


def parse(record: bytes, slots: Slots) -> KeptExtension:
    """Parse a record.

    Raises
    ------
    Malformed
        If the record is invalid.
    """

    def broken(at: int) -> Malformed:
        return Malformed(f"the record of the Thrift extension, of {len(record)} bytes, is broken at its byte {at}")

    if len(record) < _HEAD.size:
        raise broken(0)
    marker, placement, zero, count = _HEAD.unpack_from(record)
    if marker not in extension.MARKER_NUMBERS or placement > BEHIND | ASIDE or zero:
        raise broken(0)
    pieces, at = [], _HEAD.size
    while at < len(record):
        if len(record) - at < _PIECE.size:
            raise broken(at)
        kind, length = _PIECE.unpack_from(record, at)
        begin, end = at + _PIECE.size, at + _PIECE.size + length
        content = record[begin:end]
        if kind > max(EMPTY) or end > len(record) or (kind in EMPTY and length):
            raise broken(at)
        if kind == SLOT and (length != 16 or UUID(bytes=content) not in slots):
            raise broken(at)
        pieces.append((kind, content))
        at = end
    if len(pieces) != count:
        raise broken(4)
    if sum(kind == REFERENCE for kind, _ in pieces) > 1:
        raise broken(_HEAD.size)
    return KeptExtension(extension.MARKER_NUMBERS[marker], placement, tuple(pieces))
