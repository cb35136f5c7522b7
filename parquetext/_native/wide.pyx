"""Convert numbers that Parquet stores as bytes to Arrow: decimals, and timestamps of 12 bytes."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from .. import wire
from ..errors import wire_error

from .capi cimport pqx_error, pqx_wide_instants, pqx_wide_integers, pqx_wide_timestamps, exception_of

__all__ = ["instants", "integers", "timestamps"]


def integers(values, uint64_t count, uint32_t stored, uint32_t width, *, offsets=None, valid=None):
    """Convert big-endian integers to little-endian ones of `width` bytes; see the twin."""
    cdef const uint8_t[::1] data = memoryview(values).cast("B")
    cdef const uint8_t[::1] bits
    cdef const int32_t[::1] places
    cdef const uint8_t *bitmap = NULL
    cdef const int32_t *begins = NULL
    cdef size_t size = data.shape[0]
    cdef pqx_error error
    cdef int status
    if valid is not None:
        bits = memoryview(valid).cast("B")
        if <uint64_t> bits.shape[0] < (count + 7) // 8:
            raise wire_error(wire.TRUNCATED, 0, (count + 7) // 8, bits.shape[0])
        bitmap = &bits[0] if bits.shape[0] else NULL
    if offsets is not None:
        places = memoryview(offsets).cast("B").cast("i")
        if <uint64_t> places.shape[0] < count + 1:
            raise wire_error(wire.TRUNCATED, 0, 4 * (count + 1), 4 * places.shape[0])
        begins = &places[0]
    elif not stored or size // stored < count:
        raise wire_error(wire.TRUNCATED, 0, count * stored, size)
    cdef bytes made = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> (count * min(width, <uint32_t> 32)))
    cdef uint8_t *out = <uint8_t *> PyBytes_AsString(made)
    with nogil:
        status = pqx_wide_integers(&data[0] if size else NULL, size, begins, count, stored, bitmap, width, out, &error)
    if status:
        raise exception_of(&error)
    return made


cdef bytes converted(values, uint64_t count, bint is_int96, uint64_t unit):
    """Convert INT96 timestamps to counts of `unit` nanoseconds, or timestamps of FIXED_LEN_BYTE_ARRAY(12)."""
    cdef const uint8_t[::1] data = memoryview(values).cast("B")
    cdef size_t size = data.shape[0]
    cdef const uint8_t *start = &data[0] if size else NULL
    cdef pqx_error error
    cdef int status
    if size // 12 < count:
        raise wire_error(wire.TRUNCATED, 0, count * 12, size)
    cdef bytes made = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> (count * 8))
    cdef int64_t *out = <int64_t *> PyBytes_AsString(made)
    with nogil:
        if is_int96:
            status = pqx_wide_instants(start, size, count, unit, out, &error)
        else:
            status = pqx_wide_timestamps(start, size, count, out, &error)
    if status:
        raise exception_of(&error)
    return made


def instants(values, uint64_t count, uint64_t unit):
    """Convert INT96 timestamps to counts of `unit` nanoseconds since 1970; see the twin."""
    return converted(values, count, True, unit)


def timestamps(values, uint64_t count):
    """Convert timestamps of FIXED_LEN_BYTE_ARRAY(12) to int64 as bytes; see the twin."""
    return converted(values, count, False, 0)
