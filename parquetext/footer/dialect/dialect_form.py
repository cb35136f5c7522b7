"""The dialect as one form of a file's footer: found in the tail, decoded as a whole, opened as the Thrift form is."""

from __future__ import annotations

from ...errors import Damaged, ParquetextError, Unsupported
from ...findings import Finding
from ..locate import Block, Tail
from ..thrift_form import ThriftForm
from .framing import most_raw_bytes, unframe
from .slots import tell_layout
from .to_thrift import Decoded

__all__ = [
    "DAMAGED",
    "PLACE",
    "decode_block",
    "dialect_form",
    "dialect_of",
    "in_buffer",
    "layout_findings",
    "layout_name",
]

DAMAGED = "dialect-damaged"
PLACE = "arrow dialect"


def dialect_of(tail: Tail) -> Block | None:
    """The dialect's block; its own readers look for it at the very end only."""
    return next((block for block in tail.blocks if block.is_dialect), None)


def read_buffer(footer: bytes, tail: Tail, block: Block) -> bytes:
    """The buffer in a block, checked; `footer` is the Thrift footer with its extension."""
    start = block.payload - tail.footer_offset
    others = tail.footer_length - sum(one.size for one in tail.blocks if not one.is_aside)
    try:
        return unframe(memoryview(footer)[start : start + block.length + block.trailer], most_raw_bytes(others))
    except ParquetextError as error:
        raise error.at(None, block.payload) from None


def decode_block(footer: bytes, tail: Tail, block: Block) -> Decoded:
    """What a block says; its row groups are still to be read.

    Raises
    ------
    Damaged, Unsupported
        Offsets count from the file's start in the frame, and from the buffer's start, as the message says, in it.
    """
    buffer = read_buffer(footer, tail, block)
    try:
        return Decoded(buffer)
    except ParquetextError as error:
        raise in_buffer(error, block) from None


def in_buffer(error: ParquetextError, block: Block) -> ParquetextError:
    """An error about bytes that may have been compressed, so that it points into the file all the same."""
    if error.offset is not None:
        error.message += f" (at {error.offset} of the buffer)"
    error.offset = block.payload
    return error


def dialect_form(footer: bytes, tail: Tail, io: tuple[int, int]) -> ThriftForm:
    """The form that stands on the dialect alone, made to a Thrift footer and scanned.

    Raises
    ------
    Damaged, Unsupported
        There is no block of the dialect, or none that can be read.
    """
    block = dialect_of(tail)
    if block is None:
        raise Unsupported("the footer has no block of the arrow dialect", offset=tail.footer_offset)
    decoded = decode_block(footer, tail, block)
    try:
        thrift = decoded.to_thrift()
    except ParquetextError as error:
        raise in_buffer(error, block) from None
    try:
        return ThriftForm(thrift, io)
    except ParquetextError as error:
        raise Damaged(f"it makes no footer: {error.message}", offset=block.payload) from None


def layout_name(footer: bytes, tail: Tail, block: Block) -> str:
    """Which layout a block's buffer has, ``"unknown"`` if none."""
    try:
        return tell_layout(read_buffer(footer, tail, block)).name
    except ParquetextError:
        return "unknown"


def layout_findings(footer: bytes, tail: Tail) -> list[Finding]:
    """Whether the dialect's block, if there is one, is whole and of a known layout; its tables are not walked."""
    block = dialect_of(tail)
    if block is None:
        return []
    try:
        buffer = read_buffer(footer, tail, block)
        try:
            tell_layout(buffer, thorough=False)
        except ParquetextError as error:
            raise in_buffer(error, block) from None
    except ParquetextError as error:
        return [Finding.of(DAMAGED, error, PLACE)]
    return []
