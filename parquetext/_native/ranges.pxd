from .column_api cimport pqx_ranges


cdef class Ranges:
    cdef pqx_ranges ranges
    cdef object held  # the arrays that the ranges point to
