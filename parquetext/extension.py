"""Extensions of Thrift structs: the bytes in the reserved field that every reader of Parquet skips.

Every function takes and returns the bytes of one whole Thrift compact struct (FileMetaData, RowGroup, ColumnChunk,
ColumnMetaData, SchemaElement, PageHeader, ...). The wire format is `docs/formats.md`, sections 1 and 2; the marker is
that of Parquet's BinaryProtocolExtensions.md.
"""

from __future__ import annotations

import base64
import binascii
import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING
from uuid import UUID

from . import kernels, wire
from .errors import Malformed, Refused, Unsupported, wire_error
from .extension_blocks import (
    Block,
    Stack,
    content_of,
    known,
    last_of,
    name_of,
    register,
    rendered,
    stack_in,
    step_back,
    text_blocks,
    uuid_of,
)

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._pure.extension import Place

__all__ = [
    "DEFAULT_LIMIT",
    "Block",
    "Stack",
    "append",
    "append_block",
    "blocks",
    "blocks_from_back",
    "find",
    "known",
    "name_of",
    "register",
    "replace",
    "replace_all",
    "strip",
]

DEFAULT_LIMIT = wire.MAX_EXTENSION_BYTES
MARKERS = {"spec": bytes.fromhex("08ffff01"), "thrift": bytes.fromhex("08feff03")}
MARKER_NUMBERS = {1: "spec", 2: "thrift"}
IN_STRUCT, AFTER_STOP, ASIDE = "in-struct", "after-stop", "aside"
PLACEMENTS = (IN_STRUCT, AFTER_STOP)  # of an extension; our blocks may also be placed aside from it
STOP = b"\x00"
FILE_METADATA = {
    (wire.FILE_META_DATA_VERSION, wire.TYPE_I32),
    (wire.FILE_META_DATA_SCHEMA, wire.TYPE_LIST),
    (wire.FILE_META_DATA_NUM_ROWS, wire.TYPE_I64),
    (wire.FILE_META_DATA_ROW_GROUPS, wire.TYPE_LIST),
}


def find(struct: Buffer, *, page_header: bool = False) -> memoryview | None:
    r"""Return the extension's bytes.

    Parameters
    ----------
    struct : bytes-like
        A whole struct. After the stop of a FileMetaData, an extension counts only if it is followed by a second stop
        and nothing else.
    page_header : bool
        Undo the base64 that extensions of page headers are written in.

    Returns
    -------
    memoryview or None
        A view into `struct` (of the decoded bytes with `page_header`); None if there is no extension.

    Raises
    ------
    Malformed
        Not a Thrift struct, two extensions (the error has both offsets), or no base64 in a page header.

    Examples
    --------
    >>> from parquetext import extension
    >>> bytes(extension.find(extension.append(b"\x00", b"mine")))
    b'mine'
    """
    position = _find(struct, page_header)
    return None if position is None else _content(struct, position, page_header)


def append(
    struct: Buffer,
    payload: Buffer,
    *,
    marker: str = "spec",
    placement: str = IN_STRUCT,
    page_header: bool = False,
    limit: int = DEFAULT_LIMIT,
) -> bytes:
    r"""Give a struct an extension of these raw bytes.

    Parameters
    ----------
    struct : bytes-like
        A whole struct without an extension, and nothing after its stop.
    payload : bytes-like
    marker : {"spec", "thrift"}
        Parquet's marker, or the one that a Thrift library writes for field 32767.
    placement : {"in-struct", "after-stop"}
        Before the struct's stop byte, or after it with a second one: for FileMetaData only.
    page_header : bool
        Write the payload as base64: some readers take a page header's binary fields for UTF-8.
    limit : int
        The most bytes that the extension may take; beyond 64 MiB readers begin to fail.

    Returns
    -------
    bytes
        The struct with it.

    Raises
    ------
    Malformed
        Not a Thrift struct, or bytes after it.
    Refused
        It has an extension already.
    Unsupported
        The extension would exceed `limit`.

    Examples
    --------
    >>> from parquetext import extension
    >>> extension.append(b"\x00", b"mine")
    b'\x08\xff\xff\x01\x04mine\x00'
    """
    _check_arguments(struct, marker, placement)
    if position := _writable(struct, page_header):
        raise wire_error(wire.HAS_EXTENSION, position.header)
    return _write(struct, payload, marker, placement, page_header, limit)


def append_block(
    struct: Buffer,
    uuid: UUID | str | bytes,
    payload: Buffer,
    *,
    marker: str = "spec",
    placement: str = IN_STRUCT,
    page_header: bool = False,
    limit: int = DEFAULT_LIMIT,
    wrap: bool = False,
    text: bool = False,
) -> bytes:
    r"""Stack a block on the struct's extension, or make one with it.

    Parameters
    ----------
    struct, payload, page_header, limit
        As `append` takes them.
    uuid : UUID, str or bytes
        The kind of block.
    marker, placement
        As in `append`; an existing extension keeps its marker and placement.
    wrap : bool
        Make a free-form extension a block of the kind `wire.UUID_WRAPPED` first. `strip` of the last block above it
        gives the bytes back as they were.
    text : bool
        Write the extension as base64 if it is empty or all of it is text: many readers up to April 2026 refuse
        unknown bytes that are no UTF-8. `blocks` undoes it. On the reference to blocks aside a block is stacked raw: in
        one text with others it could not be found.

    Returns
    -------
    bytes
        The struct with the block.

    Raises
    ------
    Malformed, Unsupported
        As `append`; an extension whose length is not minimally encoded.
    Refused
        The extension there is free-form.

    Examples
    --------
    >>> from parquetext import extension
    >>> kind = "00000000-0000-4000-8000-000000000001"
    >>> grown = extension.append_block(b"\x00", kind, b"mine")
    >>> bytes(extension.blocks(grown)[0].payload)
    b'mine'
    """
    _check_arguments(struct, marker, placement)
    bare, is_text = bytes(struct), text
    content: Buffer = b""
    position = _writable(struct, page_header)
    if position is not None:
        content = old = _content(struct, position, page_header)
        found = text_blocks(old)
        is_text = text and bool(found) and all(block.uuid != wire.UUID_FOOTER_REFERENCE for block in found)
        if is_text:
            content = b"".join(rendered(block.uuid, block.payload) for block in found)
        elif kernels.extension.block_before(old, len(old)) is None and not found:
            if not wrap:
                raise wire_error(wire.FREE_FORM, position.payload)
            content = rendered(wire.UUID_WRAPPED, old)
        bare, marker, placement = (
            _without(struct, position),
            MARKER_NUMBERS[position.marker],
            PLACEMENTS[position.placement],
        )
    block = kernels.extension.trailer(payload, uuid_of(uuid).bytes)
    stack = b"".join((content, payload, block))
    return _write(bare, base64.b64encode(stack) if is_text else stack, marker, placement, page_header, limit)


def replace(
    struct: Buffer,
    payload: Buffer,
    *,
    uuid: UUID | str | bytes | None = None,
    page_header: bool = False,
    limit: int = DEFAULT_LIMIT,
) -> bytes:
    r"""Replace the bytes of an extension, or of its block `uuid`; marker, placement and order do not change.

    Parameters
    ----------
    struct : bytes-like
        A whole struct.
    payload : bytes-like
    uuid : UUID, str or bytes, optional
        The last block of this kind instead of the whole extension.
    page_header, limit
        As `append` takes them.

    Returns
    -------
    bytes

    Raises
    ------
    Malformed, Unsupported
        As `append_block`.
    Refused
        There is no extension, or no such block in it.

    Examples
    --------
    >>> from parquetext import extension
    >>> kind = "00000000-0000-4000-8000-000000000001"
    >>> grown = extension.append_block(b"\x00", kind, b"mine")
    >>> bytes(extension.blocks(extension.replace(grown, b"other", uuid=kind))[0].payload)
    b'other'
    """
    position = _writable(struct, page_header)
    if position is None:
        raise Refused("the struct has no extension to replace")
    content = payload
    if uuid is not None:
        stack = stack_in(_content(struct, position, page_header), position.payload)
        index = last_of(stack, uuid_of(uuid))
        if index is None:
            raise Refused(f"the extension has no block of the kind {name_of(uuid)}", offset=position.payload)
        ours = dataclasses.replace(stack[index], payload=memoryview(payload))
        content = content_of(stack.free_form, (*stack[:index], ours, *stack[index + 1 :]))
    return _write(
        _without(struct, position),
        content,
        MARKER_NUMBERS[position.marker],
        PLACEMENTS[position.placement],
        page_header,
        limit,
    )


def replace_all(struct: Buffer, uuid: UUID | str | bytes, change: Callable[[memoryview], bytes]) -> bytes:
    r"""Replace the payloads of all blocks of a kind by the results of `change`; errors are those of `replace`.

    Parameters
    ----------
    struct : bytes-like
        A whole struct.
    uuid : UUID, str or bytes
        The kind of block.
    change : callable
        From a payload to the one that takes its place.

    Returns
    -------
    bytes

    Raises
    ------
    Malformed, Unsupported, Refused
        As `replace`.

    Examples
    --------
    >>> from parquetext import extension
    >>> from uuid import UUID
    >>> kind = UUID("00000000-0000-4000-8000-000000000001")
    >>> grown = extension.append_block(b"\x00", kind, b"mine")
    >>> bytes(extension.blocks(extension.replace_all(grown, kind, lambda payload: b"new"))[0].payload)
    b'new'
    """
    position, uuid = _writable(struct, False), uuid_of(uuid)
    if position is None:
        raise Refused("the struct has no extension to replace")
    stack = stack_in(_content(struct, position, False), position.payload)
    changed = [dataclasses.replace(b, payload=memoryview(change(b.payload))) if b.uuid == uuid else b for b in stack]
    marker, placement = MARKER_NUMBERS[position.marker], PLACEMENTS[position.placement]
    content = content_of(stack.free_form, changed)
    return _write(_without(struct, position), content, marker, placement, False, DEFAULT_LIMIT)


def strip(struct: Buffer, uuid: UUID | str | bytes | None = None, *, page_header: bool = False) -> bytes:
    r"""Take away a struct's extension, or one block of it: the bytes from before it was appended.

    Parameters
    ----------
    struct, page_header
        As `append` takes them.
    uuid : UUID, str or bytes, optional
        Remove only the last block of this kind. A struct without such a block is returned as it is. If only
        wrapped free-form bytes are left, they are free-form again.

    Returns
    -------
    bytes

    Raises
    ------
    Malformed
        Not a Thrift struct, bytes after it, two extensions, or one whose length is not minimally encoded.
    Refused
        Fields follow the extension: their ids may count from its marker.

    Examples
    --------
    >>> from parquetext import extension
    >>> kind = "00000000-0000-4000-8000-000000000001"
    >>> grown = extension.append_block(b"\x00", kind, b"mine")
    >>> extension.strip(grown) == b"\x00"
    True
    """
    position = _writable(struct, page_header)
    if position is None:
        return bytes(struct)
    if uuid is None:
        return _without(struct, position)
    stack = stack_in(_content(struct, position, page_header), position.payload)
    index = last_of(stack, uuid_of(uuid))
    if index is None:
        return bytes(struct)
    bare, left = _without(struct, position), (*stack[:index], *stack[index + 1 :])
    if not left and not stack.free_form:
        return bare
    if len(left) == 1 and left[0].uuid == wire.UUID_WRAPPED and not stack.free_form:
        rest: Buffer = left[0].payload
    else:
        rest = content_of(stack.free_form, left)
    return _write(
        bare,
        rest,
        MARKER_NUMBERS[position.marker],
        PLACEMENTS[position.placement],
        page_header,
        memoryview(struct).nbytes,
    )


def blocks(struct: Buffer, *, page_header: bool = False) -> Stack:
    r"""Return the blocks of a struct's extension, after checking their checksums; offsets count from the struct.

    Parameters
    ----------
    struct : bytes-like
        A whole struct.
    page_header : bool
        Undo the base64 that extensions of page headers are written in.

    Returns
    -------
    Stack
        Empty if there is no extension.

    Raises
    ------
    Malformed
        As `find`.

    Examples
    --------
    >>> from parquetext import extension
    >>> kind = "00000000-0000-4000-8000-000000000001"
    >>> grown = extension.append_block(b"\x00", kind, b"mine")
    >>> len(extension.blocks(grown))
    1
    """
    position = _find(struct, page_header)
    if position is None:
        return Stack((), memoryview(b""))
    return stack_in(_content(struct, position, page_header), 0 if page_header else position.payload)


def blocks_from_back(tail: Buffer) -> Stack:
    r"""Return the blocks that end at the stop byte at the end of `tail`, without reading Thrift: use it only to read.

    Parameters
    ----------
    tail : bytes-like
        The last bytes of a struct, as many as contain its blocks. Bytes before the first whole block (the
        length and the marker, if `tail` has them) is left out.

    Returns
    -------
    Stack
        Empty if no block ends there.

    Examples
    --------
    >>> from parquetext import extension
    >>> kind = "00000000-0000-4000-8000-000000000001"
    >>> grown = extension.append_block(b"\x00", kind, b"mine")
    >>> len(extension.blocks_from_back(grown[-40:]))
    1
    """
    tail = memoryview(tail).cast("B")
    if len(tail) == 0 or tail[-1] != 0:
        return Stack((), memoryview(b""))
    found, _ = step_back(tail[:-1], 0)
    return Stack(found, memoryview(b""))


def _find(struct: Buffer, page_header: bool) -> Place | None:
    """Return the location of the extension; after the stop byte only a FileMetaData has one."""
    position: Place | None = kernels.extension.find(struct, not page_header)
    if position and position.placement and not _is_file_metadata(struct):
        return None
    return position


def _is_file_metadata(struct: Buffer) -> bool:
    """Return True if the struct's fields include the required ones of FileMetaData."""
    return {(id, type) for id, type, *_ in kernels.thrift.fields(struct)} >= FILE_METADATA


def _check_arguments(struct: Buffer, marker: str, placement: str) -> None:
    if marker not in MARKERS:
        raise ValueError(f"marker {marker!r} is none of {', '.join(MARKERS)}")
    if placement not in PLACEMENTS:
        raise ValueError(f"placement {placement!r} is none of {', '.join(PLACEMENTS)}")
    if placement == AFTER_STOP and not _is_file_metadata(struct):
        raise Refused("an extension after a struct's stop is for FileMetaData alone")


def _writable(struct: Buffer, page_header: bool) -> Place | None:
    """Return the location of the extension after checking that the struct can be rewritten."""
    position = _find(struct, page_header)
    end = kernels.thrift.struct_end(struct) if position is None else position.struct_end
    size = memoryview(struct).nbytes
    if end != size:
        raise wire_error(wire.STRAY_BYTES, end, 0, size - end)
    if position is None:
        return None
    shortest = kernels.varint.size(position.length)
    if position.length_bytes != shortest:
        raise wire_error(wire.NON_MINIMAL, position.header + len(MARKERS["spec"]), shortest, position.length_bytes)
    behind = position.payload + position.length
    if behind + 1 != end:
        raise Refused("fields follow the extension, and their ids may count from its marker", offset=behind)
    return position


def _without(struct: Buffer, location: Place) -> bytes:
    """Return the struct as it was before it had an extension."""
    view = memoryview(struct).cast("B")
    return bytes(view[: location.header]) if location.placement else bytes(view[: location.header]) + STOP


def _content(struct: Buffer, location: Place, page_header: bool) -> memoryview:
    content = memoryview(struct).cast("B")[location.payload : location.payload + location.length]
    if not page_header:
        return content
    try:
        return memoryview(base64.b64decode(content, validate=True))
    except binascii.Error as error:
        raise Malformed(f"the page header's extension is not base64: {error}", offset=location.payload) from None


def _write(bare: Buffer, content: Buffer, marker: str, placement: str, page_header: bool, limit: int) -> bytes:
    """Return the struct `bare`, which has no extension, with `content` as one."""
    if page_header:
        content = base64.b64encode(content)
    length = memoryview(content).nbytes
    if length > limit:
        raise Unsupported(
            f"an extension of {length} bytes, the limit is {limit}: pyarrow and Spark fail on footers of "
            "100 MB; limit= allows more",
            expected=limit,
            found=length,
            code=wire.TOO_LARGE,
        )
    view = memoryview(bare).cast("B")
    front = view if placement == AFTER_STOP else view[:-1]
    return b"".join((front, MARKERS[marker], kernels.varint.encode(length), content, STOP))
