/* Values that were decoded one behind the other, spread over the slots that have one. */
#ifndef PQX_SPREAD_H
#define PQX_SPREAD_H

#include "base/internal.h"

/* All bitmaps: least significant bit first, from bit `bit` on, with 8 bytes that may be read behind
 * them. Slots whose bit is 0 become zeros. */

/* How many of `count` bits are set. */
size_t pqx_count_bits(const uint8_t *bits, uint64_t bit, size_t count);
/* Where the set bit stands that `before` set ones are in front of; there must be one. */
size_t pqx_find_bit(const uint8_t *bits, uint64_t bit, size_t before);
/* `slots` slots of `width` bytes; PQX_EXPAND_SPARE bytes behind the values may be read. */
void pqx_spread(const uint8_t *values, size_t width, const uint8_t *bits, uint64_t bit,
                size_t slots, uint8_t *out);
/* Where each slot ends: ends[0] is where the first one begins, ends[k] where the k-th value ends.
 */
void pqx_spread_ends(const int32_t *ends, const uint8_t *bits, uint64_t bit, size_t slots,
                     int32_t *out);
/* Booleans: `values` are bits, the first one at bit 0; as `bits` from bit `bit` of `out` on. */
void pqx_spread_bits(const uint8_t *values, const uint8_t *bits, uint64_t bit, size_t slots,
                     uint8_t *out, uint64_t out_bit);

/* Of the `count` levels, those at `least` or above have a slot, whose bit is set where the level is
 * at `highest`, or above it. Bits from bit `bit` of `out` on; returns how many slots, and *ones of
 * them have a value. */
size_t pqx_slots_of_levels(const uint16_t *levels, size_t count, uint16_t least, uint16_t highest,
                           uint8_t *out, uint64_t bit, size_t *ones);

#endif
