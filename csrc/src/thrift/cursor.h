/* A checked position in Thrift compact bytes: the reading primitives of every parser. */
#ifndef PQX_CURSOR_H
#define PQX_CURSOR_H

#include "base/internal.h"

typedef struct pqx_cursor {
    const uint8_t *data;
    size_t size, at;
    pqx_error *error;
} pqx_cursor;

/* Return which extension marker is at `at`, before `size`: PQX_MARKER_NONE, _SPEC or _THRIFT. */
enum { PQX_MARKER_BYTES = 4 };
int pqx_marker_at(const uint8_t *data, size_t size, size_t at);

static inline size_t pqx_left(const pqx_cursor *c) { return c->size - c->at; }

static inline int pqx_read_byte(pqx_cursor *c, uint8_t *byte)
{
    if (PQX_UNLIKELY(c->at >= c->size)) return pqx_fail(c->error, PQX_TRUNCATED, c->at, 1, 0);
    *byte = c->data[c->at++];
    return PQX_OK;
}

static inline int pqx_read_varint32(pqx_cursor *c, uint32_t *value)
{
    if (PQX_LIKELY(c->at < c->size && c->data[c->at] < 0x80)) {
        *value = c->data[c->at++];
        return PQX_OK;
    }
    return pqx_varint_get32(c->data, c->size, c->at, value, &c->at, c->error);
}

static inline int pqx_read_varint64(pqx_cursor *c, uint64_t *value)
{
    if (PQX_LIKELY(c->at < c->size && c->data[c->at] < 0x80)) {
        *value = c->data[c->at++];
        return PQX_OK;
    }
    return pqx_varint_get64(c->data, c->size, c->at, value, &c->at, c->error);
}

static inline int pqx_read_i32(pqx_cursor *c, int32_t *value)
{
    uint32_t raw = 0;
    PQX_TRY(pqx_read_varint32(c, &raw));
    *value = (int32_t)(raw >> 1 ^ -(raw & 1));
    return PQX_OK;
}

static inline int pqx_read_i64(pqx_cursor *c, int64_t *value)
{
    uint64_t raw = 0;
    PQX_TRY(pqx_read_varint64(c, &raw));
    *value = pqx_unzigzag(raw);
    return PQX_OK;
}

/* Read a binary value: the range of its bytes, without their length. */
static inline int pqx_read_binary(pqx_cursor *c, pqx_range *bytes)
{
    size_t start = c->at;
    uint32_t length = 0;
    PQX_TRY(pqx_read_varint32(c, &length));
    if (PQX_UNLIKELY(length > pqx_left(c)))
        return pqx_fail(c->error, PQX_TRUNCATED, start, length, pqx_left(c));
    *bytes = (pqx_range){(uint32_t)c->at, length};
    c->at += length;
    return PQX_OK;
}

/* Read a field header and return its compact type, 0 at the stop byte. `id` is the last field's id
 * and becomes this one's. */
static inline int pqx_read_field(pqx_cursor *c, int32_t *id, int *type)
{
    size_t header = c->at;
    uint8_t byte = 0;
    PQX_TRY(pqx_read_byte(c, &byte));
    *type = byte & 15;
    if (byte == 0) return PQX_OK;
    if (PQX_UNLIKELY(*type == 0 || *type > PQX_TYPE_UUID))
        return pqx_fail(c->error, PQX_BAD_TYPE, header, 0, *type);
    if (PQX_LIKELY(byte >> 4)) {
        *id += byte >> 4;
    } else {
        uint32_t raw = 0;
        PQX_TRY(pqx_read_varint32(c, &raw));
        *id = raw > 0xffff ? INT32_MAX : (int32_t)(raw >> 1) ^ -(int32_t)(raw & 1);
    }
    if (PQX_UNLIKELY(*id > INT16_MAX)) return pqx_fail(c->error, PQX_FIELD_ID, header, 0, 0);
    return PQX_OK;
}

/* Read fields up to the stop byte: `read` reads the value of a field `id` of the type `type`, which
 * is declared here. */
#define PQX_READ_FIELDS(c, id, type, read)          \
    for (;;) {                                      \
        int type = 0;                               \
        PQX_TRY(pqx_read_field(c, &(id), &(type))); \
        if ((type) == 0) break;                     \
        PQX_TRY(read);                              \
    }

/* Read the header of a list or set. Every item takes at least one byte, so `count` is bounded by
 * the input. */
static inline int pqx_read_list(pqx_cursor *c, uint32_t *count, int *type)
{
    size_t start = c->at;
    uint8_t byte = 0;
    PQX_TRY(pqx_read_byte(c, &byte));
    *type = byte & 15;
    *count = byte >> 4;
    if (*count == 15) PQX_TRY(pqx_read_varint32(c, count));
    if (PQX_UNLIKELY(*count > pqx_left(c)))
        return pqx_fail(c->error, PQX_COUNT_TOO_LARGE, start, *count, pqx_left(c));
    if (PQX_UNLIKELY(*count && (*type == 0 || *type > PQX_TYPE_UUID)))
        return pqx_fail(c->error, PQX_BAD_TYPE, start, 0, *type);
    return PQX_OK;
}

/* Read the header of a map. An entry takes at least two bytes. An empty map has no types. */
static inline int pqx_read_map(pqx_cursor *c, uint32_t *count, int *key, int *value)
{
    size_t start = c->at;
    uint8_t types = 0;
    *key = *value = 0;
    PQX_TRY(pqx_read_varint32(c, count));
    if (*count == 0) return PQX_OK;
    PQX_TRY(pqx_read_byte(c, &types));
    *key = types >> 4;
    *value = types & 15;
    if (PQX_UNLIKELY(*count > pqx_left(c) / 2))
        return pqx_fail(c->error, PQX_COUNT_TOO_LARGE, start, *count, pqx_left(c));
    if (PQX_UNLIKELY(*key == 0 || *key > PQX_TYPE_UUID))
        return pqx_fail(c->error, PQX_BAD_TYPE, start, 0, *key);
    if (PQX_UNLIKELY(*value == 0 || *value > PQX_TYPE_UUID))
        return pqx_fail(c->error, PQX_BAD_TYPE, start, 0, *value);
    return PQX_OK;
}

/* Check a nesting limit from a caller. */
static inline int pqx_check_depth(int max_depth, pqx_error *error)
{
    if (max_depth >= 0 && max_depth <= PQX_MAX_DEPTH) return PQX_OK;
    return pqx_fail(error, PQX_BAD_ARGUMENT, 0, PQX_MAX_DEPTH,
                    max_depth < 0 ? 0 : (uint64_t)max_depth);
}

/* Skip a value of compact type `type`, 1 to 13; set `item` if it is in a list, set or map. */
int pqx_skip(pqx_cursor *c, int type, int item, int depth);

#endif
