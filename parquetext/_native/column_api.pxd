# The decoder of columns. Declare new functions as needed; csrc/src/page/column.h and nested.h are the source.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from .capi cimport pqx_chunk, pqx_error, pqx_page, pqx_page_location, pqx_places, pqx_source

cdef extern from "base/pages.h" nogil:
    ctypedef struct pqx_memory:
        uint8_t *data
        size_t capacity
    void pqx_release(void *memory)
    bint pqx_grow(pqx_memory *memory, size_t used, size_t size)
    void pqx_trim(pqx_memory *memory, size_t size)

cdef extern from "encoding/ranges.h" nogil:
    ctypedef struct pqx_ranges:
        int type
        uint8_t bits, is_unsigned, has_nan, is_open
        size_t count
        const uint64_t *keys
        const uint8_t *bytes
        const uint64_t *offsets
    int pqx_ranges_check(const pqx_ranges *ranges, pqx_error *error)

cdef extern from "page/column.h" nogil:
    ctypedef struct pqx_column_leaf:
        int type
        int32_t type_length
        uint16_t max_definition, max_repetition, repeated_definition
        uint8_t keeps_definition, forgets, is_strict
        uint32_t most_bytes
        uint64_t rows, stored
        const uint16_t *list_levels
        uint64_t *list_items
        const pqx_ranges *ranges
    ctypedef struct pqx_column_page:
        pqx_page header
        const uint8_t *levels
        const uint8_t *values
        size_t levels_size, values_size
        uint64_t base
    ctypedef struct pqx_column_output:
        uint64_t entries, rows, slots, nulls, below
        size_t bytes
        pqx_memory valid, values, offsets, definition, repetition
    ctypedef struct pqx_column:
        pqx_column_leaf leaf
        uint32_t width
        pqx_column_output output
        uint8_t is_full
        uint64_t given, failed_page
        size_t page_count, next_page
        int failed_part
    int PQX_PART_PAGE, PQX_PART_DICTIONARY
    int pqx_column_begin(pqx_column *column, const pqx_column_leaf *leaf, pqx_error *error)
    void pqx_column_free(pqx_column *column)
    void pqx_column_begin_chunk(pqx_column *column, uint64_t entries, uint64_t rows)
    int pqx_column_set_dictionary(pqx_column *column, const uint8_t *data, size_t size, uint64_t count, uint64_t base,
                                  pqx_error *error)
    int pqx_column_give(pqx_column *column, const pqx_column_page *page, pqx_error *error)
    int pqx_column_read(pqx_column *column, uint64_t rows, uint64_t *begun, pqx_error *error)
    int pqx_column_skip(pqx_column *column, uint64_t rows, uint64_t *begun, pqx_error *error)
    bint pqx_column_is_open(const pqx_column *column)
    size_t pqx_column_pages_done(const pqx_column *column)
    int pqx_column_take(pqx_column *column, pqx_column_output *taken, pqx_error *error)

cdef extern from "page/page_table.h" nogil:
    ctypedef struct pqx_page_table:
        pqx_page_location *pages
        size_t count
        uint64_t begin, end, rows
    void pqx_page_table_free(pqx_page_table *table)
    int pqx_page_table_parse(pqx_page_table *table, const uint8_t *index, size_t size, pqx_error *error)
    bint pqx_page_table_load(pqx_page_table *table, const pqx_source *source, const pqx_chunk *chunk,
                             const pqx_places *places, uint64_t rows)
    int pqx_page_table_walk(pqx_page_table *table, const pqx_source *source, pqx_error *error)

cdef extern from "page/stored_file.h" nogil:
    ctypedef struct pqx_chosen_rows:
        const int64_t *rows
        const int64_t *turns
        const int64_t *counts
        size_t first, groups, count
    ctypedef struct pqx_leaf_reading:
        pqx_column *column
        const pqx_chunk *chunks
        size_t step
        const pqx_page_table **tables
        int checks_crc
        int is_done
    void pqx_read_leaves(pqx_leaf_reading *leaves, size_t count, const pqx_source *source, const pqx_chosen_rows *chosen,
                         uint64_t most_bytes)

cdef extern from "page/codec.h" nogil:
    int pqx_codec_is_known(int codec)

cdef extern from "page/nested.h" nogil:
    ctypedef struct pqx_levels:
        const uint16_t *definition
        const uint16_t *repetition
        size_t entries
    ctypedef struct pqx_list:
        uint16_t ancestor_definition, definition, repetition
    ctypedef struct pqx_struct:
        uint16_t ancestor_definition, ancestor_repetition, definition
    int pqx_list_offsets(const pqx_levels *levels, const pqx_list *list, int32_t *offsets, size_t *count, size_t *nulls,
                         pqx_error *error)
    void pqx_list_valid(const pqx_levels *levels, const pqx_list *list, uint8_t *valid)
    void pqx_struct_valid(const pqx_levels *levels, const pqx_struct *of, uint8_t *valid, size_t *count, size_t *nulls)
