"""Hadoop's checksum files: ``.NAME.crc`` beside a local file, a CRC-32 for every few bytes of it.

A reader of Hadoop's that finds one fails on a file that does not fit it, or where it is no checksum file; without one
it reads without checks. (Layout: org.apache.hadoop.fs.ChecksumFileSystem, "crc" and a zero byte, bytes per checksum,
checksums, all big-endian.)
"""

from __future__ import annotations

import os
import struct
import sys
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass

from .edit import TailEdit
from .overlay import Overlay
from .source import LocalSource, Source

__all__ = ["Checksums", "crc_path"]

_HEADER = struct.Struct(">4sI")
_MAGIC = b"crc\0"
_SUM_BYTES = 4
_STEP = 1 << 20  # read at once
_END_BYTES = 1 << 16  # of a file, that tell it from others: its footer, or the last of it


def crc_path(path: str) -> str:
    """Where Hadoop looks for the checksums of the file at `path`."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name}.crc")


@dataclass(frozen=True, slots=True)
class Checksums:
    """What a checksum file says.

    Attributes
    ----------
    chunk : int
        Bytes of the file under each checksum; of the last one what is left.
    sums : array of int
        CRC-32 of each chunk.
    """

    chunk: int
    sums: array

    @classmethod
    def read(cls, file: Source) -> Checksums | None:
        """What an open file holds; None where it is no checksum file. Bytes that make no checksum are left out."""
        content = file.size - _HEADER.size
        if content < 0:
            return None
        magic, chunk = _HEADER.unpack(file.read(0, _HEADER.size))
        if magic != _MAGIC or not 0 < chunk < 1 << 31:
            return None
        return cls(chunk, _big_endian(array("I", file.read(_HEADER.size, content - content % _SUM_BYTES))))

    @classmethod
    def of(cls, source: Source, chunk: int) -> Checksums:
        """Those of a file's bytes as they are."""
        return cls(chunk, array("I", _computed(source, 0, chunk)))

    def to_bytes(self) -> bytes:
        return _HEADER.pack(_MAGIC, self.chunk) + _big_endian(self.sums[:]).tobytes()

    def beyond(self, size: int) -> int:
        """How many more there are than chunks in a file of so many bytes; Hadoop fails only where they are too few."""
        return len(self.sums) - -(-size // self.chunk)

    def first_wrong(self, source: Source, begin: int = 0) -> int | None:
        """The first chunk that is not as its checksum says, of those with bytes from `begin` on."""
        first = begin // self.chunk
        for number, found in enumerate(_computed(source, first, self.chunk), first):
            if found != self.sums[number]:
                return number
        return None

    def fits(self, source: Source, begin: int) -> bool:
        """Whether Hadoop reads the file by them from `begin` on."""
        return self.beyond(source.size) >= 0 and self.first_wrong(source, begin) is None

    def tells_apart(self, source: Source, other: Checksums | None) -> bool:
        """Whether they are of just `source`, as far as its end says, and where they differ from `other` ones."""
        if self.beyond(source.size) or not self.fits(source, max(source.size - _END_BYTES, 0)):
            return False
        if other is None or other.chunk != self.chunk:
            return True
        differing = (
            number for number, pair in enumerate(zip(self.sums, other.sums, strict=False)) if pair[0] != pair[1]
        )
        return all(next(_computed(source, number, self.chunk)) == self.sums[number] for number in differing)

    def after(self, source: LocalSource, edit: TailEdit) -> Checksums:
        """Those of the file that `edit` makes; of chunks that stay whole they are taken over, right or wrong."""
        first = edit.keep // self.chunk
        sums = self.sums[:first]
        sums.extend(_computed(Overlay(source, edit.keep, edit.tail), first, self.chunk))
        return Checksums(self.chunk, sums)


def _computed(source: Source, first: int, chunk: int) -> Iterator[int]:
    """CRC-32 of the chunks from number `first` on."""
    at, step = first * chunk, max(_STEP // chunk, 1) * chunk
    while at < source.size:
        end = min(at + step, source.size)
        if chunk <= _STEP:
            data = memoryview(source.read(at, end - at))
            yield from (zlib.crc32(data[begin : begin + chunk]) for begin in range(0, len(data), chunk))
        else:
            crc = 0
            for begin in range(at, end, _STEP):
                crc = zlib.crc32(source.read(begin, min(_STEP, end - begin)), crc)
            yield crc
        at = end


def _big_endian(sums: array) -> array:
    """Between the machine's order and the file's; the array itself is changed."""
    if sys.byteorder == "little":
        sums.byteswap()
    return sums
