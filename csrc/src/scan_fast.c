#include "scan_fast.h"

/* What is read between two checks of what is left. Behind the path: codec and five numbers, 2 + 5 × 11 bytes; behind a
 * bound: the header of the next one, or two counts, 2 × 11 bytes, and three single ones. */
enum { HEAD_BYTES = 32, NUMBERS_BYTES = 64, STATISTICS_BYTES = 32 };

#define HEADER(delta, type) ((delta) << 4 | PQX_TYPE_##type)

/* A varint with ten bytes to read; NULL where it is not a valid one. One branch per length: a length that is predicted
 * breaks the chain of loads. */
static inline const uint8_t *fast_varint(const uint8_t *p, uint64_t *value)
{
    if (PQX_LIKELY(p[0] < 0x80)) {
        *value = p[0];
        return p + 1;
    }
    if (p[1] < 0x80) {
        *value = (p[0] & 0x7fu) | (uint64_t)p[1] << 7;
        return p + 2;
    }
    if (p[2] < 0x80) {
        *value = (p[0] & 0x7fu) | (p[1] & 0x7fu) << 7 | (uint64_t)p[2] << 14;
        return p + 3;
    }
    uint64_t sum = (p[0] & 0x7fu) | (p[1] & 0x7fu) << 7 | (p[2] & 0x7fu) << 14;
    for (int i = 3; i < 9; i++) {
        sum |= (uint64_t)(p[i] & 0x7f) << (7 * i);
        if (p[i] < 0x80) {
            *value = sum;
            return p + i + 1;
        }
    }
    if (p[9] > 1) return NULL;
    *value = sum | (uint64_t)p[9] << 63;
    return p + 10;
}

/* The field `header` at p, if it is there and valid: its number, and where it ends; otherwise NULL. */
static inline const uint8_t *fast_i64(const uint8_t *p, uint8_t header, int64_t *number)
{
    uint64_t raw = 0;
    if (*p != header || !(p = fast_varint(p + 1, &raw))) return NULL;
    *number = (int64_t)(raw >> 1 ^ -(raw & 1));
    return p;
}

/* Encodings, 14 at most and each below 32, as one byte each. */
static inline const uint8_t *fast_encodings(const uint8_t *p, uint32_t *encodings)
{
    uint32_t count = p[1] >> 4, mask = 0;
    uint8_t seen = 0;
    if (p[0] != HEADER(1, LIST) || (p[1] & 15) != PQX_TYPE_I32 || count == 15) return NULL;
    p += 2;
    for (uint32_t i = 0; i < count; i++) {
        seen |= p[i];
        mask |= 1u << (p[i] >> 1 & 31);
    }
    if (seen & 0xc1) return NULL;
    *encodings = mask;
    return p + count;
}

/* A path of up to 14 names of up to 127 bytes, behind which `limit` still lies. */
static inline const uint8_t *fast_path(const uint8_t *p, const uint8_t *limit)
{
    uint32_t count = p[1] >> 4;
    if (p[0] != HEADER(1, LIST) || (p[1] & 15) != PQX_TYPE_BINARY || count == 15) return NULL;
    p += 2;
    while (count--) {
        if (PQX_UNLIKELY(p[0] >= 0x80 || p[0] >= limit - p)) return NULL;
        p += 1 + p[0];
    }
    return p;
}

int32_t pqx_fast_metadata(pqx_cursor *c, pqx_chunk *chunk)
{
    if (PQX_UNLIKELY(pqx_left(c) < HEAD_BYTES + NUMBERS_BYTES)) return 0;
    const uint8_t *p = c->data + c->at, *limit = c->data + c->size - NUMBERS_BYTES, *next;
    int32_t id = 0;
    if (p[0] != HEADER(1, I32) || p[1] & 0x81) goto out;
    chunk->type = p[1] >> 1;
    chunk->present |= PQX_PRESENT_TYPE;
    p += 2, id = PQX_COLUMN_META_DATA_TYPE;
    if (!(next = fast_encodings(p, &chunk->encodings))) goto out;
    p = next, id = PQX_COLUMN_META_DATA_ENCODINGS;
    if (!(next = fast_path(p, limit))) goto out;
    p = next, id = PQX_COLUMN_META_DATA_PATH_IN_SCHEMA;
    if (p[0] != HEADER(1, I32) || p[1] & 0x81) goto out;
    chunk->codec = p[1] >> 1;
    chunk->present |= PQX_PRESENT_CODEC;
    p += 2, id = PQX_COLUMN_META_DATA_CODEC;
    if (!(next = fast_i64(p, HEADER(1, I64), &chunk->num_values))) goto out;
    chunk->present |= PQX_PRESENT_NUM_VALUES;
    p = next, id = PQX_COLUMN_META_DATA_NUM_VALUES;
    if (!(next = fast_i64(p, HEADER(1, I64), &chunk->total_uncompressed_size))) goto out;
    chunk->present |= PQX_PRESENT_TOTAL_UNCOMPRESSED_SIZE;
    p = next, id = PQX_COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE;
    if (!(next = fast_i64(p, HEADER(1, I64), &chunk->total_compressed_size))) goto out;
    chunk->present |= PQX_PRESENT_TOTAL_COMPRESSED_SIZE;
    p = next, id = PQX_COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE;
    if (!(next = fast_i64(p, HEADER(2, I64), &chunk->data_page_offset))) goto out;
    chunk->present |= PQX_PRESENT_DATA_PAGE_OFFSET;
    p = next, id = PQX_COLUMN_META_DATA_DATA_PAGE_OFFSET;
    if (!(next = fast_i64(p, HEADER(2, I64), &chunk->dictionary_page_offset))) goto out;
    chunk->present |= PQX_PRESENT_DICTIONARY_PAGE_OFFSET;
    p = next, id = PQX_COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET;
out:
    c->at = (size_t)(p - c->data);
    return id;
}

/* The binary field `header` of up to 127 bytes at p, if it is there and ends before `limit`. */
static inline const uint8_t *fast_bound(const uint8_t *p, const uint8_t *start, const uint8_t *limit, uint8_t header, pqx_range *bound)
{
    if (p[0] != header || p[1] >= 0x80 || p[1] > limit - p - 2) return NULL;
    *bound = (pqx_range){(uint32_t)(p + 2 - start), p[1]};
    return p + 2 + p[1];
}

/* A boolean field one id further, which sets `said` and, if it is true, the next bit. */
static inline const uint8_t *fast_exactness(const uint8_t *p, uint32_t *present, uint32_t said)
{
    if (p[0] != HEADER(1, TRUE) && p[0] != HEADER(1, FALSE)) return p;
    *present |= p[0] == HEADER(1, TRUE) ? said | said << 1 : said;
    return p + 1;
}

int pqx_fast_statistics(pqx_cursor *c, pqx_chunk *chunk)
{
    if (PQX_UNLIKELY(pqx_left(c) < STATISTICS_BYTES)) return 0;
    const uint8_t *p = c->data + c->at, *limit = c->data + c->size - STATISTICS_BYTES, *next;
    uint32_t present = PQX_PRESENT_STATISTICS, last = 0;
    if ((next = fast_bound(p, c->data, limit, HEADER(1, BINARY), &chunk->max))) {
        if (!(p = fast_bound(next, c->data, limit, HEADER(1, BINARY), &chunk->min))) return 0;
        present |= PQX_PRESENT_MAX | PQX_PRESENT_MIN;
        last = PQX_STATISTICS_MIN;
    }
    if ((next = fast_i64(p, (uint8_t)((PQX_STATISTICS_NULL_COUNT - last) << 4 | PQX_TYPE_I64), &chunk->null_count))) {
        p = next, last = PQX_STATISTICS_NULL_COUNT, present |= PQX_PRESENT_NULL_COUNT;
        if ((next = fast_i64(p, HEADER(1, I64), &chunk->distinct_count))) p = next, last = PQX_STATISTICS_DISTINCT_COUNT, present |= PQX_PRESENT_DISTINCT_COUNT;
    }
    if ((next = fast_bound(p, c->data, limit, (uint8_t)((PQX_STATISTICS_MAX_VALUE - last) << 4 | PQX_TYPE_BINARY), &chunk->max_value))) {
        if (!(p = fast_bound(next, c->data, limit, HEADER(1, BINARY), &chunk->min_value))) return 0;
        present |= PQX_PRESENT_MAX_VALUE | PQX_PRESENT_MIN_VALUE;
        next = fast_exactness(p, &present, PQX_PRESENT_MAX_EXACT_SET);
        if (next != p) next = fast_exactness(next, &present, PQX_PRESENT_MIN_EXACT_SET);
        p = next;
    }
    if (*p != 0) return 0;
    chunk->present |= present;
    c->at = (size_t)(p + 1 - c->data);
    return 1;
}
