from libc.stdint cimport uint8_t

cdef extern from "base/pages.h" nogil:
    ctypedef struct pqx_memory:
        uint8_t *data
        size_t capacity
    void pqx_release(void *memory)
    bint pqx_grow(pqx_memory *memory, size_t used, size_t size)
    void pqx_trim(pqx_memory *memory, size_t size)


cdef class Memory:
    cdef pqx_memory memory
    cdef Py_ssize_t size


cdef Memory adopt(pqx_memory *memory, size_t size)
