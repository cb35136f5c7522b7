/* Convert integers to floating-point values for ALP. */
#ifndef PQX_SCALE_H
#define PQX_SCALE_H

#include "base/internal.h"

/* out[i] = (deltas[i] + frame) * up * down: the sum wraps and is signed, becomes the nearest value
 * of the type, and is multiplied twice, from left to right, each product rounded to the type. `out`
 * need not be aligned. */
void pqx_scale32(const uint32_t *deltas, size_t count, uint32_t frame, float up, float down,
                 void *out);
void pqx_scale64(const uint64_t *deltas, size_t count, uint64_t frame, double up, double down,
                 void *out);

/* The portable version, and those with AVX2 and AVX-512. */
void pqx_scale32_portable(const uint32_t *deltas, size_t count, uint32_t frame, float up,
                          float down, void *out);
void pqx_scale64_portable(const uint64_t *deltas, size_t count, uint64_t frame, double up,
                          double down, void *out);
void pqx_scale32_avx2(const uint32_t *deltas, size_t count, uint32_t frame, float up, float down,
                      void *out);
void pqx_scale64_avx2(const uint64_t *deltas, size_t count, uint64_t frame, double up, double down,
                      void *out);
void pqx_scale32_avx512(const uint32_t *deltas, size_t count, uint32_t frame, float up, float down,
                        void *out);
void pqx_scale64_avx512(const uint64_t *deltas, size_t count, uint64_t frame, double up,
                        double down, void *out);

#endif
