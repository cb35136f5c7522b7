/* Compute the decompressed size of an LZ4 block without decompressing it. */
#include "thrift/cursor.h"

enum { LONGER = 15, MORE = 255, LEAST_MATCH = 4, DISTANCE_BYTES = 2 };

/* Read a length: a nibble of the token, followed by more bytes if it is 15. */
static int read_length(pqx_cursor *c, unsigned nibble, uint64_t *length)
{
    uint8_t more = nibble == LONGER ? MORE : 0;
    *length = nibble;
    while (more == MORE) {
        PQX_TRY(pqx_read_byte(c, &more));
        *length += more;
    }
    return PQX_OK;
}

static int skip_literals(pqx_cursor *c, uint8_t token, uint64_t *decompressed)
{
    uint64_t length;
    PQX_TRY(read_length(c, token >> 4, &length));
    if (length > pqx_left(c)) return pqx_fail(c->error, PQX_LZ4_BLOCK, c->at, pqx_left(c), length);
    c->at += (size_t)length;
    *decompressed += length;
    return PQX_OK;
}

static int skip_match(pqx_cursor *c, uint8_t token, uint64_t *decompressed)
{
    uint64_t length;
    if (pqx_left(c) < DISTANCE_BYTES)
        return pqx_fail(c->error, PQX_TRUNCATED, c->at, DISTANCE_BYTES, pqx_left(c));
    uint16_t distance = pqx_load16(c->data + c->at);
    if (!distance || distance > *decompressed)
        return pqx_fail(c->error, PQX_LZ4_BLOCK, c->at, *decompressed, distance);
    c->at += DISTANCE_BYTES;
    PQX_TRY(read_length(c, token & LONGER, &length));
    *decompressed += length + LEAST_MATCH;
    return PQX_OK;
}

int pqx_lz4_size(const uint8_t *data, size_t size, uint64_t *decompressed, pqx_error *error)
{
    pqx_cursor c = {data, size, 0, error};
    *decompressed = 0;
    while (size) {
        uint8_t token;
        PQX_TRY(pqx_read_byte(&c, &token));
        PQX_TRY(skip_literals(&c, token, decompressed));
        if (c.at == size) break;
        PQX_TRY(skip_match(&c, token, decompressed));
    }
    return PQX_OK;
}
