/* Functions shared by LZ4 and Snappy blocks: literals, and copies of earlier output. */
#ifndef PQX_LZ_H
#define PQX_LZ_H

#include <string.h>

#include "base/internal.h"

enum {
    PQX_LZ_WORD = 8,
    PQX_LZ_STEP = 16 /* bytes after the output of a step that may be overwritten */
};

/* The input and the output, with their limits. */
typedef struct pqx_lz {
    const uint8_t *in, *in_end;
    uint8_t *begin, *out, *out_end;
    size_t literals; /* remaining literals of the open sequence */
    unsigned token;  /* token of the open LZ4 sequence, */
    int is_open;     /* if there is one */
} pqx_lz;

static inline pqx_lz pqx_lz_of(const uint8_t *data, size_t size, uint8_t *out, size_t out_size)
{
    return (pqx_lz){
        .in = data, .in_end = data + size, .begin = out, .out = out, .out_end = out + out_size};
}

/* Return the last output position for another round of a loop that writes up to `most` bytes per
 * round. */
static inline const uint8_t *pqx_lz_last(const pqx_lz *b, const uint8_t *stop, size_t most)
{
    if ((size_t)(b->out_end - b->out) < most) return b->out;
    const uint8_t *last = b->out_end - most + 1;
    return stop < last ? stop : last;
}

/* Take `length` literals, if there are so many and they fit. */
static inline int pqx_lz_literals(pqx_lz *b, size_t length)
{
    size_t left = (size_t)(b->in_end - b->in);
    if (length > left || length > (size_t)(b->out_end - b->out)) return 0;
    if (length <= PQX_LZ_STEP && left >= PQX_LZ_STEP) memcpy(b->out, b->in, PQX_LZ_STEP);
    else memcpy(b->out, b->in, length);
    b->in += length;
    b->out += length;
    return 1;
}

/* Begin with `length` literals: take them, or record them if they extend beyond `stop` or beyond
 * the available input. Return 0 if they do not fit in the output. */
static inline int pqx_lz_begin_literals(pqx_lz *b, size_t length, const uint8_t *stop)
{
    if (length <= (size_t)(b->in_end - b->in) && length <= (size_t)(stop - b->out))
        return pqx_lz_literals(b, length);
    b->literals = length;
    return length <= (size_t)(b->out_end - b->out);
}

/* Take the recorded literals, up to `stop`. Return 0 if the available input ends first. */
static inline int pqx_lz_go_on(pqx_lz *b, const uint8_t *stop)
{
    size_t left = (size_t)(b->in_end - b->in), room = stop > b->out ? (size_t)(stop - b->out) : 0;
    size_t some = b->literals < room ? b->literals : room;
    if (some > left) some = left;
    memcpy(b->out, b->in, some);
    b->in += some;
    b->out += some;
    b->literals -= some;
    return !b->literals || b->out >= stop;
}

/* Write `length` bytes, each equal to the one `distance` bytes before it. Up to one step more is
 * overwritten. */
static inline void pqx_lz_repeat(uint8_t *out, size_t distance, size_t length)
{
    enum { WORD = PQX_LZ_WORD, STEP = PQX_LZ_STEP };
    if (distance >= STEP) {
        for (size_t i = 0; i < length; i += STEP) memcpy(out + i, out + i - distance, STEP);
        return;
    }
    if (distance < WORD) { /* repeat the pattern until it is as long as a word */
        const uint8_t *from = out - distance;
        size_t whole = distance, first;
        while (whole < WORD) whole += distance;
        first = length < whole ? length : whole;
        for (size_t i = 0; i < first; i++) out[i] = from[i];
        out += first;
        length -= first;
        distance = whole;
    }
    for (size_t i = 0; i < length; i += WORD) memcpy(out + i, out + i - distance, WORD);
}

#endif
