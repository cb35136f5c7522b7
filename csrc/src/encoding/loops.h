/* The loops over packed and split values, for each kind of CPU. Callers include bits.h, split.h,
 * sums.h, expand.h or scale.h; this header is for defining and comparing the loops. */
#ifndef PQX_LOOPS_H
#define PQX_LOOPS_H

#include "base/internal.h"

typedef struct pqx_loops {
    const char *name;
    /* as pqx_unpack16, pqx_unpack32 and pqx_unpack64; `width` is at least 1 */
    uint32_t (*unpack16)(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                         size_t count, uint16_t *out);
    uint32_t (*unpack32)(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                         size_t count, uint32_t *out);
    void (*unpack64)(const uint8_t *data, size_t size, uint64_t bit, uint32_t width, size_t count,
                     uint64_t *out);
    /* as pqx_split_join */
    void (*join)(const uint8_t *streams, size_t stride, size_t width, size_t count, uint8_t *out);
    /* as pqx_sum32 and pqx_sum64 */
    uint32_t (*sum32)(const uint32_t *deltas, size_t count, uint32_t least, uint32_t last,
                      void *out);
    uint64_t (*sum64)(const uint64_t *deltas, size_t count, uint64_t least, uint64_t last,
                      void *out);
    /* as pqx_expand */
    void (*expand)(const uint8_t *values, size_t width, const uint8_t *bits, uint64_t bit,
                   size_t slots, uint8_t *out);
    /* as pqx_scale32 and pqx_scale64 */
    void (*scale32)(const uint32_t *deltas, size_t count, uint32_t frame, float up, float down,
                    void *out);
    void (*scale64)(const uint64_t *deltas, size_t count, uint64_t frame, double up, double down,
                    void *out);
} pqx_loops;

extern const pqx_loops pqx_portable_loops;

/* Return how many loads of 16 bytes, the last one `last` bytes after the first, in steps of `step`
 * bytes, stay within `left` bytes. */
static inline size_t pqx_steps_within(size_t left, size_t last, size_t step, size_t most)
{
    if (left < last + 16) return 0;
    size_t steps = (left - last - 16) / step + 1;
    return steps < most ? steps : most;
}

/* Return the loops that this CPU can run, best first, the portable ones last, then NULL; static.
 * Querying the CPU is slow. */
const pqx_loops *const *pqx_cpu_loops(void);

/* Return the best loops, cached. */
const pqx_loops *pqx_best_loops(void);

#endif
