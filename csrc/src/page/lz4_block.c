/* A block is sequences: literals, then a copy of earlier bytes, which the last one lacks. */
#include "page/lz4_block.h"

#include "page/lz.h"

enum {
    STEP = PQX_LZ_STEP,
    LONGER = 15, /* a nibble of this value has more bytes */
    MORE = 255,  /* and each of these has another one */
    LEAST_COPY = 4,
    DISTANCE_BYTES = 2,
    LAST_LITERALS = 5, /* which no copy writes */
    LAST_COPY = 12,    /* the last copy begins so many bytes in front of the end */
    LAST_SEQUENCE = DISTANCE_BYTES + 1 + LAST_LITERALS
};

/* Add the bytes of a length that is longer than a nibble says; no more than fits into the output.
 */
static int take_length(pqx_lz *b, size_t *length)
{
    uint8_t more = MORE;
    size_t most = (size_t)(b->out_end - b->begin);
    while (more == MORE) {
        if (b->in == b->in_end || *length > most) return 0;
        more = *b->in++;
        *length += more;
    }
    return 1;
}

static int take_literals(pqx_lz *b, size_t length)
{ return (length != LONGER || take_length(b, &length)) && pqx_lz_literals(b, length); }

static int take_copy(pqx_lz *b, size_t length)
{
    if (b->in_end - b->in < LAST_SEQUENCE || b->out_end - b->out < LAST_COPY) return 0;
    size_t distance = pqx_load16(b->in);
    b->in += DISTANCE_BYTES;
    if (length == LONGER && !take_length(b, &length)) return 0;
    length += LEAST_COPY;
    if (!distance || distance > (size_t)(b->out - b->begin)) return 0;
    if (length > (size_t)(b->out_end - b->out) - LAST_LITERALS) return 0;
    pqx_lz_repeat(b->out, distance, length);
    b->out += length;
    return 1;
}

/* Sequences of at most 14 literals and a copy of at most 18 bytes that lie a step back or more. */
static void take_short(pqx_lz *b)
{
    const uint8_t *in = b->in;
    uint8_t *out = b->out;
    while (b->in_end - in > 2 * STEP + LAST_SEQUENCE && b->out_end - out > 4 * STEP) {
        size_t literals = *in >> 4, length = *in & LONGER;
        size_t distance = pqx_load16(in + 1 + literals);
        if (literals == LONGER || length == LONGER || distance < STEP
            || distance > (size_t)(out - b->begin) + literals)
            break;
        memcpy(out, in + 1, STEP);
        out += literals;
        in += 1 + literals + DISTANCE_BYTES;
        memcpy(out, out - distance, STEP);
        memcpy(out + STEP, out + STEP - distance, LEAST_COPY);
        out += length + LEAST_COPY;
    }
    b->in = in;
    b->out = out;
}

int pqx_lz4_block(const uint8_t *data, size_t size, uint8_t *out, size_t out_size)
{
    if (!out_size) return size == 1 && !*data; /* what lz4 takes for nothing, and no other */
    pqx_lz b = pqx_lz_of(data, size, out, out_size);
    for (;;) {
        take_short(&b);
        if (b.in == b.in_end) return 0;
        unsigned token = *b.in++;
        if (!take_literals(&b, token >> 4)) return 0;
        if (b.in == b.in_end) return b.out == b.out_end;
        if (!take_copy(&b, token & LONGER)) return 0;
    }
}
