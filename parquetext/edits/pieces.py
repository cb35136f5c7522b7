"""The pieces of a footer's extension."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from uuid import UUID

from .. import kernels, wire
from ..block_text import decode_block, text_end
from ..footer import forms
from ..footer.form_spec import FormSpec
from ..records import frozen
from ..storage.refusals import refuse


@frozen
class Piece:
    """A block of an extension; without `uuid`, the bytes before all blocks.

    These have no trailer, and neither has a block that is text: its payload is all of the text.
    """

    uuid: UUID | None
    payload: bytes | memoryview
    trailer: bytes | memoryview = b""
    is_aside: bool = False

    @classmethod
    def made(cls, payload, uuid: UUID) -> Piece:
        """Return a new block of ours with this payload."""
        return cls(uuid, payload, kernels.extension.trailer(payload, uuid.bytes))

    @classmethod
    def text(cls, payload, uuid: UUID) -> Piece:
        """Return a new block as text; payload and trailer are a multiple of 3 bytes."""
        return cls(uuid, base64.b64encode(cls.made(payload, uuid).content))

    @classmethod
    def text_before(cls, content: memoryview) -> Piece | None:
        """Return the block at the end of `content` that is text, or None."""
        found = text_end(content)
        if found is None or found[1] > len(content):
            return None
        return cls(UUID(bytes=found[0]), content[len(content) - found[1] :])

    @property
    def spec(self) -> FormSpec | None:
        """Return the form of the block, or None if it is not a block of a form."""
        return None if self.uuid is None else forms.BY_UUID.get(self.uuid)

    @property
    def content(self) -> bytes:
        """Return all of its bytes."""
        return b"".join((self.payload, self.trailer))

    @property
    def size(self) -> int:
        """Return the number of its bytes."""
        return len(self.payload) + len(self.trailer)

    @property
    def is_text(self) -> bool:
        """Return True for a block as base64, which text may precede and follow."""
        return self.uuid is not None and not self.trailer

    @property
    def content_of_text(self) -> bytes | None:
        """Return payload and trailer of a block that is text; None if it is not base64."""
        return decode_block(self.payload)

    @property
    def is_framed(self) -> bool:
        """Return True for a block with a form's own kind of trailer: its readers look for it only at the end."""
        return any(len(self.trailer) == spec.trailer_bytes for spec in forms.FRAMED)

    @property
    def crc(self) -> int:
        """Return the checksum that the payload should have; not for blocks with their own kind of trailer."""
        return int.from_bytes(self.trailer[:4], "little")

    @property
    def is_whole(self) -> bool:
        """Return True for a block whose payload matches its checksum."""
        return len(self.trailer) == wire.BLOCK_TRAILER_BYTES and kernels.checksum.crc32(self.payload) == self.crc


def form_in(pieces: Sequence[Piece]) -> str:
    """Return the name of the best form of ours in these pieces, or that of the Thrift form."""
    kinds = {piece.uuid for piece in pieces}
    return next((spec.name for uuid, spec in forms.BY_UUID.items() if uuid in kinds), forms.THRIFT.name)


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
