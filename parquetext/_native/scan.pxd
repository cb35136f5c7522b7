from libc.stdint cimport uint8_t

from .capi cimport pqx_scan

cdef class Scan:
    cdef pqx_scan result
    cdef readonly object data
    cdef const uint8_t[::1] view
    cdef const uint8_t *start  # of the data; NULL if it is empty
    cdef object _leaves

    cdef int check_regular(self) except -1
