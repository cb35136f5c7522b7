from .column_api cimport pqx_memory


cdef class Memory:
    cdef pqx_memory memory
    cdef Py_ssize_t size


cdef Memory adopt(pqx_memory *memory, size_t size)
cdef int reserve(pqx_memory *memory, size_t size) except -1
cdef void trim(pqx_memory *memory, size_t size) noexcept
cdef void release(pqx_memory *memory) noexcept nogil
