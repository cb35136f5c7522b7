/* The root of a modular footer. */
#include "modular/modular.h"
#include "thrift/cursor.h"

enum { VERSION = 1, ROW_GROUPS, COLUMNS, ROWS, MODULES };
enum { KIND = 1, LOCATION };
enum { OFFSET = 1, LENGTH };

/* Read an entry of the list of modules; *end is the offset after it. */
static int read_module(const uint8_t *data, size_t size, size_t at, int64_t *kind,
                       int64_t location[2], pqx_error *error)
{
    static const uint8_t types[16] = {0, PQX_TYPE_I32, PQX_TYPE_STRUCT},
                         inside[16] = {0, PQX_TYPE_I64, PQX_TYPE_I64};
    pqx_modular_fields fields, found;
    PQX_TRY(pqx_modular_read_fields(data, size, at, types, &fields, error));
    PQX_TRY(pqx_modular_require(&fields, KIND, at, error));
    PQX_TRY(pqx_modular_integer(data, size, &fields.found[KIND], kind, error));
    PQX_TRY(pqx_modular_require(&fields, LOCATION, at, error));
    size_t begin = fields.found[LOCATION].value;
    PQX_TRY(pqx_modular_read_fields(data, size, begin, inside, &found, error));
    for (int id = OFFSET; id <= LENGTH; id++) {
        PQX_TRY(pqx_modular_require(&found, id, begin, error));
        PQX_TRY(pqx_modular_integer(data, size, &found.found[id], &location[id - 1], error));
    }
    int64_t least = location[0] < location[1] ? location[0] : location[1];
    return least >= 0 ? PQX_OK : pqx_fail(error, PQX_BAD_VALUE, begin, 0, (uint64_t)least);
}

static int read_modules(const uint8_t *data, size_t size, size_t at, pqx_modular_root *root,
                        pqx_error *error)
{
    pqx_cursor c = {data, size, at, error};
    uint32_t count = 0;
    int type = 0;
    PQX_TRY(pqx_read_list(&c, &count, &type));
    if (count && type != PQX_TYPE_STRUCT)
        return pqx_fail(error, PQX_FIELD_TYPE, at, PQX_TYPE_STRUCT, (uint64_t)type);
    for (uint32_t i = 0; i < count; i++) {
        int64_t kind = 0, location[2] = {0, 0};
        PQX_TRY(read_module(data, size, c.at, &kind, location, error));
        if (kind >= 0 && kind < PQX_MODULAR_KINDS) {
            if (root->modules[kind].is_there) return pqx_fail(error, PQX_BAD_VALUE, c.at, 1, 2);
            root->modules[kind].is_there = 1;
            root->modules[kind].offset = (uint64_t)location[0];
            root->modules[kind].length = (uint64_t)location[1];
        }
        PQX_TRY(pqx_thrift_skip(data, size, c.at, PQX_TYPE_STRUCT, &c.at, error));
    }
    return PQX_OK;
}

int pqx_modular_read_root(const uint8_t *data, size_t size, pqx_modular_root *root,
                          pqx_error *error)
{
    static const uint8_t types[16] = {
        0, PQX_TYPE_I32, PQX_TYPE_I32, PQX_TYPE_I32, PQX_TYPE_I64, PQX_TYPE_LIST};
    pqx_modular_fields fields;
    int64_t numbers[MODULES] = {0};
    *root = (pqx_modular_root){0};
    PQX_TRY(pqx_modular_read_fields(data, size, 0, types, &fields, error));
    for (int id = VERSION; id <= ROWS; id++) {
        PQX_TRY(pqx_modular_require(&fields, id, 0, error));
        PQX_TRY(pqx_modular_integer(data, size, &fields.found[id], &numbers[id], error));
    }
    for (int id = ROW_GROUPS; id <= ROWS; id++)
        if (numbers[id] < 0)
            return pqx_fail(error, PQX_BAD_VALUE, fields.found[id].header, INT32_MAX,
                            (uint64_t)numbers[id]);
    root->version = (int32_t)numbers[VERSION];
    root->row_groups = (uint32_t)numbers[ROW_GROUPS];
    root->columns = (uint32_t)numbers[COLUMNS];
    root->rows = numbers[ROWS];
    PQX_TRY(pqx_modular_require(&fields, MODULES, 0, error));
    return read_modules(data, size, fields.found[MODULES].value, root, error);
}
