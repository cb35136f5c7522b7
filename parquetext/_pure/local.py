"""A local file that is opened to read its footer."""

from __future__ import annotations

import base64
import binascii
import errno
import os
import stat
import struct
from typing import NamedTuple

from .. import systems, wire
from ..errors import Damaged, ParquetextError, Unsupported, wire_error
from .checksum import crc32
from .extension import MARKERS
from .reference import parse
from .varint import decode32

__all__ = ["LocalFile", "own_block", "read_pages"]

OWN = {wire.UUID_FLAT_FOOTER.bytes, wire.UUID_FOOTER_INDEX.bytes, wire.UUID_PACKED_FOOTER.bytes}
REFERENCE = wire.UUID_FOOTER_REFERENCE.bytes
TEXT_END = 40  # base64 characters that contain a trailer at the end of their 30 bytes
MOST_TEXT = 4096  # largest reference that is decoded from text
TRAILER = struct.Struct("<III16s")  # payload's CRC-32, its length, the length's CRC-32, UUID
PAR3_TRAILER = struct.Struct("<III4s")  # the same, with the magic instead of the UUID


class LocalFile:
    """A local file, open for reading, with its last bytes.

    Parameters
    ----------
    path : str or bytes
    tail_bytes : int
        The number of bytes to read at once from the end of the file.

    Attributes
    ----------
    fd : int
        The file descriptor; -1 after closing.
    size : int
        The file's size in bytes when it was opened.
    tail : bytes
        The last bytes.
    mtime_ns, ino : int
        Its modification time and inode number.

    Raises
    ------
    OSError
        With errno and filename, like `open`.
    """

    fd = -1

    def __init__(self, path: str | bytes, tail_bytes: int = 4096):
        self.fd = systems.open_file(
            path, os.O_RDONLY | systems.O_CLOEXEC | systems.O_NONBLOCK
        )  # a FIFO must not block the open
        try:
            fields = os.fstat(self.fd)
            if stat.S_ISDIR(fields.st_mode):
                raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            self.size, self.ino, self.mtime_ns = fields.st_size, fields.st_ino, fields.st_mtime_ns
            count = min(tail_bytes, self.size)
            self.tail = self.read(self.size - count, count)
        except BaseException:
            self.close()
            raise

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly `length` bytes from `offset` on; raise OSError if the file ends before."""
        if self.fd < 0:
            raise ValueError("the file is closed")
        if length > self.size - offset:
            raise wire_error(wire.IO, offset, length, errno.ENODATA)
        return _read(self.fd, offset, length)

    def close(self) -> None:
        """Close the file. Closing it again has no effect."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self):
        self.close()

    def __enter__(self) -> LocalFile:
        return self

    def __exit__(self, *details) -> None:
        self.close()


def read_pages(fd: int, offset: int, length: int) -> memoryview:
    """Return exactly `length` bytes of an open file from `offset` on; raise OSError if it ends before.

    Meant for large ranges.
    """
    return memoryview(_read(fd, offset, length))


def _read(fd: int, offset: int, length: int) -> bytes:
    data = b""
    while len(data) < length:
        more = systems.pread(fd, length - len(data), offset + len(data))
        if not more:
            raise wire_error(wire.IO, offset, length, errno.ENODATA)
        data += more
    return data


class Located(NamedTuple):
    """The best block for opening a file."""

    kind: bytes  # UUID of the block, or the magic of a file without a Thrift footer
    footer: int  # position of the Thrift footer in the file; for PAR3, of the payload
    thrift_length: int  # number of its bytes that an index may refer to
    payload: int
    length: int
    known: bytes  # bytes of the file that end at `known_end`
    known_end: int


def own_block(tail: bytes, size: int) -> tuple | None:
    """Find our block from the back of a file of `size` bytes that ends in `tail`.

    In a Thrift footer, foreign blocks stacked on top of our block are skipped by their trailers, if the checksums of
    their sizes match. A reference leads to a block aside. In a PAR3 file, a flat footer is the only block. The payload
    is not read.

    Returns
    -------
    (bytes, int, int, int, int, bytes, int) or None
        The UUID of the block, or the magic of a PAR3 file; the position of the Thrift footer (for PAR3, of the payload)
        in the file, and the number of its bytes that an index may refer to; the position and the length of the payload;
        known bytes of the file, and the position of their end. None if `tail` shows no block.
    """
    if not 9 <= len(tail) <= size:
        return None
    if tail[-4:] == b"PAR3":
        return _alone(tail, size)
    if tail[-4:] != b"PAR1" or tail[-9] != 0:
        return None
    begin = size - len(tail)
    footer = size - 8 - int.from_bytes(tail[-8:-4], "little")
    end = size - 9  # before the footer's stop
    while footer >= 0 and end - footer > TRAILER.size and end - begin >= TRAILER.size:
        crc, length, length_crc, uuid = TRAILER.unpack_from(tail, end - begin - TRAILER.size)
        payload = end - TRAILER.size - length
        if crc32(length.to_bytes(4, "little")) != length_crc or payload <= footer:
            return _by_text(tail, size, footer, end)
        if uuid in OWN:
            return Located(uuid, footer, payload - footer, payload, length, tail, size)
        if uuid == REFERENCE:
            found = tail[payload - begin : payload - begin + length] if payload >= begin else None
            return _by_reference(tail, size, footer, found, crc)
        end = payload
    return None


def _by_text(tail: bytes, size: int, footer: int, end: int) -> Located | None:
    """Locate a block by a reference that ends, as text, before `end`."""
    at = end - (size - len(tail))
    if at < TEXT_END or end - footer < TEXT_END:
        return None
    last = _decoded(tail[at - TEXT_END : at])
    if last is None:
        return None
    crc, length, length_crc, uuid = TRAILER.unpack_from(last, len(last) - TRAILER.size)
    if crc32(length.to_bytes(4, "little")) != length_crc or uuid != REFERENCE:
        return None
    total = length + TRAILER.size
    text = total // 3 * 4
    if total % 3 or total > MOST_TEXT or text > end - footer or text > at:
        return None
    block = _decoded(tail[at - text : at])
    return None if block is None else _by_reference(tail, size, footer, block[:length], crc, is_text=True)


def _decoded(text: bytes) -> bytes | None:
    """Decode base64 without padding; return None for other text."""
    try:
        return None if b"=" in text else base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def _by_reference(
    tail: bytes, size: int, footer: int, payload: bytes | None, crc: int, *, is_text: bool = False
) -> Located | None:
    """Locate the last block aside that has one of our forms.

    A reference as text immediately follows the struct, and begins at the former position of the struct's stop. Another
    reference may also follow the stop, above foreign bytes.
    """
    if payload is None or crc32(payload) != crc:
        return None
    try:
        reference = parse(payload, footer)
    except (Damaged, Unsupported):
        return None
    begin, marker = size - len(tail), footer + reference.struct_length - 1
    if not _is_extension(tail, size, marker):
        behind = not is_text and marker >= begin and tail[marker - begin : marker - begin + 1] == b"\0"
        if not behind or not _is_extension(tail, size, marker + 1):
            return None
    for block in reversed(reference.blocks):
        if block.uuid in OWN:
            known, known_end = tail, size
            if begin > block.payload and block is reference.blocks[-1] and reference.tail_block:
                known, known_end = reference.tail_block, block.payload + block.length
            return Located(
                block.uuid, footer, reference.struct_length - 1, block.payload, block.length, known, known_end
            )
    return None


def _is_extension(tail: bytes, size: int, at: int) -> bool:
    """Return True if a marker is at `at`, followed by the length of all remaining footer bytes except the stop."""
    begin, stop = size - len(tail), size - 9
    if at < begin or stop - at <= 4:
        return False
    header = tail[at - begin : stop - begin]
    if header[:4] not in MARKERS:
        return False
    try:
        length, next = decode32(header, 4)
    except ParquetextError:
        return False
    return length == len(header) - next


def _alone(tail: bytes, size: int) -> Located | None:
    """Locate the footer of a PAR3 file."""
    if len(tail) < PAR3_TRAILER.size:
        return None
    _, length, length_crc, _ = PAR3_TRAILER.unpack(tail[-PAR3_TRAILER.size :])
    payload = size - PAR3_TRAILER.size - length
    if crc32(tail[-12:-8]) != length_crc or payload < 4:
        return None
    return Located(b"PAR3", payload, 0, payload, length, tail, size)
