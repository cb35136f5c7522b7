"""The journal of a change in place: what puts the old tail back.

It lies beside the file from before the first byte changes until the last one is on disk (docs/formats.md, section 4).
A journal that is not whole was never finished, so its file was never touched. A journal belongs to a file if the
bytes before the tail are those that it has seen, and if the file's length lies between the old and the new one:
a change in place passes through no other length.
"""

from __future__ import annotations

import os
import struct
import zlib
from dataclasses import dataclass

from .edit import TailEdit
from .names import JOURNAL, beside
from .source import LocalSource

__all__ = ["Journal", "encode", "journal_path", "old_tail", "read"]

MAGIC = b"PQXJRNL1"
_HEADER = struct.Struct("<8sQQQIII")
_CRC = struct.Struct("<I")
_HEADER_BYTES = _HEADER.size + _CRC.size
SEEN_BYTES = 1 << 16  # of the kept bytes, right before the tail


@dataclass(frozen=True, slots=True)
class Journal:
    """A whole journal.

    Attributes
    ----------
    keep : int
        Bytes of the file that do not change.
    old_size, new_size : int
        The file's length before and after.
    seen : int
        CRC-32 of the last `SEEN_BYTES` bytes (or all) before `keep`.
    new_crc : int
        CRC-32 of the new tail.
    tail : bytes
        The old tail.
    """

    keep: int
    old_size: int
    new_size: int
    seen: int
    new_crc: int
    tail: bytes

    def belongs_to(self, source: LocalSource) -> bool:
        """Whether `source` is the file that this journal was made for, in whatever state."""
        shortest, longest = sorted((self.old_size, self.new_size))
        return shortest <= source.size <= longest and _seen(source, self.keep) == self.seen

    def state(self, source: LocalSource) -> str:
        """What a file that it belongs to holds: the ``"old"`` tail, the ``"new"`` one, or ``"mixed"``."""
        if source.size == self.old_size and source.read(self.keep, len(self.tail)) == self.tail:
            return "old"
        new_length = self.new_size - self.keep
        if source.size == self.new_size and zlib.crc32(source.read(self.keep, new_length)) == self.new_crc:
            return "new"
        return "mixed"


def journal_path(path: str) -> str:
    """Where the journal of the file at `path` lies; symbolic links are followed."""
    return beside(os.path.realpath(path), JOURNAL)


def encode(source: LocalSource, edit: TailEdit) -> bytes:
    """The journal of `edit` on `source`."""
    tail = source.read(edit.keep, source.size - edit.keep)
    header = _HEADER.pack(MAGIC, edit.keep, source.size, edit.size, _seen(source, edit.keep),
                          zlib.crc32(tail), zlib.crc32(edit.tail))
    return b"".join((header, _CRC.pack(zlib.crc32(header)), tail))


def read(path: str) -> Journal | None:
    """The journal file at `path`, or None where there is none, or none that is whole."""
    try:
        with LocalSource(path) as file:
            data = file.read(0, file.size)
    except FileNotFoundError:
        return None
    if len(data) < _HEADER_BYTES or _CRC.unpack_from(data, _HEADER.size)[0] != zlib.crc32(data[:_HEADER.size]):
        return None
    magic, keep, old_size, new_size, seen, old_crc, new_crc = _HEADER.unpack_from(data)
    tail = data[_HEADER_BYTES:]
    if magic != MAGIC or keep > min(old_size, new_size) or len(tail) != old_size - keep or zlib.crc32(tail) != old_crc:
        return None
    return Journal(keep, old_size, new_size, seen, new_crc, tail)


def _seen(source: LocalSource, keep: int) -> int:
    length = min(keep, SEEN_BYTES)
    return zlib.crc32(source.read(keep - length, length))


def old_tail(path: str) -> TailEdit | None:
    """What a reader uses whose file's tail fails its checks: the tail from before a change that was interrupted.

    Nothing is changed. The file then reads as its first `keep` bytes and `tail`. None where there is no journal that
    is whole and belongs to the file: a change may also have been finished meanwhile, so a reader that gets None
    looks at the tail once more before it gives up.
    """
    journal = read(journal_path(path))
    if journal is None:
        return None
    with LocalSource(path) as source:
        return TailEdit(journal.keep, journal.tail) if journal.belongs_to(source) else None
