"""ULEB128 and zigzag, as Thrift's compact protocol writes integers."""

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
        Offset of its first byte.

    Returns
    -------
    value, next : int
        The value, and the offset behind its last byte. A longer form than the value needs is accepted.

    Raises
    ------
    Malformed
        Truncated; more than 5 bytes; more than 32 bits. The offset is that of the first byte.
    """
    return _decode(memoryview(data).cast("B"), _offset(at), 32)


def decode64(data, at: int = 0) -> tuple[int, int]:
    """Decode the unsigned 64-bit varint at ``data[at]``: as `decode32`, with up to 10 bytes."""
    return _decode(memoryview(data).cast("B"), _offset(at), 64)


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
    """Decode `count` varints that follow each other from ``data[at]`` on.

    Returns
    -------
    values : memoryview
        Of format ``Q`` (64 bits), ``q`` (64, zigzag), ``I`` (32) or ``i`` (32, zigzag).
    next : int
        The offset behind the last one.

    Raises
    ------
    Malformed
        As `decode32` and `decode64`, at the offset of the value in question; or `count` is more than the bytes left.
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
    """The shortest form of an unsigned 64-bit `value`, 1 to 10 bytes. OverflowError outside of this range."""
    value = _unsigned(value)
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def encode_many(values: Iterable[int] | Sequence[int], *, zigzag: bool = False) -> bytes:
    """The shortest forms of `values`, one behind the other; signed values with `zigzag`, else unsigned ones."""
    return b"".join(encode(zigzag_encode(value) if zigzag else value) for value in values)


def size(value: int) -> int:
    """Bytes of the shortest form of an unsigned 64-bit `value`."""
    return max((_unsigned(value).bit_length() + 6) // 7, 1)


def zigzag_encode(n: int) -> int:
    """Map a signed 64-bit `n` to an unsigned one that is small where `n` is near 0."""
    n = index(n)
    if not -1 << 63 <= n < 1 << 63:
        raise OverflowError(f"{n} does not fit in 64 bits")
    return n << 1 if n >= 0 else ~(n << 1)


def zigzag_decode(n: int) -> int:
    """The signed number that `zigzag_encode` maps to `n`."""
    n = _unsigned(n)
    return n >> 1 ^ -(n & 1)


def _unsigned(value: int) -> int:
    value = index(value)
    if not 0 <= value < 1 << 64:
        raise OverflowError(f"{value} is not an unsigned 64-bit number")
    return value
