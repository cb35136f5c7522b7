from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from .capi cimport pqx_error, pqx_value_array

cdef class Room:
    cdef bytes result
    cdef void *reserved
    cdef uint8_t *at

    cdef bytes written(self, size_t size)

cdef class View:
    cdef const uint8_t[::1] held
    cdef const uint8_t *at
    cdef size_t size

cdef class Values:
    cdef View data, offsets
    cdef pqx_value_array array

    cdef size_t bytes(self)

cdef fail(const pqx_error *error)
cdef uint64_t checked_count(count) except? 0
cdef check_size(int type, int32_t type_length, const pqx_value_array *values)
