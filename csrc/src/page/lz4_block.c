/* A block consists of sequences: literals, then a copy of earlier bytes, except in the last one. */
#include "page/lz4_block.h"

#include "page/lz.h"

enum {
    STEP = PQX_LZ_STEP,
    LONGER = 15, /* a nibble with this value is followed by more bytes */
    MORE = 255,  /* and a byte with this value by another one */
    LEAST_COPY = 4,
    DISTANCE_BYTES = 2,
    LAST_LITERALS = 5, /* not written by any copy */
    LAST_COPY = 12,    /* the last copy begins at least so many bytes before the end */
    LAST_SEQUENCE = DISTANCE_BYTES + 1 + LAST_LITERALS
};

/* Add the bytes of a length that exceeds the nibble; fails if it exceeds the output. */
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

static int take_literals(pqx_lz *b, size_t length, const uint8_t *stop)
{ return (length != LONGER || take_length(b, &length)) && pqx_lz_begin_literals(b, length, stop); }

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

/* Take sequences of at most 14 literals and a copy of at most 18 bytes from a distance of a step or
 * more, up to `stop` in the output. */
static void take_short(pqx_lz *b, const uint8_t *stop)
{
    const uint8_t *in = b->in, *last = pqx_lz_last(b, stop, 4 * STEP);
    uint8_t *out = b->out;
    while (b->in_end - in > 2 * STEP + LAST_SEQUENCE && out < last) {
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

/* Open the next sequence, or finish the open one, which has no copy if it is the block's last one.
 */
static int take_part(pqx_lz *b, const uint8_t *stop)
{
    b->is_open = !b->is_open;
    if (!b->is_open) return take_copy(b, b->token & LONGER);
    b->token = *b->in++;
    return take_literals(b, b->token >> 4, stop);
}

int pqx_lz4_until(pqx_lz *b, const uint8_t *stop)
{
    for (;;) {
        if (b->literals && !pqx_lz_go_on(b, stop)) return 0;
        if (!b->is_open) take_short(b, stop);
        if (b->out >= stop) return 1;
        if (b->in == b->in_end) return 0;
        const uint8_t *part = b->in;
        if (!take_part(b, stop)) {
            b->in = part;
            b->is_open = !b->is_open;
            b->literals = 0;
            return 0;
        }
    }
}

int pqx_lz4_block(const uint8_t *data, size_t size, uint8_t *out, size_t out_size)
{
    if (!out_size) return size == 1 && !*data; /* only this input is an empty block for lz4 */
    pqx_lz b = pqx_lz_of(data, size, out, out_size);
    return pqx_lz4_until(&b, b.out_end) && b.in == b.in_end;
}
