"""Compress and decompress the bodies of pages by the number of their codec, as parquet.thrift numbers them.

The decompressed size that a page claims is not trusted. A codec can produce only a limited number of bytes per stored
byte, and a larger claim is refused at once. Memory is reserved for at most `BELIEVED` times the stored bytes; beyond
that, it grows with the bytes that were decompressed.

=============  ======================  ============================================================
codec          makes of a byte up to   because
=============  ======================  ============================================================
SNAPPY         64 / 3                  a copy of 3 bytes gives 64; the length at the begin is read
LZ4, LZ4_RAW   255                     a byte of a length adds 255; the block is walked first
GZIP           1032                    deflate: 258 bytes for 2 bits
ZSTD           32768                   an RLE block of 4 bytes gives 128 KiB
BROTLI         (no bound)              a few bytes give 16 MiB
=============  ======================  ============================================================

Brotli pages of more than 8 MiB are read only up to the bound of zstd, because the size of a brotli page is known only
after memory has been filled with it. If a claim is far above the trusted size, the bytes are decompressed twice: first
only to count them.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pyarrow as pa

from .. import kernels, wire
from ..errors import Malformed, ParquetextError, Unsupported

BELIEVED = 64
MOST_UNCOUNTED = 1 << 22
COUNTED_AT_ONCE = 1 << 20
FEW_BYTES = 1 << 16
SNAPPY_FACTOR = 22
ZSTD_FACTOR = 1 << 15
MOST_BROTLI = 1 << 23
STREAMED = {
    wire.CODEC_GZIP: ("gzip", 1032),
    wire.CODEC_ZSTD: ("zstd", ZSTD_FACTOR),
    wire.CODEC_BROTLI: ("brotli", None),
}
LENGTH_BYTES = 4
WRITTEN = {
    wire.CODEC_SNAPPY: "snappy",
    wire.CODEC_GZIP: "gzip",
    wire.CODEC_BROTLI: "brotli",
    wire.CODEC_ZSTD: "zstd",
    wire.CODEC_LZ4_RAW: "lz4_raw",
}


def compress(codec: int, data) -> bytes:
    """Compress a page's body; return `data` itself if the codec is UNCOMPRESSED.

    Raises
    ------
    Unsupported
        A codec that is not written: LZO, and LZ4 as Hadoop frames it.
    """
    if codec == wire.CODEC_UNCOMPRESSED:
        return data
    if codec not in WRITTEN:
        raise Unsupported(f"codec {wire.NAMES_OF_COMPRESSION_CODEC.get(codec, codec)} is not written", found=codec)
    return _codec(WRITTEN[codec]).compress(data, asbytes=True)


def decompress(codec: int, data, size: int):
    """Decompress the body of a page.

    Parameters
    ----------
    codec : int
        ``wire.CODEC_…``.
    data : bytes-like
    size : int
        Bytes that the page's header promises.

    Returns
    -------
    bytes-like
        `size` bytes; `data` itself if nothing is compressed.

    Raises
    ------
    Unsupported
        LZO, for which no maintained decoder exists, or an unknown codec; brotli of more than 8 MiB and 32768
        times its bytes.
    Malformed
        The bytes are not of this codec, or not of this size.
    """
    if codec == wire.CODEC_UNCOMPRESSED:
        return _of_size(data, size)
    data = memoryview(data).cast("B")
    if codec == wire.CODEC_BROTLI and size > max(MOST_BROTLI, ZSTD_FACTOR * len(data)):
        message = f"{len(data)} bytes of brotli that decompress to {size}, more than {ZSTD_FACTOR} times as many"
        raise Unsupported(f"{message}, are not read", expected=ZSTD_FACTOR * len(data), found=size)
    if codec in STREAMED:
        return _streamed(*STREAMED[codec], data, size)
    if codec not in _WHOLE:
        raise Unsupported(f"codec {wire.NAMES_OF_COMPRESSION_CODEC.get(codec, codec)} is not read", found=codec)
    return _WHOLE[codec](data, size)


def check(codec: int, data, size: int) -> None:
    """Check that a page's body decompresses to `size` bytes; memory does not depend on the page's claims.

    Raises as `decompress` does, except that no size of brotli is too large: nothing of it is kept.
    """
    if codec in STREAMED:
        name, factor = STREAMED[codec]
        _check_factor(factor, data, size)
        _check_count(name, memoryview(data).cast("B"), size)
    elif codec == wire.CODEC_LZ4_RAW:
        _check_lz4(data, size)
    elif codec == wire.CODEC_LZ4:
        if _framed(memoryview(data).cast("B"), size) is None:
            _check_lz4(data, size)
    else:
        decompress(codec, data, size)


def _of_size(data, size: int):
    found = memoryview(data).nbytes
    if found != size:
        raise _wrong_size(size, f"{found} bytes", found)
    return data


def _wrong_size(size: int, claim: str, found: int | None = None) -> Malformed:
    return Malformed(f"a page decompresses to {claim}, its header says {size}", expected=size, found=found)


@cache
def _codec(name: str) -> pa.Codec:
    return pa.Codec(name)


def _whole(name: str, data, size: int):
    """Decompress bytes of a known decompressed size."""
    with _naming_codec(name):
        return _codec(name).decompress(data, size)


def _snappy(data, size: int):
    try:
        message, _ = kernels.varint.decode32(data)
    except ParquetextError as error:
        raise Malformed(f"a page that snappy does not decompress: {error.message}") from None
    if message != size:
        raise _wrong_size(size, f"{message} bytes", message)
    if size > SNAPPY_FACTOR * len(data):
        raise _wrong_size(size, f"{SNAPPY_FACTOR * len(data)} bytes at most")
    return _whole("snappy", data, size)


def _check_lz4(data, size: int) -> None:
    """Walk a block: each of its lengths and distances is checked."""
    try:
        found = kernels.page.lz4_size(data)
    except ParquetextError as error:
        raise Malformed(f"a page that lz4 does not decompress: {error.message}") from None
    if found != size:
        raise _wrong_size(size, f"{found} bytes", found)


def _lz4_raw(data: memoryview, size: int):
    _check_lz4(data, size)
    return _whole("lz4_raw", data, size) if size else b""


def _lz4(data, size: int):
    """Decompress Hadoop's framed blocks or a bare block: files contain both under the same codec number."""
    blocks = _framed(data, size)
    if blocks is None:
        return _lz4_raw(data, size)
    parts = [_whole("lz4_raw", block, length) for block, length in blocks if length]
    return parts[0] if len(parts) == 1 else b"".join(parts)


def _framed(data: memoryview, size: int) -> list[tuple[memoryview, int]] | None:
    """Return Hadoop's blocks and their decompressed lengths; None if the bytes are not frames of this size."""
    try:
        blocks = list(_hadoop_blocks(data))
    except ParquetextError:
        return None
    return blocks if sum(length for _, length in blocks) == size else None


def _hadoop_blocks(data: memoryview) -> Iterator[tuple[memoryview, int]]:
    """Yield the blocks of each frame: a frame is its decompressed length, then blocks with their lengths."""
    at = 0
    while at < len(data):
        left, at = _big_endian(data, at)
        while True:
            length, at = _big_endian(data, at)
            block = data[at : at + length]
            decompressed = kernels.page.lz4_size(block)
            at += length
            left -= decompressed
            if at > len(data) or left < 0 or (left and not decompressed):
                raise Malformed("no frame of Hadoop's")
            yield block, decompressed
            if not left:
                break


def _big_endian(data: memoryview, at: int) -> tuple[int, int]:
    if len(data) - at < LENGTH_BYTES:
        raise Malformed("no frame of Hadoop's")
    return int.from_bytes(data[at : at + LENGTH_BYTES], "big"), at + LENGTH_BYTES


_WHOLE = {wire.CODEC_SNAPPY: _snappy, wire.CODEC_LZ4: _lz4, wire.CODEC_LZ4_RAW: _lz4_raw}


def _check_count(name: str, data, size: int) -> None:
    """Decompress without keeping the result, to verify the decompressed size."""
    got = 0
    with _naming_codec(name):
        stream = pa.CompressedInputStream(pa.BufferReader(data), name)
        while got <= size:
            some = stream.read_buffer(COUNTED_AT_ONCE).size
            got += some
            if some < COUNTED_AT_ONCE:
                break
    _check_size(size, got)


def _check_factor(factor: int | None, data, size: int) -> None:
    if factor is not None and size > factor * len(data):
        raise _wrong_size(size, f"{factor * len(data)} bytes at most")


def _check_size(size: int, got: int) -> None:
    if got != size:
        raise _wrong_size(size, f"{got} bytes" if got < size else f"more than {size} bytes", got)


@contextmanager
def _naming_codec(name: str) -> Iterator[None]:
    """Add the codec's name to an error of Arrow."""
    try:
        yield
    except MemoryError:  # also Arrow's, which is an ArrowException: the bytes may be sound
        raise
    except (pa.ArrowException, OSError) as error:
        raise Malformed(f"a page that {name} does not decompress: {error}") from None


def _streamed(name: str, factor: int | None, data, size: int):
    """Decompress bytes that do not contain their size, including several members or frames."""
    _check_factor(factor, data, size)
    parts, got, step = [], 0, max(BELIEVED * len(data), FEW_BYTES)
    if size > max(step, MOST_UNCOUNTED):
        _check_count(name, data, size)
        step = size + 1
    with _naming_codec(name):
        stream = pa.CompressedInputStream(pa.BufferReader(data), name)
        while got <= size:
            wanted = min(size + 1 - got, step)
            parts.append(stream.read_buffer(wanted))
            got += parts[-1].size
            if parts[-1].size < wanted:
                break
            step = max(step, got)
    _check_size(size, got)
    return parts[0] if len(parts) == 1 else b"".join(parts)
