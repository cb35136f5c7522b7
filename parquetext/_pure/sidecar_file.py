"""A local sidecar's committed bytes, mapped: opened, the size read that the last commit says, and that mapped."""

from __future__ import annotations

import mmap
import os
import stat
import struct

from .. import wire
from ..errors import ParquetextError, wire_error
from .sidecar_read import Reader

__all__ = ["map_file", "open_untouched", "release_mappings"]

SIZE_BYTES = 8
TIMES_AND_PLACE = struct.Struct("<qqQQ")  # modified, changed, device, inode


def map_file(path: str | bytes) -> mmap.mmap:
    """The committed bytes of a local sidecar, bytes-like; they stay as they are while others append to the file.

    Raises
    ------
    OSError
        As `open` raises it, with errno and filename.
    Damaged
        The file is shorter than what it says to have committed, or that than any sidecar.
    """
    fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # a FIFO must not block the open
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise ParquetextError("not a regular file", file=os.fsdecode(path))
        return mmap.mmap(fd, _committed(os.pread(fd, SIZE_BYTES, 0), status.st_size, path), access=mmap.ACCESS_READ)
    finally:
        os.close(fd)


def _committed(first: bytes, there: int, path: str | bytes) -> int:
    """The size that the first bytes say, in a file of `there` bytes."""
    if len(first) < SIZE_BYTES:
        raise wire_error(wire.PM_TRUNCATED, 0, wire.PM_HEADER_BYTES, there).at(os.fsdecode(path))
    size = int.from_bytes(first, "little")
    if size > there:
        raise wire_error(wire.PM_SIZE_BEYOND, 0, there, size).at(os.fsdecode(path))
    if size < wire.PM_SMALLEST_BYTES:
        raise wire_error(wire.PM_SIZE_SMALL, 0, wire.PM_SMALLEST_BYTES, size).at(os.fsdecode(path))
    return size


def open_untouched(path: str | bytes, sidecar: str | bytes) -> Reader | None:
    """A reader of a local sidecar's newest snapshot, where our note in it says that the file at `path` is untouched.

    Its checksum is not computed. None where there is no such sidecar, or anything speaks against it: also where it
    belongs neither to the file's owner nor to this process's user.
    """
    try:
        reader, status = Reader(map_file(sidecar), verify=False), os.stat(path)
        if os.stat(sidecar).st_uid not in (status.st_uid, os.geteuid()):
            return None
    except (OSError, ParquetextError):
        return None
    note, (offset, length) = reader.note(wire.PM_ORIGIN_CODE), reader.parquet_footer
    if note is None or len(note) < wire.PM_ORIGIN_BYTES or status.st_size != (
            offset + length + wire.PM_PARQUET_TRAILER_BYTES):
        return None
    layout, noted_length = (int.from_bytes(note[at:at + 4], "little") for at in (
        wire.PM_ORIGIN_LAYOUT, wire.PM_ORIGIN_FOOTER_LENGTH))
    said = TIMES_AND_PLACE.unpack_from(note, wire.PM_ORIGIN_MODIFIED)
    there = status.st_mtime_ns, status.st_ctime_ns, status.st_dev, status.st_ino
    is_known = wire.PM_ORIGIN_FIRST_LAYOUT <= layout <= wire.PM_ORIGIN_KNOWN_LAYOUT
    known = is_known and noted_length == length and said[0] != -1
    return reader if known and said == there else None


def release_mappings() -> None:
    """Unmap the sidecars that are no longer in use: this implementation keeps none."""
