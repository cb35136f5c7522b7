"""Read the record of the original file from the tail of an encoded file."""

from __future__ import annotations

from collections.abc import Iterator

from .. import block_text, kernels, wire
from ..errors import Damaged, ParquetextError
from ..footer.locate import read_tail
from ..records import frozen
from .original import Original, OriginalSource

Place = tuple[int, int]  # offset, length

STOP = b"\0"
MOST_TIMES = 16  # limit for nested encodings of a file


@frozen
class RecordedOriginal:
    """The block of an original, and its offset in the file."""

    original: Original
    offset: int


def recorded_original(source, tail) -> RecordedOriginal | None:
    """Return the record of the original in the footer; if the file was encoded repeatedly, return the last record.

    Parameters
    ----------
    source
        With `read(offset, length)`.
    tail : footer.locate.Tail

    Raises
    ------
    Damaged, Unsupported
        If the block is invalid, or if its version is unknown; the offset counts from the file's start.
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


def kept_places(source, found: RecordedOriginal | None) -> Iterator[Place]:
    """Yield the locations of bytes that a file stores only for `strip`, including those of earlier encodings.

    Earlier records that cannot be read are skipped; all locations are within the file.
    """
    size = source.size
    chain: list = []
    inner = source
    while found is not None and len(chain) < MOST_TIMES:
        original, positions = found.original, [(found.original.rest.offset, found.original.rest.length)]
        for outer in reversed(chain):
            positions = [moved for position in positions for moved in _moved(outer, *position)]
        yield from ((offset, length) for offset, length in positions if length and offset + length <= size)
        chain.append(original)
        try:
            inner = OriginalSource(original, inner)
            found = recorded_original(inner, read_tail(inner))
        except ParquetextError:
            return


def _moved(original: Original, offset: int, length: int) -> Iterator[Place]:
    """Yield the current locations of the original's bytes, except those in its rest."""
    for part in original.ranges:
        begin, end = max(part.old, offset), min(part.old + part.length, offset + length)
        if begin < end and part.new is not None:
            yield part.new + begin - part.old, end - begin


def bare_struct(footer: bytes) -> bytes:
    """Return a Thrift footer without its extension.

    Raises
    ------
    Malformed
        If it is not a Thrift struct, or if it has two extensions.
    """
    position = kernels.extension.find(footer, file_metadata=True)
    if position is None:
        return footer[: kernels.thrift.struct_end(footer)]
    return footer[: position.header] + (b"" if position.placement else STOP)
