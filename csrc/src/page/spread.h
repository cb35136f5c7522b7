/* Move consecutive decoded values to the slots that have one. */
#ifndef PQX_SPREAD_H
#define PQX_SPREAD_H

#include "base/internal.h"

/* All bitmaps: least significant bit first, from bit `bit` on, followed by 8 bytes that may be
 * read. Slots whose bit is 0 become zeros. */

/* Return how many of `count` bits are set. */
size_t pqx_count_bits(const uint8_t *bits, uint64_t bit, size_t count);
/* Return the position of the set bit that is preceded by `before` set ones; it must exist. */
size_t pqx_find_bit(const uint8_t *bits, uint64_t bit, size_t before);
/* Fill `slots` slots of `width` bytes; PQX_EXPAND_SPARE bytes after the values may be read. */
void pqx_spread(const uint8_t *values, size_t width, const uint8_t *bits, uint64_t bit,
                size_t slots, uint8_t *out);
/* Compute the end of each slot: ends[0] is the beginning of the first one, ends[k] the end of the
 * k-th value. */
void pqx_spread_ends(const int32_t *ends, const uint8_t *bits, uint64_t bit, size_t slots,
                     int32_t *out);
/* Spread booleans: `values` are bits, the first one at bit 0; the output begins at bit `bit` of
 * `out`. */
void pqx_spread_bits(const uint8_t *values, const uint8_t *bits, uint64_t bit, size_t slots,
                     uint8_t *out, uint64_t out_bit);

/* Convert `count` levels to slots: levels of `least` or above have a slot, whose bit is set if the
 * level is `highest` or above. Writes bits from bit `bit` of `out` on. Returns the number of slots;
 * *ones of them have a value. */
size_t pqx_slots_of_levels(const uint16_t *levels, size_t count, uint16_t least, uint16_t highest,
                           uint8_t *out, uint64_t bit, size_t *ones);

#endif
