"""Split-block Bloom filters."""

from array import array

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport uint8_t, uint64_t

from ..errors import wire_error

from .capi cimport pqx_bloom_might_contain, pqx_error

__all__ = ["might_contain"]


def might_contain(bitset, hashes):
    """Return a byte for each hash (XXH64 of a value's plain bytes): 1 if the filter may contain the value, else 0."""
    cdef const uint8_t[::1] view = bitset if type(bitset) is bytes else memoryview(bitset).cast("B")
    cdef const uint64_t[::1] wanted = array("Q", hashes)
    cdef size_t count = wanted.shape[0], size = view.shape[0]
    cdef bytes held = PyBytes_FromStringAndSize(NULL, <Py_ssize_t> count)
    cdef uint8_t *out = <uint8_t *> PyBytes_AsString(held)
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_bloom_might_contain(&view[0] if size else NULL, size, &wanted[0] if count else NULL, count, out,
                                         &error)
    if status:
        raise wire_error(error.code, error.offset, error.expected, error.found)
    return held
