/* A block is the decompressed length, then literals and copies of earlier bytes. */
#include "page/snappy.h"

#include "page/lz.h"

enum {
    STEP = PQX_LZ_STEP,
    SHORT_LITERAL = 60, /* from this value on, the length is stored in 1 to 4 separate bytes */
    LENGTH_BITS = 32
};

static int take_length(pqx_lz *b, uint32_t *length)
{
    uint64_t found = 0;
    for (unsigned shift = 0; shift < LENGTH_BITS && b->in < b->in_end; shift += 7) {
        uint8_t byte = *b->in++;
        found |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *length = (uint32_t)found;
            return found <= UINT32_MAX;
        }
    }
    return 0;
}

static int take_literal(pqx_lz *b, unsigned tag, const uint8_t *stop)
{
    size_t length = tag >> 2, left = (size_t)(b->in_end - b->in);
    if (length >= SHORT_LITERAL) {
        size_t bytes = length - SHORT_LITERAL + 1;
        if (bytes > left) return 0;
        length = 0;
        for (size_t i = 0; i < bytes; i++) length |= (size_t)b->in[i] << 8 * i;
        b->in += bytes;
    }
    return pqx_lz_begin_literals(b, length + 1, stop);
}

static int take_copy(pqx_lz *b, unsigned tag)
{
    static const uint32_t masks[] = {0, 0xff, 0xffff, UINT32_MAX};
    static const uint8_t more[] = {0, 1, 2, 4};
    unsigned kind = tag & 3;
    size_t left = (size_t)(b->in_end - b->in), length = (tag >> 2) + 1;
    uint32_t word = 0;
    if (left < more[kind]) return 0;
    if (left >= sizeof word) word = pqx_load32(b->in) & masks[kind];
    else memcpy(&word, b->in, more[kind]);
    size_t distance = word;
    b->in += more[kind];
    if (kind == 1) {
        length = (tag >> 2 & 7) + 4;
        distance |= (size_t)(tag >> 5) << 8;
    }
    if (!distance || distance > (size_t)(b->out - b->begin)
        || length > (size_t)(b->out_end - b->out))
        return 0;
    pqx_lz_repeat(b->out, distance, length);
    b->out += length;
    return 1;
}

/* A copy after a literal. */
typedef struct copy {
    const uint8_t *next; /* the element after it */
    size_t distance, length;
} copy;

/* Decode the copy at `in`, if its distance has 1 or 2 bytes. One predicted branch for each kind
 * sets `next` without waiting for the tag. */
static inline int peek_copy(const uint8_t *in, copy *found)
{
    unsigned tag = *in, kind = tag & 3;
    if (kind == 1) {
        *found = (copy){in + 2, (size_t)(tag >> 5) << 8 | in[1], (tag >> 2 & 7) + 4};
        return 1;
    }
    *found = (copy){in + 3, pqx_load16(in + 1), (tag >> 2) + 1};
    return kind == 2;
}

/* Take literals of at most 16 bytes, each followed by a short copy of older bytes. The bytes of the
 * copy are loaded before the literal is stored, because a load of bytes written by several stores
 * waits for all of them. Stops at the first other element, at `stop`, or at the last elements. */
static void take_short(pqx_lz *b, const uint8_t *stop)
{
    const uint8_t *in = b->in, *last = pqx_lz_last(b, stop, 2 * STEP);
    uint8_t *out = b->out, older[STEP];
    while (b->in_end - in >= 2 * STEP && out < last && !(*in & 3)) {
        size_t literal = (*in >> 2) + 1, there = (size_t)(out - b->begin) + literal;
        copy next;
        if (literal > STEP) break;
        int is_older = peek_copy(in + 1 + literal, &next) && next.length <= STEP
                       && next.distance >= literal + next.length && next.distance <= there;
        if (is_older) memcpy(older, out + literal - next.distance, STEP);
        memcpy(out, in + 1, STEP);
        in += 1 + literal;
        out += literal;
        if (!is_older) continue;
        memcpy(out, older, STEP);
        in = next.next;
        out += next.length;
    }
    b->in = in;
    b->out = out;
}

int pqx_snappy_begin(pqx_lz *b)
{
    uint32_t length;
    return take_length(b, &length) && length == (size_t)(b->out_end - b->begin);
}

int pqx_snappy_until(pqx_lz *b, const uint8_t *stop)
{
    for (;;) {
        if (b->literals && !pqx_lz_go_on(b, stop)) return 0;
        if (!b->literals) take_short(b, stop);
        if (b->out >= stop) return 1;
        if (b->in == b->in_end) return 0;
        const uint8_t *element = b->in;
        unsigned tag = *b->in++;
        if (!(tag & 3 ? take_copy(b, tag) : take_literal(b, tag, stop))) {
            b->in = element;
            b->literals = 0;
            return 0;
        }
    }
}

int pqx_snappy(const uint8_t *data, size_t size, uint8_t *out, size_t out_size)
{
    pqx_lz b = pqx_lz_of(data, size, out, out_size);
    return pqx_snappy_begin(&b) && pqx_snappy_until(&b, b.out_end) && b.in == b.in_end;
}
