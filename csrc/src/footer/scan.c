/* The footer scan: one pass over FileMetaData into flat arrays. */
#include <stdlib.h>

#include "base/pages.h"
#include "footer/scan_fast.h"

int pqx_scan_grow(void *items, uint64_t count, size_t *room, size_t size, uint64_t expected,
                  pqx_error *error)
{
    if (PQX_LIKELY(count < *room)) return PQX_OK;
    uint64_t more = *room ? *room + (uint64_t)*room / 2 : expected + 8;
    if (more > SIZE_MAX / size) return pqx_fail(error, PQX_NO_MEMORY, 0, more, 0);
    void *held = NULL, *grown = pqx_reserve((size_t)more * size);
    if (!grown) return pqx_fail(error, PQX_NO_MEMORY, 0, more * size, 0);
    memcpy(&held, items, sizeof held);
    if (held) memcpy(grown, held, (size_t)count * size);
    pqx_release(held);
    memcpy(items, &grown, sizeof grown);
    *room = (size_t)more;
    return PQX_OK;
}

/* ---- chunks ---- */

/* Return the total number of chunks if all row groups have as many as this one. */
static uint64_t expected_chunks(const pqx_scanning *s, uint32_t claimed)
{
    enum { SMALLEST_REAL_CHUNK = 32 };
    return pqx_expected(&s->cursor,
                        (uint64_t)claimed * (s->row_groups_claimed ? s->row_groups_claimed : 1),
                        SMALLEST_REAL_CHUNK);
}

/* Store a chunk's entry of `places`. The array exists from the first chunk that has any. */
static int add_places(pqx_scanning *s, const pqx_places *places, int placed)
{
    pqx_scan *scan = s->scan;
    if (!scan->places && !placed) return PQX_OK;
    uint64_t from = s->places_room ? scan->chunk_count : 0;
    PQX_TRY(pqx_scan_grow(&scan->places, scan->chunk_count, &s->places_room, sizeof *places,
                          s->chunk_room, s->cursor.error));
    for (uint64_t i = from; i < scan->chunk_count; i++)
        scan->places[i] = (pqx_places){-1, -1, -1, -1, -1, -1, -1, 0};
    scan->places[scan->chunk_count] = *places;
    return PQX_OK;
}

/* Return how many of the next `wanted` chunks fit without growing. */
static uint32_t usual_room(const pqx_scanning *s, uint32_t wanted)
{
    uint64_t room = s->chunk_room - s->scan->chunk_count;
    uint64_t places =
        s->places_room > s->scan->chunk_count ? s->places_room - s->scan->chunk_count : 0;
    if (s->scan->places && places < room) room = places;
    return room < wanted ? (uint32_t)room : wanted;
}

/* Add the chunk at the cursor with the decoder for any order of fields. */
static int add_chunk(pqx_scanning *s)
{
    pqx_places places;
    int placed = 0;
    PQX_TRY(pqx_scan_chunk(s, &s->scan->chunks[s->scan->chunk_count], &places, &placed));
    PQX_TRY(add_places(s, &places, placed));
    s->scan->chunk_count++;
    return PQX_OK;
}

static int read_columns(pqx_scanning *s, pqx_row_group *group, int *seen)
{
    pqx_scan *scan = s->scan;
    size_t start = s->cursor.at;
    uint32_t count = 0;
    int right = 0;
    PQX_TRY(pqx_read_list_of(&s->cursor, PQX_TYPE_STRUCT, PQX_IN_ROW_GROUP, &count, &right));
    if (!right) return PQX_OK;
    scan->chunk_count -= group->chunk_count;
    *seen = 1;
    uint64_t expected = expected_chunks(s, count);
    for (uint32_t i = 0; i < count;) {
        PQX_TRY(pqx_scan_grow(&scan->chunks, scan->chunk_count, &s->chunk_room,
                              sizeof *scan->chunks, expected, s->cursor.error));
        uint32_t taken = s->plain ? 0 : pqx_fast_chunks(s, usual_room(s, count - i));
        i += taken ? taken : 1;
        if (!taken) PQX_TRY(add_chunk(s));
    }
    group->columns = pqx_since(&s->cursor, start);
    group->chunk_count = count;
    return PQX_OK;
}

/* ---- row groups ---- */

/* Return the member for an i64 field, or NULL. */
static int64_t *row_group_number(pqx_row_group *group, int32_t id)
{
    switch (id) {
    case PQX_ROW_GROUP_TOTAL_BYTE_SIZE: return &group->total_byte_size;
    case PQX_ROW_GROUP_NUM_ROWS: return &group->num_rows;
    case PQX_ROW_GROUP_FILE_OFFSET: return &group->file_offset;
    case PQX_ROW_GROUP_TOTAL_COMPRESSED_SIZE: return &group->total_compressed_size;
    default: return NULL;
    }
}

/* A field of an unexpected type counts as an unknown one. */
int pqx_scan_row_group_field(pqx_scanning *s, int32_t id, int type, pqx_row_group *group,
                             int *has_columns, int *has_num_rows)
{
    pqx_cursor *c = &s->cursor;
    int64_t *number = row_group_number(group, id);
    size_t start = c->at;
    if (id == PQX_ROW_GROUP_COLUMNS && type == PQX_TYPE_LIST)
        return read_columns(s, group, has_columns);
    if (id == PQX_ROW_GROUP_ORDINAL && type == PQX_TYPE_I16)
        return pqx_read_i32(c, &group->ordinal);
    if (number && type == PQX_TYPE_I64) {
        if (id == PQX_ROW_GROUP_NUM_ROWS) *has_num_rows = 1;
        return pqx_read_i64(c, number);
    }
    PQX_TRY(pqx_skip_field(c, type, PQX_IN_ROW_GROUP));
    if (id == PQX_ROW_GROUP_SORTING_COLUMNS && type == PQX_TYPE_LIST)
        group->sorting_columns = pqx_since(c, start);
    return PQX_OK;
}

static int read_row_group(pqx_scanning *s, pqx_row_group *group)
{
    pqx_cursor *c = &s->cursor;
    size_t start = c->at;
    int32_t id = 0;
    int has_columns = 0, has_num_rows = 0;
    *group = PQX_EMPTY_ROW_GROUP;
    PQX_READ_FIELDS(c, id, type,
                    pqx_scan_row_group_field(s, id, type, group, &has_columns, &has_num_rows));
    if (!has_columns) pqx_note(s, PQX_MISSING_FIELD, start, PQX_ROW_GROUP_COLUMNS, 0);
    if (!has_num_rows) pqx_note(s, PQX_MISSING_FIELD, start, PQX_ROW_GROUP_NUM_ROWS, 0);
    group->bytes = pqx_since(c, start);
    return PQX_OK;
}

static int read_row_groups(pqx_scanning *s, int *right)
{
    pqx_scan *scan = s->scan;
    size_t start = s->cursor.at;
    uint32_t count = 0;
    PQX_TRY(pqx_read_list_of(&s->cursor, PQX_TYPE_STRUCT, PQX_IN_FOOTER, &count, right));
    if (!*right) return PQX_OK;
    scan->chunk_count = 0;
    s->row_groups_claimed = count;
    enum { SMALLEST_REAL_ROW_GROUP = 32 };
    uint64_t expected = pqx_expected(&s->cursor, count, SMALLEST_REAL_ROW_GROUP);
    for (scan->row_group_count = 0; scan->row_group_count < count; scan->row_group_count++) {
        PQX_TRY(pqx_scan_grow(&scan->row_groups, scan->row_group_count, &s->row_group_room,
                              sizeof *scan->row_groups, expected, s->cursor.error));
        PQX_TRY(read_row_group(s, &scan->row_groups[scan->row_group_count]));
    }
    scan->row_groups_list = pqx_since(&s->cursor, start);
    return PQX_OK;
}

/* ---- the rest of FileMetaData ---- */

int pqx_scan_key_value(pqx_cursor *c, pqx_key_value *pair)
{
    size_t start = c->at;
    int32_t id = 0;
    *pair = (pqx_key_value){0};
    for (;;) {
        int type = 0;
        PQX_TRY(pqx_read_field(c, &id, &type));
        if (type == 0) break;
        if (type != PQX_TYPE_BINARY || (id != PQX_KEY_VALUE_KEY && id != PQX_KEY_VALUE_VALUE)) {
            PQX_TRY(pqx_skip_field(c, type, PQX_IN_KEY_VALUE));
            continue;
        }
        PQX_TRY(pqx_read_binary(c, id == PQX_KEY_VALUE_KEY ? &pair->key : &pair->value));
        if (id == PQX_KEY_VALUE_VALUE) pair->has_value = 1;
    }
    pair->bytes = pqx_since(c, start);
    return PQX_OK;
}

static int read_key_values(pqx_scanning *s)
{
    pqx_scan *scan = s->scan;
    size_t start = s->cursor.at;
    uint32_t count = 0;
    int right = 0;
    PQX_TRY(pqx_read_list_of(&s->cursor, PQX_TYPE_STRUCT, PQX_IN_FOOTER, &count, &right));
    if (!right) return PQX_OK;
    for (scan->key_value_count = 0; scan->key_value_count < count; scan->key_value_count++) {
        PQX_TRY(pqx_scan_grow(&scan->key_values, scan->key_value_count, &s->key_value_room,
                              sizeof *scan->key_values, 0, s->cursor.error));
        PQX_TRY(pqx_scan_key_value(&s->cursor, &scan->key_values[scan->key_value_count]));
    }
    scan->key_values_list = pqx_since(&s->cursor, start);
    scan->has_key_values = 1;
    return PQX_OK;
}

/* The unions are parsed once the leaves are known. They are walked here, so that parsing cannot
 * fail. */
static int read_column_orders(pqx_scanning *s)
{
    pqx_cursor *c = &s->cursor;
    size_t start = c->at;
    uint32_t count = 0;
    int right = 0;
    PQX_TRY(pqx_read_list_of(c, PQX_TYPE_STRUCT, PQX_IN_FOOTER, &count, &right));
    if (!right) return PQX_OK;
    uint8_t order = 0;
    while (count--) PQX_TRY(pqx_read_column_order(c, &order));
    s->scan->column_orders = pqx_since(c, start);
    s->scan->has_column_orders = 1;
    return PQX_OK;
}

typedef struct required {
    int schema, num_rows, row_groups;
} required;

/* A field of an unexpected type counts as an unknown one, as in every Thrift library. */
static int read_footer_field(pqx_scanning *s, int32_t id, int type, required *seen)
{
    pqx_cursor *c = &s->cursor;
    pqx_scan *scan = s->scan;
    if (type == PQX_TYPE_LIST) {
        int right = 0;
        switch (id) {
        case PQX_FILE_META_DATA_SCHEMA:
            PQX_TRY(pqx_scan_schema(s, &right));
            seen->schema |= right;
            return PQX_OK;
        case PQX_FILE_META_DATA_ROW_GROUPS:
            PQX_TRY(read_row_groups(s, &right));
            seen->row_groups |= right;
            return PQX_OK;
        case PQX_FILE_META_DATA_KEY_VALUE_METADATA: return read_key_values(s);
        case PQX_FILE_META_DATA_COLUMN_ORDERS: return read_column_orders(s);
        default: return pqx_skip_field(c, type, PQX_IN_FOOTER);
        }
    }
    if (id == PQX_FILE_META_DATA_VERSION && type == PQX_TYPE_I32)
        return pqx_read_i32(c, &scan->version);
    if (id == PQX_FILE_META_DATA_NUM_ROWS && type == PQX_TYPE_I64) {
        seen->num_rows = 1;
        return pqx_read_i64(c, &scan->num_rows);
    }
    if (id == PQX_FILE_META_DATA_CREATED_BY && type == PQX_TYPE_BINARY) {
        scan->has_created_by = 1;
        return pqx_read_binary(c, &scan->created_by);
    }
    if (id == PQX_FILE_META_DATA_ENCRYPTION_ALGORITHM && type == PQX_TYPE_STRUCT)
        scan->encrypted |= 1;
    if (id == PQX_FILE_META_DATA_FOOTER_SIGNING_KEY_METADATA && type == PQX_TYPE_BINARY)
        scan->encrypted |= 1;
    return pqx_skip_field(c, type, PQX_IN_FOOTER);
}

static int read_footer(pqx_scanning *s)
{
    int32_t id = 0;
    required seen = {0, 0, 0};
    pqx_cursor *c = &s->cursor;
    for (;;) {
        int type = 0;
        size_t header = c->at;
        PQX_TRY(pqx_read_field(c, &id, &type));
        if (type == 0) break;
        if (c->at - header == PQX_MARKER_BYTES && pqx_marker_at(c->data, c->size, header))
            s->scan->has_extension = 1;
        PQX_TRY(read_footer_field(s, id, type, &seen));
    }
    s->scan->end = c->at;
    if (pqx_marker_at(c->data, c->size, c->at)) s->scan->has_extension = 1;
    if (!seen.schema) pqx_note(s, PQX_MISSING_FIELD, 0, PQX_FILE_META_DATA_SCHEMA, 0);
    if (!seen.num_rows) pqx_note(s, PQX_MISSING_FIELD, 0, PQX_FILE_META_DATA_NUM_ROWS, 0);
    if (!seen.row_groups) pqx_note(s, PQX_MISSING_FIELD, 0, PQX_FILE_META_DATA_ROW_GROUPS, 0);
    return PQX_OK;
}

/* Compute the values that depend on the whole footer: the tree, the first chunk of each row group,
 * and whether each row group has one chunk per leaf. */
static int conclude(pqx_scanning *s)
{
    pqx_scan *scan = s->scan;
    scan->leaves = (uint32_t *)malloc((scan->element_count + (size_t)1) * sizeof *scan->leaves);
    scan->first_chunk =
        (uint64_t *)malloc((scan->row_group_count + (size_t)1) * sizeof *scan->first_chunk);
    if (!scan->leaves || !scan->first_chunk)
        return pqx_fail(s->cursor.error, PQX_NO_MEMORY, 0,
                        (scan->element_count + (size_t)1) * sizeof *scan->leaves, 0);
    pqx_scan_tree(s);
    uint64_t first = 0;
    scan->regular = 1;
    for (uint32_t i = 0; i < scan->row_group_count; i++) {
        scan->first_chunk[i] = first;
        first += scan->row_groups[i].chunk_count;
        if (scan->row_groups[i].chunk_count != scan->leaf_count) scan->regular = 0;
    }
    return PQX_OK;
}

static int scan_all(const uint8_t *data, size_t size, int plain, pqx_scan *scan, pqx_error *error)
{
    *scan = (pqx_scan){.version = -1, .num_rows = -1};
    if (size > UINT32_MAX) return pqx_fail(error, PQX_TOO_LARGE, 0, UINT32_MAX, size);
    pqx_scanning s = {.cursor = {data, size, 0, error}, .scan = scan, .plain = plain};
    pqx_forget_habits(&s);
    int status = read_footer(&s);
    if (status == PQX_OK) status = conclude(&s);
    if (status != PQX_OK) pqx_scan_free(scan);
    return status;
}

int pqx_scan_loosely(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error)
{ return scan_all(data, size, 0, scan, error); }
int pqx_scan_plainly(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error)
{ return scan_all(data, size, 1, scan, error); }

int pqx_scan_footer(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error)
{
    PQX_TRY(pqx_scan_loosely(data, size, scan, error));
    int status = pqx_check_scan(scan, error);
    if (status != PQX_OK) pqx_scan_free(scan);
    return status;
}

void pqx_scan_free(pqx_scan *scan)
{
    pqx_release(scan->elements);
    free(scan->leaves);
    pqx_release(scan->row_groups);
    free(scan->first_chunk);
    pqx_release(scan->chunks);
    pqx_release(scan->places);
    pqx_release(scan->key_values);
    *scan = (pqx_scan){0};
}
