"""A column chunk's second copy in another encoding, which an extension of its ColumnMetaData leads to.

Readers without support for it read the chunk. The layout is in docs/formats.md, section 9.
"""

from __future__ import annotations

import struct
from dataclasses import replace as replaced
from uuid import UUID

from .. import extension, kernels, wire
from ..errors import Damaged, ParquetextError, Unsupported
from ..records import frozen

VERSION = 1
HAS_UUID = 1
_HEAD = struct.Struct("<BBII")
_NUMBERS = 11
_MAGIC_BYTES = 4
_MARKERS = tuple(extension.MARKERS.values())


@frozen
class Carried:
    """The copy of a chunk's values in another encoding.

    Attributes
    ----------
    encoding : int
        Of the copy's pages; `uuid` identifies it if it is not an encoding of parquet-format.
    uuid : UUID or None
    codec : int
        ``wire.CODEC_…``, of pages that say that they are compressed.
    offset, length : int
        The copy's bytes in the file: V2 data pages, back to back, without a dictionary.
    uncompressed_length : int
        The same with all pages decompressed, headers included.
    num_values, null_count : int
        Entries, and those of them that have no value.
    rows_per_page : int
        Rows of each page except the last one, which has the rest.
    crc : int
        CRC-32 of the copy's bytes.
    chunk_offset, chunk_length, chunk_crc : int
        The chunk that it is a copy of: from its first page, `total_compressed_size` bytes, and their CRC-32.
    page_lengths : tuple of int
        Bytes of each page with its header.
    page_crcs : tuple of int
        CRC-32 of each page with its header: pages are read alone.
    """

    encoding: int
    uuid: UUID | None
    codec: int
    offset: int
    length: int
    uncompressed_length: int
    num_values: int
    null_count: int
    rows_per_page: int
    crc: int
    chunk_offset: int
    chunk_length: int
    chunk_crc: int
    page_lengths: tuple[int, ...]
    page_crcs: tuple[int, ...]

    @property
    def end(self) -> int:
        return self.offset + self.length

    def fits(self, begin: int, size: int, num_values: int) -> bool:
        """Return True if it is a copy of the footer's chunk, by the chunk's first page, bytes and values."""
        return (self.chunk_offset, self.chunk_length, self.num_values) == (begin, size, num_values)

    def moved(self, offset: int, chunk_offset: int) -> Carried:
        """Return the copy after both the copy and the chunk have moved."""
        return replaced(self, offset=offset, chunk_offset=chunk_offset)

    def of_chunk(self, offset: int, crc: int) -> Carried:
        """Return the copy with the position and the checksum of its chunk."""
        return replaced(self, chunk_offset=offset, chunk_crc=crc)

    def to_payload(self) -> bytes:
        """Return the block's payload; payload and trailer together are a multiple of 3 bytes."""
        numbers = (
            self.encoding,
            self.codec,
            self.offset,
            self.length,
            self.uncompressed_length,
            self.num_values,
            self.null_count,
            self.rows_per_page,
            self.chunk_offset,
            self.chunk_length,
            len(self.page_lengths),
        )
        head = _HEAD.pack(VERSION, HAS_UUID if self.uuid else 0, self.crc, self.chunk_crc)
        uuid = self.uuid.bytes if self.uuid else b""
        crcs = struct.pack(f"<{len(self.page_crcs)}I", *self.page_crcs)
        payload = b"".join((head, uuid, kernels.varint.encode_many((*numbers, *self.page_lengths)), crcs))
        return payload + bytes(-(len(payload) + wire.BLOCK_TRAILER_BYTES) % 3)

    @classmethod
    def from_payload(cls, payload) -> Carried:
        """Read a payload; bytes after the last field are ignored.

        Raises
        ------
        Unsupported
            A version or a flag that is not known.
        Damaged
            It is none; the offset counts from its first byte.
        """
        data = memoryview(payload).cast("B")
        if len(data) < _HEAD.size:
            raise _damaged(f"{len(data)} bytes", 0)
        version, flags, crc, chunk_crc = _HEAD.unpack_from(data)
        if version != VERSION or flags & ~HAS_UUID:
            raise Unsupported(
                f"a copy of a column by version {version}, flags {flags}", expected=VERSION, found=version
            )
        at = _HEAD.size + (16 if flags & HAS_UUID else 0)
        if at > len(data):
            raise _damaged("no UUID", _HEAD.size)
        uuid = UUID(bytes=bytes(data[at - 16 : at])) if flags & HAS_UUID else None
        try:
            numbers, at = kernels.varint.decode_many(data, _NUMBERS, at=at)
            if numbers[-1] > len(data) - at:
                raise _damaged(f"{numbers[-1]} pages", at)
            page_lengths, at = kernels.varint.decode_many(data, numbers[-1], at=at)
        except Damaged:
            raise
        except ParquetextError as error:
            raise _damaged(error.message, error.offset or at) from None
        if 4 * len(page_lengths) > len(data) - at:
            raise _damaged(f"{len(page_lengths)} pages", at)
        page_crcs = struct.unpack_from(f"<{len(page_lengths)}I", data, at)
        encoding, codec, offset, length, uncompressed, values, nulls, rows, begin, size, _ = numbers
        found = cls(
            encoding, uuid, codec, offset, length, uncompressed, values, nulls, rows, crc, begin, size, chunk_crc,
            tuple(page_lengths), page_crcs,
        )  # fmt: skip
        found._check(_HEAD.size)
        return found

    def _check(self, at: int) -> None:
        """Raise Damaged for fields that contradict each other."""
        largest = max(self.end, self.uncompressed_length, self.num_values, self.rows_per_page)
        if largest >= 1 << 63 or self.encoding >= 1 << 31 or self.codec >= 1 << 31:
            raise _damaged("a number that is too large", at)
        if self.offset < _MAGIC_BYTES or self.chunk_offset < _MAGIC_BYTES or self.null_count > self.num_values:
            raise _damaged(f"{self.null_count} of {self.num_values} values null, at {self.offset}", at)
        if not self.page_lengths or not self.rows_per_page or sum(self.page_lengths) != self.length:
            raise _damaged(f"{len(self.page_lengths)} pages of {self.rows_per_page} rows in {self.length} bytes", at)


def _damaged(what: str, offset: int) -> Damaged:
    return Damaged(f"the block of a column's copy is not as it must be: {what}", offset=offset)


def copies_of(metadata: bytes) -> list[Carried]:
    """Return the copies that a ColumnMetaData struct leads to, in the order in which they were added.

    Raises
    ------
    Malformed
        It is no Thrift struct, or has two extensions.
    Damaged, Unsupported
        A block is not as it must be, or of another version.
    """
    found = extension.blocks(metadata)
    return [Carried.from_payload(block.payload) for block in found if block.uuid == wire.UUID_COLUMN_ENCODING]


def may_have_copies(thrift: bytes) -> bool:
    """Return True if Thrift bytes may contain an extension that describes a copy, and False if they cannot."""
    return any(marker in thrift for marker in _MARKERS)


def copy_of(metadata: bytes) -> Carried | None:
    """Return the copy that was added last, or None; see `copies_of`."""
    return next(reversed(copies_of(metadata)), None)


def append_copy(metadata: bytes, copy: Carried) -> bytes:
    """Append a copy to a ColumnMetaData struct, as text unless its extension contains raw bytes of others."""
    return extension.append_block(metadata, wire.UUID_COLUMN_ENCODING, copy.to_payload(), text=True)


def with_copies(metadata: bytes, copies: list[Carried]) -> bytes:
    """Return the struct with other metadata for all of its copies, in their order."""
    left = iter(copies)
    return extension.replace_all(metadata, wire.UUID_COLUMN_ENCODING, lambda _: next(left).to_payload())
