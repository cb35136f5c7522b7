#include "thrift/cursor.h"

static int skip_bytes(pqx_cursor *c, size_t count)
{
    if (count > pqx_left(c)) return pqx_fail(c->error, PQX_TRUNCATED, c->at, count, pqx_left(c));
    c->at += count;
    return PQX_OK;
}

/* Skip up to `count` varints of at most 8 bytes, those in 8 bytes at a time, and return how many
 * are left. */
static uint32_t skip_short_varints(pqx_cursor *c, uint32_t count)
{
    while (count >= 8 && pqx_left(c) >= 8) {
        uint64_t ends = ~pqx_load64(c->data + c->at) & UINT64_C(0x8080808080808080);
        if (!ends) break;
        count -= (uint32_t)((ends >> 7) * UINT64_C(0x0101010101010101) >> 56);
        c->at += 8 - (size_t)(__builtin_clzll(ends) >> 3);
    }
    return count;
}

static int skip_list(pqx_cursor *c, int depth)
{
    uint32_t count = 0;
    int type = 0;
    PQX_TRY(pqx_read_list(c, &count, &type));
    if (type == PQX_TYPE_I64) count = skip_short_varints(c, count);
    while (count--) PQX_TRY(pqx_skip(c, type, 1, depth));
    return PQX_OK;
}

static int skip_map(pqx_cursor *c, int depth)
{
    uint32_t count = 0;
    int key = 0, value = 0;
    PQX_TRY(pqx_read_map(c, &count, &key, &value));
    while (count--) {
        PQX_TRY(pqx_skip(c, key, 1, depth));
        PQX_TRY(pqx_skip(c, value, 1, depth));
    }
    return PQX_OK;
}

enum { SHORT_NUMBER = 4, SHORT_FIELD = 9 };

/* Return the bytes of a varint, or SIZE_MAX if it has more than SHORT_NUMBER. */
static inline size_t short_number(const uint8_t *value)
{
    size_t size = 0;
    while (size < SHORT_NUMBER && value[size] & 0x80) size++;
    return size < SHORT_NUMBER ? size + 1 : SIZE_MAX;
}

/* Skip fields with short headers and short values, and stop in front of the first other one.
 * Lengths repeat from chunk to chunk: branches on each byte, which are predicted, are faster than
 * arithmetic. */
static void skip_short_fields(pqx_cursor *c, int32_t *id)
{
    const uint8_t *data = c->data;
    size_t at = c->at, size = 0;
    while (c->size - at >= SHORT_FIELD) {
        const uint8_t *value = data + at + 1;
        int32_t next = *id + (data[at] >> 4);
        if (data[at] < 0x10 || next > INT16_MAX) break;
        switch (data[at] & 15) {
        case PQX_TYPE_TRUE:
        case PQX_TYPE_FALSE: size = 0; break;
        case PQX_TYPE_BYTE: size = 1; break;
        case PQX_TYPE_I16:
        case PQX_TYPE_I32:
        case PQX_TYPE_I64: size = short_number(value); break;
        case PQX_TYPE_DOUBLE: size = 8; break;
        case PQX_TYPE_BINARY: size = *value & 0x80 ? SIZE_MAX : 1 + (size_t)*value; break;
        default: size = SIZE_MAX;
        }
        if (size > c->size - at - 1) break;
        at += 1 + size;
        *id = next;
    }
    c->at = at;
}

static int skip_struct(pqx_cursor *c, int depth)
{
    int32_t id = 0;
    for (;;) {
        int type = 0;
        skip_short_fields(c, &id);
        PQX_TRY(pqx_read_field(c, &id, &type));
        if (type == 0) return PQX_OK;
        PQX_TRY(pqx_skip(c, type, 0, depth));
    }
}

int pqx_skip(pqx_cursor *c, int type, int item, int depth)
{
    uint32_t raw32 = 0;
    uint64_t raw64 = 0;
    pqx_range bytes;
    if (type >= PQX_TYPE_LIST && type <= PQX_TYPE_STRUCT && depth == 0)
        return pqx_fail(c->error, PQX_TOO_DEEP, c->at, PQX_MAX_DEPTH, 0);
    switch (type) {
    case PQX_TYPE_TRUE:
    case PQX_TYPE_FALSE: return item ? skip_bytes(c, 1) : PQX_OK;
    case PQX_TYPE_BYTE: return skip_bytes(c, 1);
    case PQX_TYPE_I16:
    case PQX_TYPE_I32: return pqx_read_varint32(c, &raw32);
    case PQX_TYPE_I64: return pqx_read_varint64(c, &raw64);
    case PQX_TYPE_DOUBLE: return skip_bytes(c, 8);
    case PQX_TYPE_BINARY: return pqx_read_binary(c, &bytes);
    case PQX_TYPE_LIST:
    case PQX_TYPE_SET: return skip_list(c, depth - 1);
    case PQX_TYPE_MAP: return skip_map(c, depth - 1);
    case PQX_TYPE_STRUCT: return skip_struct(c, depth - 1);
    default: return skip_bytes(c, 16);
    }
}
