/* Read an OffsetIndex: the locations of a column chunk's data pages. */
#include "thrift/cursor.h"

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
        for (uint32_t i = 0; i < items; i++) {
            pqx_page_location beyond;
            PQX_TRY(read_location(c, i < capacity ? &locations[i] : &beyond));
        }
    }
}
