"""Read and write the dialect's trailer: 33 bytes after a FlatBuffers buffer, which may be compressed."""

from __future__ import annotations

from typing import NamedTuple

from ... import kernels, wire
from ...errors import Damaged, Unsupported, wire_error

RAW, LZ4 = 0, 7  # of parquet.thrift's CompressionCodec
TRAILER_BYTES = 33
MAX_RAW_BYTES = 128 << 20  # limit of the public C++ implementation
MOST_LZ4_RATIO = 255  # largest number of bytes that one byte of a block can represent
WORTH_COMPRESSING = 1.2
UUID = wire.UUID_ARROW_DIALECT.bytes


class Trailer(NamedTuple):
    """The fields of the trailer: `crc` covers the data and the following codec byte; lengths are in bytes."""

    codec: int
    crc: int
    length: int
    raw_length: int


def read_trailer(data, end: int) -> Trailer | None:
    """Return the trailer that ends at ``data[end]``, if its UUID and the checksum of its lengths match."""
    start = end - TRAILER_BYTES
    if start < 0 or bytes(data[end - len(UUID) : end]) != UUID:
        return None
    codec, *numbers = data[start], *_words(data, start + 1, 4)
    crc, length, raw_length, lengths_crc = numbers
    if kernels.checksum.crc32(bytes(data[start + 5 : start + 13])) != lengths_crc:
        return None
    return Trailer(codec, crc, length, raw_length)


def _words(data, at: int, count: int) -> list[int]:
    return [int.from_bytes(data[at + 4 * n : at + 4 * n + 4], "little") for n in range(count)]


def most_raw_bytes(thrift_bytes: int) -> int:
    """Return the size limit of a buffer beside a Thrift footer: valid ones have at most twice its bytes."""
    return min(MAX_RAW_BYTES, 8 * thrift_bytes + (64 << 10))


def unframe(block, limit: int = MAX_RAW_BYTES) -> bytes:
    """Return the buffer of a block, which consists of data and trailer.

    Parameters
    ----------
    block : bytes-like
        It begins with the data and ends with the trailer.
    limit : int
        The most bytes that the buffer may have.

    Raises
    ------
    Damaged
        If a checksum is wrong, if the data are not an LZ4 block, or if the lengths contradict each other. Offsets count
        from the block's start.
    Unsupported
        If the codec is unknown, or if the buffer exceeds `limit`.
    """
    view = memoryview(block).cast("B")
    end = len(view)
    trailer = read_trailer(view, end)
    if trailer is None or trailer.length != end - TRAILER_BYTES:
        message, most, found = (
            "no whole block of the arrow dialect",
            end - TRAILER_BYTES,
            trailer.length if trailer else 0,
        )
        raise Damaged(message, offset=max(most, 0), expected=most, found=found, code=wire.BAD_VALUE)
    found = kernels.checksum.crc32(view[: trailer.length + 1])
    if found != trailer.crc:
        raise wire_error(wire.CHECKSUM, 0, trailer.crc, found)
    if trailer.raw_length > limit:
        raise wire_error(wire.TOO_LARGE, trailer.length + 9, limit, trailer.raw_length)
    data = view[: trailer.length]
    if trailer.codec == RAW:
        if trailer.raw_length != trailer.length:
            raise wire_error(wire.BAD_VALUE, trailer.length + 9, trailer.length, trailer.raw_length)
        return bytes(data)
    if trailer.codec == LZ4:
        return _decompressed(data, trailer.raw_length)
    message = f"compressed with codec {trailer.codec}, which no dialect has (known: {RAW} none, {LZ4} LZ4)"
    raise Unsupported(message, offset=trailer.length, expected=LZ4, found=trailer.codec, code=wire.UNSUPPORTED_VALUE)


def _decompressed(data: memoryview, raw_length: int) -> bytes:
    """Return an LZ4 block's content, which must have exactly this length."""
    codec = _lz4()
    if raw_length > MOST_LZ4_RATIO * len(data):
        raise wire_error(wire.BAD_VALUE, len(data) + 9, MOST_LZ4_RATIO * len(data), raw_length)
    try:
        content = codec.decompress(data, decompressed_size=raw_length, asbytes=True)
    except OSError:
        raise Damaged(
            "not an LZ4 block of the length that the trailer says", offset=0, expected=raw_length, code=wire.BAD_VALUE
        ) from None
    # Arrow does not report the number of bytes written; a complete block does not fit in one byte less.
    if raw_length:
        try:
            codec.decompress(data, decompressed_size=raw_length - 1, asbytes=True)
        except OSError:
            return content
    raise Damaged(f"an LZ4 block of less than {raw_length} bytes", offset=0, expected=raw_length, code=wire.BAD_VALUE)


def _lz4():
    import pyarrow as pa  # late: finding a trailer needs none of it

    return pa.Codec("lz4_raw")


def frame(buffer: bytes) -> bytes:
    """Return data and trailer for a buffer: LZ4 if that makes it a sixth smaller, like the public implementations."""
    data, codec = _lz4().compress(buffer, asbytes=True), LZ4
    if len(buffer) < WORTH_COMPRESSING * len(data):
        data, codec = buffer, RAW
    data += bytes([codec])
    lengths = b"".join(n.to_bytes(4, "little") for n in (len(data) - 1, len(buffer)))
    crcs = (kernels.checksum.crc32(part).to_bytes(4, "little") for part in (data, lengths))
    return b"".join((data, next(crcs), lengths, next(crcs), UUID))
