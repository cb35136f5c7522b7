/* Compute one block of differences, in plain C that compilers vectorize for the CPU that the
 * including function is compiled for. */
#ifndef PQX_ENCODE_DELTA_BLOCKS_H
#define PQX_ENCODE_DELTA_BLOCKS_H

#include "encoding/encode.h"

static inline uint8_t pqx_bit_width(uint64_t value)
{ return value ? (uint8_t)(64 - __builtin_clzll(value)) : 0; }

/* A whole block has a constant count: its loops are unrolled. */
#define PQX_BLOCK_DELTAS(bits, count)                                                    \
    do {                                                                                 \
        deltas[0] = pqx_load##bits(values) - before;                                     \
        for (size_t i = 1; i < (count); i++)                                             \
            deltas[i] = pqx_load##bits(values + i * (bits / 8))                          \
                        - pqx_load##bits(values + (i - 1) * (bits / 8));                 \
        int##bits##_t least = (int##bits##_t)deltas[0];                                  \
        for (size_t i = 0; i < (count); i++)                                             \
            least = (int##bits##_t)deltas[i] < least ? (int##bits##_t)deltas[i] : least; \
        minimum = (uint##bits##_t)least;                                                 \
        for (size_t i = 0; i < (count); i++) deltas[i] -= minimum;                       \
    } while (0)

#define PQX_DEFINE_BLOCK_DELTAS(bits)                                                       \
    __attribute__((always_inline)) static inline uint##bits##_t pqx_block_deltas##bits(     \
        const uint8_t *values, size_t count, uint##bits##_t before, uint##bits##_t *deltas, \
        uint8_t widths[4])                                                                  \
    {                                                                                       \
        uint##bits##_t minimum;                                                             \
        if (PQX_LIKELY(count == PQX_DELTA_BLOCK)) PQX_BLOCK_DELTAS(bits, PQX_DELTA_BLOCK);  \
        else PQX_BLOCK_DELTAS(bits, count);                                                 \
        for (size_t i = count; i < PQX_DELTA_BLOCK; i++) deltas[i] = 0;                     \
        for (size_t m = 0; m < PQX_DELTA_BLOCK / PQX_DELTA_MINIBLOCK; m++) {                \
            uint##bits##_t all = 0;                                                         \
            for (size_t i = 0; i < PQX_DELTA_MINIBLOCK; i++)                                \
                all |= deltas[m * PQX_DELTA_MINIBLOCK + i];                                 \
            widths[m] = pqx_bit_width(all);                                                 \
        }                                                                                   \
        return minimum;                                                                     \
    }

PQX_DEFINE_BLOCK_DELTAS(32)
PQX_DEFINE_BLOCK_DELTAS(64)

#endif
