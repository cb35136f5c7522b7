/* Bitmaps, least significant bit first. Bits around the written ones keep their values. */
#ifndef PQX_BITMAP_H
#define PQX_BITMAP_H

#include "base/internal.h"

/* Copy `count` bits from bit `bit` of data[0..size), which contains them all, to bit `out_bit` of
 * `out`. Return how many are set. */
size_t pqx_bitmap_copy(const uint8_t *data, size_t size, uint64_t bit, size_t count, uint8_t *out,
                       uint64_t out_bit);
/* Set `count` bits from bit `bit` of `out` on to `value`, 0 or 1. */
void pqx_bitmap_fill(uint8_t *out, uint64_t bit, size_t count, int value);
/* Return how many of the `most` bits from bit `bit` of data[0..size) on are equal to the first one.
 */
size_t pqx_bitmap_alike(const uint8_t *data, size_t size, uint64_t bit, size_t most);

#endif
