"""A local file opened for its footer."""

from __future__ import annotations

import errno
import os
import stat
import struct

from .. import wire
from ..errors import wire_error
from .checksum import crc32

__all__ = ["LocalFile", "own_block", "read_pages"]

OWN = {wire.UUID_FLAT_FOOTER.bytes: "flat", wire.UUID_FOOTER_INDEX.bytes: "index"}
TRAILER = struct.Struct("<III16s")                             # payload's CRC-32, its length, the length's CRC-32, UUID
PAR3_TRAILER = struct.Struct("<III4s")                         # the same, and the magic in place of the UUID


class LocalFile:
    """A local file, open for reading, with its last bytes.

    Parameters
    ----------
    path : str or bytes
    tail_bytes : int
        How many of the file's last bytes to read at once.

    Attributes
    ----------
    fd : int
        The file descriptor; -1 once closed.
    size : int
        The file's bytes when it was opened.
    tail : bytes
        The last ones.
    mtime_ns, ino : int
        Its modification time and inode number.

    Raises
    ------
    OSError
        As `open` raises it, with errno and filename.
    """

    fd = -1

    def __init__(self, path: str | bytes, tail_bytes: int = 4096):
        self.fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a FIFO must not block the open
        try:
            facts = os.fstat(self.fd)
            if stat.S_ISDIR(facts.st_mode):
                raise OSError(errno.EISDIR, os.strerror(errno.EISDIR), path)
            self.size, self.ino, self.mtime_ns = facts.st_size, facts.st_ino, facts.st_mtime_ns
            count = min(tail_bytes, self.size)
            self.tail = self.read(self.size - count, count)
        except BaseException:
            self.close()
            raise

    def read(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes from `offset` on; OSError where the file ends before."""
        if self.fd < 0:
            raise ValueError("the file is closed")
        if length > self.size - offset:
            raise wire_error(wire.IO, offset, length, errno.ENODATA)
        return _read(self.fd, offset, length)

    def close(self) -> None:
        """Close the file; closing it again does nothing."""
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
    """Exactly `length` bytes from `offset` of an open file: for what is large. OSError where it ends before."""
    return memoryview(_read(fd, offset, length))


def _read(fd: int, offset: int, length: int) -> bytes:
    data = b""
    while len(data) < length:
        more = os.pread(fd, length - len(data), offset + len(data))
        if not more:
            raise wire_error(wire.IO, offset, length, errno.ENODATA)
        data += more
    return data


def own_block(tail: bytes, size: int) -> tuple[str, int, int, int] | None:
    """Find our block from the back of a file of `size` bytes that ends in `tail`.

    In a Thrift footer, foreign blocks stacked on top of it are stepped over by their trailers, whose size checksums
    must hold; a flat footer in a PAR3 file stands alone. Nothing of the payload is looked at.

    Returns
    -------
    (str, int, int, int) or None
        ``"flat"``, ``"index"`` or ``"par3"``; where the Thrift footer (of PAR3: the payload) and where the payload
        begins in the file; the payload's length. None where `tail` shows none.
    """
    if not 9 <= len(tail) <= size:
        return None
    if tail[-4:] == b"PAR3":
        return _alone(tail, size)
    if tail[-4:] != b"PAR1" or tail[-9] != 0:
        return None
    begin = size - len(tail)
    footer = size - 8 - int.from_bytes(tail[-8:-4], "little")
    end = size - 9                                             # before the footer's stop
    while footer >= 0 and end - footer > TRAILER.size and end - begin >= TRAILER.size:
        at = end - begin - TRAILER.size
        _, length, length_crc, uuid = TRAILER.unpack_from(tail, at)
        payload = end - TRAILER.size - length
        if crc32(tail[at + 4:at + 8]) != length_crc or payload <= footer:
            return None
        if uuid in OWN:
            return OWN[uuid], footer, payload, length
        end = payload
    return None


def _alone(tail: bytes, size: int) -> tuple[str, int, int, int] | None:
    """The footer of a PAR3 file."""
    if len(tail) < PAR3_TRAILER.size:
        return None
    _, length, length_crc, _ = PAR3_TRAILER.unpack(tail[-PAR3_TRAILER.size:])
    payload = size - PAR3_TRAILER.size - length
    return ("par3", payload, payload, length) if crc32(tail[-12:-8]) == length_crc and payload >= 4 else None
