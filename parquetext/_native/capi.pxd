# The types and functions of the C library that the kernels use. Declare new ones as needed; the header is the source.
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

cdef extern from "parquetext_internal.h" nogil:
    enum:
        PQX_BAD_ARGUMENT
        PQX_NO_MEMORY
        PQX_TOO_LARGE
        PQX_TRUNCATED
        PQX_ORDER_UNSIGNED
        PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY
    ctypedef struct pqx_error:
        int32_t code
        uint64_t offset
        uint64_t expected
        uint64_t found
    ctypedef struct pqx_buffer:
        uint8_t *data
        size_t size
        size_t capacity
    void pqx_buffer_free(pqx_buffer *buffer)
    const char *pqx_version()

    int pqx_varint_get32(const uint8_t *data, size_t size, size_t at, uint32_t *value, size_t *next, pqx_error *error)
    int pqx_varint_get64(const uint8_t *data, size_t size, size_t at, uint64_t *value, size_t *next, pqx_error *error)
    size_t pqx_varint_put(uint8_t *out, uint64_t value)
    size_t pqx_varint_size(uint64_t value)
    int pqx_varint_get_many64(const uint8_t *data, size_t size, size_t at, int zigzag, uint64_t *values, size_t count,
                              size_t *next, pqx_error *error)
    int pqx_varint_get_many32(const uint8_t *data, size_t size, size_t at, int zigzag, uint32_t *values, size_t count,
                              size_t *next, pqx_error *error)
    size_t pqx_varint_put_many(const uint64_t *values, size_t count, int zigzag, uint8_t *out)

    uint32_t pqx_crc32(uint32_t crc, const uint8_t *data, size_t size)
    const char *pqx_crc32_implementation(size_t index)
    uint32_t pqx_crc32_with(size_t index, uint32_t crc, const uint8_t *data, size_t size)
    uint64_t pqx_xxh64(const uint8_t *data, size_t size, uint64_t seed)
    int pqx_bloom_might_contain(const uint8_t *bitset, size_t size, const uint64_t *hashes, size_t count, uint8_t *out,
                                pqx_error *error)
    int pqx_bloom_insert(uint8_t *bitset, size_t size, const uint64_t *hashes, size_t count, pqx_error *error)
    int pqx_bloom_hashes(const uint8_t *data, size_t size, const int32_t *offsets, size_t count, uint64_t *out,
                         pqx_error *error)

    ctypedef struct pqx_range:
        uint32_t offset
        uint32_t length
    ctypedef struct pqx_bytes:
        const uint8_t *data
        size_t size
    ctypedef struct pqx_chunk:
        int64_t num_values, total_uncompressed_size, total_compressed_size
        int64_t data_page_offset, dictionary_page_offset
        int64_t null_count, distinct_count
        pqx_range chunk, metadata, statistics
        pqx_range min_value, max_value, min, max
        int32_t type, codec
        uint32_t present, encodings
    ctypedef struct pqx_places:
        int64_t index_page_offset, bloom_filter_offset, offset_index_offset, column_index_offset
        int32_t bloom_filter_length, offset_index_length, column_index_length
        uint32_t reserved
    ctypedef struct pqx_row_group:
        pqx_range bytes, columns, sorting_columns
        int64_t num_rows, total_byte_size, file_offset, total_compressed_size
        int32_t ordinal
        uint32_t chunk_count

    ctypedef struct pqx_page:
        uint64_t offset
        int64_t null_count
        uint32_t header_size
        int32_t type, compressed_size, uncompressed_size
        int32_t num_values, num_nulls, num_rows
        int32_t encoding, definition_encoding, repetition_encoding
        int32_t definition_size, repetition_size
        uint32_t crc, present
        pqx_range statistics, min_value, max_value, min, max
        uint8_t has_crc, is_compressed, is_sorted
    int pqx_page_header(const uint8_t *data, size_t size, size_t at, pqx_page *page, pqx_error *error)
    ctypedef struct pqx_page_span:
        const uint8_t *data
        size_t size
        uint64_t at, end
    int pqx_page_walk(const pqx_page_span *span, pqx_page *pages, size_t capacity, size_t *count, uint64_t *next,
                      pqx_error *error)
    ctypedef struct pqx_page_parts:
        size_t repetition, repetition_end, definition, definition_end, values
    int pqx_page_levels(const pqx_page *page, const uint8_t *body, size_t size, uint32_t max_definition,
                        uint32_t max_repetition, pqx_page_parts *parts, pqx_error *error)
    int pqx_page_counts(const pqx_page *page, const uint8_t *body, size_t size, uint32_t max_definition,
                        uint32_t max_repetition, uint64_t *rows, uint64_t *values, pqx_error *error)

    int pqx_lz4_size(const uint8_t *data, size_t size, uint64_t *decompressed, pqx_error *error)

    ctypedef struct pqx_source:
        int (*read)(void *context, uint64_t offset, size_t length, uint8_t *into)
        void *context
        uint64_t size
    pqx_source pqx_source_fd(int fd, uint64_t size)
    ctypedef struct pqx_flat:
        pass
    int pqx_flat_open(const pqx_source *source, uint64_t payload, uint64_t length, const uint8_t *known, size_t known_size,
                      uint64_t known_end, pqx_flat **flat, pqx_error *error)
    void pqx_flat_close(pqx_flat *flat)
    ctypedef struct pqx_flat_facts:
        int32_t version
        int64_t num_rows
        uint32_t leaf_count, node_count, row_group_count, key_value_count
        uint8_t is_lossless
    void pqx_flat_get_facts(const pqx_flat *flat, pqx_flat_facts *facts)
    uint32_t PQX_FLAT_GROUP
    int pqx_flat_find_name(pqx_flat *flat, const uint8_t *name, size_t size, uint32_t *ids, size_t capacity,
                           size_t *count, pqx_error *error)
    int pqx_flat_find_field_id(pqx_flat *flat, int32_t field_id, uint32_t *ids, size_t capacity, size_t *count,
                               pqx_error *error)
    ctypedef struct pqx_flat_node:
        pqx_bytes thrift, path
        uint32_t parent, schema_index, first_leaf, leaf_count
        uint8_t column_order, max_definition, max_repetition
    int pqx_flat_get_node(pqx_flat *flat, uint32_t id, pqx_flat_node *node, pqx_error *error)
    int pqx_flat_get_chunks(pqx_flat *flat, uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks,
                            pqx_places *places, pqx_buffer *arena, pqx_error *error)
    int pqx_flat_get_chunk_structs(pqx_flat *flat, uint32_t leaf, uint32_t first, uint32_t count, pqx_buffer *out,
                                   pqx_range *ranges, pqx_error *error)
    int pqx_flat_get_row_groups(pqx_flat *flat, uint32_t first, uint32_t count, pqx_row_group *row_groups, pqx_error *error)
    ctypedef struct pqx_sorting_column:
        int32_t column
        uint8_t descending, nulls_first
    int pqx_flat_get_sorting_columns(pqx_flat *flat, uint32_t row_group, pqx_sorting_column *columns, size_t capacity,
                                     size_t *count, pqx_error *error)
    int pqx_flat_get_key_value(pqx_flat *flat, uint32_t index, pqx_bytes *key, pqx_bytes *value, pqx_error *error)
    int pqx_flat_get_created_by(pqx_flat *flat, pqx_bytes *created_by, int *present, pqx_error *error)
    ctypedef struct pqx_flat_extension:
        uint8_t uuid[16]
        pqx_bytes data
    int pqx_flat_get_extension_count(pqx_flat *flat, uint32_t *count, pqx_error *error)
    int pqx_flat_get_extension_name(pqx_flat *flat, uint32_t index, uint8_t *uuid, uint32_t *size, pqx_error *error)
    int pqx_flat_get_extension(pqx_flat *flat, uint32_t index, pqx_bytes *data, pqx_error *error)
    int pqx_flat_slice(pqx_flat *flat, const uint32_t *leaves, uint32_t leaf_count, const uint32_t *row_groups,
                       uint32_t row_group_count, int arrow_schema, int key_values, pqx_buffer *out, pqx_error *error)
    int pqx_flat_hold(pqx_flat *flat, pqx_error *error)
    void pqx_flat_io(const pqx_flat *flat, uint64_t *reads, uint64_t *bytes)
    int pqx_flat_verify(const uint8_t *payload, size_t size, pqx_error *error)

    ctypedef struct pqx_aside_block:
        uint8_t uuid[16]
        uint64_t payload
        uint32_t length, trailer_crc
    ctypedef struct pqx_reference:
        uint64_t start
        uint32_t struct_length, struct_crc, block_count
        pqx_bytes tail_block
    int pqx_reference_parse(const uint8_t *payload, size_t size, uint64_t footer, pqx_reference *reference, pqx_error *error)
    void pqx_reference_get_block(const pqx_reference *reference, uint32_t index, pqx_aside_block *block)
    enum:
        PQX_FORM_NONE, PQX_FORM_FLAT, PQX_FORM_INDEX, PQX_FORM_PAR3, PQX_FORM_PACKED
    ctypedef struct pqx_location:
        int form
        uint64_t footer, thrift_length, payload
        uint32_t length
        const uint8_t *known
        size_t known_size
        uint64_t known_end
    void pqx_locate(const uint8_t *tail, size_t tail_size, uint64_t file_size, pqx_location *found)

    ctypedef struct pqx_index:
        pass
    int pqx_index_open(const pqx_source *source, uint64_t footer, uint64_t thrift_length, uint64_t payload, uint64_t length,
                       const uint8_t *known, size_t known_size, uint64_t known_end, pqx_index **index, pqx_error *error)
    void pqx_index_close(pqx_index *index)
    int pqx_index_hold(pqx_index *index, pqx_error *error)
    int pqx_index_verify(const uint8_t *data, size_t size, size_t footer, size_t thrift_length, size_t payload, size_t length,
                         pqx_error *error)
    void pqx_index_get_facts(const pqx_index *index, pqx_flat_facts *facts)
    uint32_t pqx_index_guess_name(pqx_index *index, const uint8_t *name, size_t size)
    int pqx_index_find_name(pqx_index *index, const uint8_t *name, size_t size, uint32_t *ids, size_t capacity,
                            size_t *count, pqx_error *error)
    int pqx_index_find_field_id(pqx_index *index, int32_t field_id, uint32_t *ids, size_t capacity, size_t *count,
                                pqx_error *error)
    int pqx_index_get_node(pqx_index *index, uint32_t id, pqx_flat_node *node, pqx_error *error)
    int pqx_index_get_row_groups(pqx_index *index, uint32_t first, uint32_t count, pqx_row_group *row_groups,
                                 pqx_error *error)
    int pqx_index_get_sorting_columns(pqx_index *index, uint32_t row_group, pqx_sorting_column *columns, size_t capacity,
                                      size_t *count, pqx_error *error)
    int pqx_index_get_key_value(pqx_index *index, uint32_t number, pqx_bytes *key, pqx_bytes *value, pqx_error *error)
    int pqx_index_get_created_by(pqx_index *index, pqx_bytes *created_by, int *present, pqx_error *error)
    int pqx_index_slice(pqx_index *index, const uint32_t *leaves, uint32_t leaf_count, const uint32_t *row_groups,
                        uint32_t row_group_count, int arrow_schema, int key_values, pqx_buffer *out, pqx_error *error)
    void pqx_index_io(const pqx_index *index, uint64_t *reads, uint64_t *bytes)

    ctypedef struct pqx_field:
        int16_t id
        uint8_t type
        size_t header
        size_t value
        size_t end
    int pqx_thrift_skip_within(const uint8_t *data, size_t size, size_t at, int type, int max_depth, size_t *end, pqx_error *error)
    int pqx_thrift_check_sizes(const uint8_t *data, size_t size, uint32_t most_bytes, uint32_t most_items,
                               pqx_error *error)
    int pqx_thrift_next(const uint8_t *data, size_t size, size_t at, int16_t previous, int max_depth, pqx_field *field,
                        int *more, pqx_error *error)
    int pqx_thrift_find(const uint8_t *data, size_t size, size_t at, int16_t id, int max_depth, pqx_field *field,
                        int *found, pqx_error *error)
    int pqx_thrift_path(const uint8_t *data, size_t size, size_t at, const int32_t *steps, size_t count, int max_depth,
                        pqx_field *value, int *found, pqx_error *error)

    ctypedef struct pqx_missing:
        uint64_t offset
        uint32_t structure, field
        uint64_t without_path
    int pqx_find_missing(const uint8_t *data, size_t size, pqx_missing *missing, pqx_error *error)

    ctypedef struct pqx_extension:
        int marker
        int placement
        size_t struct_end
        size_t header
        size_t payload
        size_t length
        size_t length_bytes
    int pqx_extension_find(const uint8_t *data, size_t size, int file_metadata, int max_depth, pqx_extension *found,
                           pqx_error *error)
    ctypedef struct pqx_block:
        uint8_t uuid[16]
        uint64_t payload
        uint64_t length
        uint32_t crc
    int pqx_block_read_trailer(const uint8_t *data, size_t end, pqx_block *block)
    int pqx_block_before(const uint8_t *data, size_t end, int check_payload, pqx_block *block, int *found)
    void pqx_block_trailer(const uint8_t *payload, size_t length, const uint8_t *uuid, uint8_t *out)

    ctypedef struct pqx_element:
        pqx_range bytes, name, logical_type
        int32_t type, type_length, repetition, num_children, converted_type, field_id
        int32_t parent
        int32_t first_leaf, leaf_count
        uint8_t max_definition, max_repetition, column_order, sort_order
    ctypedef struct pqx_key_value:
        pqx_range bytes, key, value
        uint8_t has_value
    ctypedef struct pqx_scan:
        int32_t version
        int64_t num_rows
        size_t end
        uint32_t element_count, leaf_count, row_group_count, key_value_count
        uint8_t regular
        uint8_t has_key_values, has_created_by, has_column_orders
        uint8_t encrypted
        uint8_t has_extension
        pqx_range created_by, schema, row_groups_list, key_values_list, column_orders
        pqx_element *elements
        uint32_t *leaves
        pqx_row_group *row_groups
        uint64_t *first_chunk
        pqx_chunk *chunks
        pqx_places *places
        uint64_t chunk_count
        pqx_key_value *key_values
        pqx_error problem
    int pqx_index_write(const uint8_t *footer, size_t size, const pqx_scan *scan, pqx_buffer *out, pqx_error *error)
    ctypedef struct pqx_packed_compress:
        int (*run)(void *context, pqx_bytes data, pqx_buffer *out, pqx_error *error) noexcept nogil
        void *context
    int pqx_packed_write(const uint8_t *footer, size_t size, const pqx_scan *scan, const pqx_packed_compress *compress,
                         const pqx_flat_extension *extensions, uint32_t extension_count, pqx_buffer *out,
                         pqx_error *error)
    int pqx_packed_open(const pqx_source *source, uint64_t payload, uint64_t length, const uint8_t *known,
                        size_t known_size, uint64_t known_end, pqx_index **index, pqx_error *error)
    int pqx_packed_get_placed(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks,
                              pqx_places *places, pqx_buffer *arena, pqx_element *element, pqx_error *error)
    int pqx_packed_to_thrift(pqx_index *index, pqx_buffer *out, pqx_error *error)
    int pqx_packed_get_extension(pqx_index *index, uint32_t number, uint8_t *uuid, pqx_bytes *data, pqx_error *error)
    uint32_t pqx_packed_extension_count(pqx_index *index)
    int pqx_packed_verify(pqx_index *index, pqx_error *error)
    int pqx_index_get_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks,
                             pqx_places *places, pqx_buffer *arena, pqx_element *element, pqx_error *error)
    int pqx_index_get_structs(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count, pqx_chunk *chunks,
                              pqx_buffer *arena, pqx_error *error)
    int pqx_scan_footer(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error)
    int pqx_scan_loosely(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error)
    int pqx_scan_plainly(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error)
    void pqx_scan_free(pqx_scan *scan)
    size_t pqx_scan_find_name(const uint8_t *data, const pqx_scan *scan, const uint8_t *name, size_t size, uint32_t *ids,
                              size_t capacity)
    int64_t pqx_chunk_begin(int64_t data_page_offset, int64_t dictionary_page_offset)
    int pqx_read_leaf(const uint8_t *thrift, size_t size, uint8_t column_order, pqx_element *leaf, pqx_error *error)
    uint32_t pqx_judge_bounds(const pqx_element *leaf, pqx_bytes min, pqx_bytes max)
    ctypedef struct pqx_page_numbers:
        const pqx_element *leaf
        uint32_t pages
        const uint8_t *minimum
        const uint8_t *maximum
        int has_minimum
        int has_maximum
    uint8_t pqx_page_numbers_width(const pqx_element *leaf)
    int pqx_page_numbers_read(const pqx_page_numbers *given, const uint8_t *index, size_t size, uint8_t *minima,
                              uint8_t *maxima)
    void pqx_usable_bounds(const uint8_t *bytes, const pqx_chunk *chunk, const pqx_element *leaf, pqx_range *min,
                           pqx_range *max, int *has)

    enum:
        PQX_READING_BOOLEAN
    ctypedef struct pqx_arrow_type:
        uint32_t reading, stored, width, precision
    ctypedef struct pqx_arrow_values:
        uint8_t *valid
        uint8_t *values
        int32_t *offsets
        uint64_t nulls, size
    int pqx_arrow_values_size(const pqx_arrow_type *type, const pqx_bytes *stored, uint64_t count, uint64_t *size,
                              pqx_error *error)
    void pqx_arrow_values_fill(const pqx_arrow_type *type, const pqx_bytes *stored, uint64_t count,
                               pqx_arrow_values *out)
    int pqx_wide_integers(const uint8_t *values, size_t size, const int32_t *offsets, uint64_t count, uint32_t stored,
                          const uint8_t *valid, uint32_t width, uint8_t *out, pqx_error *error)
    int pqx_wide_instants(const uint8_t *values, size_t size, uint64_t count, uint64_t unit, int64_t *out,
                          pqx_error *error)
    int pqx_wide_timestamps(const uint8_t *values, size_t size, uint64_t count, int64_t *out, pqx_error *error)

    enum:
        PQX_BOUND_BITMAPS
    ctypedef struct pqx_bound_column:
        int64_t *numbers
        int64_t *moments
        int32_t *offsets
        uint8_t *bytes
        uint8_t *valid
    int pqx_bound_bytes(const uint8_t *data, const pqx_scan *scan, uint64_t *minima, uint64_t *maxima,
                        pqx_error *error)
    void pqx_bound_columns(const uint8_t *data, const pqx_scan *scan, const uint8_t *readings,
                           pqx_bound_column *minima, pqx_bound_column *maxima)

    int pqx_slice_footer(const uint8_t *data, size_t size, const pqx_scan *scan, const uint32_t *leaves, uint32_t leaf_count,
                         const uint32_t *row_groups, uint32_t row_group_count, int arrow_schema, int key_values,
                         pqx_buffer *out, pqx_error *error)
    ctypedef struct pqx_arrow_schema:
        uint32_t field_count
    int pqx_arrow_schema_parse(const uint8_t *text, size_t size, pqx_arrow_schema *schema, pqx_error *error)
    void pqx_arrow_schema_free(pqx_arrow_schema *schema)
    int pqx_arrow_field_name(const pqx_arrow_schema *schema, uint32_t index, pqx_bytes *name, pqx_error *error)
    int pqx_arrow_field_piece(const pqx_arrow_schema *schema, uint32_t index, pqx_buffer *out, pqx_error *error)
    int pqx_arrow_schema_build(const pqx_bytes *pieces, const pqx_bytes *names, const pqx_bytes *keep, uint32_t count,
                               pqx_buffer *out, pqx_error *error)
    enum:
        PQX_FLAT_WRITE_COMPACT
        PQX_FLAT_WRITE_VERBATIM
    int pqx_flat_write(const uint8_t *footer, size_t size, const pqx_scan *scan, int flags,
                       const pqx_flat_extension *extensions, uint32_t extension_count, pqx_buffer *out,
                       pqx_error *error)
    int pqx_flat_to_thrift(const uint8_t *payload, size_t size, pqx_buffer *out, pqx_error *error)

    enum:
        PQX_PHYSICAL_BYTE_ARRAY
    ctypedef struct pqx_value_array:
        const uint8_t *data
        size_t size
        const int32_t *offsets
        uint64_t count
    size_t pqx_encode_bound(int encoding, int type, int32_t type_length, uint64_t count, size_t bytes)
    int pqx_encode(int encoding, int type, int32_t type_length, const pqx_value_array *values, uint8_t *out, size_t capacity,
                   size_t *size, pqx_error *error)
    size_t pqx_encode_alp_bound(int type, uint64_t count, uint32_t vector_bits)
    int pqx_encode_alp(int type, const pqx_value_array *values, uint32_t vector_bits, uint8_t *out, size_t capacity,
                       size_t *size, pqx_error *error)
    size_t pqx_encode_levels_bound(uint32_t max_level, uint64_t count)
    int pqx_encode_levels(int encoding, const uint16_t *levels, uint64_t count, uint32_t max_level, uint8_t *out,
                          size_t capacity, size_t *size, pqx_error *error)
    size_t pqx_encode_indices_bound(uint32_t dictionary_count, uint64_t count)
    int pqx_encode_indices(const uint32_t *indices, uint64_t count, uint32_t dictionary_count, uint8_t *out, size_t capacity,
                           size_t *size, pqx_error *error)
    ctypedef struct pqx_dictionary_room:
        uint32_t *indices
        uint8_t *values
        int32_t *offsets
        uint32_t count
        size_t size
    int pqx_dictionary_of(int type, int32_t type_length, const pqx_value_array *values, uint32_t most_values,
                          size_t most_bytes, pqx_dictionary_room *room, int *fits, pqx_error *error)

    ctypedef struct pqx_page_location:
        int64_t offset, first_row
        int32_t size
        uint32_t reserved
    int pqx_page_locations(const uint8_t *data, size_t size, pqx_page_location *locations, size_t capacity, size_t *count,
                           pqx_error *error)


cdef inline object exception_of(const pqx_error *error):
    """Return the exception for an error of the C library."""
    from parquetext.errors import wire_error

    return wire_error(error.code, error.offset, error.expected, error.found)


cdef inline const uint8_t[::1] view_of(data):
    """Return the bytes of any bytes-like object."""
    return data if type(data) is bytes else memoryview(data).cast("B")
