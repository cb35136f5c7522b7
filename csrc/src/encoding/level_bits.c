#include "encoding/level_bits.h"

uint64_t pqx_bits_at_least(const uint16_t *levels, size_t count, uint32_t least)
{
    uint8_t flags[64] = {0};
    uint64_t word = 0;
    uint16_t lowest = (uint16_t)least;
    if (least > UINT16_MAX) return 0;
    if (PQX_LIKELY(count == 64)) /* compilers vectorize this loop */
        for (size_t i = 0; i < 64; i++) flags[i] = levels[i] >= lowest;
    else
        for (size_t i = 0; i < count; i++) flags[i] = levels[i] >= lowest;
    for (size_t i = 0; i < 8; i++)
        word |= (pqx_load64(flags + 8 * i) * 0x0102040810204080u >> 56) << 8 * i;
    return word;
}

/* Move the selected bits together. Each step moves the bits whose distance contains this power of
 * two; after Hacker's Delight, 7-4. */
static uint64_t compress(uint64_t bits, uint64_t which)
{
    uint64_t missing = ~which << 1;
    bits &= which;
    for (unsigned distance = 1; distance < 64; distance *= 2) {
        uint64_t odd = missing;
        for (unsigned shift = 1; shift < 64; shift *= 2) odd ^= odd << shift;
        uint64_t moved = odd & which, going = bits & moved;
        which = (which ^ moved) | moved >> distance;
        bits = (bits ^ going) | going >> distance;
        missing &= ~odd;
    }
    return bits;
}

void pqx_bits_append(pqx_bits *made, uint64_t bits, uint64_t which)
{
    unsigned used = made->count & 63, more = pqx_ones64(which);
    bits = which & (which + 1) ? compress(bits, which) : bits & which;
    made->word |= bits << used;
    made->count += more;
    made->ones += pqx_ones64(bits);
    if (used + more < 64) return;
    pqx_store64(made->out + made->count / 64 * 8 - 8, made->word);
    made->word = used ? bits >> (64 - used) : 0;
}

void pqx_bits_finish(const pqx_bits *made)
{
    size_t bytes = ((made->count & 63) + 7) / 8;
    if (bytes) memcpy(made->out + made->count / 64 * 8, &made->word, bytes);
}
