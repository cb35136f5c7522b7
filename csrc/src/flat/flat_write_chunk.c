/* Write one chunk of the flat footer: ColumnChunk, ColumnMetadata, Statistics and the objects that
 * they refer to. */
#include "flat/flat_write.h"

#define SHORT_BOUND 16

enum {
    LO4 = 1,
    LO8 = 2,
    HI8 = 4,
    LEN = 8
}; /* bits of pqx_bound.slots, in the order of Statistics' fields */

typedef struct pqx_bound {
    uint8_t slots, own, exactness;
    int8_t len;
    uint32_t lo4;
    uint64_t lo8, hi8;
    const uint8_t *bytes;
    uint32_t size;
} pqx_bound;

static uint64_t load_big_endian(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < 8; i++) value = value << 8 | (i < size ? bytes[i] : 0);
    return value;
}

static void pack_short(pqx_bound *bound, const uint8_t *bytes, uint32_t size)
{
    bound->slots |= size > 8 ? LO8 | HI8 | LEN : size ? HI8 | LEN : LEN;
    if (size) bound->hi8 = load_big_endian(bytes, size);
    if (size > 8) bound->lo8 = load_big_endian(bytes + 8, size - 8);
}

/* Return a lower bound of at most 16 bytes for a longer string, cut at the end of a UTF-8
 * character. */
static uint32_t shorten_min(const uint8_t *bytes, uint8_t out[SHORT_BOUND])
{
    for (uint32_t cut = SHORT_BOUND; cut > SHORT_BOUND - 3; cut--) {
        if ((bytes[cut] & 0xc0) == 0x80) continue;
        memcpy(out, bytes, cut);
        return cut;
    }
    return 0;
}

/* Return an upper bound of at most 16 bytes for a longer string: cut at its last byte that stays
 * ASCII, plus one. */
static uint32_t shorten_max(const uint8_t *bytes, uint8_t out[SHORT_BOUND])
{
    uint32_t cut = SHORT_BOUND;
    while (cut && bytes[cut - 1] >= 0x7f) cut--;
    if (!cut) return 0;
    memcpy(out, bytes, cut);
    out[cut - 1]++;
    return cut;
}

uint32_t pqx_flat_shorten(const pqx_element *leaf, const uint8_t *bytes, uint32_t size, int is_max,
                          uint8_t out[SHORT_BOUND])
{
    if (leaf->type != PQX_PHYSICAL_BYTE_ARRAY || leaf->sort_order != PQX_ORDER_UNSIGNED
        || size <= SHORT_BOUND)
        return 0;
    return is_max ? shorten_max(bytes, out) : shorten_min(bytes, out);
}

/* Pack a byte array of more than 16 bytes: whole in our extra slot, and shortened for other
 * readers; in compact mode only shortened. */
static void pack_long(pqx_bound *bound, const pqx_element *leaf, int is_max, int is_compact)
{
    uint8_t bytes[SHORT_BOUND];
    uint32_t size = pqx_flat_shorten(leaf, bound->bytes, bound->size, is_max, bytes);
    bound->own = !size || !is_compact;
    if (!size) return;
    pack_short(bound, bytes, size);
    bound->len = -(int8_t)size;
    if (is_compact) bound->exactness = 1;
}

/* Choose how a bound is stored; `exact`: 0 not set, 1 inexact, 2 exact. */
static pqx_bound pack_bound(const pqx_element *leaf, const uint8_t *bytes, uint32_t size,
                            int is_max, uint8_t exact, int is_compact)
{
    pqx_bound bound = {.exactness = exact, .bytes = bytes, .size = size};
    switch (leaf->type) {
    case PQX_PHYSICAL_BOOLEAN:
        bound.slots = LO4 | LEN;
        bound.lo4 = bytes[0];
        break;
    case PQX_PHYSICAL_INT32:
    case PQX_PHYSICAL_FLOAT:
        bound.slots = LO4 | LEN;
        bound.lo4 = pqx_load32(bytes);
        break;
    case PQX_PHYSICAL_INT64:
    case PQX_PHYSICAL_DOUBLE:
        bound.slots = LO8 | LEN;
        bound.lo8 = pqx_load64(bytes);
        break;
    case PQX_PHYSICAL_INT96:
        bound.slots = LO4 | LO8 | LEN;
        bound.lo4 = pqx_load32(bytes);
        bound.lo8 = pqx_load64(bytes + 4);
        break;
    default:
        if (size <= SHORT_BOUND) {
            pack_short(&bound, bytes, size);
            break;
        }
        pack_long(&bound, leaf, is_max, is_compact);
        return bound;
    }
    bound.len = exact == 2 ? (int8_t)size : -(int8_t)size;
    return bound;
}

static uint8_t exactness(uint32_t present, uint32_t said, uint32_t exact)
{ return present & said ? present & exact ? 2 : 1 : 0; }

/* Write the base slots of a bound; `first` is the number of its first field. */
static void store_bound(uint8_t *table, const pqx_shape *shape, const pqx_bound *bound, int first)
{
    if (bound->slots & LO4) pqx_store32(table + shape->at[first], bound->lo4);
    if (bound->slots & LO8) pqx_store64(table + shape->at[first + 1], bound->lo8);
    if (bound->slots & HI8) pqx_store64(table + shape->at[first + 2], bound->hi8);
    if (bound->slots & LEN) table[shape->at[first + 3]] = (uint8_t)bound->len;
}

static int put_statistics(pqx_flat_writer *w, const pqx_element *leaf, const pqx_chunk *chunk,
                          uint32_t *at)
{
    const pqx_range *range = w->bound;
    int has = w->has_bounds;
    pqx_bound min = {0}, max = {0};
    uint32_t present = chunk->present;
    if (has & 1)
        min = pack_bound(leaf, w->footer + range[0].offset, range[0].length, 0,
                         exactness(present, PQX_PRESENT_MIN_EXACT_SET, PQX_PRESENT_MIN_EXACT),
                         w->is_compact);
    if (has & 2)
        max = pack_bound(leaf, w->footer + range[1].offset, range[1].length, 1,
                         exactness(present, PQX_PRESENT_MAX_EXACT_SET, PQX_PRESENT_MAX_EXACT),
                         w->is_compact);
    uint8_t exact = (uint8_t)(min.exactness | max.exactness << 2);
    uint32_t mask =
        (present & PQX_PRESENT_NULL_COUNT ? 1u << PQX_STATISTICS__NULL_COUNT : 0)
        | (present & PQX_PRESENT_DISTINCT_COUNT ? 1u << PQX_STATISTICS__DISTINCT_COUNT : 0)
        | (uint32_t)min.slots << PQX_STATISTICS__MIN_LO4
        | (uint32_t)max.slots << PQX_STATISTICS__MAX_LO4
        | (exact ? 1u << PQX_STATISTICS__EXACTNESS : 0)
        | (uint32_t)min.own << PQX_STATISTICS__MIN_VALUE
        | (uint32_t)max.own << PQX_STATISTICS__MAX_VALUE;
    const pqx_shape *shape;
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_STATISTICS, mask, at, &shape));
    uint8_t *table = pqx_flat_at(w, *at);
    if (present & PQX_PRESENT_NULL_COUNT)
        pqx_store64(table + shape->at[PQX_STATISTICS__NULL_COUNT], (uint64_t)chunk->null_count);
    if (present & PQX_PRESENT_DISTINCT_COUNT)
        pqx_store64(table + shape->at[PQX_STATISTICS__DISTINCT_COUNT],
                    (uint64_t)chunk->distinct_count);
    store_bound(table, shape, &min, PQX_STATISTICS__MIN_LO4);
    store_bound(table, shape, &max, PQX_STATISTICS__MAX_LO4);
    if (exact) table[shape->at[PQX_STATISTICS__EXACTNESS]] = exact;
    if (min.own)
        PQX_TRY(pqx_flat_bytes(w, *at + shape->at[PQX_STATISTICS__MIN_VALUE], min.bytes, min.size));
    if (max.own)
        PQX_TRY(pqx_flat_bytes(w, *at + shape->at[PQX_STATISTICS__MAX_VALUE], max.bytes, max.size));
    return PQX_OK;
}

static int put_bloom_filter(pqx_flat_writer *w, const pqx_chunk *chunk, const pqx_places *places,
                            uint32_t *at)
{
    const pqx_shape *shape;
    uint32_t has_length = chunk->present & PQX_PRESENT_BLOOM_FILTER_LENGTH;
    uint32_t mask = 1u << PQX_BLOOM_FILTER_INFO__OFFSET
                    | (has_length ? 1u << PQX_BLOOM_FILTER_INFO__LENGTH : 0);
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_BLOOM_FILTER_INFO, mask, at, &shape));
    uint8_t *table = pqx_flat_at(w, *at);
    pqx_store64(table + shape->at[PQX_BLOOM_FILTER_INFO__OFFSET],
                (uint64_t)places->bloom_filter_offset);
    if (has_length)
        pqx_store32(table + shape->at[PQX_BLOOM_FILTER_INFO__LENGTH],
                    (uint32_t)places->bloom_filter_length);
    return PQX_OK;
}

static int put_key_values(pqx_flat_writer *w, const pqx_chunk *chunk, uint32_t vector_field)
{
    pqx_flat_list list;
    pqx_field field;
    int found;
    PQX_TRY(pqx_thrift_find(w->footer, w->footer_size, chunk->metadata.offset,
                            PQX_COLUMN_META_DATA_KEY_VALUE_METADATA, PQX_MAX_DEPTH, &field, &found,
                            w->error));
    if (!found || field.type != PQX_TYPE_LIST)
        return pqx_fail(w->error, PQX_FIELD_TYPE, chunk->metadata.offset, PQX_TYPE_LIST,
                        found ? field.type : 0);
    PQX_TRY(pqx_flat_open_list(w, field.value, &list));
    if (list.count && list.type != PQX_TYPE_STRUCT)
        return pqx_fail(w->error, PQX_FIELD_TYPE, field.value, PQX_TYPE_STRUCT,
                        (uint64_t)list.type);
    uint32_t entries;
    PQX_TRY(pqx_flat_vector(w, vector_field, list.count, &entries));
    size_t at = list.first;
    for (uint32_t i = 0; i < list.count; i++) {
        const uint8_t *key, *value;
        size_t key_size, value_size = 0;
        uint32_t table;
        PQX_TRY(pqx_flat_find_binary(w, at, PQX_KEY_VALUE_KEY, &key, &key_size));
        if (!key) return pqx_fail(w->error, PQX_MISSING_FIELD, at, PQX_KEY_VALUE_KEY, 0);
        PQX_TRY(pqx_flat_find_binary(w, at, PQX_KEY_VALUE_VALUE, &value, &value_size));
        PQX_TRY(pqx_flat_key_value(w, key, key_size, value, value_size, &table));
        pqx_flat_link(w, entries + 4 * i, table);
        PQX_TRY(pqx_thrift_skip(w->footer, w->footer_size, at, PQX_TYPE_STRUCT, &at, w->error));
    }
    return PQX_OK;
}

/* Check the required values of a ColumnMetadata; the field ids are for the error. */
static int check_required(pqx_flat_writer *w, const pqx_element *leaf, const pqx_chunk *chunk)
{
    static const struct {
        uint32_t bit;
        int field;
    } required[] = {
        {PQX_PRESENT_TYPE, PQX_COLUMN_META_DATA_TYPE},
        {PQX_PRESENT_CODEC, PQX_COLUMN_META_DATA_CODEC},
        {PQX_PRESENT_NUM_VALUES, PQX_COLUMN_META_DATA_NUM_VALUES},
        {PQX_PRESENT_TOTAL_UNCOMPRESSED_SIZE, PQX_COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE},
        {PQX_PRESENT_TOTAL_COMPRESSED_SIZE, PQX_COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE},
        {PQX_PRESENT_DATA_PAGE_OFFSET, PQX_COLUMN_META_DATA_DATA_PAGE_OFFSET},
    };
    for (size_t i = 0; i < sizeof required / sizeof *required; i++) {
        if (PQX_UNLIKELY(!(chunk->present & required[i].bit)))
            return pqx_fail(w->error, PQX_MISSING_FIELD, chunk->metadata.offset,
                            (uint64_t)required[i].field, 0);
    }
    if (PQX_UNLIKELY(chunk->type != leaf->type))
        return pqx_fail(w->error, PQX_MISMATCH, chunk->metadata.offset, (uint32_t)leaf->type,
                        (uint32_t)chunk->type);
    if (PQX_UNLIKELY((uint32_t)chunk->type > PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY))
        return pqx_fail(w->error, PQX_UNSUPPORTED_VALUE, chunk->metadata.offset, 7,
                        (uint32_t)chunk->type);
    if (PQX_UNLIKELY((uint32_t)chunk->codec > 127))
        return pqx_fail(w->error, PQX_UNSUPPORTED_VALUE, chunk->metadata.offset, 127,
                        (uint32_t)chunk->codec);
    return PQX_OK;
}

static int put_metadata(pqx_flat_writer *w, const pqx_element *leaf, const pqx_row_group *row_group,
                        const pqx_chunk *chunk, const pqx_places *places, uint32_t *at)
{
    PQX_TRY(check_required(w, leaf, chunk));
    uint32_t present = chunk->present, differs = chunk->num_values != row_group->num_rows;
    size_t geospatial = 0;
    int has_geospatial = 0;
    if (PQX_UNLIKELY(w->logical_tag == PQX_FLAT_LOGICAL_GEOMETRY
                     || w->logical_tag == PQX_FLAT_LOGICAL_GEOGRAPHY))
        PQX_TRY(pqx_flat_find_geospatial(w, chunk->metadata.offset, &geospatial, &has_geospatial));
    uint32_t mask =
        1u << PQX_COLUMN_METADATA__CODEC | differs << PQX_COLUMN_METADATA__NUM_VALUES
        | 1u << PQX_COLUMN_METADATA__TOTAL_UNCOMPRESSED_SIZE
        | 1u << PQX_COLUMN_METADATA__TOTAL_COMPRESSED_SIZE
        | (present & PQX_PRESENT_KEY_VALUES ? 1u << PQX_COLUMN_METADATA__KEY_VALUE_METADATA : 0)
        | 1u << PQX_COLUMN_METADATA__DATA_PAGE_OFFSET
        | (present & PQX_PRESENT_INDEX_PAGE_OFFSET ? 1u << PQX_COLUMN_METADATA__INDEX_PAGE_OFFSET
                                                   : 0)
        | (present & PQX_PRESENT_DICTIONARY_PAGE_OFFSET
               ? 1u << PQX_COLUMN_METADATA__DICTIONARY_PAGE_OFFSET
               : 0)
        | (present & PQX_PRESENT_STATISTICS ? 1u << PQX_COLUMN_METADATA__STATISTICS : 0)
        | 1u << PQX_COLUMN_METADATA__IS_FULLY_DICT_ENCODED
        | (present & PQX_PRESENT_BLOOM_FILTER_OFFSET ? 1u << PQX_COLUMN_METADATA__BLOOM_FILTER : 0)
        | (uint32_t)has_geospatial << PQX_COLUMN_METADATA__GEOSPATIAL_STATISTICS
        | 1u << PQX_COLUMN_METADATA__ENCODINGS
        | (uint32_t)(chunk->encodings >> 16 != 0) << PQX_COLUMN_METADATA__MORE_ENCODINGS;
    const pqx_shape *shape;
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_COLUMN_METADATA, mask, at, &shape));
    const uint16_t *field = shape->at;
    uint8_t *table = pqx_flat_at(w, *at);
    table[field[PQX_COLUMN_METADATA__CODEC]] = (uint8_t)chunk->codec;
    if (differs)
        pqx_store64(table + field[PQX_COLUMN_METADATA__NUM_VALUES], (uint64_t)chunk->num_values);
    pqx_store64(table + field[PQX_COLUMN_METADATA__TOTAL_UNCOMPRESSED_SIZE],
                (uint64_t)chunk->total_uncompressed_size);
    pqx_store64(table + field[PQX_COLUMN_METADATA__TOTAL_COMPRESSED_SIZE],
                (uint64_t)chunk->total_compressed_size);
    pqx_store64(table + field[PQX_COLUMN_METADATA__DATA_PAGE_OFFSET],
                (uint64_t)chunk->data_page_offset);
    if (present & PQX_PRESENT_INDEX_PAGE_OFFSET)
        pqx_store64(table + field[PQX_COLUMN_METADATA__INDEX_PAGE_OFFSET],
                    (uint64_t)places->index_page_offset);
    if (present & PQX_PRESENT_DICTIONARY_PAGE_OFFSET)
        pqx_store64(table + field[PQX_COLUMN_METADATA__DICTIONARY_PAGE_OFFSET],
                    (uint64_t)chunk->dictionary_page_offset);
    table[field[PQX_COLUMN_METADATA__IS_FULLY_DICT_ENCODED]] =
        (present & PQX_PRESENT_FULLY_DICTIONARY_ENCODED) != 0;
    pqx_store16(table + field[PQX_COLUMN_METADATA__ENCODINGS], (uint16_t)chunk->encodings);
    if (PQX_UNLIKELY(chunk->encodings >> 16))
        pqx_store16(table + field[PQX_COLUMN_METADATA__MORE_ENCODINGS],
                    (uint16_t)(chunk->encodings >> 16));

    uint32_t key_values = *at + field[PQX_COLUMN_METADATA__KEY_VALUE_METADATA];
    uint32_t statistics = *at + field[PQX_COLUMN_METADATA__STATISTICS];
    uint32_t bloom_filter = *at + field[PQX_COLUMN_METADATA__BLOOM_FILTER], child;
    uint32_t geospatial_field = *at + field[PQX_COLUMN_METADATA__GEOSPATIAL_STATISTICS];
    if (present & PQX_PRESENT_KEY_VALUES) PQX_TRY(put_key_values(w, chunk, key_values));
    if (present & PQX_PRESENT_STATISTICS) {
        PQX_TRY(put_statistics(w, leaf, chunk, &child));
        pqx_flat_link(w, statistics, child);
    }
    if (present & PQX_PRESENT_BLOOM_FILTER_OFFSET) {
        PQX_TRY(put_bloom_filter(w, chunk, places, &child));
        pqx_flat_link(w, bloom_filter, child);
    }
    if (has_geospatial) {
        PQX_TRY(pqx_flat_put_geospatial(w, geospatial, &child));
        pqx_flat_link(w, geospatial_field, child);
    }
    return PQX_OK;
}

/* Return OwnChunk's presence mask for a chunk. */
static uint32_t own_mask(const pqx_chunk *chunk, const pqx_places *places)
{
    uint32_t mask = chunk->present & PQX_PRESENT_FILE_PATH ? 1u << PQX_OWN_CHUNK__FILE_PATH : 0;
    return mask
           | (uint32_t)(places->column_index_offset != -1) << PQX_OWN_CHUNK__COLUMN_INDEX_OFFSET
           | (uint32_t)(places->offset_index_offset != -1) << PQX_OWN_CHUNK__OFFSET_INDEX_OFFSET
           | (uint32_t)(places->column_index_length != -1) << PQX_OWN_CHUNK__COLUMN_INDEX_LENGTH
           | (uint32_t)(places->offset_index_length != -1) << PQX_OWN_CHUNK__OFFSET_INDEX_LENGTH;
}

static int put_own(pqx_flat_writer *w, uint32_t mask, const pqx_chunk *chunk,
                   const pqx_places *places, uint32_t *at)
{
    const pqx_shape *shape;
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_OWN_CHUNK, mask, at, &shape));
    uint8_t *table = pqx_flat_at(w, *at);
    if (mask >> PQX_OWN_CHUNK__COLUMN_INDEX_OFFSET & 1)
        pqx_store64(table + shape->at[PQX_OWN_CHUNK__COLUMN_INDEX_OFFSET],
                    (uint64_t)places->column_index_offset);
    if (mask >> PQX_OWN_CHUNK__OFFSET_INDEX_OFFSET & 1)
        pqx_store64(table + shape->at[PQX_OWN_CHUNK__OFFSET_INDEX_OFFSET],
                    (uint64_t)places->offset_index_offset);
    if (mask >> PQX_OWN_CHUNK__COLUMN_INDEX_LENGTH & 1)
        pqx_store32(table + shape->at[PQX_OWN_CHUNK__COLUMN_INDEX_LENGTH],
                    (uint32_t)places->column_index_length);
    if (mask >> PQX_OWN_CHUNK__OFFSET_INDEX_LENGTH & 1)
        pqx_store32(table + shape->at[PQX_OWN_CHUNK__OFFSET_INDEX_LENGTH],
                    (uint32_t)places->offset_index_length);
    if (!(mask >> PQX_OWN_CHUNK__FILE_PATH & 1)) return PQX_OK;
    const uint8_t *path;
    size_t size;
    uint32_t field = *at + shape->at[PQX_OWN_CHUNK__FILE_PATH];
    PQX_TRY(pqx_flat_find_binary(w, chunk->chunk.offset, PQX_COLUMN_CHUNK_FILE_PATH, &path, &size));
    return path ? pqx_flat_string(w, field, path, size)
                : pqx_fail(w->error, PQX_MISSING_FIELD, chunk->chunk.offset,
                           PQX_COLUMN_CHUNK_FILE_PATH, 0);
}

/* Find the chunk's crypto fields. Fails for an unknown member, which would make an encrypted chunk
 * look like a plain one. */
static int find_crypto(pqx_flat_writer *w, const pqx_chunk *chunk, pqx_flat_crypto *crypto)
{
    PQX_TRY(pqx_flat_find_crypto(w, chunk->chunk.offset, PQX_COLUMN_CHUNK_CRYPTO_METADATA,
                                 PQX_COLUMN_CHUNK_ENCRYPTED_COLUMN_METADATA, crypto));
    return crypto->member.tag || crypto->bytes
               ? PQX_OK
               : pqx_fail(w->error, PQX_ENCRYPTED, chunk->chunk.offset, 0, w->scan->encrypted);
}

static uint32_t crypto_mask(const pqx_flat_crypto *crypto)
{
    uint32_t member = crypto->member.tag != 0;
    return member << PQX_COLUMN_CHUNK__CRYPTO_METADATA_TYPE
           | member << PQX_COLUMN_CHUNK__CRYPTO_METADATA
           | (uint32_t)(crypto->bytes != NULL) << PQX_COLUMN_CHUNK__ENCRYPTED_COLUMN_METADATA;
}

int pqx_flat_put_chunk(pqx_flat_writer *w, const pqx_element *leaf, const pqx_row_group *row_group,
                       uint64_t index, uint32_t *at)
{
    const pqx_chunk *chunk = &w->scan->chunks[index];
    static const pqx_places nowhere = {-1, -1, -1, -1, -1, -1, -1, 0};
    const pqx_places *places = w->scan->places ? &w->scan->places[index] : &nowhere;
    uint32_t own = own_mask(chunk, places), has_metadata = chunk->present & PQX_PRESENT_METADATA,
             child;
    pqx_usable_bounds(w->footer, chunk, leaf, &w->bound[0], &w->bound[1], &w->has_bounds);
    const pqx_shape *shape;
    pqx_flat_crypto crypto = {0};
    if (PQX_UNLIKELY(chunk->present & PQX_PRESENT_CRYPTO)) PQX_TRY(find_crypto(w, chunk, &crypto));
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_COLUMN_CHUNK,
                           (has_metadata ? 1u << PQX_COLUMN_CHUNK__METADATA : 0)
                               | crypto_mask(&crypto) | (own ? 1u << PQX_COLUMN_CHUNK__OWN : 0),
                           at, &shape));
    uint32_t key_field = *at + shape->at[PQX_COLUMN_CHUNK__CRYPTO_METADATA],
             bytes_field = *at + shape->at[PQX_COLUMN_CHUNK__ENCRYPTED_COLUMN_METADATA];
    if (crypto.member.tag)
        pqx_flat_at(w, *at)[shape->at[PQX_COLUMN_CHUNK__CRYPTO_METADATA_TYPE]] = crypto.member.tag;
    uint32_t metadata_field = *at + shape->at[PQX_COLUMN_CHUNK__METADATA],
             own_field = *at + shape->at[PQX_COLUMN_CHUNK__OWN];
    if (has_metadata) {
        PQX_TRY(put_metadata(w, leaf, row_group, chunk, places, &child));
        pqx_flat_link(w, metadata_field, child);
    }
    if (crypto.member.tag) {
        PQX_TRY(pqx_flat_put_key(w, &crypto.member, &child));
        pqx_flat_link(w, key_field, child);
    }
    if (crypto.bytes) PQX_TRY(pqx_flat_bytes(w, bytes_field, crypto.bytes, crypto.size));
    if (own) {
        PQX_TRY(put_own(w, own, chunk, places, &child));
        pqx_flat_link(w, own_field, child);
    }
    return PQX_OK;
}
