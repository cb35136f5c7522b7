from .capi cimport pqx_page


cdef class Pages:
    cdef pqx_page *pages
    cdef size_t count
    cdef readonly object end, problem
