from libc.stdint cimport uint32_t

cdef class Selection:
    cdef bytes leaf_indexes, row_group_indexes
    cdef const uint32_t *leaves
    cdef const uint32_t *row_groups
    cdef uint32_t leaf_count, row_group_count

cdef Selection selected(leaves, uint32_t all_leaves, row_groups, uint32_t all_row_groups)
