"""The block of the dialect in a file's footer: its buffer, its tables, and its layout."""

from __future__ import annotations

from ...errors import ParquetextError
from ..tail import Block, Tail
from .framing import most_raw_bytes, unframe
from .slots import tell_layout
from .to_thrift import Decoded


def read_buffer(footer: bytes | memoryview, tail: Tail, block: Block) -> bytes:
    """Return the buffer in a block, checked; `footer` is the Thrift footer with its extension."""
    start = block.payload - tail.footer_offset
    others = tail.footer_length - sum(one.size for one in tail.blocks if not one.is_aside)
    try:
        return unframe(memoryview(footer)[start : start + block.length + block.trailer], most_raw_bytes(others))
    except ParquetextError as error:
        raise error.at(None, block.payload) from None


def decode_block(footer: bytes | memoryview, tail: Tail, block: Block) -> Decoded:
    """Decode a block; its row groups are read later.

    Raises
    ------
    Damaged, Unsupported
        If the block is damaged, or its layout is unknown. Offsets of errors in the frame are relative to the file.
        Offsets of errors in the buffer are relative to the buffer; the message states this.
    """
    buffer = read_buffer(footer, tail, block)
    try:
        return Decoded(buffer)
    except ParquetextError as error:
        raise in_buffer(error, block) from None


def in_buffer(error: ParquetextError, block: Block) -> ParquetextError:
    """Return an error about the buffer, which may be compressed, with the block's offset in the file."""
    if error.offset is not None:
        error.message += f" (at {error.offset} of the buffer)"
    error.offset = block.payload
    return error


def layout_name(footer: bytes | memoryview, tail: Tail, block: Block) -> str:
    """Return the name of the layout of a block's buffer, or ``"unknown"``."""
    try:
        return tell_layout(read_buffer(footer, tail, block)).name
    except ParquetextError:
        return "unknown"


def layout_problem(footer: bytes | memoryview, tail: Tail, block: Block) -> ParquetextError | None:
    """Return the error of a block that is damaged or of an unknown layout; its tables are not read."""
    try:
        buffer = read_buffer(footer, tail, block)
    except ParquetextError as error:
        return error
    try:
        tell_layout(buffer, thorough=False)
    except ParquetextError as error:
        return in_buffer(error, block)
    return None
