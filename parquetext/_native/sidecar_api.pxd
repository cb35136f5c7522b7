# The C library's types and functions of the metadata sidecar.
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from .capi cimport pqx_buffer, pqx_bytes, pqx_chunk, pqx_element, pqx_error, pqx_places, pqx_scan

cdef extern from "parquetext_internal.h" nogil:
    ctypedef struct pqx_pm:
        const uint8_t *data
        size_t size
        uint64_t features
        int32_t designated_timestamp
        uint32_t column_count, sorting_count, bloom_count
        size_t sorting, bloom_columns, end
        int64_t squash_tracker
    ctypedef struct pqx_pm_footer:
        uint64_t size, offset
        uint32_t length, parquet_footer_length, row_group_count
        uint64_t parquet_footer_offset, unused_bytes, previous, features
        uint64_t entries, blooms, scratchpad
        uint32_t scratchpad_count, checksum
        int64_t seq_txn
    int pqx_pm_open(const uint8_t *data, size_t size, pqx_pm *pm, pqx_error *error)
    uint64_t pqx_pm_committed_size(const uint8_t *data)
    int pqx_pm_get_footer(const pqx_pm *pm, uint64_t committed, pqx_pm_footer *footer, pqx_error *error)
    int pqx_pm_find_footer(const pqx_pm *pm, uint64_t committed, uint64_t parquet_size, pqx_pm_footer *footer,
                           pqx_error *error)
    int pqx_pm_check(const pqx_pm *pm, const pqx_pm_footer *footer, pqx_error *error)
    ctypedef struct pqx_pm_column:
        pqx_bytes name
        int32_t id, type, flags, fixed_byte_len
        uint8_t physical_type, max_repetition, max_definition
    int pqx_pm_get_column(const pqx_pm *pm, uint32_t index, pqx_pm_column *column, pqx_error *error)
    void pqx_pm_find_name(const pqx_pm *pm, const uint8_t *name, size_t size, uint32_t *columns, size_t capacity,
                          size_t *count)
    int pqx_pm_get_sorting_column(const pqx_pm *pm, uint32_t index, uint32_t *column, pqx_error *error)
    int pqx_pm_get_rows(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t first, uint32_t count, int64_t *rows,
                        pqx_error *error)
    int pqx_pm_get_bytes(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column, uint32_t first, uint32_t count,
                         int member, uint8_t *values, pqx_error *error)
    int pqx_pm_get_numbers(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column, uint32_t first,
                           uint32_t count, int member, int64_t *values, pqx_error *error)
    int pqx_pm_get_all_numbers(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column, uint32_t first,
                               uint32_t count, int64_t *values, pqx_error *error)
    int pqx_pm_get_bounds(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column, uint32_t first, uint32_t count,
                          uint8_t *has, uint64_t *min_offsets, uint32_t *min_lengths, uint64_t *max_offsets,
                          uint32_t *max_lengths, pqx_error *error)
    ctypedef struct pqx_pm_bloom:
        int kind
        uint64_t offset, length
    int pqx_pm_get_bloom(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t row_group, uint32_t column,
                         pqx_pm_bloom *bloom, pqx_error *error)
    void pqx_pm_get_scratch(const pqx_pm *pm, uint64_t at, uint32_t *code, pqx_bytes *value, uint64_t *next)
    int pqx_pm_find_scratch(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t code, pqx_bytes *value)
    ctypedef struct pqx_pm_file:
        uint64_t size
        int64_t modified, changed
        uint64_t device, inode
    int pqx_pm_is_of(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_file *file)
    ctypedef struct pqx_pm_chunk:
        uint64_t num_values, byte_range_start, total_compressed_size, null_count, distinct_count
        pqx_bytes min, max, bloom
        uint64_t bloom_offset, bloom_length
        uint8_t codec, encodings, flags
    int pqx_pm_chunk_of(const uint8_t *bytes, const pqx_chunk *facts, const pqx_places *places,
                        const pqx_pm_column *column, int unsigned_order, pqx_pm_chunk *chunk, pqx_error *error)
    ctypedef struct pqx_pm_table:
        const pqx_pm_column *columns
        uint32_t column_count
        const uint32_t *sorting
        uint32_t sorting_count
        const uint32_t *bloom_columns
        uint32_t bloom_count
        int32_t designated_timestamp
        uint8_t external_blooms
        int64_t squash_tracker
    ctypedef struct pqx_pm_scratch:
        uint32_t code
        pqx_bytes value
    ctypedef struct pqx_pm_end:
        uint64_t parquet_footer_offset, unused_bytes
        uint32_t parquet_footer_length
        int64_t seq_txn
        const pqx_pm_scratch *scratchpad
        uint32_t scratchpad_count
        pqx_bytes schema
    ctypedef struct pqx_pm_writer:
        pqx_buffer out
        uint64_t base, previous
        uint32_t crc, column_count, bloom_count
        uint8_t external_blooms
        uint32_t row_group_count
    int pqx_pm_write_header(pqx_pm_writer *writer, const pqx_pm_table *table, pqx_error *error)
    int pqx_pm_write_on(pqx_pm_writer *writer, const pqx_pm *pm, const pqx_pm_footer *footer, uint64_t base,
                        pqx_error *error)
    int pqx_pm_write_row_group(pqx_pm_writer *writer, uint32_t at, uint64_t num_rows, const pqx_pm_chunk *chunks,
                               pqx_error *error)
    int pqx_pm_write_footer(pqx_pm_writer *writer, const pqx_pm_end *end, pqx_error *error)
    void pqx_pm_writer_free(pqx_pm_writer *writer)
    ctypedef struct pqx_pm_slices:
        pqx_bytes schema, key_values
        uint32_t key_value_count, leaf_count, row_group_count
        const uint8_t *ends
        pqx_bytes runs
    int pqx_pm_open_slices(const uint8_t *data, size_t size, pqx_pm_slices *slices, pqx_error *error)
    int pqx_pm_write_runs(const pqx_scan *scan, pqx_buffer *ends, pqx_buffer *out, int *whole, pqx_error *error)
    int pqx_pm_get_chunks(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_slices *slices,
                          const pqx_element *element, uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks,
                          pqx_places *places, pqx_error *error)
    int pqx_pm_slice(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_slices *slices, const uint8_t *data,
                     size_t size, const pqx_scan *schema, const uint32_t *leaves, uint32_t leaf_count,
                     const uint32_t *row_groups, uint32_t row_group_count, int arrow_schema, int key_values,
                     pqx_buffer *out, pqx_error *error)
