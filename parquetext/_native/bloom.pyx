"""Split-block Bloom filters."""

from array import array

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, uint8_t, uint64_t


from .capi cimport pqx_bloom_hashes, pqx_bloom_insert, pqx_bloom_might_contain, pqx_error, exception_of, view_of

__all__ = ["hashes_of", "insert", "might_contain"]


def might_contain(bitset, hashes):
    """Return a byte for each hash (XXH64 of a value's plain bytes): 1 if the filter may contain the value, else 0."""
    cdef const uint8_t[::1] view = view_of(bitset)
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
        raise exception_of(&error)
    return held


def insert(bitset, hashes):
    """Set the bits of hashes in a bitset, which is changed."""
    cdef uint8_t[::1] view = memoryview(bitset).cast("B")
    cdef const uint64_t[::1] added = hashes if isinstance(hashes, memoryview) else array("Q", hashes)
    cdef size_t count = added.shape[0], size = view.shape[0]
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_bloom_insert(&view[0] if size else NULL, size, &added[0] if count else NULL, count, &error)
    if status:
        raise exception_of(&error)


def hashes_of(data, offsets):
    """Return the hashes of byte strings, given by their bytes and 32-bit offsets, as a memoryview of 64-bit numbers."""
    cdef const uint8_t[::1] view = memoryview(data).cast("B")
    cdef const int32_t[::1] ends = memoryview(offsets).cast("B").cast("i")
    cdef size_t size = view.shape[0], count = max(ends.shape[0] - 1, 0)
    out = array("Q", bytes(8 * count))
    cdef uint64_t[::1] found = out
    cdef pqx_error error
    cdef int status
    with nogil:
        status = pqx_bloom_hashes(&view[0] if size else NULL, size, &ends[0] if count else NULL, count,
                                  &found[0] if count else NULL, &error)
    if status:
        raise exception_of(&error)
    return memoryview(out)
