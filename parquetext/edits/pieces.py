"""The pieces of a footer's extension: our blocks, blocks of other programs, and free-form bytes."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from .. import kernels, wire
from ..block_text import decode_block, text_end
from ..footer.dialect import framing
from ..storage.refusals import refuse

__all__ = ["BLOCKS", "OWN_FORMS", "Piece", "check_size", "form_of"]

# The first of them that a footer has is the one that it is opened by.
OWN_FORMS = {wire.UUID_FLAT_FOOTER: "flat", wire.UUID_FOOTER_INDEX: "index", wire.UUID_ARROW_DIALECT: "arrow"}
BLOCKS = frozenset({wire.UUID_FLAT_FOOTER, wire.UUID_FOOTER_INDEX})  # a footer has one of them; it may be aside


@dataclass(frozen=True, slots=True)
class Piece:
    """A block of an extension, or if `uuid` is None, the bytes before all blocks.

    These bytes have no trailer. A block stored as text has none either: its payload is the whole text.
    """

    uuid: UUID | None
    payload: bytes | memoryview
    trailer: bytes | memoryview = b""
    is_aside: bool = False

    @classmethod
    def made(cls, payload, uuid: UUID) -> Piece:
        """Return a new block with this payload."""
        return cls(uuid, payload, kernels.extension.trailer(payload, uuid.bytes))

    @classmethod
    def text(cls, payload, uuid: UUID) -> Piece:
        """Return a new block stored as text; payload and trailer must be a multiple of 3 bytes."""
        return cls(uuid, base64.b64encode(cls.made(payload, uuid).content))

    @classmethod
    def text_before(cls, content: memoryview) -> Piece | None:
        """Return the block stored as text at the end of `content`, or None."""
        found = text_end(content)
        if found is None or found[1] > len(content):
            return None
        return cls(UUID(bytes=found[0]), content[len(content) - found[1] :])

    @property
    def content(self) -> bytes:
        """Return all bytes of the piece."""
        return b"".join((self.payload, self.trailer))

    @property
    def size(self) -> int:
        """Return the number of bytes of the piece."""
        return len(self.payload) + len(self.trailer)

    @property
    def is_text(self) -> bool:
        """Return True for a block stored as base64, which may have text before and after it."""
        return self.uuid is not None and not self.trailer

    @property
    def content_of_text(self) -> bytes | None:
        """Return payload and trailer of a block stored as text, or None if it is not base64."""
        return decode_block(self.payload)

    @property
    def is_dialect(self) -> bool:
        return len(self.trailer) == framing.TRAILER_BYTES

    @property
    def crc(self) -> int:
        """Return the expected checksum of the payload; not for the arrow dialect's block."""
        return int.from_bytes(self.trailer[:4], "little")

    @property
    def is_whole(self) -> bool:
        """Return True for a block with a trailer of ours whose payload matches its checksum."""
        return len(self.trailer) == wire.BLOCK_TRAILER_BYTES and kernels.checksum.crc32(self.payload) == self.crc


def form_of(pieces: Sequence[Piece]) -> str:
    """Return the form that an extension with these pieces contains, or ``"thrift"``."""
    kinds = {piece.uuid for piece in pieces}
    return next((form for kind, form in OWN_FORMS.items() if kind in kinds), "thrift")


def check_size(pieces: Iterable[Piece], ignored: frozenset[str]) -> None:
    """Refuse an extension with these pieces if it is too large for other readers."""
    size = sum(piece.size for piece in pieces)
    if size > wire.MAX_EXTENSION_BYTES:
        refuse(
            ignored,
            "size",
            f"an extension of {size} bytes: pyarrow and Spark fail on much more than {wire.MAX_EXTENSION_BYTES}",
            expected=wire.MAX_EXTENSION_BYTES,
            found=size,
            code=wire.TOO_LARGE,
        )
