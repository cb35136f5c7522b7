/* Operations on any Thrift compact value: skip it, iterate over a struct's fields, find a field,
 * follow a path. */
#include "thrift/cursor.h"

static int start(pqx_cursor *c, const uint8_t *data, size_t size, size_t at, pqx_error *error)
{
    *c = (pqx_cursor){data, size, at, error};
    return at <= size ? PQX_OK : pqx_fail(error, PQX_TRUNCATED, at, 1, 0);
}

/* Skip like pqx_skip, but report the limit that the caller set. */
static int skip_value(pqx_cursor *c, int type, int item, int depth, int max_depth)
{
    int status = pqx_skip(c, type, item, depth);
    if (status == PQX_TOO_DEEP && c->error) c->error->expected = (uint64_t)max_depth;
    return status;
}

/* Read one field, or the stop byte (field->type is 0). `id` is used as in pqx_read_field. */
static int read_field(pqx_cursor *c, int32_t *id, int depth, int max_depth, pqx_field *field)
{
    int type = 0;
    field->header = c->at;
    PQX_TRY(pqx_read_field(c, id, &type));
    field->id = (int16_t)*id;
    field->type = (uint8_t)type;
    field->value = c->at;
    if (type) PQX_TRY(skip_value(c, type, 0, depth, max_depth));
    field->end = c->at;
    return PQX_OK;
}

/* Read the struct at the cursor to its stop byte; the last field with id `id` counts. `depth` is
 * the limit for its values. */
static int find_field(pqx_cursor *c, int32_t wanted, int depth, int max_depth, pqx_field *found,
                      int *is_there)
{
    pqx_field field;
    int32_t id = 0;
    *is_there = 0;
    do {
        PQX_TRY(read_field(c, &id, depth, max_depth, &field));
        if (field.type && id == wanted) {
            *found = field;
            *is_there = 1;
        }
    } while (field.type);
    return PQX_OK;
}

/* Skip the items before item `step`; *type is the type of that item, or 0 if there is none. */
static int find_item(pqx_cursor *c, int32_t step, int depth, int max_depth, int *type)
{
    uint32_t count = 0;
    int item = 0;
    PQX_TRY(pqx_read_list(c, &count, &item));
    *type = step >= 0 && (uint32_t)step < count ? item : 0;
    for (int32_t i = 0; *type && i < step; i++) PQX_TRY(skip_value(c, item, 1, depth, max_depth));
    return PQX_OK;
}

/* Skip to a key or value of a map: key n is step 2n, its value 2n + 1. */
static int find_entry(pqx_cursor *c, int32_t step, int depth, int max_depth, int *type)
{
    uint32_t count = 0;
    int key = 0, value = 0;
    PQX_TRY(pqx_read_map(c, &count, &key, &value));
    *type = step >= 0 && (uint32_t)step / 2 < count ? (step & 1 ? value : key) : 0;
    for (int32_t i = 0; *type && i < step; i++)
        PQX_TRY(skip_value(c, i & 1 ? value : key, 1, depth, max_depth));
    return PQX_OK;
}

int pqx_thrift_skip_within(const uint8_t *data, size_t size, size_t at, int type, int max_depth,
                           size_t *end, pqx_error *error)
{
    pqx_cursor c;
    PQX_TRY(pqx_check_depth(max_depth, error));
    PQX_TRY(start(&c, data, size, at, error));
    if (type < PQX_TYPE_TRUE || type > PQX_TYPE_UUID)
        return pqx_fail(error, PQX_BAD_TYPE, at, 0, type < 0 ? 0 : (uint64_t)type);
    PQX_TRY(skip_value(&c, type, 0, max_depth, max_depth));
    *end = c.at;
    return PQX_OK;
}

int pqx_thrift_skip(const uint8_t *data, size_t size, size_t at, int type, size_t *end,
                    pqx_error *error)
{ return pqx_thrift_skip_within(data, size, at, type, PQX_MAX_DEPTH, end, error); }

int pqx_thrift_next(const uint8_t *data, size_t size, size_t at, int16_t previous, int max_depth,
                    pqx_field *field, int *more, pqx_error *error)
{
    pqx_cursor c;
    int32_t id = previous;
    PQX_TRY(pqx_check_depth(max_depth, error));
    PQX_TRY(start(&c, data, size, at, error));
    PQX_TRY(read_field(&c, &id, max_depth, max_depth, field));
    *more = field->type != 0;
    return PQX_OK;
}

int pqx_thrift_find(const uint8_t *data, size_t size, size_t at, int16_t id, int max_depth,
                    pqx_field *field, int *found, pqx_error *error)
{
    pqx_cursor c;
    PQX_TRY(pqx_check_depth(max_depth, error));
    PQX_TRY(start(&c, data, size, at, error));
    if (max_depth == 0) return pqx_fail(error, PQX_TOO_DEEP, at, 0, 0);
    return find_field(&c, id, max_depth - 1, max_depth, field, found);
}

int pqx_thrift_path(const uint8_t *data, size_t size, size_t at, const int32_t *steps, size_t count,
                    int max_depth, pqx_field *value, int *found, pqx_error *error)
{
    pqx_cursor c;
    pqx_field field = {.type = PQX_TYPE_STRUCT, .value = at};
    int depth = max_depth, type = PQX_TYPE_STRUCT, item = 0;
    PQX_TRY(pqx_check_depth(max_depth, error));
    PQX_TRY(start(&c, data, size, at, error));
    *found = 1;
    for (size_t i = 0; i < count; i++, depth--) {
        if (type < PQX_TYPE_LIST || type > PQX_TYPE_STRUCT) *found = 0;
        if (!*found) return PQX_OK;
        if (depth == 0) return pqx_fail(error, PQX_TOO_DEEP, c.at, (uint64_t)max_depth, 0);
        item = type != PQX_TYPE_STRUCT;
        if (type == PQX_TYPE_STRUCT) {
            PQX_TRY(find_field(&c, steps[i], depth - 1, max_depth, &field, found));
            type = field.type;
            c.at = field.value;
        } else {
            PQX_TRY((type == PQX_TYPE_MAP ? find_entry : find_item)(&c, steps[i], depth - 1,
                                                                    max_depth, &type));
            *found = type != 0;
        }
    }
    if (!*found) return PQX_OK;
    *value = (pqx_field){.type = (uint8_t)type, .value = c.at};
    PQX_TRY(skip_value(&c, type, item, depth, max_depth));
    value->end = c.at;
    return PQX_OK;
}
