#include "footer/scan_fast.h"
#include "footer/take.h"

INLINE size_t take_path(input in, size_t at)
{
    pqx_range name;
    uint32_t count;
    if (PQX_LIKELY(in.base[at] == HEADER(1, BINARY))) return take_binary(in, at + 1, &name);
    TAKE(take_list(in.base, at, PQX_TYPE_BINARY, &count));
    while (count--) TAKE(take_binary(in, at, &name));
    return at;
}

/* ---- statistics ---- */

#define PRESENT_DEPRECATED (PQX_PRESENT_MAX | PQX_PRESENT_MIN)
#define PRESENT_BOUNDS (PQX_PRESENT_MAX_VALUE | PQX_PRESENT_MIN_VALUE)
#define PRESENT_EXACT                                                              \
    (PQX_PRESENT_MAX_EXACT_SET | PQX_PRESENT_MAX_EXACT | PQX_PRESENT_MIN_EXACT_SET \
     | PQX_PRESENT_MIN_EXACT)

/* Read a boolean field if it is present. */
static size_t take_exactness(const uint8_t *base, size_t at, int32_t *id, int32_t next,
                             uint32_t said, uint32_t exact, uint32_t *present)
{
    int is_true = comes(base, at, id, next, PQX_TYPE_TRUE);
    if (!is_true && !comes(base, at, id, next, PQX_TYPE_FALSE)) return at;
    *present |= is_true ? said | exact : said;
    return at + 1;
}

/* Read any fields in the order of their ids. */
OUTLINE size_t take_any_statistics(input in, size_t at, pqx_chunk *chunk, uint32_t *present)
{
    const uint8_t *base = in.base;
    int64_t ignored;
    int32_t id = 0;
    int bad = 0;
    chunk->max = chunk->min = chunk->max_value = chunk->min_value = (pqx_range){0, 0};
    chunk->null_count = chunk->distinct_count = -1;
    if (comes(base, at, &id, PQX_STATISTICS_MAX, PQX_TYPE_BINARY)) {
        TAKE(take_binary(in, at + 1, &chunk->max));
        *present |= PQX_PRESENT_MAX;
    }
    if (comes(base, at, &id, PQX_STATISTICS_MIN, PQX_TYPE_BINARY)) {
        TAKE(take_binary(in, at + 1, &chunk->min));
        *present |= PQX_PRESENT_MIN;
    }
    if (comes(base, at, &id, PQX_STATISTICS_NULL_COUNT, PQX_TYPE_I64)) {
        at = take_number(base, at + 1, &chunk->null_count, &bad);
        *present |= PQX_PRESENT_NULL_COUNT;
    }
    if (comes(base, at, &id, PQX_STATISTICS_DISTINCT_COUNT, PQX_TYPE_I64)) {
        at = take_number(base, at + 1, &chunk->distinct_count, &bad);
        *present |= PQX_PRESENT_DISTINCT_COUNT;
    }
    if (comes(base, at, &id, PQX_STATISTICS_MAX_VALUE, PQX_TYPE_BINARY)) {
        TAKE(take_binary(in, at + 1, &chunk->max_value));
        *present |= PQX_PRESENT_MAX_VALUE;
    }
    if (comes(base, at, &id, PQX_STATISTICS_MIN_VALUE, PQX_TYPE_BINARY)) {
        TAKE(take_binary(in, at + 1, &chunk->min_value));
        *present |= PQX_PRESENT_MIN_VALUE;
    }
    at = take_exactness(base, at, &id, PQX_STATISTICS_IS_MAX_VALUE_EXACT, PQX_PRESENT_MAX_EXACT_SET,
                        PQX_PRESENT_MAX_EXACT, present);
    at = take_exactness(base, at, &id, PQX_STATISTICS_IS_MIN_VALUE_EXACT, PQX_PRESENT_MIN_EXACT_SET,
                        PQX_PRESENT_MIN_EXACT, present);
    if (comes(base, at, &id, PQX_STATISTICS_NAN_COUNT, PQX_TYPE_I64))
        at = take_number(base, at + 1, &ignored, &bad);
    return bad || base[at] ? 0 : at + 1;
}

/* Read both is-exact fields, or neither, and the stop byte. */
INLINE size_t take_statistics_end(const uint8_t *base, size_t at, uint32_t *present)
{
    if (PQX_LIKELY((pqx_load32(base + at) & 0xffffff)
                   == BYTES(HEADER(1, TRUE), HEADER(1, TRUE), 0, 0))) {
        *present |= PRESENT_EXACT;
        return at + 3;
    }
    return base[at] ? 0 : at + 1;
}

/* Read two pairs of bounds, each of `width` bytes, around a small null count. */
INLINE size_t take_two_pairs(const uint8_t *base, size_t at, uint32_t width, pqx_chunk *chunk,
                             uint32_t *present)
{
    const uint8_t *p = base + at;
    uint16_t bound = (uint16_t)(HEADER(1, BINARY) | width << 8);
    uint32_t middle = pqx_load32(p + 4 + 2 * width);
    if (PQX_UNLIKELY((middle & 0xffff81ff) != BYTES(HEADER(1, I64), 0, HEADER(2, BINARY), width)))
        return 0;
    if (PQX_UNLIKELY(pqx_load16(p + 2 + width) != bound || pqx_load16(p + 8 + 3 * width) != bound))
        return 0;
    chunk->max = (pqx_range){(uint32_t)at + 2, width};
    chunk->min = (pqx_range){(uint32_t)at + 4 + width, width};
    chunk->null_count = middle >> 9 & 0x3f;
    chunk->max_value = (pqx_range){(uint32_t)at + 8 + 2 * width, width};
    chunk->min_value = (pqx_range){(uint32_t)at + 10 + 3 * width, width};
    *present |= PRESENT_DEPRECATED | PQX_PRESENT_NULL_COUNT | PRESENT_BOUNDS;
    return take_statistics_end(base, at + 10 + 4 * width, present);
}

/* Read a small null count and one pair of bounds. */
INLINE size_t take_one_pair(input in, size_t at, pqx_chunk *chunk, uint32_t *present)
{
    uint32_t word = pqx_load32(in.base + at);
    if (PQX_UNLIKELY((word & 0xff81ff) != BYTES(HEADER(3, I64), 0, HEADER(2, BINARY), 0))) return 0;
    chunk->null_count = word >> 9 & 0x3f;
    chunk->max = chunk->min = (pqx_range){0, 0};
    TAKE(take_binary(in, at + 3, &chunk->max_value));
    if (PQX_UNLIKELY(in.base[at] != HEADER(1, BINARY))) return 0;
    TAKE(take_binary(in, at + 1, &chunk->min_value));
    *present |= PQX_PRESENT_NULL_COUNT | PRESENT_BOUNDS;
    return take_statistics_end(in.base, at, present);
}

/* Read Statistics, stop byte included. */
INLINE size_t take_statistics(input in, size_t at, pqx_chunk *chunk, uint32_t *present)
{
    enum { WIDEST = 16 };
    const uint8_t *base = in.base;
    uint32_t found = PQX_PRESENT_STATISTICS;
    size_t end = 0;
    chunk->distinct_count = -1;
    if (base[at] == HEADER(1, BINARY)) {
        uint32_t width = base[at + 1];
        if (width == 8) end = take_two_pairs(base, at, 8, chunk, &found);
        else if (width == 4) end = take_two_pairs(base, at, 4, chunk, &found);
        else if (width <= WIDEST) end = take_two_pairs(base, at, width, chunk, &found);
    } else {
        end = take_one_pair(in, at, chunk, &found);
    }
    if (PQX_UNLIKELY(!end)) {
        uint32_t other = PQX_PRESENT_STATISTICS;
        end = take_any_statistics(in, at, chunk, &other);
        if (!end) return 0;
        found = other;
    }
    *present |= found;
    chunk->statistics = (pqx_range){(uint32_t)at, (uint32_t)(end - at)};
    return end;
}

/* ---- fields after the statistics ---- */

/* The encodings of a chunk's pages, as far as they determine whether all of them use the
 * dictionary. */
typedef struct pages {
    int told, dictionary, other;
} pages;

static size_t take_encoding_stats(input in, size_t at, pages *seen)
{
    uint32_t count;
    int bad = 0;
    TAKE(take_list(in.base, at, PQX_TYPE_STRUCT, &count));
    seen->told = 1;
    while (count--) {
        const uint8_t *p = in.base + at;
        int32_t number;
        if (at > in.limit || p[0] != HEADER(1, I32) || p[1] & 0x81 || p[2] != HEADER(1, I32)
            || p[3] & 0x81 || p[4] != HEADER(1, I32))
            return 0;
        int page_type = p[1] >> 1, encoding = p[3] >> 1;
        if (pqx_is_data_page(page_type)) {
            if (pqx_is_dictionary_encoding(encoding)) seen->dictionary = 1;
            else seen->other = 1;
        }
        at = take_i32(in.base, at + 5, &number, &bad);
        if (bad || in.base[at++]) return 0;
    }
    return at;
}

static size_t take_counts(input in, size_t at)
{
    uint32_t count;
    int bad = 0;
    TAKE(take_list(in.base, at, PQX_TYPE_I64, &count));
    while (count--) {
        int64_t ignored;
        if (at > in.limit) return 0;
        at = take_number(in.base, at, &ignored, &bad);
    }
    return bad ? 0 : at;
}

static size_t take_size_statistics(input in, size_t at)
{
    int64_t ignored;
    int32_t id = 0;
    int bad = 0;
    if (comes(in.base, at, &id, 1, PQX_TYPE_I64)) at = take_number(in.base, at + 1, &ignored, &bad);
    if (comes(in.base, at, &id, 2, PQX_TYPE_LIST)) TAKE(take_counts(in, at + 1));
    if (comes(in.base, at, &id, 3, PQX_TYPE_LIST)) TAKE(take_counts(in, at + 1));
    return bad || at > in.limit || in.base[at] ? 0 : at + 1;
}

/* Read the rest of ColumnMetaData after field `id`, 9 to 12, stop byte included. */
static size_t take_rest(input in, size_t at, int32_t id, pages *seen, pqx_places *places,
                        uint32_t *present)
{
    int bad = 0;
    if (comes(in.base, at, &id, PQX_COLUMN_META_DATA_ENCODING_STATS, PQX_TYPE_LIST))
        TAKE(take_encoding_stats(in, at + 1, seen));
    if (comes(in.base, at, &id, PQX_COLUMN_META_DATA_BLOOM_FILTER_OFFSET, PQX_TYPE_I64)) {
        if (!places) return 0;
        at = take_number(in.base, at + 1, &places->bloom_filter_offset, &bad);
        *present |= PQX_PRESENT_BLOOM_FILTER_OFFSET;
    }
    if (comes(in.base, at, &id, PQX_COLUMN_META_DATA_BLOOM_FILTER_LENGTH, PQX_TYPE_I32)) {
        if (!places) return 0;
        at = take_i32(in.base, at + 1, &places->bloom_filter_length, &bad);
        *present |= PQX_PRESENT_BLOOM_FILTER_LENGTH;
    }
    if (comes(in.base, at, &id, PQX_COLUMN_META_DATA_SIZE_STATISTICS, PQX_TYPE_STRUCT))
        TAKE(take_size_statistics(in, at + 1));
    if (comes(in.base, at, &id, PQX_COLUMN_META_DATA_GEOSPATIAL_STATISTICS, PQX_TYPE_STRUCT)) {
        pqx_cursor walking = {in.base, in.limit, at + 1, NULL};
        if (at >= in.limit
            || !pqx_lacks_nothing(&walking, PQX_RULES_OF_COLUMN_META_DATA,
                                  PQX_COLUMN_META_DATA_GEOSPATIAL_STATISTICS, PQX_IN_METADATA))
            return 0;
        at = walking.at;
    }
    return bad || at > in.limit || in.base[at] ? 0 : at + 1;
}

static const uint8_t ones_then_zeros[64] = {
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
};

/* Read the rest, and store it in the cache if it contains nothing but the pages' encodings. */
OUTLINE size_t learn_rest(input in, size_t at, int32_t id, pqx_habit *habit, pqx_places *places,
                          uint32_t *present)
{
    const uint32_t plain_dictionary = 1u << PQX_ENCODING_PLAIN_DICTIONARY;
    size_t start = at;
    pages seen = {0, 0, 0};
    uint32_t placed = 0;
    TAKE(take_rest(in, at, id, &seen, places, &placed));
    int full = seen.told ? seen.dictionary && !seen.other
                         : (habit->encodings & ~PQX_LEVEL_ENCODINGS) == plain_dictionary;
    habit->rest_present = full ? PQX_PRESENT_FULLY_DICTIONARY_ENCODED : 0;
    *present = placed | habit->rest_present;
    habit->rest_length = (uint32_t)(at - start);
    habit->rest_behind = placed || habit->rest_length > sizeof habit->rest ? -1 : id;
    if (habit->rest_behind < 0) return at;
    memcpy(habit->rest_mask, ones_then_zeros + sizeof habit->rest - habit->rest_length,
           sizeof habit->rest);
    for (size_t i = 0; i < sizeof habit->rest / 8; i++)
        habit->rest[i] = pqx_load64(in.base + start + 8 * i) & habit->rest_mask[i];
    return at;
}

/* The bytes after the statistics mostly equal those of the last chunk of this type and these
 * encodings. Equal bytes after the same field have the same meaning. */
INLINE int is_same_rest(const uint8_t *p, int32_t id, const pqx_habit *habit)
{
    uint64_t difference = 0;
    for (size_t i = 0; i < sizeof habit->rest / 8; i++)
        difference |= (pqx_load64(p + 8 * i) & habit->rest_mask[i]) ^ habit->rest[i];
    return PQX_LIKELY(habit->rest_behind == id && difference == 0);
}

/* ---- how ColumnMetaData begins ---- */

/* Read type and encodings, at most 14 and each below 32, and store them in the cache if they fit.
 */
OUTLINE size_t learn_head(const uint8_t *base, size_t at, pqx_habit *habit)
{
    const uint8_t *p = base + at;
    uint32_t count = p[4] >> 4, length = 5 + count;
    if (p[0] != HEADER(1, STRUCT) || p[1] != HEADER(1, I32) || p[2] & 0x81
        || p[3] != HEADER(1, LIST))
        return 0;
    if ((p[4] & 15) != PQX_TYPE_I32 || count == 15) return 0;
    *habit = (pqx_habit){.head = PQX_NO_HEAD, .type = p[2] >> 1, .rest_behind = -1};
    for (uint32_t i = 5; i < length; i++) {
        if (p[i] & 0xc1) return 0;
        habit->encodings |= 1u << (p[i] >> 1);
    }
    if (length > 8) return at + length;
    habit->head_mask = UINT64_MAX >> (64 - 8 * length);
    habit->head = pqx_load64(p) & habit->head_mask;
    return at + length;
}

/* Read the struct's header, type and encodings: mostly equal to those of the last chunk that began
 * with the same bytes. */
INLINE size_t take_head(const uint8_t *base, size_t at, pqx_habit *habits, pqx_habit **habit)
{
    uint64_t head = pqx_load64(base + at);
    *habit = &habits[(head >> 15 & 0x1c) | (head * UINT64_C(0x9e3779b97f4a7c15) >> 62)];
    if (PQX_UNLIKELY((head & (*habit)->head_mask) != (*habit)->head))
        return learn_head(base, at, *habit);
    uint32_t count = (uint32_t)(head >> 36) & 15;
    if (PQX_LIKELY(count == 3)) {
        OPAQUE(
            at); /* a predicted branch determines the next position, not the number that was read */
        return at + 8;
    }
    return at + 5 + count;
}

/* ---- chunks ---- */

/* Read the locations of page indexes, after ColumnMetaData, and the stop byte. */
OUTLINE size_t take_index_places(input in, size_t at, pqx_places *places, uint32_t *present)
{
    int32_t id = PQX_COLUMN_CHUNK_META_DATA;
    int bad = 0;
    if (!places) return 0;
    if (comes(in.base, at, &id, PQX_COLUMN_CHUNK_OFFSET_INDEX_OFFSET, PQX_TYPE_I64)) {
        at = take_place(in.base, at + 1, &places->offset_index_offset, &bad);
        if (!comes(in.base, at, &id, PQX_COLUMN_CHUNK_OFFSET_INDEX_LENGTH, PQX_TYPE_I32)) return 0;
        at = take_i32(in.base, at + 1, &places->offset_index_length, &bad);
        *present |= PQX_PRESENT_OFFSET_INDEX;
    }
    if (comes(in.base, at, &id, PQX_COLUMN_CHUNK_COLUMN_INDEX_OFFSET, PQX_TYPE_I64)) {
        at = take_place(in.base, at + 1, &places->column_index_offset, &bad);
        if (!comes(in.base, at, &id, PQX_COLUMN_CHUNK_COLUMN_INDEX_LENGTH, PQX_TYPE_I32)) return 0;
        at = take_i32(in.base, at + 1, &places->column_index_length, &bad);
        *present |= PQX_PRESENT_COLUMN_INDEX;
    }
    return bad || in.base[at] ? 0 : at + 1;
}

/* Read the file path of a chunk in another file, and the next field's header. */
OUTLINE size_t take_file_path(input in, size_t at, uint32_t *present)
{
    pqx_range path;
    if (in.base[at] != HEADER(1, BINARY)) return 0;
    TAKE(take_binary(in, at + 1, &path));
    *present = PQX_PRESENT_FILE_PATH;
    return in.base[at] == HEADER(1, I64) ? at + 1 : 0;
}

/* Read the key-values of a chunk, and the next field's header. */
OUTLINE size_t take_key_values(input in, size_t at, uint32_t *present)
{
    pqx_cursor walking = {in.base, in.limit, at + 1, NULL};
    if (in.base[at] != HEADER(1, LIST) || at >= in.limit) return 0;
    if (!pqx_lacks_nothing(&walking, PQX_RULES_OF_COLUMN_META_DATA,
                           PQX_COLUMN_META_DATA_KEY_VALUE_METADATA, PQX_IN_METADATA))
        return 0;
    at = walking.at;
    *present = PQX_PRESENT_KEY_VALUES;
    return in.base[at] == HEADER(1, I64) ? at + 1 : 0;
}

INLINE size_t take_chunk(input in, size_t at, pqx_chunk *chunk, pqx_places *places,
                         pqx_habit *habits)
{
    const uint8_t *base = in.base;
    const size_t start = at;
    uint32_t present = PQX_PRESENT_FILE_OFFSET | PQX_PRESENT_METADATA | PQX_PRESENT_TYPE
                       | PQX_PRESENT_CODEC | PQX_PRESENT_NUM_VALUES
                       | PQX_PRESENT_TOTAL_UNCOMPRESSED_SIZE | PQX_PRESENT_TOTAL_COMPRESSED_SIZE
                       | PQX_PRESENT_DATA_PAGE_OFFSET | PQX_PRESENT_PATH_IN_SCHEMA;
    pqx_habit *habit;
    int64_t file_offset;
    int32_t id;
    int bad = 0;
    if (PQX_UNLIKELY(at > in.limit)) return 0;
    if (PQX_LIKELY(base[at] == HEADER(2, I64))) {
        at++;
    } else {
        uint32_t more = 0;
        TAKE(take_file_path(in, at, &more));
        present |= more;
    }
    at = take_number(base, at, &file_offset, &bad);
    const size_t metadata = at + 1;
    TAKE(take_head(base, at, habits, &habit));
    chunk->type = habit->type;
    chunk->encodings = habit->encodings;
    if (PQX_UNLIKELY(base[at] != HEADER(1, LIST))) return 0;
    TAKE(take_path(in, at + 1));
    uint32_t codec = pqx_load32(base + at);
    if (PQX_UNLIKELY((codec & 0xff81ff) != BYTES(HEADER(1, I32), 0, HEADER(1, I64), 0))) return 0;
    chunk->codec = codec >> 9 & 0x3f;
    at = take_number(base, at + 3, &chunk->num_values, &bad);
    if (PQX_UNLIKELY(base[at] != HEADER(1, I64))) return 0;
    at = take_number(base, at + 1, &chunk->total_uncompressed_size, &bad);
    if (PQX_UNLIKELY(base[at] != HEADER(1, I64))) return 0;
    at = take_number(base, at + 1, &chunk->total_compressed_size, &bad);
    if (PQX_LIKELY(base[at] == HEADER(2, I64))) {
        at++;
    } else {
        uint32_t more = 0;
        TAKE(take_key_values(in, at, &more));
        present |= more;
    }
    at = take_place(base, at, &chunk->data_page_offset, &bad);
    if (base[at] == HEADER(2, I64)) {
        at = take_place(base, at + 1, &chunk->dictionary_page_offset, &bad);
        present |= PQX_PRESENT_DICTIONARY_PAGE_OFFSET;
        id = PQX_COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET;
    } else {
        chunk->dictionary_page_offset = -1;
        id = PQX_COLUMN_META_DATA_DATA_PAGE_OFFSET;
    }
    if (PQX_LIKELY(base[at]
                   == (uint8_t)((PQX_COLUMN_META_DATA_STATISTICS - id) << 4 | PQX_TYPE_STRUCT))) {
        TAKE(take_statistics(in, at + 1, chunk, &present));
        id = PQX_COLUMN_META_DATA_STATISTICS;
    } else {
        chunk->max = chunk->min = chunk->max_value = chunk->min_value = chunk->statistics =
            (pqx_range){0, 0};
        chunk->null_count = chunk->distinct_count = -1;
    }
    if (is_same_rest(base + at, id, habit)) {
        at += habit->rest_length;
        present |= habit->rest_present;
    } else {
        uint32_t more = 0;
        TAKE(learn_rest(in, at, id, habit, places, &more));
        present |= more;
    }
    chunk->metadata = (pqx_range){(uint32_t)metadata, (uint32_t)(at - metadata)};
    if (PQX_LIKELY(base[at] == 0)) {
        at++;
    } else {
        uint32_t more = 0;
        TAKE(take_index_places(in, at, places, &more));
        present |= more;
    }
    if (PQX_UNLIKELY(bad)) return 0;
    chunk->present = present;
    chunk->chunk = (pqx_range){(uint32_t)start, (uint32_t)(at - start)};
    return at;
}

uint32_t pqx_fast_chunks(pqx_scanning *s, uint32_t most)
{
    pqx_cursor *c = &s->cursor;
    if (c->size < PQX_SLACK) return 0;
    input in = {c->data, c->size - PQX_SLACK};
    pqx_chunk *chunks = s->scan->chunks + s->scan->chunk_count;
    pqx_places *places = s->scan->places ? s->scan->places + s->scan->chunk_count : NULL;
    size_t at = c->at, next;
    uint32_t taken = 0;
    for (; taken < most; taken++, at = next) {
        pqx_places *own = NULL;
        if (places) {
            own = &places[taken];
            *own = (pqx_places){-1, -1, -1, -1, -1, -1, -1, 0};
        }
        fetch_ahead(in.base + at, &chunks[taken], sizeof *chunks);
        next = take_chunk(in, at, &chunks[taken], own, s->habits);
        if (PQX_UNLIKELY(!next)) break;
    }
    c->at = at;
    s->scan->chunk_count += taken;
    return taken;
}
