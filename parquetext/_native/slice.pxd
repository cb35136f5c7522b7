from libc.stdint cimport uint32_t

cdef bytes indexes(values, uint32_t limit)
