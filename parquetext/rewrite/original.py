"""The file before its columns got copies: the current offset of each of its bytes (docs/formats.md, section 10)."""

from __future__ import annotations

import hashlib
import struct
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from .. import kernels, wire
from ..encoding.codecs import decompress
from ..errors import Damaged, ParquetextError, Unsupported, wire_error
from ..records import frozen
from ..storage import has_descriptor
from ..thrift import integer

VERSION = 1
STEP, LOCAL_STEP = 8 << 20, 1 << 20
FEW_BYTES = 1 << 20  # always allowed for a rest, decompressed; above that:
MOST_TIMES_SIZE = 64  # of the file, which contains the data of the rest again, rewritten
_HEAD = struct.Struct("<HHIIIQ32sQIII")  # version, zero, T and its CRC, ranges, length, SHA-256, the rest
_LARGEST = 1 << 62


@frozen
class Range:
    """Bytes of the original: old offset, length, and current offset; None if they are in the rest."""

    old: int
    length: int
    new: int | None


@frozen
class Rest:
    """All ranges that are no longer stored unchanged, concatenated: page indexes and the footer.

    Attributes
    ----------
    offset, length : int
        Their location in the file, compressed.
    codec : int
        ``wire.CODEC_…``.
    crc : int
        CRC-32 of the `length` bytes.
    """

    offset: int
    length: int
    codec: int
    crc: int


@frozen
class Original:
    """The input file of `encode`.

    Attributes
    ----------
    length : int
    sha256 : bytes
    ranges : tuple of Range
        All of its bytes, in order.
    rest : Rest
    struct_length, struct_crc : int
        Length and CRC-32 of the encoded file's Thrift footer, without an extension. If another program has written a
        new footer since, that footer refers to other data than the original had.
    """

    length: int
    sha256: bytes
    ranges: tuple[Range, ...]
    rest: Rest
    struct_length: int
    struct_crc: int

    def to_payload(self) -> bytes:
        """Return the block's payload; the length of payload and trailer together is a multiple of 3 bytes."""
        head = _HEAD.pack(
            VERSION,
            0,
            self.struct_length,
            self.struct_crc,
            len(self.ranges),
            self.length,
            self.sha256,
            self.rest.offset,
            self.rest.length,
            self.rest.codec,
            self.rest.crc,
        )
        payload = head + b"".join(_encoded(self.ranges))
        return payload + bytes(-(len(payload) + wire.BLOCK_TRAILER_BYTES) % 3)

    @classmethod
    def from_payload(cls, payload) -> Original:
        """Read a payload; bytes after the last range are ignored.

        Raises
        ------
        Unsupported
            If the version is unknown.
        Damaged
            If the payload is invalid; the offset counts from its first byte.
        """
        data = memoryview(payload).cast("B")
        if len(data) < _HEAD.size:
            raise _damaged(f"{len(data)} bytes", 0)
        version, zero, struct_length, struct_crc, count, length, sha256, *rest = _HEAD.unpack_from(data)
        if version != VERSION or zero:
            raise Unsupported(f"the record of an original of version {version}", expected=VERSION, found=version)
        if count > len(data) - _HEAD.size or max(length, rest[0]) > _LARGEST:
            raise _damaged(f"{count} ranges of {length} bytes", 4)
        ranges = tuple(_ranges(data, count, length))
        return cls(length, sha256, ranges, Rest(*rest), struct_length, struct_crc)


class OriginalSource:
    """Read the original from the file that was made from it, or from the original of another file.

    Attributes
    ----------
    room : int
        Bytes that the rests of still earlier originals may have, decompressed.

    Raises
    ------
    Damaged
        If the rest fails its checksum or is too large for the file, or if the ranges have more bytes than the file.
    Malformed
        If the file ends before the rest does.
    """

    room: int

    def __init__(self, original: Original, source):
        self.name, self.size = source.name, original.length
        self._source, self._ranges, self._starts = source, original.ranges, []
        rest, size = original.rest, 0
        for part in self._ranges:
            self._starts.append(size)
            size += part.length if part.new is None else 0
        most = source.room if isinstance(source, OriginalSource) else max(FEW_BYTES, MOST_TIMES_SIZE * source.size)
        if size > most:
            raise _out_of_proportion(f"the rest of the original would have {size} bytes", rest, most, size, source)
        if (moved := self.size - size) > source.size:
            message = f"ranges of the original have {moved} bytes"
            raise _out_of_proportion(message, rest, source.size, moved, source)
        self.room = most - size
        stored = source.read(rest.offset, rest.length)
        found = kernels.checksum.crc32(stored)
        if found != rest.crc:
            message = f"the rest of the original has the checksum {found:#010x}, expected {rest.crc:#010x}"
            raise Damaged(message, offset=rest.offset, expected=rest.crc, found=found).at(source.name)
        self._rest = memoryview(decompress(rest.codec, stored, size)).cast("B")

    def read(self, offset: int, length: int) -> bytes:
        """Return exactly the original's bytes [offset, offset + length)."""
        if not 0 <= length <= self.size - offset or offset < 0:
            raise wire_error(wire.TRUNCATED, offset, length, max(0, self.size - offset), file=self.name)
        index = bisect_right(self._ranges, offset, key=lambda part: part.old) - 1
        pieces = []
        while length:
            part, start = self._ranges[index], self._starts[index]
            skipped = offset - part.old
            size = min(length, part.length - skipped)
            if part.new is None:
                pieces.append(self._rest[start + skipped : start + skipped + size])
            else:
                pieces.append(self._source.read(part.new + skipped, size))
            offset, length, index = offset + size, length - size, index + 1
        return pieces[0] if len(pieces) == 1 and isinstance(pieces[0], bytes) else b"".join(pieces)


def _out_of_proportion(what: str, rest: Rest, most: int, found: int, source) -> Damaged:
    message = f"{what}, in a file of {source.size} no more than {most}"
    return Damaged(message, offset=rest.offset, expected=most, found=found).at(source.name)


def step_of(source) -> int:
    """Return the bytes to read at once: 1 MiB of a local file, which fits the processor's cache, else 8 MiB."""
    return LOCAL_STEP if has_descriptor(source) else STEP


def read_steps(source, offset: int, length: int) -> Iterator[bytes]:
    """Yield a range of a file in steps."""
    step = step_of(source)
    for at in range(offset, offset + length, step):
        yield source.read(at, min(step, offset + length - at))


def digest_of(source) -> bytes:
    """Return a file's SHA-256."""
    found = hashlib.sha256()
    for data in read_steps(source, 0, source.size):
        found.update(data)
    return found.digest()


def _encoded(ranges: Sequence[Range]) -> Iterator[bytes]:
    end = 0
    for part in ranges:
        yield kernels.varint.encode(part.length << 1 | (part.new is None))
        if part.new is not None:
            yield integer(part.new - end)
            end = part.new + part.length


def _ranges(data: memoryview, count: int, length: int) -> Iterator[Range]:
    at, old, end = _HEAD.size, 0, 0
    for _ in range(count):
        start = at
        try:
            size, at = kernels.varint.decode64(data, at)
            new = None
            if not size & 1:
                distance, at = kernels.varint.decode64(data, at)
                new = end + kernels.varint.zigzag_decode(distance)
        except ParquetextError as error:
            raise _damaged(error.message, start) from None
        size >>= 1
        if not 0 < size <= length - old or not (new is None or 0 <= new <= _LARGEST):
            raise _damaged(f"{size} bytes at {new}, {length - old} are left", start)
        yield Range(old, size, new)
        old, end = old + size, end if new is None else new + size
    if old != length:
        raise _damaged(f"ranges of {old} bytes, the original had {length}", at)


def _damaged(what: str, offset: int) -> Damaged:
    return Damaged(f"the record of the original is not as it must be: {what}", offset=offset)
