"""Blocks of extensions: their kinds, and the bytes of a stack of blocks."""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, overload
from uuid import UUID

from . import kernels, wire
from .block_text import TEXT_END, decode_text
from .findings import Finding
from .records import frozen

if TYPE_CHECKING:
    from typing_extensions import Buffer

__all__ = [
    "Block",
    "Stack",
    "content_of",
    "known",
    "last_of",
    "name_of",
    "register",
    "rendered",
    "stack_in",
    "step_back",
    "text_blocks",
    "uuid_of",
]

_kinds: dict[UUID, str] = {
    wire.UUID_FLAT_FOOTER: "FlatBuffers footer, v1",
    wire.UUID_FOOTER_INDEX: "footer index, v1",
    wire.UUID_COLUMN_ENCODING: "column encoding, v1",
    wire.UUID_ORIGINAL: "original of an encoded file, v1",
    wire.UUID_ORIGINAL_FOOTER: "original footer of an indexed file, v1",
    wire.UUID_COPY_TABLE: "copies of columns, v1",
    wire.UUID_WRAPPED: "wrapped free-form bytes",
    wire.UUID_THRIFT_EXTENSION: "a Thrift footer's extension",
    wire.UUID_ARROW_DIALECT: "FlatBuffers footer, arrow dialect",
    wire.UUID_FOOTER_REFERENCE: "reference to blocks aside, v1",
}


def register(uuid: UUID | str | bytes, name: str) -> None:
    """Give a kind of block a name.

    Parameters
    ----------
    uuid : UUID, str or bytes
        The kind of block.
    name : str

    Raises
    ------
    ValueError
        The UUID has another name already: a UUID is never used again for another layout.

    Examples
    --------
    >>> from parquetext import extension
    >>> extension.register("00000000-0000-4000-8000-000000000002", "my own block")
    >>> extension.name_of("00000000-0000-4000-8000-000000000002")
    'my own block'
    """
    uuid = uuid_of(uuid)
    if _kinds.setdefault(uuid, name) != name:
        raise ValueError(f"{uuid} is {_kinds[uuid]!r} already")


def known() -> Mapping[UUID, str]:
    """Return the kinds of blocks that have a name.

    Returns
    -------
    mapping of UUID to str
        It cannot be changed; `register` adds to it.

    Examples
    --------
    >>> from parquetext import extension
    >>> len(extension.known()) > 8
    True
    """
    return MappingProxyType(_kinds)


def name_of(uuid: UUID | str | bytes) -> str:
    """Return the name of a kind of block; "unknown" and its UUID if it is not registered.

    Parameters
    ----------
    uuid : UUID, str or bytes
        The kind of block.

    Returns
    -------
    str

    Raises
    ------
    ValueError
        It is no UUID.

    Examples
    --------
    >>> from parquetext import extension
    >>> kind = "00000000-0000-4000-8000-000000000001"
    >>> extension.name_of(kind)
    'unknown 00000000-0000-4000-8000-000000000001'
    """
    uuid = uuid_of(uuid)
    return _kinds.get(uuid, f"unknown {uuid}")


@frozen
class Block:
    """One block of an extension.

    Attributes
    ----------
    uuid : UUID
    payload : memoryview
    offset : int
        Of the payload, in the bytes that the block was found in; in text, in the decoded base64.
    crc : int
        The payload's CRC-32.
    in_text : bool
        True if the block is stored as base64.
    """

    uuid: UUID
    payload: memoryview
    offset: int
    crc: int
    in_text: bool = False

    @property
    def name(self) -> str:
        """The name of the kind; see `name_of`."""
        return name_of(self.uuid)


@frozen
class Stack:
    """The blocks of an extension.

    Attributes
    ----------
    blocks : tuple of Block
        From the first that was written to the last.
    free_form : memoryview
        Bytes before the blocks that belong to none; the whole extension if it is free-form.
    findings : tuple of Finding
        Free-form bytes under a block.
    """

    blocks: tuple[Block, ...]
    free_form: memoryview
    findings: tuple[Finding, ...] = ()

    def __iter__(self) -> Iterator[Block]:
        return iter(self.blocks)

    def __len__(self) -> int:
        return len(self.blocks)

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Block, ...]: ...
    def __getitem__(self, index: int | slice) -> Block | tuple[Block, ...]:
        return self.blocks[index]


def uuid_of(uuid: UUID | str | bytes) -> UUID:
    """Return a kind of block as a UUID."""
    if isinstance(uuid, UUID):
        return uuid
    return UUID(bytes=bytes(uuid)) if isinstance(uuid, bytes | bytearray | memoryview) else UUID(uuid)


def rendered(uuid: UUID, payload: Buffer) -> bytes:
    """Return a block's bytes."""
    return b"".join((payload, kernels.extension.trailer(payload, uuid.bytes)))


def content_of(free_form: Buffer, blocks: Sequence[Block]) -> bytes:
    """Return the bytes of an extension: free-form bytes, text blocks, and raw blocks."""
    text = b"".join(rendered(block.uuid, block.payload) for block in blocks if block.in_text)
    raw = (rendered(block.uuid, block.payload) for block in blocks if not block.in_text)
    return b"".join((free_form, base64.b64encode(text), *raw))


def last_of(stack: Stack, uuid: UUID) -> int | None:
    """Return the index of the last block of this kind."""
    return max((index for index, block in enumerate(stack) if block.uuid == uuid), default=None)


def stack_in(content: memoryview, base: int) -> Stack:
    """Split an extension's bytes into blocks; `base` is their offset."""
    found, rest = step_back(content, base)
    if rest and (text := text_blocks(content[:rest])):
        found, rest = (*text, *found), 0
    findings: tuple[Finding, ...] = ()
    if found and rest:
        findings = (Finding("free-form", f"{rest} free-form bytes under {len(found)} blocks", base, "extension"),)
    return Stack(found, content[:rest], findings)


def text_blocks(content: memoryview) -> tuple[Block, ...]:
    """Return the blocks of an extension that is base64 of nothing but blocks; none for another extension."""
    if len(content) % 4 or len(content) < TEXT_END or decode_text(content[-TEXT_END:]) is None:
        return ()
    decoded = decode_text(content)
    if decoded is None:
        return ()
    found, rest = step_back(memoryview(decoded), 0)
    return () if rest else tuple(dataclasses.replace(block, in_text=True) for block in found)


def step_back(content: memoryview, base: int) -> tuple[tuple[Block, ...], int]:
    """Return the whole blocks at the end of `content`, first to last, and the number of bytes in front of them."""
    found, end = [], len(content)
    while block := kernels.extension.block_before(content, end):
        uuid, end, length, crc = block
        found.append(Block(UUID(bytes=uuid), content[end : end + length], base + end, crc))
    return tuple(reversed(found)), end
