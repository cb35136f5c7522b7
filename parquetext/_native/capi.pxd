# The C library's types and functions, as the kernels use them. Declare what you need; the header is the source.
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "parquetext.h" nogil:
    ctypedef struct pqx_error:
        int32_t code
        uint64_t offset
        uint64_t expected
        uint64_t found
    ctypedef struct pqx_buffer:
        uint8_t *data
        size_t size
        size_t capacity
    void pqx_buffer_free(pqx_buffer *buffer)
    const char *pqx_version()
