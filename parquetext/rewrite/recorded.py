"""What a file's tail says of the file before it was encoded."""

from __future__ import annotations

from dataclasses import dataclass

from .. import block_text, kernels, wire
from ..errors import Damaged
from .original import Original

__all__ = ["RecordedOriginal", "bare_struct", "recorded_original"]

STOP = b"\0"


@dataclass(frozen=True, slots=True)
class RecordedOriginal:
    """The block of an original, and where it stands in the file."""

    original: Original
    offset: int


def recorded_original(source, tail) -> RecordedOriginal | None:
    """What the footer says of the original; of a file that was encoded more than once the last one.

    Parameters
    ----------
    source
        With `read(offset, length)`.
    tail : footer.locate.Tail

    Raises
    ------
    Damaged, Unsupported
        The block is not as it must be, or of another version; the offset counts from the file's start.
    """
    block = next((block for block in tail.blocks if block.uuid == wire.UUID_ORIGINAL), None)
    if block is None:
        return None
    data = source.read(block.payload, block.size)
    if block.is_text:
        data = block_text.decode_block(data)
    payload = None if data is None else memoryview(data)[: block.length]
    if payload is None or kernels.checksum.crc32(payload) != block.crc:
        message = "the record of the original is damaged: its checksum does not hold"
        raise Damaged(message, offset=block.payload, code=wire.CHECKSUM)
    try:
        return RecordedOriginal(Original.from_payload(payload), block.payload)
    except Damaged as error:
        error.offset = block.payload
        raise


def bare_struct(footer: bytes) -> bytes:
    """A Thrift footer without its extension.

    Raises
    ------
    Malformed
        It is no Thrift struct, or has two extensions.
    """
    place = kernels.extension.find(footer, file_metadata=True)
    if place is None:
        return footer[: kernels.thrift.struct_end(footer)]
    return footer[: place.header] + (b"" if place.placement else STOP)
