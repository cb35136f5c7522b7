"""Find all copies of column chunks in a Thrift footer, and extensions of chunks that are damaged."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .. import extension, kernels, wire
from ..block_text import TEXT_END, decode_text
from ..encoding.carried import Carried, may_have_copies
from ..encoding.registry import find_named
from ..errors import Damaged, ParquetextError
from ..records import frozen

DAMAGED_UUID_BITS = 16  # of 128; two UUIDs that have nothing to do with each other differ in some 64
UUID_BYTES = 16
NO_TEXT = re.compile(rb"[^A-Za-z0-9+/]")


@frozen
class ChunkCopies:
    """The copies in the extension of a ColumnMetaData.

    Attributes
    ----------
    index, row_group, leaf : int
        The chunk, in the scan and in the file.
    extension : (int, int)
        Offset in the footer, and bytes, of the extension with its marker and length.
    copies : tuple of Carried
        In the order in which they were added.
    problems : tuple of ParquetextError
        Blocks that cannot be read; offsets count from the footer's start.
    """

    index: int
    row_group: int
    leaf: int
    extension: tuple[int, int]
    copies: tuple[Carried, ...]
    problems: tuple[ParquetextError, ...]


def copies_by_chunk(scan) -> Iterator[ChunkCopies]:
    """Yield the chunks of a scanned Thrift footer whose metadata have an extension or cannot be read."""
    starts, lengths = scan.chunks("metadata_offset"), scan.chunks("metadata_length")
    end = max((start + length for start, length in zip(starts, lengths, strict=True)), default=0)
    footer = bytes(scan.data[:end])  # the footer's extension follows: every upgraded file has one
    if not may_have_copies(footer):
        return
    index = 0
    for row_group, count in enumerate(scan.row_groups("chunk_count")):
        for leaf in range(count):
            start = starts[index + leaf]
            metadata = footer[start : start + lengths[index + leaf]]
            if may_have_copies(metadata):
                position, copies, problems = _read(metadata, start)
                if position[1] or problems:
                    yield ChunkCopies(index + leaf, row_group, leaf, position, copies, problems)
        index += count


def name_of_encoding(copy: Carried) -> str:
    """Return the encoding's name in lower case, or its UUID or number if it is not registered."""
    known = find_named(copy.encoding, copy.uuid)
    return f"encoding {copy.uuid or copy.encoding}" if known is None else known.name.lower()


def _read(metadata: bytes, base: int) -> tuple[tuple[int, int], tuple[Carried, ...], tuple[ParquetextError, ...]]:
    try:
        position = kernels.extension.find(metadata, False)
        stack = extension.blocks(metadata)
    except ParquetextError as error:
        return (base, 0), (), (error.at(None, base),)
    if position is None:
        return (base, 0), (), ()
    begin = base + position.header
    copies: list[Carried] = []
    problems: list[ParquetextError] = []
    for block in stack:
        try:
            if block.uuid == wire.UUID_COLUMN_ENCODING:
                copies.append(Carried.from_payload(block.payload))
            elif _is_nearly_ours(block.uuid.bytes):
                problems.append(Damaged(f"a block of the unknown kind {block.uuid}: a damaged UUID", offset=begin))
        except ParquetextError as error:
            error.offset = begin
            problems.append(error)
    if stack.free_form and _was_ours(stack.free_form):
        problems.append(Damaged(f"{len(stack.free_form)} bytes that end in no whole block", offset=begin))
    return (begin, position.payload + position.length - position.header), tuple(copies), tuple(problems)


def _was_ours(content) -> bool:
    """Return True if bytes that are not a block end like a damaged reference to a copy, as text or raw."""
    content = bytes(content)
    text = NO_TEXT.sub(b"A", content[-TEXT_END:])
    decoded = decode_text(text) or b"" if len(text) == TEXT_END else b""
    return any(_is_nearly_ours(end[-UUID_BYTES:]) for end in (content, decoded))


def _is_nearly_ours(uuid: bytes) -> bool:
    ours = wire.UUID_COLUMN_ENCODING
    return (int.from_bytes(uuid, "big") ^ ours.int).bit_count() <= DAMAGED_UUID_BITS
