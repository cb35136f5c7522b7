from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from .capi cimport (
    pqx_buffer, pqx_bytes, pqx_chunk, pqx_element, pqx_error, pqx_flat_facts, pqx_flat_node, pqx_places, pqx_row_group,
    pqx_sorting_column, pqx_source,
)

cdef extern from "pythread.h" nogil:
    ctypedef void *PyThread_type_lock

cdef class Node:
    cdef readonly bytes thrift, path
    cdef readonly object parent
    cdef readonly uint32_t schema_index, first_leaf, leaf_count
    cdef readonly int column_order, max_definition, max_repetition

cdef uint32_t checked(value, uint32_t count) except? 0


cdef class FormReader:
    cdef pqx_buffer arena
    cdef object source, failure
    cdef bytes row_group_records
    cdef PyThread_type_lock lock
    cdef unsigned long owner
    cdef bint is_open
    cdef bint judged  # bounds are usable only if an element allows it
    cdef bint can_skip_bounds, skips_bounds  # the latter during a call
    cdef readonly int32_t version
    cdef readonly int64_t num_rows
    cdef readonly uint32_t leaf_count, node_count, row_group_count, key_value_count

    cdef void release(self) noexcept
    cdef int find_by_name(self, const uint8_t *name, size_t size, uint32_t *ids, size_t capacity, size_t *count,
                          pqx_error *error) noexcept nogil
    cdef int find_by_field_id(self, int32_t field_id, uint32_t *ids, size_t capacity, size_t *count,
                              pqx_error *error) noexcept nogil
    cdef int read_node(self, uint32_t id, pqx_flat_node *node, pqx_error *error) noexcept nogil
    cdef int read_chunks(self, uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks, pqx_places *places,
                         pqx_buffer *arena, pqx_element *judge, pqx_error *error) noexcept nogil
    cdef int read_row_groups(self, uint32_t first, uint32_t count, pqx_row_group *row_groups,
                             pqx_error *error) noexcept nogil
    cdef int read_sorting_columns(self, uint32_t row_group, pqx_sorting_column *columns, size_t capacity, size_t *count,
                                  pqx_error *error) noexcept nogil
    cdef int read_key_value(self, uint32_t index, pqx_bytes *key, pqx_bytes *value, pqx_error *error) noexcept nogil
    cdef int read_created_by(self, pqx_bytes *text, int *present, pqx_error *error) noexcept nogil
    cdef int write_slice(self, const uint32_t *leaves, uint32_t leaf_count, const uint32_t *row_groups,
                         uint32_t row_group_count, int arrow_schema, int key_values, pqx_buffer *out,
                         pqx_error *error) noexcept nogil
    cdef int read_whole(self, pqx_error *error) noexcept nogil
    cdef void count_io(self, uint64_t *reads, uint64_t *count) noexcept nogil

    cdef pqx_source source_of(self, source)
    cdef void opened(self, const pqx_flat_facts *facts) noexcept
    cdef int fail(self, const pqx_error *error) except -1
    cdef int enter(self) except -1
    cdef void leave(self) noexcept
    cdef object column_named(self, str name)
    cdef list found(self, const uint8_t *name, size_t size, int32_t field_id)
