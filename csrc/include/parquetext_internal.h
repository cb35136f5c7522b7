/* Declarations of the C library that only this project's Cython modules, C files and tests use.
 * They are not exported and may change at any time. The rules of parquetext.h apply to all
 * functions: untrusted input, status codes, errors, memory. */
#ifndef PARQUETEXT_INTERNAL_H
#define PARQUETEXT_INTERNAL_H

#include "parquetext.h"

/* Return the message of a status, a static string that contains {expected} and {found}; "" for
 * PQX_OK. */
const char *pqx_status_message(int status);

/* ---- varint ---- */

/* Decode the ULEB128 at data[at], of at most 5 bytes. *next is the offset after it.
 */
int pqx_varint_get32(const uint8_t *data, size_t size, size_t at, uint32_t *value, size_t *next,
                     pqx_error *error);

/* Return the length of the shortest form in bytes, 1 to 10. */
size_t pqx_varint_size(uint64_t value);

/* Decode `count` varints, starting at data[at], into `values`. */
int pqx_varint_get_many64(const uint8_t *data, size_t size, size_t at, int zigzag, uint64_t *values,
                          size_t count, size_t *next, pqx_error *error);
int pqx_varint_get_many32(const uint8_t *data, size_t size, size_t at, int zigzag, uint32_t *values,
                          size_t count, size_t *next, pqx_error *error);

/* Encode `count` values; `out` has room for 10 bytes each. Return the number of bytes written. */
size_t pqx_varint_put_many(const uint64_t *values, size_t count, int zigzag, uint8_t *out);

/* ---- CRC-32 (IEEE 802.3, as zlib's), XXH64 ---- */

/* Return the name of an implementation that this CPU can run, best first: "vpclmul", "pclmul",
 * "pmull", "armv8", "slice16"; NULL if `index` is after the last one. */
const char *pqx_crc32_implementation(size_t index);

/* Compute the CRC with the implementation `index`, or with the portable one if there is no such
 * implementation. For tests and benchmarks. */
uint32_t pqx_crc32_with(size_t index, uint32_t crc, const uint8_t *data, size_t size);
uint64_t pqx_xxh64(const uint8_t *data, size_t size, uint64_t seed);

/* ---- Bloom filters ---- */

/* Test `count` values, given by their hashes, against a split-block Bloom filter (parquet-format's
 * BloomFilter.md). A hash is the XXH64, with seed 0, of the plain bytes of the value without a
 * length. out[i] is 1 if the filter may contain the value and 0 if it certainly does not. `bitset`
 * contains the filter's blocks. PQX_BAD_ARGUMENT: not a whole number of blocks of 32 bytes, no
 * block, or 2^32 blocks or more. O(count). */
int pqx_bloom_might_contain(const uint8_t *bitset, size_t size, const uint64_t *hashes,
                            size_t count, uint8_t *out, pqx_error *error);

/* Add `count` values, given by their hashes, to a filter. Errors are those of
 * pqx_bloom_might_contain. O(count). */
int pqx_bloom_insert(uint8_t *bitset, size_t size, const uint64_t *hashes, size_t count,
                     pqx_error *error);

/* Write the hashes of `count` byte strings to `out`: string i is data[offsets[i]] up to
 * data[offsets[i + 1]]. PQX_VALUE_OFFSET: a string ends before its start or after `size`. O(size).
 */
int pqx_bloom_hashes(const uint8_t *data, size_t size, const int32_t *offsets, size_t count,
                     uint64_t *out, pqx_error *error);

/* ---- Thrift compact protocol ---- */

typedef struct pqx_field {
    int16_t id;
    uint8_t type;      /* PQX_TYPE_*; the type of a boolean field contains its value */
    size_t header;     /* offset of the field's header */
    size_t value, end; /* the value's bytes: [value, end) */
} pqx_field;

/* Check the struct at data[0] and all nested structs: no binary value may have more than
 * `most_bytes` (PQX_TOO_LARGE), and no list, set or map more than `most_items` (PQX_TOO_MANY). The
 * error's offset is that of the length. At most 64 levels, this one included. */
int pqx_thrift_check_sizes(const uint8_t *data, size_t size, uint32_t most_bytes,
                           uint32_t most_items, pqx_error *error);

/* Read the field header at data[at] and skip its value. At the stop byte *more is 0, and field->end
 * is the offset after it. `previous` is the id of the last field, 0 at first. `max_depth` applies
 * to the value. */
int pqx_thrift_next(const uint8_t *data, size_t size, size_t at, int16_t previous, int max_depth,
                    pqx_field *field, int *more, pqx_error *error);

/* Find field `id` of the struct at data[at]; *found is 0 if there is none. The struct is read to
 * its stop byte. If the field is repeated, its last occurrence counts. */
int pqx_thrift_find(const uint8_t *data, size_t size, size_t at, int16_t id, int max_depth,
                    pqx_field *field, int *found, pqx_error *error);

/* Follow a path from the struct at data[at]. A step is a field id in a struct, an index in a list
 * or set, and in a map 2 × n for the n-th key or 2 × n + 1 for its value. */
int pqx_thrift_path(const uint8_t *data, size_t size, size_t at, const int32_t *steps, size_t count,
                    int max_depth, pqx_field *value, int *found, pqx_error *error);

/* Like pqx_thrift_skip, but `max_depth` limits the nesting of lists, sets, maps and structs, this
 * value included: 0 to PQX_MAX_DEPTH. */
int pqx_thrift_skip_within(const uint8_t *data, size_t size, size_t at, int type, int max_depth,
                           size_t *end, pqx_error *error);

/* ---- extensions ---- */

/* Read the trailer that ends at data[end] without its payload; the payload's offset is set to 0.
 * Return 1 if the checksum of the length matches, else 0. Needs 28 bytes only. */
int pqx_block_read_trailer(const uint8_t *data, size_t end, pqx_block *block);

/* ---- encodings: writing ---- */

/* Values without nulls. BOOLEAN: bits, least significant first. BYTE_ARRAY: value i is
 * data[offsets[i]..offsets[i + 1]); the first offset need not be 0. Other types: little-endian
 * values of the type's width, or of `type_length` bytes each (FIXED_LEN_BYTE_ARRAY), back to back.
 * The caller owns all memory. */
typedef struct pqx_value_array {
    const uint8_t *data;
    size_t size;            /* bytes at `data`; bytes after the last value are ignored */
    const int32_t *offsets; /* BYTE_ARRAY: count + 1 offsets; else unused */
    uint64_t count;         /* at most 2^31 - 1, the limit of a page */
} pqx_value_array;

/* Return the capacity in bytes that pqx_encode needs for `count` values: the largest possible
 * result plus working space. For BYTE_ARRAY, `bytes` is the total size of the values; a larger
 * number is allowed. Return 0 if the encoding does not support the type or there are no values, and
 * SIZE_MAX if the size exceeds the address space. O(1). */
size_t pqx_encode_bound(int encoding, int type, int32_t type_length, uint64_t count, size_t bytes);

/* Encode values in the format of a page (parquet-format, Encodings.md): PLAIN of every type; RLE of
 * BOOLEAN, with its length; DELTA_BINARY_PACKED of INT32 and INT64, in blocks of 128;
 * DELTA_LENGTH_BYTE_ARRAY of BYTE_ARRAY; DELTA_BYTE_ARRAY of BYTE_ARRAY and FIXED_LEN_BYTE_ARRAY;
 * BYTE_STREAM_SPLIT of FLOAT, DOUBLE, INT32, INT64 and FIXED_LEN_BYTE_ARRAY; ALP of FLOAT and
 * DOUBLE, at most 2^28 values, in vectors of 1,024. `out` has `capacity` bytes, at least
 * pqx_encode_bound. The first *size bytes are the result; the others are undefined.
 * PQX_UNWRITTEN_ENCODING; PQX_TOO_MANY; PQX_VALUES_SIZE: too few bytes; PQX_VALUE_OFFSET: `offsets`
 * descend or leave the bytes (the error's offset is that of the number in `offsets`, in bytes);
 * PQX_BAD_ARGUMENT: `type_length` below 1, or too little capacity. O(bytes). */
int pqx_encode(int encoding, int type, int32_t type_length, const pqx_value_array *values,
               uint8_t *out, size_t capacity, size_t *size, pqx_error *error);

/* Encode with ALP in vectors of 2^vector_bits values; vector_bits is 3 to 15. For each vector, a
 * sample determines the powers of ten that need the fewest bytes. A value that would not decode bit
 * for bit is stored unchanged. The bound is 0 if the type is not supported or if `vector_bits` is
 * out of range. */
size_t pqx_encode_alp_bound(int type, uint64_t count, uint32_t vector_bits);
int pqx_encode_alp(int type, const pqx_value_array *values, uint32_t vector_bits, uint8_t *out,
                   size_t capacity, size_t *size, pqx_error *error);

/* Encode levels of 0 to max_level, as RLE without its length or as BIT_PACKED. PQX_LEVEL: a level
 * is above max_level (offset: of the level, in bytes). Otherwise like pqx_encode. */
size_t pqx_encode_levels_bound(uint32_t max_level, uint64_t count);
int pqx_encode_levels(int encoding, const uint16_t *levels, uint64_t count, uint32_t max_level,
                      uint8_t *out, size_t capacity, size_t *size, pqx_error *error);

/* Encode indices into a dictionary of `dictionary_count` values, preceded by the byte with the bit
 * width. PQX_DICTIONARY_INDEX: an index is not below dictionary_count (offset: of the index, in
 * bytes). Otherwise like pqx_encode. */
size_t pqx_encode_indices_bound(uint32_t dictionary_count, uint64_t count);
int pqx_encode_indices(const uint32_t *indices, uint64_t count, uint32_t dictionary_count,
                       uint8_t *out, size_t capacity, size_t *size, pqx_error *error);

/* A dictionary of values in order of first appearance. The caller owns the memory. */
typedef struct pqx_dictionary_room {
    uint32_t *indices; /* room for one index per value */
    uint8_t *values;   /* room for most_bytes, or for the bytes of all values if that is less */
    int32_t *offsets;  /* BYTE_ARRAY: room for most_values + 1, or count + 1 if that is less */
    uint32_t count;    /* set: distinct values */
    size_t size;       /* set: bytes of `values` that are in use */
} pqx_dictionary_room;

/* Find the distinct values and the dictionary index of each value. Values are equal if their bytes
 * are equal. If there are more than `most_values` distinct values, or if their PLAIN page exceeds
 * `most_bytes`, *fits is 0 and the room's contents are undefined. Any type except BOOLEAN; errors
 * as in pqx_encode. Reserves a hash table of at most 32 bytes per distinct value (and at least 16
 * KiB), and frees it. O(bytes). */
int pqx_dictionary_of(int type, int32_t type_length, const pqx_value_array *values,
                      uint32_t most_values, size_t most_bytes, pqx_dictionary_room *room, int *fits,
                      pqx_error *error);

/* ---- encodings: reading ---- */

/* Decode the first `count` values of a decompressed page. The encoded values are data[at..size)
 * (after the levels). All types except BYTE_ARRAY: PLAIN of every type; RLE of BOOLEAN;
 * RLE_DICTIONARY and PLAIN_DICTIONARY; BYTE_STREAM_SPLIT of FLOAT, DOUBLE, INT32, INT64 and
 * FIXED_LEN_BYTE_ARRAY; DELTA_BINARY_PACKED of INT32 and INT64, DELTA_BYTE_ARRAY of
 * FIXED_LEN_BYTE_ARRAY and ALP of FLOAT and DOUBLE, for which `count` must be the number of values
 * of the page without nulls.
 * `out` has room for `count` values of the type's width, or of `type_length` bytes
 * (FIXED_LEN_BYTE_ARRAY), little-endian as stored. BOOLEAN: (count + 7) / 8 bytes, bits, least
 * significant first, the spare bits 0. `dictionary` contains the values that the indices refer to,
 * as this function decodes them from a dictionary page; NULL if there is none. *end is the offset
 * after the encoded values, or for runs the offset after the last run that was needed; it may be
 * NULL.
 * PQX_ENCODING; PQX_NO_DICTIONARY; PQX_DICTIONARY_INDEX; PQX_BIT_WIDTH; PQX_RUN_LENGTH;
 * PQX_BOOLEAN; PQX_STREAM_SIZE; PQX_ALP_MODE, _COUNT, _OFFSET, _NUMBER; PQX_TRUNCATED; the errors
 * of varints and deltas. After an error, `out` is undefined. Reads nothing outside [data, data +
 * size) and the dictionary; reserves no memory. O(count + bytes). */
int pqx_decode(int encoding, int type, int32_t type_length, const uint8_t *data, size_t size,
               size_t at, size_t count, const pqx_value_array *dictionary, uint8_t *out,
               size_t *end, pqx_error *error);

/* Decode BYTE_ARRAY values: PLAIN, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY, RLE_DICTIONARY and
 * PLAIN_DICTIONARY. Otherwise like pqx_decode. Both buffers are emptied first. Value i is
 * bytes->data[offsets[i]..offsets[i + 1]), where `offsets` are the count + 1 numbers of type
 * int32_t at offsets->data; the first is 0. The dictionary also has offsets. Memory grows with the
 * decoded values: at most 64 bytes per input byte, or 256 KiB, are reserved in advance.
 * PQX_BYTE_ARRAY_LENGTH; PQX_PREFIX_LENGTH; PQX_TOO_LARGE: more than 2^31 - 1 bytes;
 * PQX_VALUE_OFFSET: the dictionary's offsets descend or leave its bytes; PQX_NO_MEMORY. */
int pqx_decode_binary(int encoding, const uint8_t *data, size_t size, size_t at, size_t count,
                      const pqx_value_array *dictionary, pqx_buffer *offsets, pqx_buffer *bytes,
                      size_t *end, pqx_error *error);

/* Decode levels of 0 to max_level (at most 65535) from data[at..size), RLE without its length or
 * BIT_PACKED. `out` has room for `count` levels. PQX_LEVEL: a level is above max_level;
 * PQX_LEVEL_ENCODING. Otherwise like pqx_decode. */
int pqx_decode_levels(int encoding, uint32_t max_level, const uint8_t *data, size_t size, size_t at,
                      size_t count, uint16_t *out, size_t *end, pqx_error *error);

/* Decode indices into a dictionary of `dictionary_count` values, preceded by the byte with the bit
 * width. All indices are checked to be below dictionary_count. `out` has room for `count` indices.
 * Otherwise like pqx_decode. */
int pqx_decode_indices(const uint8_t *data, size_t size, size_t at, size_t count,
                       uint32_t dictionary_count, uint32_t *out, size_t *end, pqx_error *error);

/* ---- the model: metadata of chunks, schema elements, row groups ---- */

/* Offsets and lengths of page indexes and Bloom filters, which few writers write. */
typedef struct pqx_places {
    int64_t index_page_offset, bloom_filter_offset, offset_index_offset, column_index_offset;
    int32_t bloom_filter_length, offset_index_length, column_index_length;
    uint32_t reserved;
} pqx_places; /* 48 bytes */

/* FLOAT16: signed, compared as half floats. LITTLE_ENDIAN: signed, for TIMESTAMP in 12 bytes. */
enum pqx_sort_order {
    PQX_ORDER_UNDEFINED = 0,
    PQX_ORDER_SIGNED = 1,
    PQX_ORDER_UNSIGNED = 2,
    PQX_ORDER_FLOAT16 = 3,
    PQX_ORDER_LITTLE_ENDIAN = 4
};

typedef struct pqx_element {
    pqx_range bytes, name, logical_type; /* Thrift bytes; logical_type: of the union struct */
    int32_t type, type_length, repetition, num_children, converted_type,
        field_id;                   /* -1: absent (field_id: INT32_MIN) */
    int32_t parent;                 /* an element's index, -1 for the root */
    int32_t first_leaf, leaf_count; /* the leaves below; for a leaf: itself, 1 */
    uint8_t max_definition, max_repetition;
    uint8_t column_order; /* leaves: field id of the ColumnOrder union, 0 absent */
    uint8_t sort_order;   /* leaves: pqx_sort_order, derived from type and annotations */
} pqx_element;

typedef struct pqx_row_group {
    pqx_range bytes, columns, sorting_columns; /* columns, sorting_columns: the list values */
    int64_t num_rows, total_byte_size, file_offset,
        total_compressed_size; /* the last two: -1 absent */
    int32_t ordinal;           /* -1: absent */
    uint32_t chunk_count;
} pqx_row_group;

typedef struct pqx_key_value {
    pqx_range bytes, key, value;
    uint8_t has_value;
} pqx_key_value;

/* ---- pages ---- */

/* The parts of a page's body: offsets from its start. */
typedef struct pqx_page_parts {
    size_t repetition, repetition_end; /* the encoded levels alone, without their length */
    size_t definition, definition_end;
    size_t values;
} pqx_page_parts;

/* Find the parts of a page's body of `size` bytes. The body of a V1 page must be decompressed. The
 * body of a V2 page, whose levels are never compressed, may be as stored or decompressed. The
 * maximum levels are those of the column, at most 65535. Levels that the column does not have are
 * empty; so are all parts of an empty body without values. PQX_LEVEL_ENCODING: neither RLE nor
 * BIT_PACKED. PQX_PAGE_LEVELS: the levels extend beyond the body. Offsets in errors count from
 * `body`. O(1). */
int pqx_page_levels(const pqx_page *page, const uint8_t *body, size_t size, uint32_t max_definition,
                    uint32_t max_repetition, pqx_page_parts *parts, pqx_error *error);

/* Count the rows that begin in a data page (the entries at repetition level 0) and its values (the
 * entries at the maximum definition level) from its levels. The arguments are those of
 * pqx_page_levels; of a V2 page, the levels are sufficient. PQX_LEVEL, PQX_TRUNCATED,
 * PQX_RUN_LENGTH: the levels cannot be decoded. O(bytes of levels); reserves no memory. */
int pqx_page_counts(const pqx_page *page, const uint8_t *body, size_t size, uint32_t max_definition,
                    uint32_t max_repetition, uint64_t *rows, uint64_t *values, pqx_error *error);

/* ---- page locations ---- */

/* The location of a data page (PageLocation); absent values are -1. */
typedef struct pqx_page_location {
    int64_t offset, first_row;
    int32_t size; /* as stored, with its header */
    uint32_t reserved;
} pqx_page_location;

/* Read the locations in an OffsetIndex: *count is their number, of which the first `capacity` are
 * stored. Every location takes at least one byte, so *count is at most `size`. A field of an
 * unexpected type is skipped like an unknown field. O(size); reserves no memory. */
int pqx_page_locations(const uint8_t *data, size_t size, pqx_page_location *locations,
                       size_t capacity, size_t *count, pqx_error *error);

/* Compute the decompressed size of an LZ4 block (lz4's doc/lz4_Block_format.md) without
 * decompressing it: at most 255 times `size`. PQX_TRUNCATED, PQX_LZ4_BLOCK: not a block, or a match
 * begins before the start of the block. O(size). */
int pqx_lz4_size(const uint8_t *data, size_t size, uint64_t *decompressed, pqx_error *error);

/* ---- scan: a whole Thrift footer into arrays ---- */

typedef struct pqx_scan {
    int32_t version;
    int64_t num_rows;
    size_t end; /* offset after the struct's stop byte, extension included */
    uint32_t element_count, leaf_count, row_group_count, key_value_count;
    uint8_t regular; /* every row group has one chunk per leaf */
    uint8_t has_key_values, has_created_by, has_column_orders;
    uint8_t encrypted;     /* crypto fields: footer (1), chunks (2) */
    uint8_t has_extension; /* 1 if a field header is an extension's marker or if a marker follows
                              the stop byte */
    pqx_range created_by, schema, row_groups_list, key_values_list, column_orders;
    pqx_element *elements;
    uint32_t *leaves; /* leaf -> element */
    pqx_row_group *row_groups;
    uint64_t *first_chunk; /* row group -> its first chunk in `chunks` */
    pqx_chunk *chunks;     /* row-group major */
    pqx_places *places;    /* one per chunk, or NULL if no chunk has any */
    uint64_t chunk_count;
    pqx_key_value *key_values;
    pqx_error problem; /* see pqx_scan_loosely; code PQX_OK: none */
} pqx_scan;

/* Scan the FileMetaData at data[0], which must be smaller than 4 GiB. A field whose type differs
 * from parquet.thrift is skipped like an unknown field. If a field is repeated, its last occurrence
 * counts, as in Thrift libraries. Numbers are not checked. PQX_MISSING_FIELD: no schema, num_rows
 * or row_groups; a row group without columns or num_rows. PQX_SCHEMA: the elements do not form a
 * tree. Levels above 255 are reported as 255.
 * Reserves the arrays: at most 128 + 48 bytes per ColumnChunk present in the input (and half as
 * much again while they grow; initially for as many chunks of 32 bytes as fit in the remaining
 * input), 64 per element, 72 per row group, 28 per key-value; an array of 1 MiB or more is rounded
 * up to 2 MiB. The caller owns all arrays and frees them with pqx_scan_free. Up to four large
 * arrays, of 64 MiB at most, then stay mapped for the next scan; the system may reclaim the memory
 * after their first 2 MiB. After a failure no memory stays reserved. O(size). */
int pqx_scan_footer(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error);

/* Scan like pqx_scan_footer, but report structural errors (PQX_MISSING_FIELD, PQX_SCHEMA) without
 * failing: scan->problem is the first one. Elements after the end of the tree then have no parent
 * and are not leaves, a group may have fewer children than it claims, and num_rows may be -1.
 * Writing a slice or a flat footer from such a scan fails with its problem. */
int pqx_scan_loosely(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error);

/* Scan like pqx_scan_loosely, but only with the decoder for any order of fields: the reference for
 * tests and benchmarks of the fast decoder. */
int pqx_scan_plainly(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error);
void pqx_scan_free(pqx_scan *scan);

/* Find the leaves and the groups below the root whose path equals a name; '.' and NUL are
 * equivalent. Fills up to `capacity` ids, leaves first (a leaf's ordinal, or PQX_FLAT_GROUP | the
 * ordinal among the elements that are not leaves), and returns their number. `data` is the scanned
 * buffer. One pass over the elements, most of which are rejected by a byte or two; O(elements ×
 * size) in the worst case. */
size_t pqx_scan_find_name(const uint8_t *data, const pqx_scan *scan, const uint8_t *name,
                          size_t size, uint32_t *ids, size_t capacity);

/* Read a leaf's whole SchemaElement, for pqx_judge_bounds; the caller supplies the column order.
 * PQX_TRUNCATED, _BAD_TYPE and so on: not a Thrift struct. */
int pqx_read_leaf(const uint8_t *thrift, size_t size, uint8_t column_order, pqx_element *leaf,
                  pqx_error *error);

/* generated: bounds */
#define PQX_BOUND_MIN 0x1u
#define PQX_BOUND_MAX 0x2u
#define PQX_BOUND_UNORDERED 0x4u
#define PQX_BOUND_NO_VALUE 0x8u
#define PQX_BOUND_NAN 0x10u
#define PQX_BOUND_INVERTED 0x20u
/* end of generated */

/* Check a pair of bounds by the leaf's type and order; returns bits PQX_BOUND_*. Every user of
 * bounds applies this rule: a bound is not trusted if it is a NaN or not a value of the type;
 * neither bound is trusted if they are inverted or if the order is undefined. `data` is NULL for an
 * absent bound. */
uint32_t pqx_judge_bounds(const pqx_element *leaf, pqx_bytes min, pqx_bytes max);

/* Choose the trusted bounds of a chunk: min_value/max_value under a defined order, else the
 * deprecated pair for signed orders, each checked with pqx_judge_bounds. `bytes` is the buffer of
 * the chunk's ranges. *has: bit 0 min, bit 1 max. */
void pqx_usable_bounds(const uint8_t *bytes, const pqx_chunk *chunk, const pqx_element *leaf,
                       pqx_range *min, pqx_range *max, int *has);

/* The leaf, the number of pages and the bounds of a chunk of INT32, INT64, FLOAT or DOUBLE, with
 * which its ColumnIndex must agree. `minimum` and `maximum` are the chunk's usable bounds, NULL if
 * it has none; `has_minimum` and `has_maximum` are 1 unless the footer states that they are not
 * values of the chunk. */
typedef struct pqx_page_numbers {
    const pqx_element *leaf; /* from pqx_read_leaf */
    uint32_t pages;
    const uint8_t *minimum, *maximum;
    int has_minimum, has_maximum;
} pqx_page_numbers;

/* Return the bytes of a number of the leaf's type, 0 for other types. */
static inline uint8_t pqx_page_numbers_width(const pqx_element *leaf)
{
    int is_wide = leaf->type == PQX_PHYSICAL_INT64 || leaf->type == PQX_PHYSICAL_DOUBLE;
    if (is_wide) return 8;
    return leaf->type == PQX_PHYSICAL_INT32 || leaf->type == PQX_PHYSICAL_FLOAT ? 4 : 0;
}

/* Copy the bounds of all pages from a ColumnIndex to `minima` and `maxima`, which have room for
 * `pages` numbers each. Return 1 if every page has trusted bounds and no nulls, and nothing
 * contradicts the order or the chunk's bounds. Return 0 if another function must judge the index,
 * for example because it is not a Thrift struct; the contents of `minima` and `maxima` are then
 * unspecified. O(size). */
int pqx_page_numbers_read(const pqx_page_numbers *given, const uint8_t *index, size_t size,
                          uint8_t *minima, uint8_t *maxima);

/* ---- required fields ---- */

/* The first struct that lacks a field that readers' parsers require; without it they reject the
 * whole footer. Nested structs come before the structs that contain them. A field of an unexpected
 * type counts as missing. */
typedef struct pqx_missing {
    uint64_t offset;       /* offset of the struct */
    uint32_t structure;    /* its number among the rules of csrc/tables/wire.toml */
    uint32_t field;        /* the field's id; 0: nothing is missing */
    uint64_t without_path; /* number of ColumnMetaData without path_in_schema, which can be derived
                              from the schema */
} pqx_missing;

/* Find the first missing field in the FileMetaData at the start of `data`. PQX_TRUNCATED, _BAD_TYPE
 * and so on: not a Thrift struct. O(size). */
int pqx_find_missing(const uint8_t *data, size_t size, pqx_missing *missing, pqx_error *error);

/* ---- catalog: the bounds of all chunks as columns ---- */

/* The interpretation of a leaf's bounds: the kind of value (0: bytes only) and the unit that it
 * counts since 1970 (0: none). */
/* generated: readings */
#define PQX_READING_SIGNED 0x1u
#define PQX_READING_UNSIGNED 0x2u
#define PQX_READING_BOOLEAN 0x3u
#define PQX_READING_FLOAT 0x4u
#define PQX_READING_TEXT 0x5u
#define PQX_READING_DECIMAL 0x6u
#define PQX_READING_INT96 0x7u
#define PQX_READING_VALUE 0xfu
#define PQX_READING_DAYS 0x10u
#define PQX_READING_MILLISECONDS 0x20u
#define PQX_READING_MICROSECONDS 0x30u
#define PQX_READING_NANOSECONDS 0x40u
#define PQX_READING_UNIT 0xf0u
/* end of generated */

/* Arrow buffers for the minima or the maxima, one entry per chunk. `valid` consists of
 * PQX_BOUND_BITMAPS bitmaps of (chunk_count + 7) / 8 bytes each, back to back. A bit is set if the
 * entry has bytes; is an integer; a double; valid UTF-8 text; a timestamp. An invalid entry is 0,
 * or has length 0. */
enum { PQX_BOUND_BITMAPS = 5 };

typedef struct pqx_bound_column {
    int64_t *numbers; /* chunk_count: an integer, or the bits of a double */
    int64_t *moments; /* chunk_count: microseconds since 1970, rounded down for minima and up for
                         maxima */
    int32_t *offsets; /* chunk_count + 1, into `bytes` */
    uint8_t *bytes, *valid;
} pqx_bound_column;

/* Compute the total bytes of the usable minima and maxima of all chunks. PQX_IRREGULAR: a row group
 * does not have one chunk per leaf. PQX_TOO_LARGE: more than offsets of 32 bits can represent.
 * `data` is the scanned buffer. O(chunks). */
int pqx_bound_bytes(const uint8_t *data, const pqx_scan *scan, uint64_t *minima, uint64_t *maxima,
                    pqx_error *error);

/* Fill the buffers of minima and maxima, after pqx_bound_bytes has succeeded. `readings` has one
 * element per leaf: a PQX_READING_* of a value, combined (or) with one of a unit. A bound that is
 * not a value of that kind is reported as bytes only. O(chunks + bytes). */
void pqx_bound_columns(const uint8_t *data, const pqx_scan *scan, const uint8_t *readings,
                       pqx_bound_column *minima, pqx_bound_column *maxima);

/* ---- Arrow's values: one leaf's bounds of a footer as the buffers of an array ---- */

/* The conversion of stored bytes to values of an Arrow type. `reading` is PQX_READING_* of a value:
 * - BOOLEAN: 1 byte to 1 bit, true if the byte is not 0. INT96: 12 bytes to an int64, nanoseconds
 * since 1970.
 * - DECIMAL, or SIGNED with a precision: a number of up to 10^precision - 1, of 38 digits in 16
 * bytes, of 76 in 32.
 * - SIGNED, UNSIGNED: an integer of 4 or 8 bytes, as signed, to an integer of `width` bytes that
 * can represent it; copied if the widths are equal. FLOAT, 0: `stored` bytes, copied.
 * - TEXT, 0 with stored 0: bytes of any length; TEXT must be valid UTF-8. `width` is 0.
 * A value of another length than `stored` (0: any), or that is not a value of the type, becomes
 * null. */
typedef struct pqx_arrow_type {
    uint32_t reading, stored, width, precision;
} pqx_arrow_type;

typedef struct pqx_arrow_values {
    uint8_t *valid;   /* (count + 7) / 8 bytes */
    uint8_t *values;  /* pqx_arrow_values_size bytes */
    int32_t *offsets; /* count + 1, if type->width is 0 and the type is not BOOLEAN; else unused */
    uint64_t nulls;   /* out */
    uint64_t size;    /* set: bytes of `values` in use */
} pqx_arrow_values;

/* Compute the size in bytes of `count` values; `stored[i].data` is NULL for a null.
 * PQX_BAD_ARGUMENT: no such type. PQX_TOO_LARGE: more than INT32_MAX. */
int pqx_arrow_values_size(const pqx_arrow_type *type, const pqx_bytes *stored, uint64_t count,
                          uint64_t *size, pqx_error *error);

/* Fill the buffers after pqx_arrow_values_size has succeeded. The caller reserves and clears them.
 * O(count + bytes). */
void pqx_arrow_values_fill(const pqx_arrow_type *type, const pqx_bytes *stored, uint64_t count,
                           pqx_arrow_values *out);

/* Convert big-endian integers of `stored` bytes each, or of any length given by count + 1 offsets
 * (decimals of BYTE_ARRAY), to little-endian integers of `width` bytes, 1 to 32, in out[0..count *
 * width). The result is 0 for nulls in `valid`, a bitmap or NULL. PQX_TOO_WIDE (offset: the value's
 * number, expected: width, found: its bytes): a value does not fit or has no bytes; PQX_TRUNCATED:
 * `values` is too short. */
int pqx_wide_integers(const uint8_t *values, size_t size, const int32_t *offsets, uint64_t count,
                      uint32_t stored, const uint8_t *valid, uint32_t width, uint8_t *out,
                      pqx_error *error);

/* Convert INT96 timestamps (nanoseconds of a Julian day, the day) to counts since 1970 of `unit`
 * nanoseconds, a divisor of a day. As in other readers, results beyond 64 bits wrap around, and
 * Julian day 0 gives 0, because writers fill nulls with zeros. */
int pqx_wide_instants(const uint8_t *values, size_t size, uint64_t count, uint64_t unit,
                      int64_t *out, pqx_error *error);

/* Convert timestamps of FIXED_LEN_BYTE_ARRAY(12), which are little-endian integers, to 64-bit
 * integers. PQX_TOO_WIDE (offset: the value's number): a value does not fit. */
int pqx_wide_timestamps(const uint8_t *values, size_t size, uint64_t count, int64_t *out,
                        pqx_error *error);

/* ---- slice: a small Thrift footer for a projection ---- */

/* The input of a slice, from any footer form. Elements are in preorder, the root first; their
 * Thrift bytes are copied with a new num_children (0 for leaves). Chunks are in row-group major
 * order. If `thrift.data` is set, the whole Thrift struct is copied; otherwise the struct is
 * written from `facts` (and `places`, or NULL), limited to the values in `present`, without
 * statistics. `facts` are set in both cases. A Thrift struct with metadata and without
 * PQX_PRESENT_PATH_IN_SCHEMA takes path_in_schema from `paths`, which may be NULL if no chunk needs
 * it. */
typedef struct pqx_slice_element {
    pqx_bytes thrift;
    int32_t num_children;
    uint8_t column_order;
} pqx_slice_element;

typedef struct pqx_slice_chunk {
    pqx_bytes thrift;
    const pqx_chunk *facts;
    const pqx_places *places;
} pqx_slice_chunk;

typedef struct pqx_slice_row_group {
    int64_t num_rows, file_offset;
    int32_t ordinal;
} pqx_slice_row_group;

typedef struct pqx_slice_parts {
    int32_t version;
    const pqx_slice_element *elements;
    uint32_t element_count;
    const pqx_slice_row_group *row_groups;
    uint32_t row_group_count;
    const pqx_slice_chunk *chunks;
    uint32_t leaf_count;    /* row_group_count × leaf_count */
    const pqx_bytes *paths; /* per leaf: its path, NUL between the parts */
    const pqx_bytes *key_values;
    uint32_t key_value_count; /* Thrift KeyValue structs, verbatim */
    pqx_bytes arrow_schema;   /* the base64 text, or size 0 */
    pqx_bytes created_by;
    uint8_t has_created_by, has_column_orders;
} pqx_slice_parts;

/* Append the slice's FileMetaData to `out`. total_byte_size and total_compressed_size of a row
 * group are the sums over the chunks in the slice; num_rows of the file is the sum over the row
 * groups. parquet-java assigns a row group to a split by the begin of its first chunk + half of
 * total_compressed_size. If that position would be after the chunks, total_compressed_size is that
 * of the first chunk only; a file_offset with the same problem is recomputed. ARROW:schema follows
 * the other key-values. After a failure `out` is unchanged. Offsets in errors count from the
 * element's bytes. */
int pqx_slice_write(const pqx_slice_parts *parts, pqx_buffer *out, pqx_error *error);

/* Append the slice of a scanned footer. `leaves` ascend; `row_groups` are in the requested order.
 * The groups above the leaves are included. With `arrow_schema`, ARROW:schema is projected to these
 * leaves (if the footer has a valid one). With `key_values`, the other key-values are included. */
int pqx_slice_footer(const uint8_t *data, size_t size, const pqx_scan *scan, const uint32_t *leaves,
                     uint32_t leaf_count, const uint32_t *row_groups, uint32_t row_group_count,
                     int arrow_schema, int key_values, pqx_buffer *out, pqx_error *error);

/* ---- ARROW:schema ---- */

/* The Arrow schema of a key-value, decoded on access: fields can be extracted one by one and
 * assembled again. The caller owns `text`, which must remain valid. */
typedef struct pqx_arrow_schema {
    const uint8_t *text; /* the base64 value, without its padding */
    size_t text_size;
    uint8_t *data;    /* room for the IPC message, malloc'ed; blocks are decoded on first use */
    uint8_t *decoded; /* per block: 1 if it is decoded */
    size_t size;      /* bytes of the message, prefix included */
    size_t *budget;   /* remaining bytes for all pieces together */
    uint32_t field_count;
    uint32_t fields, schema; /* offsets in `data`: the fields vector, the Schema table */
} pqx_arrow_schema;

/* Open a schema; `text` is the base64 value. Reserves size × 3 / 4 bytes and touches few of them;
 * free them with pqx_arrow_schema_free. Use a schema from one thread at a time. Offsets in errors
 * count from the decoded message. */
int pqx_arrow_schema_parse(const uint8_t *text, size_t size, pqx_arrow_schema *schema,
                           pqx_error *error);
void pqx_arrow_schema_free(pqx_arrow_schema *schema);

/* Return the name of field `index`, valid until the schema is freed; "" if it has none. */
int pqx_arrow_field_name(const pqx_arrow_schema *schema, uint32_t index, pqx_bytes *name,
                         pqx_error *error);

/* Append field `index`, without its name, as one self-contained piece: a FlatBuffers Field table at
 * offset 0 whose offsets, vtables included, all point forward within the piece, and whose name
 * offset is the end of the piece. Its length is a multiple of 8. All pieces of one schema together
 * are at most 4 × its size + 1024 bytes, which limits the duplication of shared tables. A type or a
 * slot that is not in Schema.fbs of Arrow 24 is an error. */
int pqx_arrow_field_piece(const pqx_arrow_schema *schema, uint32_t index, pqx_buffer *out,
                          pqx_error *error);

/* Assemble pieces and names into an ARROW:schema value (base64), appended to `out`. If keep[i].data
 * is NULL, field i is kept whole. Otherwise keep[i] selects the children of a struct: one byte per
 * child (0: removed), then, in order, the same for each kept child that is itself a struct (below
 * lists, maps and dictionaries everything is kept); all bytes must be consumed. `keep` may be NULL.
 * The schema's metadata is omitted because it repeats the file's key-values. Pieces are untrusted:
 * they are checked on the way, and no field takes more than 4 × its piece + 1024 bytes. Offsets in
 * errors count from the piece. */
int pqx_arrow_schema_build(const pqx_bytes *pieces, const pqx_bytes *names, const pqx_bytes *keep,
                           uint32_t count, pqx_buffer *out, pqx_error *error);

/* ---- the flat footer ---- */

/* The contents of an extension slot of a flat footer. */
typedef struct pqx_flat_extension {
    uint8_t uuid[16];
    pqx_bytes data;
} pqx_flat_extension;

/* Append the flat footer's payload (docs/formats.md, without the 28-byte trailer) for a scanned
 * footer. `flags` may contain PQX_FLAT_WRITE_COMPACT: bounds of more than 16 bytes are shortened if
 * that is valid; PQX_FLAT_WRITE_VERBATIM: a footer that the tables cannot represent (PQX_ENCRYPTED,
 * _IRREGULAR, _MISMATCH, _MISSING_FIELD, _UNSUPPORTED_VALUE, _FIELD_TYPE, _SCHEMA) is stored
 * unchanged, without extensions, and can only be read by pqx_flat_to_thrift. Extensions, if any,
 * ascend by UUID. PQX_TOO_LARGE: 2 GiB, or a footer of more than 16 times its payload.
 * PQX_OUT_OF_PROPORTION: the payload exceeds 16 times the footer and its extensions, and 4 MiB; for
 * paths this is detected before anything is built. Temporarily reserves 4 bytes per table, 8 per
 * cell and 32 per schema element. After a failure `out` is unchanged. */
#define PQX_FLAT_WRITE_COMPACT 1
#define PQX_FLAT_WRITE_VERBATIM 2
int pqx_flat_write(const uint8_t *footer, size_t size, const pqx_scan *scan, int flags,
                   const pqx_flat_extension *extensions, uint32_t extension_count, pqx_buffer *out,
                   pqx_error *error);

/* Append the Thrift FileMetaData, without an extension, that a whole payload in memory was written
 * from: byte for byte, or, for a compact payload, with its shortened bounds. The output, and
 * separately the memory reserved, is at most 64 times the payload (PQX_TOO_LARGE). O(size of both).
 * After a failure `out` is unchanged. */
int pqx_flat_to_thrift(const uint8_t *payload, size_t size, pqx_buffer *out, pqx_error *error);

typedef struct pqx_flat pqx_flat;

/* Open the flat footer whose payload is [payload, payload + length) of the source. `known` are
 * `known_size` bytes of the source that end at `known_end` and have already been read; there may be
 * none. Checks the tail block and nothing else. Reserves the reader and a copy of the known bytes
 * of the payload; free them with pqx_flat_close. Use a reader from one thread at a time. */
int pqx_flat_open(const pqx_source *source, uint64_t payload, uint64_t length, const uint8_t *known,
                  size_t known_size, uint64_t known_end, pqx_flat **flat, pqx_error *error);
void pqx_flat_close(pqx_flat *flat);

typedef struct pqx_flat_facts {
    int32_t version;
    int64_t num_rows;
    uint32_t leaf_count, node_count, row_group_count, key_value_count;
    uint8_t
        is_lossless; /* bounds are not shortened: pqx_flat_to_thrift returns the original bytes */
} pqx_flat_facts;
void pqx_flat_get_facts(const pqx_flat *flat, pqx_flat_facts *facts);

/* Find the leaves and groups whose path equals a name; '.' and NUL are equivalent. Fills up to
 * `capacity` ids (a leaf's ordinal, or PQX_FLAT_GROUP | node) and returns their number. If lookups
 * encounter deliberately colliding names, the reader reads the whole payload, and puts all names
 * into a table under a random key, of 24 to 40 bytes for each name. */
#define PQX_FLAT_GROUP 0x80000000u
int pqx_flat_find_name(pqx_flat *flat, const uint8_t *name, size_t size, uint32_t *ids,
                       size_t capacity, size_t *count, pqx_error *error);
int pqx_flat_find_field_id(pqx_flat *flat, int32_t field_id, uint32_t *ids, size_t capacity,
                           size_t *count, pqx_error *error);

/* The position of a leaf or group in the schema. Pointers are valid until the next call on this
 * reader. */
typedef struct pqx_flat_node {
    pqx_bytes thrift, path; /* SchemaElement; path with NUL between its parts, "" for the root */
    uint32_t parent;        /* node, PQX_FLAT_NONE for the root */
    uint32_t schema_index;  /* in preorder */
    uint32_t first_leaf, leaf_count;
    uint8_t column_order, max_definition, max_repetition;
} pqx_flat_node;
int pqx_flat_get_node(pqx_flat *flat, uint32_t id, pqx_flat_node *node, pqx_error *error);

/* Read a leaf's chunks in the row groups [first, first + count). `chunks` has room for `count`;
 * `places` has too, or is NULL. Bounds are appended to `arena`, and the chunks' ranges are relative
 * to its start. Only the values that the flat form stores are set. */
int pqx_flat_get_chunks(pqx_flat *flat, uint32_t leaf, uint32_t first, uint32_t count,
                        pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena, pqx_error *error);

/* Append to `out` the ColumnChunk structs of a leaf in the row groups [first, first + count), as
 * pqx_flat_to_thrift writes them, with one range of `out` for each. Errors and the size limit are
 * those of pqx_flat_to_thrift; after an error `out` may contain some of the structs. */
int pqx_flat_get_chunk_structs(pqx_flat *flat, uint32_t leaf, uint32_t first, uint32_t count,
                               pqx_buffer *out, pqx_range *ranges, pqx_error *error);
int pqx_flat_get_row_groups(pqx_flat *flat, uint32_t first, uint32_t count,
                            pqx_row_group *row_groups, pqx_error *error);

typedef struct pqx_sorting_column {
    int32_t column;
    uint8_t descending, nulls_first;
} pqx_sorting_column;

/* Read the sorting columns of a row group. Fills up to `capacity` and returns their number. */
int pqx_flat_get_sorting_columns(pqx_flat *flat, uint32_t row_group, pqx_sorting_column *columns,
                                 size_t capacity, size_t *count, pqx_error *error);

/* Read key and value of pair `index`; value->data is NULL if there is no value. Valid until the
 * next call. */
int pqx_flat_get_key_value(pqx_flat *flat, uint32_t index, pqx_bytes *key, pqx_bytes *value,
                           pqx_error *error);
int pqx_flat_get_created_by(pqx_flat *flat, pqx_bytes *created_by, int *present, pqx_error *error);

/* Read the extension slots: their number; UUID and length of one; its bytes, valid until the next
 * call. The number requires the list of all slots, the bytes only the cell of that slot. */
int pqx_flat_get_extension_count(pqx_flat *flat, uint32_t *count, pqx_error *error);
int pqx_flat_get_extension_name(pqx_flat *flat, uint32_t index, uint8_t uuid[16], uint32_t *size,
                                pqx_error *error);
int pqx_flat_get_extension(pqx_flat *flat, uint32_t index, pqx_bytes *data, pqx_error *error);

/* The slice for a projection, as pqx_slice_footer makes it. */
int pqx_flat_slice(pqx_flat *flat, const uint32_t *leaves, uint32_t leaf_count,
                   const uint32_t *row_groups, uint32_t row_group_count, int arrow_schema,
                   int key_values, pqx_buffer *out, pqx_error *error);

/* Read the whole payload into memory, once, which is faster if many columns are used. Bytes are
 * still checked on use. */
int pqx_flat_hold(pqx_flat *flat, pqx_error *error);

/* Return the number of reads and of bytes fetched so far. */
void pqx_flat_io(const pqx_flat *flat, uint64_t *reads, uint64_t *bytes);

/* Check a whole payload in memory: every cell, that the vectors that other readers use refer to the
 * same tables, and that it converts to a Thrift footer. */
int pqx_flat_verify(const uint8_t *payload, size_t size, pqx_error *error);

/* ---- the footer index ---- */

/* Append the footer index's payload (docs/formats.md, section 7, without the 28-byte trailer) for a
 * scanned footer. PQX_OUT_OF_PROPORTION: the paths, or the payload, exceed 16 times the footer and
 * 4 MiB; detected before anything is built. Temporarily reserves 32 bytes per schema element. After
 * a failure `out` is unchanged. */
int pqx_index_write(const uint8_t *footer, size_t size, const pqx_scan *scan, pqx_buffer *out,
                    pqx_error *error);

/* Reads the Thrift footer through its index. The functions match those of pqx_flat above, with
 * these differences. Thrift bytes with a wrong checksum are PQX_THRIFT_CHECKSUM, which no other
 * form can repair; every other error is damage of the index. */
typedef struct pqx_index pqx_index;

/* Open the index whose payload is [payload, payload + length) of the source, of the Thrift footer
 * that begins at `footer`. The pieces that the index refers to are in the first `thrift_length`
 * bytes of the footer (see pqx_location). `known` is the same as for pqx_flat_open. Checks the tail
 * block and nothing else. Reserves the reader and a copy of `known`. */
int pqx_index_open(const pqx_source *source, uint64_t footer, uint64_t thrift_length,
                   uint64_t payload, uint64_t length, const uint8_t *known, size_t known_size,
                   uint64_t known_end, pqx_index **index, pqx_error *error);
void pqx_index_close(pqx_index *index);

/* Read the Thrift footer and the index into memory, once, which is faster if most columns are used.
 */
int pqx_index_hold(pqx_index *index, pqx_error *error);
void pqx_index_get_facts(const pqx_index *index, pqx_flat_facts *facts);
/* Return the id that a name most likely has, by which look-ups may be sorted; UINT32_MAX: none. */
uint32_t pqx_index_guess_name(pqx_index *index, const uint8_t *name, size_t size);
int pqx_index_find_name(pqx_index *index, const uint8_t *name, size_t size, uint32_t *ids,
                        size_t capacity, size_t *count, pqx_error *error);
int pqx_index_find_field_id(pqx_index *index, int32_t field_id, uint32_t *ids, size_t capacity,
                            size_t *count, pqx_error *error);
int pqx_index_get_node(pqx_index *index, uint32_t id, pqx_flat_node *node, pqx_error *error);

/* Append the chunks' Thrift bytes to `arena`; all ranges are relative to its start. All values of
 * the Thrift footer are set. Bounds are those of the footer, to be checked by pqx_usable_bounds
 * with *element, which is filled in if it is not NULL (its ranges are undefined). */
int pqx_index_get_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                         pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                         pqx_element *element, pqx_error *error);
/* Append the Thrift bytes of chunks to `arena`: chunks[i].chunk is the range of each. */
int pqx_index_get_structs(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                          pqx_chunk *chunks, pqx_buffer *arena, pqx_error *error);
int pqx_index_get_row_groups(pqx_index *index, uint32_t first, uint32_t count,
                             pqx_row_group *row_groups, pqx_error *error);
int pqx_index_get_sorting_columns(pqx_index *index, uint32_t row_group, pqx_sorting_column *columns,
                                  size_t capacity, size_t *count, pqx_error *error);
int pqx_index_get_key_value(pqx_index *index, uint32_t number, pqx_bytes *key, pqx_bytes *value,
                            pqx_error *error);
int pqx_index_get_created_by(pqx_index *index, pqx_bytes *created_by, int *present,
                             pqx_error *error);
int pqx_index_slice(pqx_index *index, const uint32_t *leaves, uint32_t leaf_count,
                    const uint32_t *row_groups, uint32_t row_group_count, int arrow_schema,
                    int key_values, pqx_buffer *out, pqx_error *error);

/* Check a whole index in memory: in `data` the Thrift footer, extension included, is [footer,
 * size), and the payload is [payload, payload + length). Checks every cell, every checksum over
 * Thrift bytes, and that the payload is byte for byte the index of this footer: PQX_BAD_VALUE at
 * the first byte that differs. Offsets count from `data`. O(size). Reserves as much as
 * pqx_scan_footer and pqx_index_write, and a copy of `data`. */
int pqx_index_verify(const uint8_t *data, size_t size, size_t footer, size_t thrift_length,
                     size_t payload, size_t length, pqx_error *error);
void pqx_index_io(const pqx_index *index, uint64_t *reads, uint64_t *bytes);

/* ---- the packed footer ---- */

/* Append a zstd frame of some bytes, which says their number, to `out`. */
typedef struct pqx_packed_compress {
    int (*run)(void *context, pqx_bytes data, pqx_buffer *out, pqx_error *error);
    void *context;
} pqx_packed_compress;

/* Append the packed payload (docs/formats.md, section 15, without the 28-byte trailer) for a
 * scanned footer. `compress` may be NULL. The UUIDs of the extension slots ascend. Errors:
 * PQX_ENCRYPTED, PQX_IRREGULAR, PQX_OUT_OF_PROPORTION (names), PQX_TOO_LARGE. O(size). */
int pqx_packed_write(const uint8_t *footer, size_t size, const pqx_scan *scan,
                     const pqx_packed_compress *compress, const pqx_flat_extension *extensions,
                     uint32_t extension_count, pqx_buffer *out, pqx_error *error);

/* Open a packed payload as an index reader, whose chunks' only ranges are their bounds: all
 * functions of the index apply, except pqx_index_verify; errors are those of pqx_index_open.
 * Compressed texts need libzstd (PQX_COMPRESSED_TEXT). */
int pqx_packed_open(const pqx_source *source, uint64_t payload, uint64_t length,
                    const uint8_t *known, size_t known_size, uint64_t known_end, pqx_index **index,
                    pqx_error *error);

/* Read chunks like pqx_index_get_chunks, without their bounds, which are empty. */
int pqx_packed_get_placed(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                          pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                          pqx_element *element, pqx_error *error);

/* Append the Thrift FileMetaData from which the payload of a reader was written, without its
 * extension. The result has at most 64 times the payload's bytes and 1 MiB. */
int pqx_packed_to_thrift(pqx_index *index, pqx_buffer *out, pqx_error *error);

/* Check every cell of a payload: its checksum, and the names. */
int pqx_packed_verify(pqx_index *index, pqx_error *error);
/* The extension slots: their number; the UUID and the data of one, valid until the next call. */
uint32_t pqx_packed_extension_count(pqx_index *index);
int pqx_packed_get_extension(pqx_index *index, uint32_t number, uint8_t uuid[16], pqx_bytes *data,
                             pqx_error *error);

/* ---- where the footer is ---- */

/* One of our blocks that is stored aside: in the data section of the file, directly before the
 * Thrift footer. */
typedef struct pqx_aside_block {
    uint8_t uuid[16];
    uint64_t payload;             /* offset in the file; its 28-byte trailer follows it */
    uint32_t length, trailer_crc; /* of the payload; the CRC-32 of the trailer */
} pqx_aside_block;

/* A reference to such blocks, as stored in an extension of FileMetaData. Its ranges are in the
 * payload that it was parsed from, which the caller owns. */
typedef struct pqx_reference {
    uint64_t start; /* offset of the Thrift footer before the blocks were added */
    uint32_t struct_length,
        struct_crc; /* the Thrift struct without extension, stop byte included; its CRC-32 */
    uint32_t block_count;
    const uint8_t *blocks;
    pqx_bytes tail_block; /* a copy of the end of the last payload; size 0: none */
} pqx_reference;

/* Parse the payload of a reference block of a file whose Thrift footer begins at `footer`, and
 * check that its blocks follow each other from `start` to the footer. The caller must check the
 * payload's checksum and that the struct ends at the recorded position. PQX_UNKNOWN_LAYOUT: an
 * unknown version; PQX_REFERENCE: any other inconsistency. Offsets of errors count from `payload`.
 */
int pqx_reference_parse(const uint8_t *payload, size_t size, uint64_t footer,
                        pqx_reference *reference, pqx_error *error);

/* Return block `index` of reference->block_count, from front to back. */
void pqx_reference_get_block(const pqx_reference *reference, uint32_t index,
                             pqx_aside_block *block);

/* ---- the metadata sidecar, `_pm` ---- */

/* generated: sidecar constants */
#define PQX_PM_CHUNK_BYTES 64
#define PQX_PM_CHUNK_CODEC 0
#define PQX_PM_CHUNK_ENCODINGS 1
#define PQX_PM_CHUNK_STAT_FLAGS 2
#define PQX_PM_CHUNK_STAT_SIZES 3
#define PQX_PM_CHUNK_NUM_VALUES 8
#define PQX_PM_CHUNK_BYTE_RANGE_START 16
#define PQX_PM_CHUNK_TOTAL_COMPRESSED 24
#define PQX_PM_CHUNK_NULL_COUNT 32
#define PQX_PM_CHUNK_DISTINCT_COUNT 40
#define PQX_PM_CHUNK_MIN_STAT 48
#define PQX_PM_CHUNK_MAX_STAT 56
#define PQX_PM_FEATURE_BLOOM_FILTERS 1
#define PQX_PM_FEATURE_BLOOM_FILTERS_EXTERNAL 2
#define PQX_PM_FEATURE_SORTED_BY_TIMESTAMP 4
#define PQX_PM_FEATURE_SQUASH_TRACKER 8
#define PQX_PM_FOOTER_FEATURE_SEQ_TXN 1
#define PQX_PM_FOOTER_FEATURE_SCRATCHPAD 2
#define PQX_PM_COLUMN_FLAG_LOCAL_KEY_IS_GLOBAL 1
#define PQX_PM_COLUMN_FLAG_IS_ASCII 2
#define PQX_PM_COLUMN_FLAG_DESCENDING 16
#define PQX_PM_STAT_MIN_PRESENT 1
#define PQX_PM_STAT_MIN_INLINED 2
#define PQX_PM_STAT_MIN_EXACT 4
#define PQX_PM_STAT_MAX_PRESENT 8
#define PQX_PM_STAT_MAX_INLINED 16
#define PQX_PM_STAT_MAX_EXACT 32
#define PQX_PM_STAT_DISTINCT_COUNT 64
#define PQX_PM_STAT_NULL_COUNT 128
/* end of generated */

/* The header of a sidecar, read and checked; it applies to all of its footers. The functions below
 * read directly from `data`, which the caller owns and must not change. `columns` are at offset 32,
 * 32 bytes each. */
typedef struct pqx_pm {
    const uint8_t *data;
    size_t size;
    uint64_t features; /* PQX_PM_FEATURE_*; readers ignore unknown bits of the lower half */
    int32_t designated_timestamp; /* column, -1: none */
    uint32_t column_count;
    uint32_t sorting_count;        /* the implicit sorting column included */
    uint32_t bloom_count;          /* columns with Bloom filters */
    size_t sorting, bloom_columns; /* offsets of uint32s */
    size_t end;                    /* offset after the header's last known section */
    int64_t squash_tracker;        /* -1: none */
} pqx_pm;

/* One snapshot: a footer and the positions of its parts. */
typedef struct pqx_pm_footer {
    uint64_t size; /* of the sidecar when this footer was committed */
    uint64_t offset;
    uint32_t length; /* up to and including the checksum */
    uint32_t parquet_footer_length, row_group_count;
    uint64_t parquet_footer_offset, unused_bytes;
    uint64_t previous;         /* committed size of the previous snapshot, 0: none */
    uint64_t features;         /* PQX_PM_FOOTER_FEATURE_* */
    uint64_t entries, blooms;  /* offsets: of block entries; of the Bloom filters' matrix */
    uint64_t scratchpad;       /* offset of its first entry */
    uint32_t scratchpad_count; /* 0: none */
    uint32_t checksum;         /* as stored */
    int64_t seq_txn;           /* -1: none */
} pqx_pm_footer;

/* Read the header of the sidecar in `data`. Checks flags, the designated timestamp, the position of
 * every name, and the sections. O(columns). */
int pqx_pm_open(const uint8_t *data, size_t size, pqx_pm *pm, pqx_error *error);

/* Return the size at offset 0, written by the last commit. `size` is at least 8. */
uint64_t pqx_pm_committed_size(const uint8_t *data);

/* Read the footer that ends at `committed`. Checks its position and flags, that its sections fill
 * it if all its features are known, and that every row group's block is between header and footer.
 * O(row groups). */
int pqx_pm_get_footer(const pqx_pm *pm, uint64_t committed, pqx_pm_footer *footer,
                      pqx_error *error);

/* Find the newest footer that belongs to a Parquet file of `parquet_size` bytes, from the one at
 * `committed` backwards. PQX_PM_CHAIN: there is none. */
int pqx_pm_find_footer(const pqx_pm *pm, uint64_t committed, uint64_t parquet_size,
                       pqx_pm_footer *footer, pqx_error *error);

/* Return the size in bytes of the Parquet file that a footer belongs to; *known is 0 if it exceeds
 * 64 bits. */
uint64_t pqx_pm_parquet_size(const pqx_pm_footer *footer, int *known);

/* Compute the checksum of everything before a footer's checksum, and in the same pass that of the
 * previous snapshot. PQX_CHECKSUM: one of them differs. O(size). */
int pqx_pm_check(const pqx_pm *pm, const pqx_pm_footer *footer, pqx_error *error);

typedef struct pqx_pm_column {
    pqx_bytes name;
    int32_t id, type, flags, fixed_byte_len;
    uint8_t physical_type, max_repetition, max_definition;
} pqx_pm_column;
int pqx_pm_get_column(const pqx_pm *pm, uint32_t index, pqx_pm_column *column, pqx_error *error);

/* Find the columns with this name. Fills up to `capacity` and returns their number. Leaves below
 * the same field have the same name. */
void pqx_pm_find_name(const pqx_pm *pm, const uint8_t *name, size_t size, uint32_t *columns,
                      size_t capacity, size_t *count);

/* Read sorting column `index` of pm->sorting_count. */
int pqx_pm_get_sorting_column(const pqx_pm *pm, uint32_t index, uint32_t *column, pqx_error *error);

/* Read the row counts of the row groups [first, first + count). PQX_PM_ROWS: one of them, or their
 * sum, exceeds 2^63 - 1. */
int pqx_pm_get_rows(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t first, uint32_t count,
                    int64_t *rows, pqx_error *error);

/* Read one member of a column's chunks in the row groups [first, first + count); `member` is its
 * offset in the record, PQX_PM_CHUNK_*. Bytes: codec (above 7: PQX_PM_CODEC), encodings,
 * stat_flags, stat_sizes. Numbers: the others except the two statistics; -1 if the value is absent
 * or exceeds 2^63 - 1. */
int pqx_pm_get_bytes(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column, uint32_t first,
                     uint32_t count, int member, uint8_t *values, pqx_error *error);
int pqx_pm_get_numbers(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                       uint32_t first, uint32_t count, int member, int64_t *values,
                       pqx_error *error);

/* Read all numbers of these chunks in one pass: `count` of each member, in the order of the members
 * in the record. */
int pqx_pm_get_all_numbers(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                           uint32_t first, uint32_t count, int64_t *values, pqx_error *error);

/* Find the statistics of a column's chunks; offsets are into `data`. has[i]: bit 0 a minimum, bit 1
 * a maximum. */
int pqx_pm_get_bounds(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                      uint32_t first, uint32_t count, uint8_t *has, uint64_t *min_offsets,
                      uint32_t *min_lengths, uint64_t *max_offsets, uint32_t *max_lengths,
                      pqx_error *error);

/* UNUSABLE: the filter has an impossible length or offset. */
enum pqx_pm_bloom_kind {
    PQX_PM_BLOOM_NONE = 0,
    PQX_PM_BLOOM_INLINE = 1,
    PQX_PM_BLOOM_EXTERNAL = 2,
    PQX_PM_BLOOM_UNUSABLE = 3
};

typedef struct pqx_pm_bloom {
    int kind;
    uint64_t offset,
        length; /* inline: of the bitset, in `data`; external: in the Parquet file, at its header */
} pqx_pm_bloom;
int pqx_pm_get_bloom(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t row_group,
                     uint32_t column, pqx_pm_bloom *bloom, pqx_error *error);

/* Read the scratchpad entry at `at` (initially footer->scratchpad); *next is the offset of the next
 * entry. */
void pqx_pm_get_scratch(const pqx_pm *pm, uint64_t at, uint32_t *code, pqx_bytes *value,
                        uint64_t *next);

/* Find the first entry with this code. Return 1, or 0 if there is none. */
int pqx_pm_find_scratch(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t code,
                        pqx_bytes *value);

/* The current state of a local file; times in ns. */
typedef struct pqx_pm_file {
    uint64_t size;
    int64_t modified, changed;
    uint64_t device, inode;
} pqx_pm_file;

/* Return 1 if our note in the scratchpad (docs/sidecar.md) shows that the snapshot was made from
 * this file and that the file has not changed since, else 0. */
int pqx_pm_is_of(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_file *file);

/* The input for writing a column chunk. `flags`: PQX_PM_STAT_*, of which the writer sets PRESENT
 * and INLINED. */
typedef struct pqx_pm_chunk {
    uint64_t num_values, byte_range_start, total_compressed_size, null_count, distinct_count;
    pqx_bytes min, max;                  /* size 0: none */
    pqx_bytes bloom;                     /* inline filters: the bitset, size 0: none */
    uint64_t bloom_offset, bloom_length; /* external filters: in the Parquet file, both 0: none */
    uint8_t codec, encodings, flags;
} pqx_pm_chunk;

/* Convert a chunk's metadata from any footer form. `bytes` is the buffer of its ranges, `column`
 * its descriptor. A statistic is omitted if its width differs from the type's or if it has more
 * than 65535 bytes. Statistics of integers that the file compares as `unsigned_order` are omitted
 * if readers that compare as signed would see another order, except for IPv4 addresses, which have
 * no sign. A required leaf has no nulls. Of the Bloom filter in `places` (or NULL), only the
 * location is used. */
int pqx_pm_chunk_of(const uint8_t *bytes, const pqx_chunk *facts, const pqx_places *places,
                    const pqx_pm_column *column, int unsigned_order, pqx_pm_chunk *chunk,
                    pqx_error *error);

/* The input for writing a header. A single sorting column that is the designated timestamp and
 * ascends stays implicit. */
typedef struct pqx_pm_table {
    const pqx_pm_column *columns;
    uint32_t column_count;
    const uint32_t *sorting;
    uint32_t sorting_count;
    const uint32_t *bloom_columns;
    uint32_t bloom_count;         /* ascending, each once */
    int32_t designated_timestamp; /* -1: none */
    uint8_t external_blooms;
    int64_t squash_tracker; /* -1: none */
} pqx_pm_table;

/* The input for writing a footer. */
typedef struct pqx_pm_scratch {
    uint32_t code;
    pqx_bytes value;
} pqx_pm_scratch;

typedef struct pqx_pm_end {
    uint64_t parquet_footer_offset, unused_bytes;
    uint32_t parquet_footer_length;
    int64_t seq_txn; /* -1: none */
    const pqx_pm_scratch *scratchpad;
    uint32_t scratchpad_count;
    pqx_bytes schema; /* in the format of pqx_pm_slices: a note with checksums of parts follows,
                         which lets plans read less. Only for a new sidecar whose last given note is
                         that of its file (PQTX), without a tag; empty: none */
} pqx_pm_end;

/* A new sidecar, or an addition to one, that is being written. Initialize it with zeros; free it
 * with pqx_pm_writer_free. */
typedef struct pqx_pm_writer {
    pqx_buffer out; /* the bytes to write at offset `base` */
    uint64_t base;
    uint64_t previous; /* committed size of the previous snapshot; 0 in a new sidecar */
    uint32_t crc;      /* of the bytes before `base` */
    uint32_t column_count, bloom_count;
    uint8_t external_blooms;
    uint32_t row_group_count;
    pqx_buffer bloom_columns, entries, blooms;
} pqx_pm_writer;

/* Begin a new sidecar and write its header. */
int pqx_pm_write_header(pqx_pm_writer *writer, const pqx_pm_table *table, pqx_error *error);

/* Begin to append to a sidecar at `base`, which is at least footer->size and at most pm->size.
 * Bytes between the footer and `base` belong to no snapshot, but the checksum covers them. Row
 * groups and their filters are those of `footer`, in their existing blocks. */
int pqx_pm_write_on(pqx_pm_writer *writer, const pqx_pm *pm, const pqx_pm_footer *footer,
                    uint64_t base, pqx_error *error);

/* Write a row group's block: one chunk per column. It replaces row group `at`, or adds one if `at`
 * is writer->row_group_count. A filter of a column that the header does not name is omitted. */
int pqx_pm_write_row_group(pqx_pm_writer *writer, uint32_t at, uint64_t num_rows,
                           const pqx_pm_chunk *chunks, pqx_error *error);

/* Write footer and trailer. The sidecar's new size is writer->base + writer->out.size. A new
 * sidecar already contains it at offset 0; for an existing sidecar the caller writes it last. */
int pqx_pm_write_footer(pqx_pm_writer *writer, const pqx_pm_end *end, pqx_error *error);
void pqx_pm_writer_free(pqx_pm_writer *writer);

/* The data that our sidecars store in addition to `_pm`, for slices of the Parquet footer
 * (docs/sidecar.md): schema, key-values, and the metadata of each chunk that `_pm` lacks. Read
 * directly from the note, which the caller owns. */
typedef struct pqx_pm_slices {
    pqx_bytes schema; /* a FileMetaData without row groups; ARROW:schema is its only key-value */
    pqx_bytes key_values; /* the others, Thrift structs back to back */
    uint32_t key_value_count, leaf_count, row_group_count;
    const uint8_t *ends; /* uint32s: the offset in `runs` after each leaf's run */
    pqx_bytes runs;
} pqx_pm_slices;

/* Read the note in `data`. PQX_PM_SLICES: its parts do not fill it, or its layout is unknown.
 * O(leaves). */
int pqx_pm_open_slices(const uint8_t *data, size_t size, pqx_pm_slices *slices, pqx_error *error);

/* Append the runs for the chunks of a scanned footer to `out`, and the end of each leaf's run to
 * `ends`, as uint32s relative to the first run. If a run cannot represent a chunk, *whole is 0 and
 * nothing is appended: the chunk is in another file, is encrypted, or lacks a field that readers
 * need. */
int pqx_pm_write_runs(const pqx_scan *scan, pqx_buffer *ends, pqx_buffer *out, int *whole,
                      pqx_error *error);

/* Read the chunks of a leaf in the row groups [first, first + count) like those of a Thrift footer.
 * `element` is the leaf's element in the scanned schema. Ranges are relative to the sidecar's
 * start. PQX_PM_SLICES: note and sidecar do not match. O(row groups). */
int pqx_pm_get_chunks(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_slices *slices,
                      const pqx_element *element, uint32_t leaf, uint32_t first, uint32_t count,
                      pqx_chunk *chunks, pqx_places *places, pqx_error *error);

/* Append the slice for a projection, like pqx_slice_footer. `data` and `schema` are the scanned
 * schema. */
int pqx_pm_slice(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_slices *slices,
                 const uint8_t *data, size_t size, const pqx_scan *schema, const uint32_t *leaves,
                 uint32_t leaf_count, const uint32_t *row_groups, uint32_t row_group_count,
                 int arrow_schema, int key_values, pqx_buffer *out, pqx_error *error);

/* ---- planning many files at once ---- */

/* The usable minima or maxima of a column, one row group after another, as Arrow buffers: validity
 * bits, ends (int64, the first one 0; only if the width varies), bytes. */
typedef struct pqx_plan_side {
    pqx_buffer valid, ends, data;
} pqx_plan_side;

typedef struct pqx_plan_column {
    pqx_element element;      /* used to check the bounds */
    uint32_t leaf, width;     /* bytes of a bound, 0: it varies */
    pqx_buffer nulls, values; /* int64, -1 if unknown */
    pqx_plan_side min, max;
} pqx_plan_column;

/* Columns of files with the same schema. `columns` is malloc'ed; free it with pqx_plan_free. */
typedef struct pqx_plan {
    pqx_bytes schema;     /* from the first file's sidecar */
    uint64_t schema_hash; /* its pqx_xxh64, seed 0 */
    pqx_plan_column *columns;
    uint32_t column_count;
    uint64_t row_group_count; /* of all files added so far */
    pqx_buffer room;
} pqx_plan;

/* A local file's sidecar that stores the data for slices. Initialize it with zeros; it can be
 * reused for any number of files. */
enum pqx_plan_status {
    PQX_PLANNED = 0,     /* it matches the file's size and times */
    PQX_PLAN_NONE = 1,   /* there is no sidecar */
    PQX_PLAN_UNUSED = 2, /* it is stale, damaged or incomplete: read the file's footer instead */
    PQX_PLAN_OTHER = 3   /* its schema differs from the plan's */
};

typedef struct pqx_plan_sidecar {
    int status; /* pqx_plan_status; the members below are valid if it is PQX_PLANNED */
    pqx_pm pm;
    pqx_pm_footer footer;
    pqx_pm_slices slices;
    pqx_buffer bytes; /* the sidecar's bytes, which the members above point into */
    int is_partial;   /* read by parts: `bytes` contains the parts that the plan needs, at their
                         offsets; no `slices` */
    int folder,
        is_entered; /* the open folder of the last path, and other state kept from file to file */
    pqx_buffer folder_path, beside;
} pqx_plan_sidecar;

/* Read the sidecar of the file at `path`, replacing the previous one, and check that it belongs to
 * the file. With `verify`, its checksum must match. If a `plan` is given and the sidecar has
 * checksums of parts, only the parts that the plan needs are read; otherwise all of it is read. The
 * call fails only if memory runs out. */
int pqx_plan_open(const char *path, const pqx_plan *plan, int verify, pqx_plan_sidecar *opened,
                  pqx_error *error);
void pqx_plan_close(pqx_plan_sidecar *opened);

/* Append the values of the plan's columns from an opened sidecar. If its schema differs or the
 * values are damaged, its status becomes PQX_PLAN_OTHER or PQX_PLAN_UNUSED, and nothing is
 * appended. O(row groups). */
int pqx_plan_gather(pqx_plan *plan, pqx_plan_sidecar *opened, pqx_error *error);
void pqx_plan_free(pqx_plan *plan);

#endif
