/* Read an OffsetIndex: the locations of a column chunk's data pages. */
#include "thrift/cursor.h"

enum {
    HEADER_I64 = 1 << 4 | PQX_TYPE_I64, /* of a field whose id is the next one */
    HEADER_I32 = 1 << 4 | PQX_TYPE_I32,
    OFFSET_BYTES = 9, /* of a usual varint, at most */
    SIZE_BYTES = 4,
    USUAL_BYTES = 4 + 2 * OFFSET_BYTES + SIZE_BYTES
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

int pqx_page_locations(const uint8_t *data, size_t size, int64_t until,
                       pqx_page_location *locations, size_t capacity, size_t *count, size_t *left,
                       pqx_error *error)
{
    pqx_cursor cursor = {data, size, 0, error}, *c = &cursor;
    *count = *left = 0;
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
        for (uint32_t i = 0; i < items; i++) {
            pqx_page_location beyond, *to = i < capacity ? &locations[i] : &beyond;
            size_t after = take_usual(c, to);
            if (after) c->at = after;
            else PQX_TRY(read_location(c, to));
            if (to->first_row >= until && until < INT64_MAX) {
                *count = i + 1;
                *left = items - *count;
                return PQX_OK;
            }
        }
    }
}
