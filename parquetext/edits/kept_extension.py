"""The extension of a Thrift footer, kept in a PAR3 file to come back as it was (docs/formats.md, section 5)."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from typing import NamedTuple
from uuid import UUID

from .. import extension, kernels, wire
from ..errors import Malformed
from .footer import Footer
from .slots import Slots

__all__ = ["PLAIN", "KeptExtension", "keep", "parse"]

RAW, FLAT, SLOT, INDEX = range(4)
MADE = {FLAT: wire.UUID_FLAT_FOOTER.bytes, INDEX: wire.UUID_FOOTER_INDEX.bytes}  # blocks that are written anew
_HEAD = struct.Struct("<BBHI")  # marker, 1 for after-stop, zero, pieces
_PIECE = struct.Struct("<II")  # kind, length of what follows


class KeptExtension(NamedTuple):
    """Marker, placement, and the pieces from front to back: each a kind and its bytes, of a slot its UUID."""

    marker: str
    placement: str
    pieces: tuple[tuple[int, bytes], ...]

    def has(self, wanted: int) -> bool:
        """Whether there is a piece of this kind."""
        return any(kind == wanted for kind, _ in self.pieces)

    def record(self) -> bytes:
        numbers = {name: number for number, name in extension.MARKER_NUMBERS.items()}
        head = _HEAD.pack(numbers[self.marker], extension.PLACEMENTS.index(self.placement), 0, len(self.pieces))
        return head + b"".join(_PIECE.pack(kind, len(content)) + content for kind, content in self.pieces)

    def contents(self, made: Mapping[int, bytes], slots: Slots) -> list[bytes]:
        """The extension's bytes, piece by piece; `made` are the payloads of blocks that are written anew, by kind."""
        found = []
        for kind, content in self.pieces:
            if kind == RAW:
                found.append(content)
                continue
            payload = made[kind] if kind in MADE else slots[UUID(bytes=content)]
            found += [payload, kernels.extension.trailer(payload, MADE.get(kind, content))]
        return found

    @property
    def in_slots(self) -> set[UUID]:
        """The slots that are blocks of the extension."""
        return {UUID(bytes=content) for kind, content in self.pieces if kind == SLOT}


PLAIN = KeptExtension("spec", extension.IN_STRUCT, ((FLAT, b""),))  # what a PAR3 file without a record comes from


def keep(footer: Footer, slots: Slots) -> KeptExtension:
    """What to keep of a footer's extension; payloads of blocks that are whole go to `slots`."""
    if footer.place is None:
        return KeptExtension("spec", extension.IN_STRUCT, ())
    pieces = []
    for piece in footer.pieces:
        if piece.uuid == wire.UUID_FLAT_FOOTER:
            pieces.append((FLAT, b""))
        elif piece.uuid == wire.UUID_FOOTER_INDEX and piece.is_whole and piece.payload == _index(footer):
            pieces.append((INDEX, b""))
        elif piece.uuid not in (None, wire.UUID_THRIFT_EXTENSION, *slots) and piece.is_whole:
            slots[piece.uuid] = bytes(piece.payload)
            pieces.append((SLOT, piece.uuid.bytes))
        else:
            pieces.append((RAW, bytes(piece.content)))
    marker, placement = extension.MARKER_NUMBERS[footer.place.marker], extension.PLACEMENTS[footer.place.placement]
    return KeptExtension(marker, placement, tuple(pieces))


def _index(footer: Footer) -> bytes:
    return kernels.index.write(footer.scan())


def parse(record: bytes, slots: Slots) -> KeptExtension:
    """Read a record again.

    Raises
    ------
    Malformed
        It is none.
    """
    def broken(at: int) -> Malformed:
        return Malformed(f"the record of the Thrift extension, of {len(record)} bytes, is broken at its byte {at}")

    if len(record) < _HEAD.size:
        raise broken(0)
    marker, placement, zero, count = _HEAD.unpack_from(record)
    if marker not in extension.MARKER_NUMBERS or placement >= len(extension.PLACEMENTS) or zero:
        raise broken(0)
    pieces, at = [], _HEAD.size
    while at < len(record):
        if len(record) - at < _PIECE.size:
            raise broken(at)
        kind, length = _PIECE.unpack_from(record, at)
        begin, end = at + _PIECE.size, at + _PIECE.size + length
        content = record[begin:end]
        if kind > INDEX or end > len(record) or (kind in MADE and length):
            raise broken(at)
        if kind == SLOT and (length != 16 or UUID(bytes=content) not in slots):
            raise broken(at)
        pieces.append((kind, content))
        at = end
    if len(pieces) != count:
        raise broken(4)
    return KeptExtension(extension.MARKER_NUMBERS[marker], extension.PLACEMENTS[placement], tuple(pieces))
