/* The parts of a Thrift struct that are not in the tables: skeletons, literals and facts
 * (docs/formats.md, 3.6). */
#ifndef PQX_FLAT_RESIDUE_H
#define PQX_FLAT_RESIDUE_H

#include "base/internal.h"

#define PQX_LONGEST_RUN 0x80  /* operations below it are runs of op + 1 bytes */
#define PQX_POOL_PAGE_SHIFT 9 /* a pool position is page << 9 | offset / 8, never below 2 */
enum {
    PQX_RECORD_SAME,
    PQX_RECORD_SAME_SKELETON,
    PQX_RECORD_NEW
}; /* the first number of a record; from NEW on it is a pool position */

static inline uint32_t pqx_pool_page(uint32_t place) { return place >> PQX_POOL_PAGE_SHIFT; }
static inline uint32_t pqx_pool_offset(uint32_t place)
{ return (place & ((1u << PQX_POOL_PAGE_SHIFT) - 1)) * 8; }

/* The values of one struct in the tables. Members of other structs are NULL. */
typedef struct pqx_facts {
    const pqx_chunk *chunk; /* of a ColumnChunk, with its bounds; data NULL: none */
    const pqx_places *places;
    pqx_bytes path, min, max;   /* path: the whole list of path_in_schema */
    const pqx_row_group *group; /* of a RowGroup */
    const pqx_bytes *chunks;    /* its chunks, back to back */
    const struct pqx_footer_facts *footer;
} pqx_facts;

/* The values of the FileMetaData in the tables. `pair` returns the key (part 0) or value (part 1)
 * of key-value `number`; data is NULL if there is none. */
typedef struct pqx_footer_facts {
    int32_t version;
    int64_t num_rows;
    pqx_bytes elements, row_groups, column_orders, created_by;
    int (*pair)(void *context, uint32_t number, int part, pqx_bytes *bytes, pqx_error *error);
    void *context;
    uint32_t pair_count;
} pqx_footer_facts;

/* The Thrift form of a fact: an integer, or bytes with or without a length prefix. */
enum pqx_fact_kind { PQX_FACT_NONE, PQX_FACT_INTEGER, PQX_FACT_RAW, PQX_FACT_SIZED };
typedef struct pqx_fact {
    enum pqx_fact_kind kind;
    uint64_t zigzag;
    pqx_bytes bytes;
} pqx_fact;

/* Get the fact of operation `op`; `number` is used for PQX_OP_KEY and PQX_OP_VALUE only. */
int pqx_get_fact(const pqx_facts *facts, int op, uint32_t number, pqx_fact *fact, pqx_error *error);
/* Return the end of the literal of kind `op` at `p`; NULL if it does not end before `end`. */
const uint8_t *pqx_literal_end(int op, const uint8_t *p, const uint8_t *end);
/* Append a path, NUL between its parts, as path_in_schema's list. */
int pqx_append_path_list(const uint8_t *path, size_t size, pqx_buffer *out, pqx_error *error);
/* Append the list of ColumnOrder unions for the leaves' column orders. */
int pqx_append_column_orders(const uint8_t *orders, uint32_t count, pqx_buffer *out,
                             pqx_error *error);

/* Return FIRST_PAGE by the format's rule (docs/formats.md, 3.6), which is frozen and differs from
 * pqx_chunk_begin. */
static inline int64_t pqx_first_page(const pqx_chunk *chunk)
{
    int has_dictionary =
        chunk->present & PQX_PRESENT_DICTIONARY_PAGE_OFFSET && chunk->dictionary_page_offset > 0;
    return has_dictionary && chunk->dictionary_page_offset < chunk->data_page_offset
               ? chunk->dictionary_page_offset
               : chunk->data_page_offset;
}

/* Return 1 if operation `op` is a place of a page index, and set the place; -1 if it is absent. */
static inline int pqx_page_index_place(const pqx_places *places, int op, int64_t *value)
{
    switch (op) {
    case PQX_OP_OFFSET_INDEX_OFFSET: *value = places->offset_index_offset; return 1;
    case PQX_OP_OFFSET_INDEX_LENGTH: *value = places->offset_index_length; return 1;
    case PQX_OP_COLUMN_INDEX_OFFSET: *value = places->column_index_offset; return 1;
    case PQX_OP_COLUMN_INDEX_LENGTH: *value = places->column_index_length; return 1;
    default: return 0;
    }
}

/* Return 1 if a chunk has the number of operation `op`, and set its zigzag form. */
static inline int pqx_chunk_number(const pqx_facts *facts, int op, uint64_t *zigzag)
{
    const pqx_chunk *chunk = facts->chunk;
    const pqx_places *places = facts->places;
    uint32_t wanted = PQX_PRESENT_METADATA;
    int64_t value, absent = INT64_MIN;
    switch (op) {
    case PQX_OP_TYPE: value = chunk->type; break;
    case PQX_OP_CODEC: value = chunk->codec; break;
    case PQX_OP_NUM_VALUES: value = chunk->num_values; break;
    case PQX_OP_TOTAL_UNCOMPRESSED_SIZE: value = chunk->total_uncompressed_size; break;
    case PQX_OP_TOTAL_COMPRESSED_SIZE: value = chunk->total_compressed_size; break;
    case PQX_OP_DATA_PAGE_OFFSET: value = chunk->data_page_offset; break;
    case PQX_OP_INDEX_PAGE_OFFSET:
        value = places->index_page_offset;
        wanted = PQX_PRESENT_INDEX_PAGE_OFFSET;
        break;
    case PQX_OP_DICTIONARY_PAGE_OFFSET:
        value = chunk->dictionary_page_offset;
        wanted = PQX_PRESENT_DICTIONARY_PAGE_OFFSET;
        break;
    case PQX_OP_FIRST_PAGE: value = pqx_first_page(chunk); break;
    case PQX_OP_CHUNK_END:
        value = (int64_t)((uint64_t)pqx_first_page(chunk) + (uint64_t)chunk->total_compressed_size);
        break;
    case PQX_OP_NULL_COUNT:
        value = chunk->null_count;
        wanted = PQX_PRESENT_NULL_COUNT;
        break;
    case PQX_OP_NON_NULL:
        value = (int64_t)((uint64_t)chunk->num_values - (uint64_t)chunk->null_count);
        wanted |= PQX_PRESENT_NULL_COUNT;
        break;
    case PQX_OP_DISTINCT_COUNT:
        value = chunk->distinct_count;
        wanted = PQX_PRESENT_DISTINCT_COUNT;
        break;
    case PQX_OP_BLOOM_FILTER_OFFSET:
        value = places->bloom_filter_offset;
        wanted = PQX_PRESENT_BLOOM_FILTER_OFFSET;
        break;
    case PQX_OP_BLOOM_FILTER_LENGTH:
        value = places->bloom_filter_length;
        wanted = PQX_PRESENT_BLOOM_FILTER_OFFSET | PQX_PRESENT_BLOOM_FILTER_LENGTH;
        break;
    default:
        if (!pqx_page_index_place(places, op, &value)) return 0;
        wanted = 0;
        absent = -1;
    }
    *zigzag = pqx_zigzag(value);
    return (chunk->present & wanted) == wanted && (wanted || value != absent);
}

#endif
