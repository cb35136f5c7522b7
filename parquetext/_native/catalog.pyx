"""Export the bounds of all chunks of a scan as buffers of Arrow columns."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stddef cimport size_t

from .. import wire
from ..errors import wire_error

from .capi cimport (
    PQX_BOUND_BITMAPS, pqx_bound_bytes, pqx_bound_column, pqx_bound_columns, pqx_error, pqx_scan, exception_of,
)
from .scan cimport Scan

__all__ = ["bound_columns"]


cdef object reserve(size_t size, char **start):
    made = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> size)
    start[0] = PyBytes_AsString(made)
    return made


cdef tuple buffers(pqx_bound_column *column, uint64_t count, uint64_t size):
    """Reserve the buffers of the minima or maxima."""
    cdef char *numbers
    cdef char *moments
    cdef char *offsets
    cdef char *data
    cdef char *valid
    made = (reserve(8 * count, &numbers), reserve(8 * count, &moments), reserve(4 * count + 4, &offsets),
            reserve(size, &data), reserve(PQX_BOUND_BITMAPS * ((count + 7) // 8), &valid))
    column.numbers, column.moments = <int64_t *> numbers, <int64_t *> moments
    column.offsets, column.bytes, column.valid = <int32_t *> offsets, <uint8_t *> data, <uint8_t *> valid
    return made


def bound_columns(Scan scan not None, bytes readings not None):
    """Return (numbers, moments, offsets, data, bitmaps) of the minima, and of the maxima; see the twin.

    O(chunks + bytes).
    """
    cdef pqx_bound_column minima, maxima
    cdef uint64_t low_bytes, high_bytes
    cdef pqx_error error
    cdef int status
    cdef const pqx_scan *scanned = &scan.result
    cdef const uint8_t *wanted = <const uint8_t *> PyBytes_AsString(readings)
    if <size_t> len(readings) != scanned.leaf_count:
        raise wire_error(wire.BAD_ARGUMENT, 0, scanned.leaf_count, len(readings))
    with nogil:
        status = pqx_bound_bytes(scan.start, scanned, &low_bytes, &high_bytes, &error)
    if status:
        raise exception_of(&error)
    low = buffers(&minima, scanned.chunk_count, low_bytes)
    high = buffers(&maxima, scanned.chunk_count, high_bytes)
    with nogil:
        pqx_bound_columns(scan.start, scanned, wanted, &minima, &maxima)
    return low, high
