"""The extension of a Thrift footer, kept in a PAR3 file to come back as it was (docs/formats.md, section 5)."""

from __future__ import annotations

import struct
from typing import NamedTuple
from uuid import UUID

from .. import extension, kernels, wire
from ..errors import Malformed
from .footer import Footer
from .slots import Slots

__all__ = ["PLAIN", "KeptExtension", "keep", "parse"]

RAW, FLAT, SLOT = range(3)
_HEAD = struct.Struct("<BBHI")  # marker, 1 for after-stop, zero, pieces
_PIECE = struct.Struct("<II")  # kind, length of what follows


class KeptExtension(NamedTuple):
    """Marker, placement, and the pieces from front to back: each a kind and its bytes, of a slot its UUID."""

    marker: str
    placement: str
    pieces: tuple[tuple[int, bytes], ...]

    @property
    def has_flat(self) -> bool:
        return any(kind == FLAT for kind, _ in self.pieces)

    def record(self) -> bytes:
        numbers = {name: number for number, name in extension.MARKER_NUMBERS.items()}
        head = _HEAD.pack(numbers[self.marker], extension.PLACEMENTS.index(self.placement), 0, len(self.pieces))
        return head + b"".join(_PIECE.pack(kind, len(content)) + content for kind, content in self.pieces)

    def contents(self, flat: bytes, slots: Slots) -> list[bytes]:
        """The extension's bytes, piece by piece; what its blocks hold is taken out of `slots`."""
        found = []
        for kind, content in self.pieces:
            if kind == RAW:
                found.append(content)
            elif kind == FLAT:
                found += [flat, kernels.extension.trailer(flat, wire.UUID_FLAT_FOOTER.bytes)]
            else:
                payload = slots[UUID(bytes=content)]
                found += [payload, kernels.extension.trailer(payload, content)]
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
        elif piece.uuid not in (None, wire.UUID_THRIFT_EXTENSION, *slots) and piece.is_whole:
            slots[piece.uuid] = bytes(piece.payload)
            pieces.append((SLOT, piece.uuid.bytes))
        else:
            pieces.append((RAW, bytes(piece.content)))
    marker, placement = extension.MARKER_NUMBERS[footer.place.marker], extension.PLACEMENTS[footer.place.placement]
    return KeptExtension(marker, placement, tuple(pieces))


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
        if kind > SLOT or end > len(record) or (kind == FLAT and length):
            raise broken(at)
        if kind == SLOT and (length != 16 or UUID(bytes=content) not in slots):
            raise broken(at)
        pieces.append((kind, content))
        at = end
    if len(pieces) != count:
        raise broken(4)
    return KeptExtension(extension.MARKER_NUMBERS[marker], extension.PLACEMENTS[placement], tuple(pieces))
