/* A checked position in the bytes of a packed footer's cell. */
#ifndef PQX_CONTENT_H
#define PQX_CONTENT_H

#include "base/internal.h"

typedef struct pqx_content {
    const uint8_t *data;
    size_t size, at;
    uint64_t place; /* of data[0] in the file */
    pqx_error *error;
} pqx_content;

static inline int pqx_content_fail(const pqx_content *c, int code, size_t at, uint64_t expected,
                                   uint64_t found)
{ return pqx_fail(c->error, code, c->place + at, expected, found); }

static inline size_t pqx_content_left(const pqx_content *c) { return c->size - c->at; }

/* Move over `size` bytes; *bytes is the first one. */
static inline int pqx_content_take(pqx_content *c, uint64_t size, const uint8_t **bytes)
{
    if (PQX_UNLIKELY(size > pqx_content_left(c)))
        return pqx_content_fail(c, PQX_BAD_CELL, c->at, pqx_content_left(c), size);
    *bytes = c->data + c->at;
    c->at += (size_t)size;
    return PQX_OK;
}

static inline int pqx_content_byte(pqx_content *c, uint8_t *byte)
{
    if (PQX_UNLIKELY(c->at >= c->size)) return pqx_content_fail(c, PQX_BAD_CELL, c->at, 0, 1);
    *byte = c->data[c->at++];
    return PQX_OK;
}

static inline int pqx_content_varint(pqx_content *c, uint64_t *value)
{
    if (PQX_LIKELY(c->at < c->size && c->data[c->at] < 0x80)) {
        *value = c->data[c->at++];
        return PQX_OK;
    }
    if (pqx_varint_get64(c->data, c->size, c->at, value, &c->at, NULL) == PQX_OK) return PQX_OK;
    return pqx_content_fail(c, PQX_BAD_CELL, c->at, pqx_content_left(c), 0);
}

static inline int pqx_content_zigzag(pqx_content *c, int64_t *value)
{
    uint64_t raw = 0;
    PQX_TRY(pqx_content_varint(c, &raw));
    *value = pqx_unzigzag(raw);
    return PQX_OK;
}

/* Fail unless all bytes have been read. */
static inline int pqx_content_end(const pqx_content *c)
{
    return c->at == c->size ? PQX_OK
                            : pqx_content_fail(c, PQX_BAD_CELL, c->at, 0, pqx_content_left(c));
}

#endif
