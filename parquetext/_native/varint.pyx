"""Encode and decode ULEB128 and zigzag integers, as in Thrift's compact protocol."""

from array import array

from .. import wire
from ..errors import wire_error

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from .capi cimport (
    pqx_error, pqx_varint_get32, pqx_varint_get64, pqx_varint_get_many32, pqx_varint_get_many64, pqx_varint_put,
    pqx_varint_put_many, pqx_varint_size,
    exception_of, view_of,
)

__all__ = ["decode32", "decode64", "decode_many", "encode", "encode_many", "size", "zigzag_decode", "zigzag_encode"]


def decode32(data, size_t at=0):
    """Decode the unsigned 32-bit varint at ``data[at]``: return (value, offset after it)."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef uint32_t value
    cdef size_t next
    cdef pqx_error error
    if pqx_varint_get32(&view[0] if view.shape[0] else NULL, view.shape[0], at, &value, &next, &error):
        raise exception_of(&error)
    return value, next


def decode64(data, size_t at=0):
    """Decode the unsigned 64-bit varint at ``data[at]``: return (value, offset after it)."""
    cdef const uint8_t[::1] view = view_of(data)
    cdef uint64_t value
    cdef size_t next
    cdef pqx_error error
    if pqx_varint_get64(&view[0] if view.shape[0] else NULL, view.shape[0], at, &value, &next, &error):
        raise exception_of(&error)
    return value, next


def decode_many(data, size_t count, *, size_t at=0, int bits=64, bint zigzag=False):
    """Decode `count` varints from ``data[at]`` on: return (memoryview of Q, q, I or i, offset after the last one)."""
    if bits != 32 and bits != 64:
        raise wire_error(wire.BAD_ARGUMENT, 0, 64, bits)
    cdef const uint8_t[::1] view = view_of(data)
    cdef const uint8_t *start = &view[0] if view.shape[0] else NULL
    cdef size_t length = view.shape[0], left = length - at if at < length else 0, next = at
    if count > left:
        raise wire_error(wire.COUNT_TOO_LARGE, at, count, left)
    values = array(("i" if zigzag else "I") if bits == 32 else ("q" if zigzag else "Q"), bytes(count * bits // 8))
    if count == 0:
        return memoryview(values), at
    cdef uint8_t[::1] out = memoryview(values).cast("B")
    cdef uint8_t *target = &out[0]
    cdef int status
    cdef pqx_error error
    with nogil:
        if bits == 32:
            status = pqx_varint_get_many32(start, length, at, zigzag, <uint32_t *> target, count, &next, &error)
        else:
            status = pqx_varint_get_many64(start, length, at, zigzag, <uint64_t *> target, count, &next, &error)
    if status:
        raise exception_of(&error)
    return memoryview(values), next


def encode(uint64_t value):
    """Return the shortest encoding of an unsigned 64-bit `value`, 1 to 10 bytes; OverflowError outside this range."""
    cdef uint8_t out[10]
    cdef size_t length = pqx_varint_put(out, value)
    return (<char *> out)[:length]


def encode_many(values, *, bint zigzag=False):
    """Return the concatenated shortest encodings of `values`: signed values with `zigzag`, else unsigned ones."""
    packed = array("q" if zigzag else "Q", values)
    cdef size_t count = len(packed), length
    if count == 0:
        return b""
    cdef const uint8_t[::1] view = memoryview(packed).cast("B")
    encoded = bytearray(10 * count)
    cdef uint8_t[::1] out = encoded
    with nogil:
        length = pqx_varint_put_many(<const uint64_t *> &view[0], count, zigzag, &out[0])
    return bytes(memoryview(encoded)[:length])


def size(uint64_t value):
    """Return the size of the shortest encoding of an unsigned 64-bit `value`."""
    return pqx_varint_size(value)


def zigzag_encode(int64_t n):
    """Map a signed 64-bit `n` to an unsigned number that is small if `n` is near 0."""
    return (<uint64_t> n << 1) ^ (0 - (<uint64_t> n >> 63))


def zigzag_decode(uint64_t n):
    """Return the signed number that `zigzag_encode` maps to `n`."""
    return <int64_t> ((n >> 1) ^ (0 - (n & 1)))
