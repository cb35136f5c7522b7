"""Find the extension in a struct's reserved field from the front, and its blocks from the back."""

from __future__ import annotations

from typing import NamedTuple

from .. import wire
from ..errors import ParquetextError, wire_error
from . import varint
from .checksum import crc32
from .thrift import Walk

__all__ = ["Place", "block_before", "find", "read_trailer", "trailer"]

MARKERS = {bytes.fromhex("08ffff01"): 1, bytes.fromhex("08feff03"): 2}
MARKER_BYTES = 4
IN_STRUCT, AFTER_STOP = 0, 1
STOP = 0


class Place(NamedTuple):
    """The position of a struct's extension. Offsets count from the struct's first byte."""

    marker: int  # 1 spec, 2 thrift
    placement: int  # 0 in the struct, 1 after its stop
    struct_end: int  # the position after the (last) stop byte
    header: int  # of the marker
    payload: int  # offset of the extension's bytes
    length: int  # number of the extension's bytes
    length_bytes: int  # size of the ULEB128 length


def find(data, file_metadata: bool = False, max_depth: int = wire.MAX_DEPTH) -> Place | None:
    """Return the extension of the struct at the start of `data`, or None.

    Parameters
    ----------
    data : bytes-like
        The struct; more bytes may follow it.
    file_metadata : bool
        If True, also accept an extension after the stop byte, if exactly it and a second stop byte follow.

    Raises
    ------
    Malformed
        If the struct is not well-formed Thrift, or if it has two extensions. In the latter case, the error's offset is
        that of the second marker, and `expected` that of the first.
    """
    walk = Walk(data, 0, max_depth)
    walk.enter(0, 0)
    position, id, at, type = None, 0, 0, wire.TYPE_STRUCT
    while type:
        header = at
        id, type, at = walk.field_header(header, id)
        marker = MARKERS.get(bytes(walk.data[header:at]))
        if marker:
            position = _read_extension(walk, marker, header, position)
            at = position.payload + position.length
        elif type:
            at = walk.skip(at, type, 1)
    if file_metadata and _is_after_stop(walk, at):
        position = _read_extension(walk, MARKERS[bytes(walk.data[at : at + MARKER_BYTES])], at, position)
        return position._replace(placement=AFTER_STOP, struct_end=walk.size)
    return position and position._replace(struct_end=at)


def _read_extension(walk: Walk, marker: int, header: int, first: Place | None) -> Place:
    """Read the extension whose marker is at `header`; `struct_end` is not known yet."""
    at = header + MARKER_BYTES
    length, payload = varint.decode32(walk.data, at)
    if length > walk.size - payload:
        raise wire_error(wire.TRUNCATED, at, length, walk.size - payload)
    if first:
        raise wire_error(wire.TWO_EXTENSIONS, header, first.header)
    return Place(marker, IN_STRUCT, 0, header, payload, length, payload - at)


def _is_after_stop(walk: Walk, header: int) -> bool:
    """Return True if the bytes from `header` on are exactly an extension and a stop byte."""
    if bytes(walk.data[header : header + MARKER_BYTES]) not in MARKERS:
        return False
    try:
        length, payload = varint.decode32(walk.data, header + MARKER_BYTES)
    except ParquetextError:
        return False
    return length == walk.size - payload - 1 and walk.data[-1] == STOP


def read_trailer(data, end: int) -> tuple[bytes, int, int] | None:
    """Return the trailer that ends at ``data[end]``: (UUID's bytes, length of the payload, its CRC-32).

    Only the 28 bytes before `end` are read. Return None if the checksum of the length does not match.
    """
    data = memoryview(data).cast("B")
    if varint._offset(end) > len(data):
        raise IndexError(f"offset {end} exceeds the {len(data)} bytes given")
    if end < wire.BLOCK_TRAILER_BYTES:
        return None
    crc, length, length_crc = (int.from_bytes(data[end - at : end - at + 4], "little") for at in (28, 24, 20))
    if crc32(data[end - 24 : end - 20]) != length_crc:
        return None
    return bytes(data[end - 16 : end]), length, crc


def block_before(data, end: int, check_payload: bool = True) -> tuple[bytes, int, int, int] | None:
    """Return the block that ends at ``data[end]``: (UUID's bytes, offset of the payload, its length, its CRC-32).

    Return None if no complete block ends there: if the checksum of the length does not match, if the payload does not
    fit before its trailer, or, with `check_payload`, if the payload's checksum does not match.
    """
    found = read_trailer(data, end)
    if found is None or found[1] > end - wire.BLOCK_TRAILER_BYTES:
        return None
    uuid, length, crc = found
    payload = end - wire.BLOCK_TRAILER_BYTES - length
    if check_payload and crc32(memoryview(data).cast("B")[payload : payload + length]) != crc:
        return None
    return uuid, payload, length, crc


def trailer(payload, uuid: bytes) -> bytes:
    """Return the 28 bytes that end the block of `payload` with the 16 bytes `uuid`."""
    payload = memoryview(payload).cast("B")
    if len(uuid) != 16:
        raise ValueError(f"a UUID has 16 bytes, not {len(uuid)}")
    if len(payload) >> 32:
        raise OverflowError(f"a block's payload of {len(payload)} bytes does not fit in 32 bits")
    length = len(payload).to_bytes(4, "little")
    return b"".join((crc32(payload).to_bytes(4, "little"), length, crc32(length).to_bytes(4, "little"), uuid))
