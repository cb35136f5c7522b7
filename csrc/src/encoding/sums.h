/* Running sums, which convert deltas to values. */
#ifndef PQX_SUMS_H
#define PQX_SUMS_H

#include "base/internal.h"

/* out[i] = out[i - 1] + least + deltas[i], wrapping, with `last` before the first one; `out` may be
 * `deltas`, and need not be aligned. Returns the last one. */
uint32_t pqx_sum32(const uint32_t *deltas, size_t count, uint32_t least, uint32_t last, void *out);
uint64_t pqx_sum64(const uint64_t *deltas, size_t count, uint64_t least, uint64_t last, void *out);

/* The portable version, and those with AVX2 and with NEON. */
uint32_t pqx_sum32_portable(const uint32_t *deltas, size_t count, uint32_t least, uint32_t last,
                            void *out);
uint64_t pqx_sum64_portable(const uint64_t *deltas, size_t count, uint64_t least, uint64_t last,
                            void *out);
uint32_t pqx_sum32_avx2(const uint32_t *deltas, size_t count, uint32_t least, uint32_t last,
                        void *out);
uint64_t pqx_sum64_avx2(const uint64_t *deltas, size_t count, uint64_t least, uint64_t last,
                        void *out);
uint32_t pqx_sum32_neon(const uint32_t *deltas, size_t count, uint32_t least, uint32_t last,
                        void *out);

#endif
