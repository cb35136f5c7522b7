/* Decode one ColumnChunk, with fields in any order and with every check. */
#include "footer/scan.h"

#define PRESENT_STATISTICS_FACTS                                                             \
    (PQX_PRESENT_NULL_COUNT | PQX_PRESENT_DISTINCT_COUNT | PQX_PRESENT_MIN_VALUE             \
     | PQX_PRESENT_MAX_VALUE | PQX_PRESENT_MIN | PQX_PRESENT_MAX | PQX_PRESENT_MIN_EXACT_SET \
     | PQX_PRESENT_MIN_EXACT | PQX_PRESENT_MAX_EXACT_SET | PQX_PRESENT_MAX_EXACT)
#define PRESENT_OF_CHUNK                                                        \
    (PQX_PRESENT_FILE_PATH | PQX_PRESENT_FILE_OFFSET | PQX_PRESENT_OFFSET_INDEX \
     | PQX_PRESENT_COLUMN_INDEX | PQX_PRESENT_CRYPTO)

/* The state of a chunk while it is read: the encodings determine dictionary use only at its end. */
typedef struct reading {
    pqx_chunk *chunk;
    pqx_places *places;
    int placed;                                   /* set if an entry of `places` has been read */
    int other_encodings;                          /* an encoding outside the mask */
    int has_stats, dictionary_pages, other_pages; /* of data pages */
} reading;

/* A field of an unexpected type counts as an unknown one, as in every Thrift library. */
static int read_i32_field(pqx_cursor *c, int type, int around, int32_t *value, uint32_t *present,
                          uint32_t bit)
{
    if (PQX_UNLIKELY(type != PQX_TYPE_I32)) return pqx_skip_field(c, type, around);
    *present |= bit;
    return pqx_read_i32(c, value);
}

static int read_i64_field(pqx_cursor *c, int type, int around, int64_t *value, uint32_t *present,
                          uint32_t bit)
{
    if (PQX_UNLIKELY(type != PQX_TYPE_I64)) return pqx_skip_field(c, type, around);
    *present |= bit;
    return pqx_read_i64(c, value);
}

static int read_binary_field(pqx_cursor *c, int type, int around, pqx_range *value,
                             uint32_t *present, uint32_t bit)
{
    if (PQX_UNLIKELY(type != PQX_TYPE_BINARY)) return pqx_skip_field(c, type, around);
    *present |= bit;
    return pqx_read_binary(c, value);
}

static int mark_field(pqx_cursor *c, int type, int around, int expected, uint32_t *present,
                      uint32_t bit)
{
    if (type == expected) *present |= bit;
    return pqx_skip_field(c, type, around);
}

static int read_exactness(pqx_cursor *c, int type, uint32_t *present, uint32_t set, uint32_t exact)
{
    if (type != PQX_TYPE_TRUE && type != PQX_TYPE_FALSE)
        return pqx_skip_field(c, type, PQX_IN_STATISTICS);
    *present = (*present & ~exact) | set | (type == PQX_TYPE_TRUE ? exact : 0);
    return PQX_OK;
}

static int read_statistics_field(pqx_cursor *c, int32_t id, int type, pqx_chunk *chunk)
{
    uint32_t *present = &chunk->present;
    switch (id) {
    case PQX_STATISTICS_MAX:
        return read_binary_field(c, type, PQX_IN_STATISTICS, &chunk->max, present, PQX_PRESENT_MAX);
    case PQX_STATISTICS_MIN:
        return read_binary_field(c, type, PQX_IN_STATISTICS, &chunk->min, present, PQX_PRESENT_MIN);
    case PQX_STATISTICS_NULL_COUNT:
        return read_i64_field(c, type, PQX_IN_STATISTICS, &chunk->null_count, present,
                              PQX_PRESENT_NULL_COUNT);
    case PQX_STATISTICS_DISTINCT_COUNT:
        return read_i64_field(c, type, PQX_IN_STATISTICS, &chunk->distinct_count, present,
                              PQX_PRESENT_DISTINCT_COUNT);
    case PQX_STATISTICS_MAX_VALUE:
        return read_binary_field(c, type, PQX_IN_STATISTICS, &chunk->max_value, present,
                                 PQX_PRESENT_MAX_VALUE);
    case PQX_STATISTICS_MIN_VALUE:
        return read_binary_field(c, type, PQX_IN_STATISTICS, &chunk->min_value, present,
                                 PQX_PRESENT_MIN_VALUE);
    case PQX_STATISTICS_IS_MAX_VALUE_EXACT:
        return read_exactness(c, type, present, PQX_PRESENT_MAX_EXACT_SET, PQX_PRESENT_MAX_EXACT);
    case PQX_STATISTICS_IS_MIN_VALUE_EXACT:
        return read_exactness(c, type, present, PQX_PRESENT_MIN_EXACT_SET, PQX_PRESENT_MIN_EXACT);
    default: return pqx_skip_field(c, type, PQX_IN_STATISTICS);
    }
}

static void forget_statistics(pqx_chunk *chunk)
{
    chunk->present &= ~(PRESENT_STATISTICS_FACTS | PQX_PRESENT_STATISTICS);
    chunk->null_count = chunk->distinct_count = -1;
    chunk->min_value = chunk->max_value = chunk->min = chunk->max = (pqx_range){0, 0};
}

static int read_statistics(pqx_cursor *c, pqx_chunk *chunk)
{
    size_t start = c->at;
    int32_t id = 0;
    if (chunk->present & PQX_PRESENT_STATISTICS) forget_statistics(chunk);
    chunk->present |= PQX_PRESENT_STATISTICS;
    PQX_READ_FIELDS(c, id, type, read_statistics_field(c, id, type, chunk));
    chunk->statistics = pqx_since(c, start);
    return PQX_OK;
}

static int read_encodings(pqx_cursor *c, reading *r)
{
    uint32_t count = 0;
    int right = 0;
    PQX_TRY(pqx_read_list_of(c, PQX_TYPE_I32, PQX_IN_METADATA, &count, &right));
    if (!right) return PQX_OK;
    r->chunk->encodings = 0;
    r->other_encodings = 0;
    while (count--) {
        int32_t encoding = 0;
        PQX_TRY(pqx_read_i32(c, &encoding));
        if (encoding >= 0 && encoding < 32) r->chunk->encodings |= 1u << encoding;
        else r->other_encodings = 1;
    }
    return PQX_OK;
}

static int read_page_encoding_stats(pqx_cursor *c, reading *r)
{
    int32_t id = 0, page_type = -1, encoding = -1;
    uint32_t present = 0;
    for (;;) {
        int type = 0;
        PQX_TRY(pqx_read_field(c, &id, &type));
        if (type == 0) break;
        if (id == PQX_PAGE_ENCODING_STATS_PAGE_TYPE)
            PQX_TRY(read_i32_field(c, type, PQX_IN_PAGE_ENCODING_STATS, &page_type, &present, 0));
        else if (id == PQX_PAGE_ENCODING_STATS_ENCODING)
            PQX_TRY(read_i32_field(c, type, PQX_IN_PAGE_ENCODING_STATS, &encoding, &present, 0));
        else PQX_TRY(pqx_skip_field(c, type, PQX_IN_PAGE_ENCODING_STATS));
    }
    if (pqx_is_data_page(page_type)) {
        if (pqx_is_dictionary_encoding(encoding)) r->dictionary_pages = 1;
        else r->other_pages = 1;
    }
    return PQX_OK;
}

static int read_encoding_stats(pqx_cursor *c, reading *r)
{
    uint32_t count = 0;
    int right = 0;
    PQX_TRY(pqx_read_list_of(c, PQX_TYPE_STRUCT, PQX_IN_METADATA, &count, &right));
    if (!right) return PQX_OK;
    r->has_stats = 1;
    r->dictionary_pages = r->other_pages = 0;
    while (count--) PQX_TRY(read_page_encoding_stats(c, r));
    return PQX_OK;
}

static int fully_dictionary_encoded(const reading *r)
{
    if (r->has_stats) return r->dictionary_pages && !r->other_pages;
    const uint32_t plain_dictionary = 1u << PQX_ENCODING_PLAIN_DICTIONARY;
    return !r->other_encodings && (r->chunk->encodings & ~PQX_LEVEL_ENCODINGS) == plain_dictionary;
}

static int read_metadata_field(pqx_cursor *c, int32_t id, int type, reading *r)
{
    pqx_chunk *chunk = r->chunk;
    uint32_t *present = &chunk->present;
    switch (id) {
    case PQX_COLUMN_META_DATA_TYPE:
        return read_i32_field(c, type, PQX_IN_METADATA, &chunk->type, present, PQX_PRESENT_TYPE);
    case PQX_COLUMN_META_DATA_ENCODINGS:
        return type == PQX_TYPE_LIST ? read_encodings(c, r)
                                     : pqx_skip_field(c, type, PQX_IN_METADATA);
    case PQX_COLUMN_META_DATA_PATH_IN_SCHEMA:
        return mark_field(c, type, PQX_IN_METADATA, PQX_TYPE_LIST, present,
                          PQX_PRESENT_PATH_IN_SCHEMA);
    case PQX_COLUMN_META_DATA_CODEC:
        return read_i32_field(c, type, PQX_IN_METADATA, &chunk->codec, present, PQX_PRESENT_CODEC);
    case PQX_COLUMN_META_DATA_NUM_VALUES:
        return read_i64_field(c, type, PQX_IN_METADATA, &chunk->num_values, present,
                              PQX_PRESENT_NUM_VALUES);
    case PQX_COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE:
        return read_i64_field(c, type, PQX_IN_METADATA, &chunk->total_uncompressed_size, present,
                              PQX_PRESENT_TOTAL_UNCOMPRESSED_SIZE);
    case PQX_COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE:
        return read_i64_field(c, type, PQX_IN_METADATA, &chunk->total_compressed_size, present,
                              PQX_PRESENT_TOTAL_COMPRESSED_SIZE);
    case PQX_COLUMN_META_DATA_KEY_VALUE_METADATA:
        return mark_field(c, type, PQX_IN_METADATA, PQX_TYPE_LIST, present, PQX_PRESENT_KEY_VALUES);
    case PQX_COLUMN_META_DATA_DATA_PAGE_OFFSET:
        return read_i64_field(c, type, PQX_IN_METADATA, &chunk->data_page_offset, present,
                              PQX_PRESENT_DATA_PAGE_OFFSET);
    case PQX_COLUMN_META_DATA_INDEX_PAGE_OFFSET:
        r->placed = 1;
        return read_i64_field(c, type, PQX_IN_METADATA, &r->places->index_page_offset, present,
                              PQX_PRESENT_INDEX_PAGE_OFFSET);
    case PQX_COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET:
        return read_i64_field(c, type, PQX_IN_METADATA, &chunk->dictionary_page_offset, present,
                              PQX_PRESENT_DICTIONARY_PAGE_OFFSET);
    case PQX_COLUMN_META_DATA_STATISTICS:
        return type == PQX_TYPE_STRUCT ? read_statistics(c, chunk)
                                       : pqx_skip_field(c, type, PQX_IN_METADATA);
    case PQX_COLUMN_META_DATA_ENCODING_STATS:
        return type == PQX_TYPE_LIST ? read_encoding_stats(c, r)
                                     : pqx_skip_field(c, type, PQX_IN_METADATA);
    case PQX_COLUMN_META_DATA_BLOOM_FILTER_OFFSET:
        r->placed = 1;
        return read_i64_field(c, type, PQX_IN_METADATA, &r->places->bloom_filter_offset, present,
                              PQX_PRESENT_BLOOM_FILTER_OFFSET);
    case PQX_COLUMN_META_DATA_BLOOM_FILTER_LENGTH:
        r->placed = 1;
        return read_i32_field(c, type, PQX_IN_METADATA, &r->places->bloom_filter_length, present,
                              PQX_PRESENT_BLOOM_FILTER_LENGTH);
    default: return pqx_skip_field(c, type, PQX_IN_METADATA);
    }
}

/* Reset the values of ColumnMetaData: initially, and if a chunk contains it twice. */
static void forget_metadata(reading *r)
{
    pqx_chunk *chunk = r->chunk;
    *chunk = (pqx_chunk){.num_values = -1,
                         .total_uncompressed_size = -1,
                         .total_compressed_size = -1,
                         .data_page_offset = -1,
                         .dictionary_page_offset = -1,
                         .null_count = -1,
                         .distinct_count = -1,
                         .chunk = chunk->chunk,
                         .type = -1,
                         .codec = -1,
                         .present = chunk->present & PRESENT_OF_CHUNK};
    r->places->index_page_offset = r->places->bloom_filter_offset = r->places->bloom_filter_length =
        -1;
    r->other_encodings = r->has_stats = r->dictionary_pages = r->other_pages = 0;
}

/* Read the fields of ColumnMetaData after field `id`, up to the stop byte. */
static int read_metadata_rest(pqx_cursor *c, reading *r, int32_t id)
{
    PQX_READ_FIELDS(c, id, type, read_metadata_field(c, id, type, r));
    return PQX_OK;
}

static int read_metadata(pqx_cursor *c, reading *r)
{
    size_t start = c->at;
    if (r->chunk->present & PQX_PRESENT_METADATA) forget_metadata(r);
    r->chunk->present |= PQX_PRESENT_METADATA;
    PQX_TRY(read_metadata_rest(c, r, 0));
    if (fully_dictionary_encoded(r)) r->chunk->present |= PQX_PRESENT_FULLY_DICTIONARY_ENCODED;
    r->chunk->metadata = pqx_since(c, start);
    return PQX_OK;
}

static int read_chunk_field(pqx_cursor *c, int32_t id, int type, reading *r)
{
    pqx_range bytes;
    int64_t file_offset;
    uint32_t *present = &r->chunk->present;
    switch (id) {
    case PQX_COLUMN_CHUNK_FILE_PATH:
        return read_binary_field(c, type, PQX_IN_CHUNK, &bytes, present, PQX_PRESENT_FILE_PATH);
    case PQX_COLUMN_CHUNK_FILE_OFFSET:
        return read_i64_field(c, type, PQX_IN_CHUNK, &file_offset, present,
                              PQX_PRESENT_FILE_OFFSET);
    case PQX_COLUMN_CHUNK_META_DATA:
        return type == PQX_TYPE_STRUCT ? read_metadata(c, r)
                                       : pqx_skip_field(c, type, PQX_IN_CHUNK);
    case PQX_COLUMN_CHUNK_OFFSET_INDEX_OFFSET:
        r->placed = 1;
        return read_i64_field(c, type, PQX_IN_CHUNK, &r->places->offset_index_offset, present,
                              PQX_PRESENT_OFFSET_INDEX);
    case PQX_COLUMN_CHUNK_OFFSET_INDEX_LENGTH:
        r->placed = 1;
        return read_i32_field(c, type, PQX_IN_CHUNK, &r->places->offset_index_length, present, 0);
    case PQX_COLUMN_CHUNK_COLUMN_INDEX_OFFSET:
        r->placed = 1;
        return read_i64_field(c, type, PQX_IN_CHUNK, &r->places->column_index_offset, present,
                              PQX_PRESENT_COLUMN_INDEX);
    case PQX_COLUMN_CHUNK_COLUMN_INDEX_LENGTH:
        r->placed = 1;
        return read_i32_field(c, type, PQX_IN_CHUNK, &r->places->column_index_length, present, 0);
    case PQX_COLUMN_CHUNK_CRYPTO_METADATA:
        return mark_field(c, type, PQX_IN_CHUNK, PQX_TYPE_STRUCT, present, PQX_PRESENT_CRYPTO);
    case PQX_COLUMN_CHUNK_ENCRYPTED_COLUMN_METADATA:
        return mark_field(c, type, PQX_IN_CHUNK, PQX_TYPE_BINARY, present, PQX_PRESENT_CRYPTO);
    default: return pqx_skip_field(c, type, PQX_IN_CHUNK);
    }
}

/* Read the chunk at the cursor and its `places`; *placed is 1 if it may have any. */
int pqx_scan_chunk(pqx_scanning *s, pqx_chunk *chunk, pqx_places *places, int *placed)
{
    pqx_cursor *c = &s->cursor;
    reading r = {.chunk = chunk, .places = places};
    size_t start = c->at;
    int32_t id = 0;
    *places = (pqx_places){-1, -1, -1, -1, -1, -1, -1, 0};
    chunk->present = 0;
    forget_metadata(&r);
    PQX_READ_FIELDS(c, id, type, read_chunk_field(c, id, type, &r));
    if (chunk->present & PQX_PRESENT_CRYPTO) s->scan->encrypted |= 2;
    chunk->chunk = pqx_since(c, start);
    *placed = r.placed;
    return PQX_OK;
}
