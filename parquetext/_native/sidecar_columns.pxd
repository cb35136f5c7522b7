from libc.stdint cimport uint32_t

from .sidecar_api cimport pqx_pm_column

cdef class Columns:
    cdef pqx_pm_column *columns
    cdef uint32_t count
    cdef object owner  # owns the names
