/* Combine 64 levels into bits, least significant first. */
#ifndef PQX_LEVEL_BITS_H
#define PQX_LEVEL_BITS_H

#include "base/internal.h"

/* Return how many bits are set. */
static inline unsigned pqx_ones64(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (unsigned)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

/* Return which of `count` levels, at most 64, are `least` or higher. */
uint64_t pqx_bits_at_least(const uint16_t *levels, size_t count, uint32_t least);

/* Bits that are appended to `out`. */
typedef struct pqx_bits {
    uint8_t *out;
    uint64_t word; /* the bits that do not fill 64 yet */
    size_t count, ones;
} pqx_bits;

/* Append those of `bits` whose bit of `which` is set, in order. `out` is written 8 bytes at a time,
 * once there are 64 bits for them. */
void pqx_bits_append(pqx_bits *made, uint64_t bits, uint64_t which);
/* Write the remaining bits, and no byte after that of the last bit; spare bits are 0. */
void pqx_bits_finish(const pqx_bits *made);

#endif
