from libc.stdint cimport uint8_t, uint32_t, uint64_t

from .sidecar_api cimport pqx_pm, pqx_pm_footer

cdef uint32_t number_of(value, uint64_t limit) except? 0

cdef class Reader:
    cdef pqx_pm pm
    cdef pqx_pm_footer f
    cdef Py_buffer buffer                                       # of `data`
    cdef bint held
    cdef readonly object data

    cdef int hold(self, data) except -1

cdef class Chunks:
    cdef Reader reader
    cdef uint32_t column, first, count
    cdef object numbers  # a memoryview; None before the first access
    cdef bytes places

    cdef object small(self, int member)
    cdef int read_numbers(self) except -1
    cdef const char *read_places(self) except NULL
