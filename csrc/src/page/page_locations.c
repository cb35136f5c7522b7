/* Read an OffsetIndex: the locations of a column chunk's data pages. */
#if defined(__x86_64__)
#include <tmmintrin.h>
#endif

#include "encoding/loops.h"
#include "thrift/cursor.h"

enum {
    HEADER_I64 = 1 << 4 | PQX_TYPE_I64, /* of a field whose id is the next one */
    HEADER_I32 = 1 << 4 | PQX_TYPE_I32,
    OFFSET_BYTES = 9, /* of a usual varint, at most */
    SIZE_BYTES = 4,
    USUAL_BYTES = 4 + 2 * OFFSET_BYTES + SIZE_BYTES,
    LEAST_RUN = 3 /* locations of one length, from which on more are expected */
};

/* Read a varint of at most `most` bytes and return the offset after it, or 0. */
PQX_INLINE size_t take_varint(const uint8_t *data, size_t at, unsigned most, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 7 * most; shift += 7) {
        uint64_t byte = data[at++];
        *value |= (byte & 0x7f) << shift;
        if (byte < 0x80) return at;
    }
    return 0;
}

/* Read a location as writers write it, with its three fields in order. Return the offset after it,
 * or 0 if it is written in another way or may end after the input. */
static size_t take_usual(const pqx_cursor *c, pqx_page_location *location)
{
    const uint8_t *data = c->data;
    size_t at = c->at;
    uint64_t offset, size, row;
    if (pqx_left(c) < USUAL_BYTES || data[at] != HEADER_I64) return 0;
    if (!(at = take_varint(data, at + 1, OFFSET_BYTES, &offset)) || data[at] != HEADER_I32)
        return 0;
    if (!(at = take_varint(data, at + 1, SIZE_BYTES, &size)) || data[at] != HEADER_I64) return 0;
    if (!(at = take_varint(data, at + 1, OFFSET_BYTES, &row)) || data[at]) return 0;
    *location = (pqx_page_location){.offset = pqx_unzigzag(offset),
                                    .first_row = pqx_unzigzag(row),
                                    .size = (int32_t)pqx_unzigzag(size)};
    return at + 1;
}

#if defined(__x86_64__)

enum { PATTERN_BYTES = 16, ABSENT = 0x80 };
#define SSSE3 __attribute__((target("ssse3")))

/* The form of usual locations whose numbers have as many bytes as those of the first one. */
typedef struct pattern {
    __m128i bytes, masks; /* the bits that all of them have: headers, stop byte and high bits */
    __m128i order;        /* moves offset, size and first row to bytes 0, 8 and 12 */
    size_t length;
} pattern;

/* Describe the varint at `at`, and return the offset after it, or 0 if it is too long. */
static size_t describe_varint(const uint8_t *data, size_t at, size_t most, uint8_t *masks,
                              uint8_t *order)
{
    for (size_t i = 0; i < most; i++, at++) {
        masks[at] = 0x80;
        order[i] = (uint8_t)at;
        if (data[at] < 0x80) return at + 1;
    }
    return 0;
}

/* Describe a location that take_usual has read. Return 0 if its numbers are too large. */
static int describe(const uint8_t *data, size_t length, pattern *made)
{
    uint8_t masks[PATTERN_BYTES] = {0}, order[PATTERN_BYTES];
    size_t at = 1;
    if (length > PATTERN_BYTES) return 0;
    memset(order, ABSENT, sizeof order);
    if (!(at = describe_varint(data, at, 8, masks, order))) return 0;
    masks[at] = 0xff;
    if (!(at = describe_varint(data, at + 1, 4, masks, order + 8))) return 0;
    masks[at] = 0xff;
    if (!(at = describe_varint(data, at + 1, 4, masks, order + 12))) return 0;
    masks[at] = masks[0] = 0xff;
    made->masks = _mm_loadu_si128((const __m128i *)masks);
    made->bytes = _mm_and_si128(_mm_loadu_si128((const __m128i *)data), made->masks);
    made->order = _mm_loadu_si128((const __m128i *)order);
    made->length = length;
    return 1;
}

/* Read up to `most` locations as long as they have the form, without a branch for each byte. */
SSSE3 static size_t take_alike(pqx_cursor *c, const pattern *like, pqx_page_location *locations,
                               size_t most)
{
    const __m128i low = _mm_set1_epi8(0x7f), pairs = _mm_set1_epi16((int16_t)0x8001),
                  fours = _mm_set1_epi32(1 << 30 | 1), one = _mm_set1_epi32(1);
    const __m128i bytes = like->bytes, masks = like->masks, order = like->order;
    const size_t length = like->length;
    const uint8_t *at = c->data + c->at;
    size_t left = pqx_left(c), count = 0;
    for (; count < most && left >= PATTERN_BYTES; count++, at += length, left -= length) {
        __m128i read = _mm_loadu_si128((const __m128i *)at);
        __m128i equal = _mm_cmpeq_epi8(_mm_and_si128(read, masks), bytes);
        if (_mm_movemask_epi8(equal) != 0xffff) break;
        /* Join numbers of 7 bits to numbers of 14 and 28. */
        read = _mm_and_si128(_mm_shuffle_epi8(read, order), low);
        read = _mm_madd_epi16(_mm_maddubs_epi16(pairs, read), fours);
        uint64_t offset = (uint64_t)_mm_cvtsi128_si64(read);
        offset = (offset & 0xfffffff) | offset >> 32 << 28;
        __m128i sign = _mm_sub_epi32(_mm_setzero_si128(), _mm_and_si128(read, one));
        read = _mm_xor_si128(_mm_srli_epi32(read, 1), sign);
        int64_t both = _mm_cvtsi128_si64(_mm_unpackhi_epi64(read, read));
        locations[count] = (pqx_page_location){
            .offset = pqx_unzigzag(offset), .first_row = both >> 32, .size = (int32_t)both};
    }
    c->at += count * length;
    return count;
}

/* Read locations that have the form of the one that begins at `begin`. */
static size_t take_more(pqx_cursor *c, size_t begin, pqx_page_location *locations, size_t most)
{
    pattern like;
    if (pqx_best_loops() == &pqx_portable_loops) return 0; /* a CPU without AVX2 */
    return describe(c->data + begin, c->at - begin, &like) ? take_alike(c, &like, locations, most)
                                                           : 0;
}

#else

static size_t take_more(pqx_cursor *c, size_t begin, pqx_page_location *locations, size_t most)
{
    (void)c, (void)begin, (void)locations, (void)most;
    return 0;
}

#endif

static int read_location(pqx_cursor *c, pqx_page_location *location)
{
    *location = (pqx_page_location){.offset = -1, .first_row = -1, .size = -1};
    for (int32_t id = 0;;) {
        int type = 0;
        PQX_TRY(pqx_read_field(c, &id, &type));
        if (type == 0) return PQX_OK;
        if (id == PQX_PAGE_LOCATION_OFFSET && type == PQX_TYPE_I64)
            PQX_TRY(pqx_read_i64(c, &location->offset));
        else if (id == PQX_PAGE_LOCATION_COMPRESSED_PAGE_SIZE && type == PQX_TYPE_I32)
            PQX_TRY(pqx_read_i32(c, &location->size));
        else if (id == PQX_PAGE_LOCATION_FIRST_ROW_INDEX && type == PQX_TYPE_I64)
            PQX_TRY(pqx_read_i64(c, &location->first_row));
        else PQX_TRY(pqx_skip(c, type, 0, PQX_MAX_DEPTH - 3));
    }
}

/* Read locations. Most have the same form as those before them. */
static int read_locations(pqx_cursor *c, pqx_page_location *locations, size_t count)
{
    size_t alike = 0, last_length = 0; /* usual locations of one length, one after another */
    for (size_t i = 0; i < count; i++) {
        size_t begin = c->at, after = take_usual(c, &locations[i]);
        if (!after) {
            PQX_TRY(read_location(c, &locations[i]));
            alike = 0;
            continue;
        }
        c->at = after;
        alike = after - begin == last_length ? alike + 1 : 1;
        last_length = after - begin;
        if (alike < LEAST_RUN) continue;
        i += take_more(c, begin, &locations[i + 1], count - i - 1);
        alike = 0;
    }
    return PQX_OK;
}

int pqx_page_locations(const uint8_t *data, size_t size, pqx_page_location *locations,
                       size_t capacity, size_t *count, pqx_error *error)
{
    pqx_cursor cursor = {data, size, 0, error}, *c = &cursor;
    *count = 0;
    for (int32_t id = 0;;) {
        int type = 0, item = 0;
        uint32_t items = 0;
        PQX_TRY(pqx_read_field(c, &id, &type));
        if (type == 0) return PQX_OK;
        if (id != PQX_OFFSET_INDEX_PAGE_LOCATIONS || type != PQX_TYPE_LIST) {
            PQX_TRY(pqx_skip(c, type, 0, PQX_MAX_DEPTH - 1));
            continue;
        }
        size_t header = c->at;
        PQX_TRY(pqx_read_list(c, &items, &item));
        if (items && item != PQX_TYPE_STRUCT)
            return pqx_fail(error, PQX_FIELD_TYPE, header, PQX_TYPE_STRUCT, (uint64_t)item);
        *count = items;
        PQX_TRY(read_locations(c, locations, capacity < items ? capacity : items));
        for (size_t i = capacity; i < items; i++) {
            pqx_page_location beyond;
            PQX_TRY(read_location(c, &beyond));
        }
    }
}
