"""Encode and decode ULEB128 and zigzag integers, as in Thrift's compact protocol."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from operator import index

from .. import wire
from ..errors import wire_error

__all__ = ["decode32", "decode64", "decode_many", "encode", "encode_many", "size", "zigzag_decode", "zigzag_encode"]

LONGEST = {32: 5, 64: 10}


def decode32(data, at: int = 0) -> tuple[int, int]:
    """Decode the unsigned 32-bit varint at ``data[at]``.

    Parameters
    ----------
    data : bytes-like
    at : int
        Offset of the first byte.

    Returns
    -------
    value, next : int
        The value, and the offset after its last byte. Encodings longer than necessary are accepted.

    Raises
    ------
    Malformed
        If the varint is truncated, or has more than 5 bytes or 32 bits. The offset is that of the first byte.
    """
    return _decode(memoryview(data).cast("B"), _offset(at), 32)


def decode64(data, at: int = 0) -> tuple[int, int]:
    """Decode the unsigned 64-bit varint at ``data[at]`` like `decode32`, with up to 10 bytes."""
    return _decode(memoryview(data).cast("B"), _offset(at), 64)


def unsigned(value: int, bits: int) -> int:
    """Return a number that fits in this number of bits, or raise OverflowError."""
    value = index(value)
    if not 0 <= value < 1 << bits:
        raise OverflowError(f"{value} is not an unsigned {bits}-bit number")
    return value


def _offset(at: int) -> int:
    at = index(at)
    if at < 0:
        raise OverflowError("an offset cannot be negative")
    return at


def _decode(data: memoryview, at: int, bits: int) -> tuple[int, int]:
    longest, left, value = LONGEST[bits], max(len(data) - at, 0), 0
    for i in range(longest):
        if i >= left:
            raise wire_error(wire.TRUNCATED, at, left + 1, left)
        byte = data[at + i]
        if i == longest - 1:
            if byte & 0x80:
                raise wire_error(wire.VARINT_TOO_LONG, at, longest, 0)
            if byte >> (bits - 7 * i):
                raise wire_error(wire.VARINT_OVERFLOW, at, bits, byte)
        value |= (byte & 0x7F) << (7 * i)
        if not byte & 0x80:
            break
    return value, at + i + 1


def decode_many(data, count: int, *, at: int = 0, bits: int = 64, zigzag: bool = False) -> tuple[memoryview, int]:
    """Decode `count` consecutive varints from ``data[at]`` on.

    Returns
    -------
    values : memoryview
        Of format ``Q`` (64 bits), ``q`` (64, zigzag), ``I`` (32) or ``i`` (32, zigzag).
    next : int
        The offset after the last one.

    Raises
    ------
    Malformed
        The errors of `decode32` and `decode64`, at the offset of the value; or if `count` exceeds the remaining bytes.
    """
    if bits not in LONGEST:
        raise wire_error(wire.BAD_ARGUMENT, 0, 64, bits)
    data, at, count = memoryview(data).cast("B"), _offset(at), _offset(count)
    left = max(len(data) - at, 0)
    if count > left:
        raise wire_error(wire.COUNT_TOO_LARGE, at, count, left)
    values = array({32: "iI", 64: "qQ"}[bits][not zigzag])
    for _ in range(count):
        value, at = _decode(data, at, bits)
        values.append(zigzag_decode(value) if zigzag else value)
    return memoryview(values), at


def encode(value: int) -> bytes:
    """Return the shortest encoding of an unsigned 64-bit `value`, 1 to 10 bytes; OverflowError outside this range."""
    value = unsigned(value, 64)
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode_many(values: Iterable[int] | Sequence[int], *, zigzag: bool = False) -> bytes:
    """Return the concatenated shortest encodings of `values`: signed values with `zigzag`, else unsigned ones."""
    return b"".join(encode(zigzag_encode(value) if zigzag else value) for value in values)


def size(value: int) -> int:
    """Return the size of the shortest encoding of an unsigned 64-bit `value`."""
    return max((unsigned(value, 64).bit_length() + 6) // 7, 1)


def zigzag_encode(n: int) -> int:
    """Map a signed 64-bit `n` to an unsigned number that is small if `n` is near 0."""
    n = index(n)
    if not -1 << 63 <= n < 1 << 63:
        raise OverflowError(f"{n} does not fit in 64 bits")
    return n << 1 if n >= 0 else ~(n << 1)


def zigzag_decode(n: int) -> int:
    """Return the signed number that `zigzag_encode` maps to `n`."""
    n = unsigned(n, 64)
    return n >> 1 ^ -(n & 1)
