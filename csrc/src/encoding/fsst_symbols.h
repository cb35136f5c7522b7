/* FSST's symbols for encoding: choose them from a sample of the values, and match them. */
#ifndef PQX_FSST_SYMBOLS_H
#define PQX_FSST_SYMBOLS_H

#include "encoding/fsst.h"

enum { PQX_FSST_PREFIX = 3, PQX_FSST_SLOTS = 1024 };

/* Finds the longest symbol at a position: symbols of 1 and 2 bytes through these tables, longer
 * ones through their first 3 bytes. Symbols with the same first bytes are adjacent, the longest
 * first. */
typedef struct pqx_fsst_matcher {
    pqx_fsst_symbols symbols;
    struct {
        uint32_t prefix;
        uint8_t first, count;
    } slots[PQX_FSST_SLOTS];
    uint8_t single[256];
    uint8_t two[1 << 16]; /* the symbol of both bytes, else of the first */
} pqx_fsst_matcher;

static inline uint32_t pqx_fsst_slot(uint32_t prefix) { return prefix * 0x9e3779b1u >> 22; }

static inline uint64_t pqx_fsst_mask(uint32_t length) { return UINT64_MAX >> (64 - 8 * length); }

/* Return the code of the longest symbol at the first of `left` bytes, at least 1; `word` contains
 * these bytes, the first one lowest. Return PQX_FSST_ESCAPE if there is none. */
static inline uint32_t pqx_fsst_match(const pqx_fsst_matcher *matcher, uint64_t word, size_t left)
{
    if (left == 1) return matcher->single[word & 0xff];
    const uint32_t prefix = word & 0xffffff;
    for (uint32_t slot = pqx_fsst_slot(prefix);
         left >= PQX_FSST_PREFIX && matcher->slots[slot].count;
         slot = (slot + 1) % PQX_FSST_SLOTS) {
        if (matcher->slots[slot].prefix != prefix) continue;
        uint32_t code = matcher->slots[slot].first, end = code + matcher->slots[slot].count;
        for (; code < end; code++) {
            uint32_t length = matcher->symbols.lengths[code];
            if (length <= left && (word & pqx_fsst_mask(length)) == matcher->symbols.bytes[code])
                return code;
        }
        break;
    }
    return matcher->two[word & 0xffff];
}

/* Byte arrays: value i is data[offsets[i]..offsets[i + 1]), or has `width` bytes if there are no
 * offsets. */
typedef struct pqx_fsst_values {
    const uint8_t *data;
    const int32_t *offsets;
    size_t count, width;
} pqx_fsst_values;

static inline size_t pqx_fsst_start(const pqx_fsst_values *values, size_t i)
{ return values->offsets ? (size_t)values->offsets[i] : i * values->width; }

/* Choose symbols from a sample of the values, and prepare them for matching. */
int pqx_fsst_find_symbols(const pqx_fsst_values *values, pqx_fsst_matcher *matcher,
                          pqx_error *error);

#endif
