"""The pointer to the jump table: field 10 of FileMetaData, which comes before all other fields."""

from __future__ import annotations

import struct
from typing import NamedTuple

from ... import kernels, wire
from ...errors import Damaged, Refused, Unsupported
from ...thrift import integer

FIELD = 10
HEADER = b"\xa8\x19"  # field 10, binary, 25 bytes
CONTENT = struct.Struct("<Bqqq")
POINTER_BYTES = len(HEADER) + CONTENT.size
PLAIN, ZSTD, LZ4_RAW = VERSIONS = (1, 2, 3)
MOST_OF_METADATA, LEAST_LIMIT = 16, 1 << 10  # upper bound of an index, by the size of the metadata
MOST_SHORT = 15  # ids up to this one have a header of one byte at the begin of a struct


class Pointer(NamedTuple):
    """The content of the field."""

    version: int
    index_start: int
    index_length: int
    metadata_length: int

    def to_bytes(self) -> bytes:
        """Return the field, with its header at the begin of a struct."""
        return HEADER + CONTENT.pack(*self)


def pointer_in(front) -> Pointer | None:
    """Return the pointer with which a Thrift footer begins, or None; `front` are its first bytes."""
    if len(front) < POINTER_BYTES or bytes(front[: len(HEADER)]) != HEADER:
        return None
    return Pointer(*CONTENT.unpack_from(front, len(HEADER)))


def check_pointer(pointer: Pointer, footer_offset: int, footer_length: int) -> None:
    """Check the version, and that index and metadata lie within the file; offsets are those of the file.

    Raises
    ------
    Unsupported
        If the version is unknown.
    Damaged
        If a number is out of range.
    """
    at, end = footer_offset + len(HEADER), footer_offset + footer_length
    if pointer.version not in VERSIONS:
        message = f"a jump table of version {pointer.version}; versions {PLAIN} to {LZ4_RAW} are known"
        raise Unsupported(message, offset=at, expected=LZ4_RAW, found=pointer.version)
    start, length = pointer.index_start, pointer.index_length
    if not 0 <= start < end:
        message = f"the index begins at {start}, and the footer's last byte is at {end - 1}"
        raise damaged(message, at + 1, end - 1, start)
    if not 1 <= length <= end - start:
        message = f"the index at {start} has {length} bytes, and there are {end - start} to the footer's end"
        raise damaged(message, at + 9, end - start, length)
    if not POINTER_BYTES < pointer.metadata_length <= footer_length:
        message = f"metadata of {pointer.metadata_length} bytes in a footer of {footer_length}"
        raise damaged(message, at + 17, footer_length, pointer.metadata_length)
    if length > (limit := largest_index(pointer.metadata_length)):
        message = f"an index of {length} bytes for metadata of {pointer.metadata_length}, which may have {limit}"
        raise damaged(message, at + 9, limit, length)
    if start < footer_offset + pointer.metadata_length and start + length > footer_offset:
        message = f"the index at {start} with {length} bytes overlaps the metadata at {footer_offset}"
        raise damaged(message, at + 1, footer_offset, start)


def largest_index(metadata_length: int) -> int:
    """Return how many bytes an index of metadata with this length may have."""
    return MOST_OF_METADATA * metadata_length + LEAST_LIMIT


def damaged(message: str, offset: int, expected: int | None = None, found: int | None = None) -> Damaged:
    """Return the error for a jump table that cannot be used; for an offset or a count, with the two numbers."""
    return Damaged(
        f"the jump table is wrong: {message}", offset=offset, expected=expected, found=found, code=wire.BAD_VALUE
    )


def check_free(metadata: bytes) -> None:
    """Raise Refused if field 10 is in use, or if the first header could not be restored when a pointer is removed."""
    field = kernels.thrift.find(metadata, FIELD)
    if field is not None:
        _, type, header, _, _ = field
        what = "an i32, format_major_version" if type == wire.TYPE_I32 else "in use"
        message = f"field {FIELD} of the footer is {what}: no pointer to a jump table can be added"
        raise Refused(message, offset=header, found=type)
    if not metadata[0] >> 4:
        raise Refused(f"the footer begins with {metadata[:2]!r}, no field of a short header", offset=0)


def with_pointer(metadata: bytes, pointer: Pointer) -> bytes:
    """Return a struct with the pointer as its first field; the header of the next field gets the long form."""
    first = metadata[0]
    return b"".join((pointer.to_bytes(), bytes([first & 15]), integer(first >> 4), metadata[1:]))


def without_pointer(metadata: bytes) -> bytes | None:
    """Return the struct from before `with_pointer`, or None if it does not begin like a result of it.

    If a second field of the same id follows, the restored struct would begin with it, and so with another pointer.
    """
    if pointer_in(metadata) is None or len(metadata) < POINTER_BYTES + 2:
        return None
    type, id = metadata[POINTER_BYTES], metadata[POINTER_BYTES + 1] >> 1
    is_short = 1 <= id <= MOST_SHORT and metadata[POINTER_BYTES + 1] == 2 * id
    is_restorable = is_short and id != FIELD and 1 <= type <= wire.TYPE_UUID
    return bytes([id << 4 | type]) + metadata[POINTER_BYTES + 2 :] if is_restorable else None
