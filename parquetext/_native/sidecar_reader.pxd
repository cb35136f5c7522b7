from libc.stdint cimport uint8_t, uint32_t, uint64_t

from .capi cimport pqx_error
from .sidecar_api cimport pqx_pm, pqx_pm_footer

cdef raise_error(const pqx_error *error)

cdef uint32_t number_of(value, uint64_t limit) except? 0

cdef class Reader:
    cdef pqx_pm pm
    cdef pqx_pm_footer f
    cdef const uint8_t[::1] view
    cdef readonly object data
    cdef readonly object footer

cdef class Chunks:
    cdef Reader reader
    cdef uint32_t column, first, count
