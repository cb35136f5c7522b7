/* Check the strings and lists of a Thrift struct against limits from a caller. */
#include "thrift/cursor.h"

typedef struct pqx_sizes {
    uint32_t bytes, items;
} pqx_sizes;

static int check_value(pqx_cursor *c, const pqx_sizes *most, int type, int item, int depth);

static int check_items(pqx_cursor *c, const pqx_sizes *most, int type, int depth)
{
    size_t start = c->at;
    uint32_t count = 0;
    int first = 0, second = 0;
    if (type == PQX_TYPE_MAP) PQX_TRY(pqx_read_map(c, &count, &first, &second));
    else PQX_TRY(pqx_read_list(c, &count, &first));
    if (count > most->items) return pqx_fail(c->error, PQX_TOO_MANY, start, most->items, count);
    while (count--) {
        PQX_TRY(check_value(c, most, first, 1, depth));
        if (second) PQX_TRY(check_value(c, most, second, 1, depth));
    }
    return PQX_OK;
}

static int check_fields(pqx_cursor *c, const pqx_sizes *most, int depth)
{
    int32_t id = 0;
    PQX_READ_FIELDS(c, id, type, check_value(c, most, type, 0, depth));
    return PQX_OK;
}

/* Check the value at the cursor; the arguments are those of pqx_skip. */
static int check_value(pqx_cursor *c, const pqx_sizes *most, int type, int item, int depth)
{
    size_t start = c->at;
    pqx_range bytes;
    if (type == PQX_TYPE_BINARY) {
        PQX_TRY(pqx_read_binary(c, &bytes));
        return bytes.length > most->bytes
                   ? pqx_fail(c->error, PQX_TOO_LARGE, start, most->bytes, bytes.length)
                   : PQX_OK;
    }
    if (depth && type == PQX_TYPE_STRUCT) return check_fields(c, most, depth - 1);
    if (depth && (type == PQX_TYPE_LIST || type == PQX_TYPE_SET || type == PQX_TYPE_MAP))
        return check_items(c, most, type, depth - 1);
    return pqx_skip(c, type, item, depth);
}

int pqx_thrift_check_sizes(const uint8_t *data, size_t size, uint32_t most_bytes,
                           uint32_t most_items, pqx_error *error)
{
    pqx_cursor c = {data, size, 0, error};
    pqx_sizes most = {most_bytes, most_items};
    return check_value(&c, &most, PQX_TYPE_STRUCT, 0, PQX_MAX_DEPTH);
}
