"""The journal of a change in place, from which the old tail can be restored.

It exists next to the file from before the first byte changes until the last one is on disk (docs/formats.md, section
4). It contains the old tail, and a checksum of each sector of the new one, and so distinguishes a file with an
interrupted change from any other file of that name. Files and journals may be large: both are read in steps.
"""

from __future__ import annotations

import struct
import time
import zlib
from array import array
from collections.abc import Iterator

from ..records import frozen
from .operations import Operations
from .source import LocalSource, TailEdit, Version

OLD, NEW, MIXED = "old", "new", "mixed"  # the content of a journaled file after the kept bytes
SECTOR = 512  # bytes; a disk writes each sector completely or not at all
SEEN_BYTES = 1 << 16  # bytes before the tail that are compared
STEP = 1 << 20  # read at once; a multiple of SECTOR
_MAGIC = b"PQXJRNL2"
_HEADER = struct.Struct("<8sQQQQQqqIII")
_MAGIC_1 = b"PQXJRNL1"
_MAGIC_OF_ALL = _MAGIC[:-1]
_HEADER_1 = struct.Struct("<8sQQQIII")
_CRC = struct.Struct("<I")


@frozen
class Journal:
    """A complete journal.

    Attributes
    ----------
    file : LocalSource
        The journal's file, open.
    keep : int
        Bytes at the beginning of the changed file that do not change.
    old_size, new_size : int
        The file's length before and after.
    seen : int
        CRC-32 of the last `SEEN_BYTES` bytes (or all) before `keep`.
    tail_at : int
        Offset of the old tail in the journal.
    sums : array of int
        CRC-32 of each piece of the new tail; see `pieces`.
    version : Version or None
        The file before the change, for messages. None for a journal of version 1.
    new_crc : int or None
        CRC-32 of the new tail; only in version 1, which has no `sums`.
    """

    file: LocalSource
    keep: int
    old_size: int
    new_size: int
    seen: int
    tail_at: int
    sums: array
    version: Version | None
    new_crc: int | None = None

    def state(self, source: LocalSource) -> str | None:
        """Compare `source` after the kept bytes: return `OLD`, `NEW` or `MIXED`; None if it is another file.

        Another file differs in the bytes before the tail, in its length, or in a piece that belongs to neither tail.
        Beyond its end each tail counts as zeros, because a file that has grown, or was cut within a block, may contain
        them. Version 1 cannot compare pieces.
        """
        shortest, longest = sorted((self.old_size, self.new_size))
        if not shortest <= source.size <= longest or checksum_before(source, self.keep) != self.seen:
            return None
        if self.new_crc is not None:
            return self._state_by_whole_tails(source)
        is_old, is_new = source.size == self.old_size, source.size == self.new_size
        sums = iter(self.sums)
        for begin, end in steps(self.keep, source.size):
            now, old = source.read(begin, end - begin), self.old(begin, end)
            for at, stop in pieces(begin, end, shortest):
                piece = now[at - begin : stop - begin]
                was_old = piece == old[at - begin : stop - begin]
                was_new = self._is_new(piece, at, stop, next(sums, None))
                if not was_old and not was_new:
                    return None
                is_old, is_new = is_old and was_old, is_new and was_new
        return OLD if is_old else NEW if is_new else MIXED

    def _is_new(self, piece: bytes, at: int, stop: int, expected: int | None) -> bool:
        """Return True if a piece [at, stop) of the file belongs to the new tail, with the checksum `expected`."""
        if at >= self.new_size:
            return not any(piece)
        whole = next(pieces(at, self.new_size, min(self.old_size, self.new_size)))[1]
        return stop == whole and zlib.crc32(piece) == expected

    def _state_by_whole_tails(self, source: LocalSource) -> str:
        tail = steps(self.keep, self.old_size)
        if source.size == self.old_size and all(
            source.read(begin, end - begin) == self.old(begin, end) for begin, end in tail
        ):
            return OLD
        is_new = source.size == self.new_size and _checksum(source, self.keep, self.new_size) == self.new_crc
        return NEW if is_new else MIXED

    def old(self, begin: int, end: int) -> bytes:
        """Return the bytes [begin, end) of the old file, with zeros after its end. `begin` is in its tail."""
        known = max(0, min(end, self.old_size) - begin)
        return (
            self.file.read(self.tail_at + begin - self.keep, known).ljust(end - begin, b"\0")
            if known
            else bytes(end - begin)
        )

    def old_tail(self) -> TailEdit:
        """Return the edit that restores the old tail."""
        return TailEdit(self.keep, self.old(self.keep, self.old_size))

    def __str__(self) -> str:
        if self.version is None:
            return f"a journal of version 1, for a file of {self.old_size} bytes"
        assert self.version.modified is not None  # the header of version 2 has it
        seconds = time.gmtime(self.version.modified // 10**9)
        return (
            f"a journal for a file of {self.old_size} bytes, inode {self.version.identity[1]}, last changed "
            f"{time.strftime('%Y-%m-%d %H:%M:%S', seconds)} UTC"
        )


def write(operations: Operations, file: int, source: LocalSource, edit: TailEdit) -> None:
    """Write the journal of `edit` on `source` into the new, open `file`."""
    tail, shortest = memoryview(edit.tail), min(source.size, edit.size)
    sums = _little_endian(
        array(
            "I",
            (
                zlib.crc32(tail[at - edit.keep : stop - edit.keep])
                for at, stop in pieces(edit.keep, edit.size, shortest)
            ),
        )
    )
    head_bytes, crc = _HEADER.size + _CRC.size + len(sums), 0
    for begin, end in steps(edit.keep, source.size):
        old = source.read(begin, end - begin)
        crc = zlib.crc32(old, crc)
        operations.write(file, old, head_bytes + begin - edit.keep)
    version = source.version
    header = _HEADER.pack(
        _MAGIC,
        edit.keep,
        source.size,
        edit.size,
        *version.identity,
        version.modified,
        version.changed,
        checksum_before(source, edit.keep),
        crc,
        zlib.crc32(sums),
    )
    operations.write(file, b"".join((header, _CRC.pack(zlib.crc32(header)), sums)), 0)


def is_of_later_version(file: LocalSource) -> bool:
    """Return True if an open file begins like a journal of an unknown version."""
    magic = file.read(0, min(len(_MAGIC), file.size))
    return magic.startswith(_MAGIC_OF_ALL) and len(magic) == len(_MAGIC) and magic not in (_MAGIC, _MAGIC_1)


def parse(file: LocalSource) -> Journal | None:
    """Parse the journal in an open file; return None if it is incomplete."""
    if file.size < _HEADER_1.size + _CRC.size:
        return None
    layout = {_MAGIC: _HEADER, _MAGIC_1: _HEADER_1}.get(file.read(0, len(_MAGIC)))
    if layout is None or file.size < layout.size + _CRC.size:
        return None
    header = file.read(0, layout.size + _CRC.size)
    if _CRC.unpack_from(header, layout.size)[0] != zlib.crc32(header[: layout.size]):
        return None
    _, keep, old_size, new_size, *rest = layout.unpack_from(header)
    if keep > min(old_size, new_size):
        return None
    tail_bytes, sums_at = old_size - keep, len(header)
    if layout is _HEADER_1:
        seen, old_crc, new_crc = rest
        found = Journal(file, keep, old_size, new_size, seen, sums_at, array("I"), None, new_crc)
        return found if _holds_tail(found, tail_bytes, old_crc) else None
    device, inode, modified, changed, seen, old_crc, sums_crc = rest
    sums_bytes = 4 * _count(keep, new_size, min(old_size, new_size))
    if file.size != sums_at + sums_bytes + tail_bytes:
        return None
    sums = file.read(sums_at, sums_bytes)
    if zlib.crc32(sums) != sums_crc:
        return None
    found = Journal(
        file,
        keep,
        old_size,
        new_size,
        seen,
        sums_at + sums_bytes,
        _from_little_endian(sums),
        Version((device, inode), old_size, modified, changed),
    )
    return found if _holds_tail(found, tail_bytes, old_crc) else None


def _holds_tail(journal: Journal, length: int, crc: int) -> bool:
    file, begin = journal.file, journal.tail_at
    return file.size == begin + length and _checksum(file, begin, begin + length) == crc


def checksum_before(source: LocalSource, keep: int) -> int:
    """Return the CRC-32 of the last `SEEN_BYTES` bytes before `keep`, or of all."""
    return _checksum(source, max(0, keep - SEEN_BYTES), keep)


def _checksum(source: LocalSource, begin: int, end: int) -> int:
    crc = 0
    for at, stop in steps(begin, end):
        crc = zlib.crc32(source.read(at, stop - at), crc)
    return crc


def steps(begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Split [begin, end) into ranges of at most `STEP` bytes, which end at multiples of it."""
    while begin < end:
        stop = min(begin - begin % STEP + STEP, end)
        yield begin, stop
        begin = stop


def pieces(begin: int, end: int, cut: int) -> Iterator[tuple[int, int]]:
    """Split [begin, end) at the boundaries of sectors and at `cut`, the end of the shorter tail.

    After a power cut, each of these ranges contains the bytes of either the old or the new tail.
    """
    while begin < end:
        stop = min(begin - begin % SECTOR + SECTOR, end)
        if begin < cut < stop:
            stop = cut
        yield begin, stop
        begin = stop


def _count(begin: int, end: int, cut: int) -> int:
    """Return the number of `pieces`."""
    if begin == end:
        return 0
    return (end - 1) // SECTOR - begin // SECTOR + 1 + (begin < cut < end and cut % SECTOR != 0)


def _little_endian(sums: array) -> bytes:
    return struct.pack(f"<{len(sums)}I", *sums)


def _from_little_endian(data: bytes) -> array:
    return array("I", struct.unpack(f"<{len(data) // 4}I", data))
