#include "encoding/sums.h"

#include "encoding/loops.h"

uint32_t pqx_sum32_portable(const uint32_t *deltas, size_t count, uint32_t least, uint32_t last,
                            void *out)
{
    uint8_t *to = (uint8_t *)out;
    for (size_t i = 0; i < count; i++) pqx_store32(to + 4 * i, last += least + deltas[i]);
    return last;
}

uint64_t pqx_sum64_portable(const uint64_t *deltas, size_t count, uint64_t least, uint64_t last,
                            void *out)
{
    uint8_t *to = (uint8_t *)out;
    for (size_t i = 0; i < count; i++) pqx_store64(to + 8 * i, last += least + deltas[i]);
    return last;
}

uint32_t pqx_sum32(const uint32_t *deltas, size_t count, uint32_t least, uint32_t last, void *out)
{ return pqx_best_loops()->sum32(deltas, count, least, last, out); }

uint64_t pqx_sum64(const uint64_t *deltas, size_t count, uint64_t least, uint64_t last, void *out)
{ return pqx_best_loops()->sum64(deltas, count, least, last, out); }
