"""Read the committed bytes of a local sidecar: read the size of the last commit, then map or read as many bytes.

If a file becomes shorter while it is mapped, access to it ends the process. Our sidecars never become shorter; sidecars
of other software might, so they are read.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct

from .. import systems, wire
from ..errors import ParquetextError, wire_error
from .sidecar_footer import Footer
from .sidecar_read import Reader

SIZE_BYTES = 8
NOTE_HEAD = 8
# Positions of our notes at a sidecar's end: the note of its file, optionally followed by the note with checksums.
BEHIND_NOTES = wire.PM_CHECKSUM_BYTES + wire.PM_TRAILER_BYTES
ORIGIN_HEAD = struct.pack("<II", wire.PM_ORIGIN_CODE, wire.PM_ORIGIN_BYTES)
ORIGIN = struct.Struct("<IIIIqqQQI")  # docs/sidecar.md
UNKNOWN = -1


def map_file(path: str | bytes) -> mmap.mmap | bytes:
    """Return the committed bytes of a local sidecar. They do not change while others append to the file.

    A sidecar that we wrote, recognized by its end, is mapped, unless the system then refuses to change it; others are
    read.

    Raises
    ------
    OSError
        With errno and filename, like `open`.
    Damaged
        If the file is shorter than its committed size, or if this size is too small for a sidecar.
    """
    fd = systems.open_file(path, os.O_RDONLY | systems.O_CLOEXEC | systems.O_NONBLOCK)  # a FIFO must not block the open
    try:
        status = os.fstat(fd)
        if not stat.S_ISREG(status.st_mode):
            raise ParquetextError("not a regular file", file=os.fsdecode(path))
        size = _committed(systems.pread(fd, SIZE_BYTES, 0), status.st_size, path)
        is_mapped = systems.replaces_open_files() and _is_ours(fd, size)
        return mmap.mmap(fd, size, access=mmap.ACCESS_READ) if is_mapped else _whole(fd, size, path)
    finally:
        os.close(fd)


def _is_origin(fd: int, end: int, size: int) -> bool:
    """Return True if our note of the sidecar's file ends at `end`, and is of this commit.

    Other software copies the note into commits for other Parquet footers.
    """
    at = end - wire.PM_ORIGIN_BYTES - NOTE_HEAD
    if at < 0 or systems.pread(fd, NOTE_HEAD, at) != ORIGIN_HEAD:
        return False
    trailer = size - wire.PM_TRAILER_BYTES
    footer = trailer - int.from_bytes(systems.pread(fd, 4, trailer), "little")
    if footer < 0:
        return False
    return systems.pread(fd, 4, at + NOTE_HEAD + wire.PM_ORIGIN_FOOTER_LENGTH) == systems.pread(
        fd, 4, footer + wire.PM_FOOTER_PARQUET_FOOTER_LENGTH
    )


def _is_ours(fd: int, size: int) -> bool:
    """Return True if a sidecar of this size ends like those that we write."""
    end = size - BEHIND_NOTES
    if _is_origin(fd, end, size):
        return True
    sums = end - wire.PM_SUMS_BYTES
    if sums < 0:
        return False
    columns = int.from_bytes(systems.pread(fd, 4, sums + wire.PM_SUMS_COLUMN_COUNT), "little")
    sums -= 4 * columns + NOTE_HEAD
    if sums < 0 or int.from_bytes(systems.pread(fd, 4, sums), "little") != wire.PM_SUMS_CODE:
        return False
    return _is_origin(fd, sums, size)


def _whole(fd: int, size: int, path: str | bytes) -> bytes:
    """Return the first `size` bytes of a file that was at least as large before."""
    parts, done = [], 0
    while done < size and (part := systems.pread(fd, size - done, done)):
        parts.append(part)
        done += len(part)
    if done < size:
        raise wire_error(wire.PM_SIZE_BEYOND, 0, done, size, file=os.fsdecode(path))
    return b"".join(parts)


def _committed(first: bytes, there: int, path: str | bytes) -> int:
    """Return the size in the first bytes, for a file of `there` bytes."""
    if len(first) < SIZE_BYTES:
        raise wire_error(wire.PM_TRUNCATED, 0, wire.PM_HEADER_BYTES, there, file=os.fsdecode(path))
    size = int.from_bytes(first, "little")
    if size > there:
        raise wire_error(wire.PM_SIZE_BEYOND, 0, there, size, file=os.fsdecode(path))
    if size < wire.PM_SMALLEST_BYTES:
        raise wire_error(wire.PM_SIZE_SMALL, 0, wire.PM_SMALLEST_BYTES, size, file=os.fsdecode(path))
    return size


def open_untouched(path: str | bytes, sidecar: str | bytes) -> Reader | None:
    """Return a reader of a local sidecar's newest snapshot if our note shows that the file at `path` is unchanged.

    The checksum is not computed. Return None if there is no such sidecar, if a check fails, or if the sidecar belongs
    neither to the file's owner nor to this process's user.
    """
    try:
        reader, status = Reader(map_file(sidecar), verify=False), os.stat(path)
        if os.stat(sidecar).st_uid not in (status.st_uid, systems.user()):
            return None
    except (OSError, ParquetextError):
        return None
    note = reader.note(wire.PM_ORIGIN_CODE)
    return reader if note is not None and is_untouched(status, reader.footer, note) else None


def is_untouched(status: os.stat_result, footer: Footer, note: bytes) -> bool:
    """Return True if our note in a sidecar describes a file of this status, and the footer that the sidecar is for."""
    if len(note) < ORIGIN.size:
        return False
    layout, _, _, footer_length, *version, _ = ORIGIN.unpack_from(note)
    size = footer.parquet_footer_offset + footer.parquet_footer_length + wire.PM_PARQUET_TRAILER_BYTES
    return (
        wire.PM_ORIGIN_FIRST_LAYOUT <= layout <= wire.PM_ORIGIN_KNOWN_LAYOUT
        and footer_length == footer.parquet_footer_length
        and stat.S_ISREG(status.st_mode)
        and status.st_size == size
        and version[0] != UNKNOWN
        and version == [status.st_mtime_ns, systems.change_time(status), status.st_dev, status.st_ino]
    )


def release_mappings() -> None:
    """Unmap the sidecars that are no longer in use. The twin keeps none."""
