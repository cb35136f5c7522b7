from .capi cimport pqx_index
from .reader cimport FormReader


cdef class PartsReader(FormReader):
    cdef pqx_index *index

    cdef void opened_index(self) noexcept
    cdef list sorted_numbers(self, list names)
