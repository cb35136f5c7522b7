"""The footer from before page indexes were added: its record, and the way back (docs/formats.md, section 12)."""

from __future__ import annotations

import struct

from .. import kernels, wire
from ..errors import Damaged, ParquetextError, Refused, Unsupported
from ..footer import forms
from ..footer.tail import LENGTH_AND_MAGIC
from ..records import frozen
from ..storage import TailEdit
from .decode_columns import payload_of
from .footer import MAGIC, Footer, parse_end
from .foreign_bytes import without
from .pieces import form_in
from .renewal import RECORDS
from .run import Planned

VERSION = 1
_PAYLOAD = struct.Struct("<HHIIQII")  # version, zero, T and its CRC, offset, length and CRC of the original footer
_LARGEST = 1 << 62
OWN = frozenset({*forms.BY_UUID, wire.UUID_FOOTER_REFERENCE, wire.UUID_WRAPPED, *RECORDS})


@frozen
class OriginalFooter:
    """The record of the end of a file from before page indexes were added.

    Attributes
    ----------
    offset, length : int
        The position of the original footer, with its extension, length and magic, which is still in the file. The
        original file ends where it ends.
    crc : int
        CRC-32 of these bytes.
    struct_length, struct_crc : int
        Length and CRC-32 of this file's Thrift footer, without an extension. If another program has written a new
        footer since, the original may lack rows.
    """

    offset: int
    length: int
    crc: int
    struct_length: int
    struct_crc: int

    @property
    def end(self) -> int:
        return self.offset + self.length

    def to_payload(self) -> bytes:
        """Return the block's payload; the length of payload and trailer together is a multiple of 3 bytes."""
        payload = _PAYLOAD.pack(VERSION, 0, self.struct_length, self.struct_crc, self.offset, self.length, self.crc)
        return payload + bytes(-(len(payload) + wire.BLOCK_TRAILER_BYTES) % 3)

    @classmethod
    def from_payload(cls, payload: bytes) -> OriginalFooter:
        """Read a payload; bytes after its fields are ignored.

        Raises
        ------
        Unsupported
            If the version is unknown.
        Damaged
            If the payload is invalid.
        """
        if len(payload) < _PAYLOAD.size:
            raise Damaged(f"the record of the original footer has {len(payload)} bytes")
        version, zero, struct_length, struct_crc, offset, length, crc = _PAYLOAD.unpack_from(payload)
        if version != VERSION or zero:
            message = f"the record of an original footer of version {version}"
            raise Unsupported(message, expected=VERSION, found=version)
        if offset > _LARGEST or length <= LENGTH_AND_MAGIC:
            raise Damaged(f"the record of the original footer has {length} bytes at {offset}")
        return cls(offset, length, crc, struct_length, struct_crc)

    def read(self, source, end: int) -> bytes:
        """Read the original footer, which is before `end`.

        Raises
        ------
        Damaged
            If it is not there, or if its checksum is wrong.
        """
        if self.end > end:
            message = f"the original footer has the bytes {self.offset} to {self.end}, the data end at {end}"
            raise Damaged(message, offset=self.offset, expected=end, found=self.end)
        data = source.read(self.offset, self.length)
        found = kernels.checksum.crc32(data)
        if found != self.crc:
            message = f"the original footer has the checksum {found:#010x}, expected {self.crc:#010x}"
            raise Damaged(message, offset=self.offset, expected=self.crc, found=found)
        return data


def original_footer_of(footer: Footer) -> OriginalFooter | None:
    """Return the record in a footer, or None.

    Raises
    ------
    Damaged, Unsupported
        If the record cannot be read.
    """
    piece = footer.last_piece(wire.UUID_ORIGINAL_FOOTER)
    return None if piece is None else OriginalFooter.from_payload(payload_of(piece, "the original footer"))


def without_indexes(footer: Footer, source) -> Planned:
    """Plan to restore the file from before page indexes were added; blocks that others have added since stay.

    Raises
    ------
    Refused
        If another program has written the footer since.
    Damaged, Unsupported
        If the record or the original footer is damaged.
    """
    record = original_footer_of(footer)
    assert record is not None
    bare = footer.bare
    if (len(bare), kernels.checksum.crc32(bare)) != (record.struct_length, record.struct_crc):
        raise Refused(
            "another program has changed its footer since page indexes were added: the original footer does not "
            "describe all of it"
        )
    data = record.read(source, footer.start)
    original = _parsed(data, record)
    others = without(footer.pieces, OWN) or []
    encoded = [piece for piece in original.pieces if piece.uuid == wire.UUID_ORIGINAL]
    before = [piece for piece in original.pieces if piece.uuid != wire.UUID_ORIGINAL]
    if [piece.content for piece in others] == [piece.content for piece in before]:
        end = record.end - LENGTH_AND_MAGIC
        return Planned(TailEdit(end, data[-LENGTH_AND_MAGIC:]), form_in(original.pieces))
    pieces = [*others, *encoded]
    return Planned(original.edit(pieces, footer.marker or "spec"), form_in(pieces))


def _parsed(data: bytes, record: OriginalFooter) -> Footer:
    length = int.from_bytes(data[-LENGTH_AND_MAGIC : -len(MAGIC)], "little")
    if data[-len(MAGIC) :] != MAGIC or length + LENGTH_AND_MAGIC != record.length:
        raise Refused("its original footer does not end as a Parquet file does")
    try:
        return parse_end(data, record.offset)
    except ParquetextError as error:
        raise Refused(f"its original footer cannot be read: {error.message}") from None
