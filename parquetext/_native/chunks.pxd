from libc.stdint cimport uint8_t

from .capi cimport pqx_chunk, pqx_element, pqx_places, pqx_range

cdef class Chunks:
    cdef const pqx_chunk *chunks  # the first one; the next is `step` records later
    cdef const pqx_places *places  # with the same step, or NULL
    cdef size_t count, step
    cdef object owner                                           # keeps the records alive
    cdef readonly object buffer
    cdef const uint8_t *start                                   # of the buffer
    cdef pqx_element leaf
    cdef bint judged  # bounds are usable only if `leaf` allows it
    cdef bint lacks_bounds  # they have not been read
    # Copies that have been returned: callers ask for one chunk after the other, with many row groups. Threads without
    # a common lock may share them, so the dictionary is never replaced, nor is an entry of it.
    cdef dict copies

    cdef int usable(self, size_t index, pqx_range *low, pqx_range *high) noexcept nogil
    cdef tuple judge_every_bound(self)

cdef Chunks wrap(const pqx_chunk *chunks, const pqx_places *places, size_t count, size_t step, object owner,
                 object buffer, const uint8_t *start, const pqx_element *leaf)

cdef object begins_of(const pqx_chunk *chunks, size_t count, size_t step)

cdef object gather(const void *records, size_t count, size_t stride, tuple member)
