#include "page/spread.h"
#include "encoding/bitmap.h"
#include "encoding/expand.h"
#include "encoding/level_bits.h"

enum { STEP = 32 }; /* slots that are processed together */

/* Return `count` bits, at most 32, from bit `bit` on. */
static inline uint32_t some_bits(const uint8_t *bits, uint64_t bit, size_t count)
{
    uint64_t word = pqx_load64(bits + (bit >> 3)) >> (bit & 7);
    return (uint32_t)(word & (((uint64_t)1 << count) - 1));
}

static inline unsigned ones_of(uint32_t bits)
{
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    return (((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u) >> 24;
}

size_t pqx_count_bits(const uint8_t *bits, uint64_t bit, size_t count)
{
    size_t ones = 0;
    for (size_t some; count; count -= some, bit += some) {
        some = count < STEP ? count : STEP;
        ones += ones_of(some_bits(bits, bit, some));
    }
    return ones;
}

size_t pqx_find_bit(const uint8_t *bits, uint64_t bit, size_t before)
{
    for (size_t at = 0;; at += STEP) {
        uint32_t word = some_bits(bits, bit + at, STEP);
        unsigned ones = ones_of(word);
        if (before < ones) {
            for (;; word >>= 1, at++)
                if (word & 1 && !before--) return at;
        }
        before -= ones;
    }
}

static void spread_any(const uint8_t *values, size_t width, const uint8_t *bits, uint64_t bit,
                       size_t slots, uint8_t *out)
{
    for (size_t i = 0; i < slots; i++, bit++, out += width) {
        if (bits[bit >> 3] >> (bit & 7) & 1) {
            memcpy(out, values, width);
            values += width;
        } else {
            memset(out, 0, width);
        }
    }
}

void pqx_spread(const uint8_t *values, size_t width, const uint8_t *bits, uint64_t bit,
                size_t slots, uint8_t *out)
{
    if (width == 4 || width == 8) pqx_expand(values, width, bits, bit, slots, out);
    else spread_any(values, width, bits, bit, slots, out);
}

void pqx_spread_ends(const int32_t *ends, const uint8_t *bits, uint64_t bit, size_t slots,
                     int32_t *out)
{
    for (size_t some; slots; slots -= some, bit += some, out += some) {
        some = slots < STEP ? slots : STEP;
        uint32_t word = some_bits(bits, bit, some);
        for (size_t i = 0; i < some; i++, word >>= 1) {
            ends += word & 1;
            out[i] = *ends;
        }
    }
}

void pqx_spread_bits(const uint8_t *values, const uint8_t *bits, uint64_t bit, size_t slots,
                     uint8_t *out, uint64_t out_bit)
{
    uint64_t from = 0;
    for (size_t some; slots; slots -= some, bit += some, out_bit += some) {
        some = slots < STEP ? slots : STEP;
        uint32_t word = some_bits(bits, bit, some), spread = 0;
        uint32_t next = some_bits(values, from, STEP);
        for (size_t i = 0; i < some; i++, word >>= 1) {
            spread |= (next & word & 1) << i;
            next >>= word & 1;
            from += word & 1;
        }
        uint8_t bytes[9]; /* one more, because compilers do not see that it is not read */
        pqx_store64(bytes, spread);
        pqx_bitmap_copy(bytes, 8, 0, some, out, out_bit);
    }
}

enum { SOME = 4096 }; /* slots whose bits are collected together */

size_t pqx_slots_of_levels(const uint16_t *levels, size_t count, uint16_t least, uint16_t highest,
                           uint8_t *out, uint64_t bit, size_t *ones)
{
    uint8_t bits[SOME / 8];
    size_t slots = 0;
    *ones = 0;
    while (count) {
        size_t all = count < SOME ? count : SOME;
        pqx_bits made = {.out = bits};
        for (size_t i = 0, some; i < all; i += some) {
            some = all - i < 64 ? all - i : 64;
            uint64_t is_slot = pqx_bits_at_least(levels + i, some, least);
            pqx_bits_append(&made, pqx_bits_at_least(levels + i, some, highest), is_slot);
        }
        pqx_bits_finish(&made);
        pqx_bitmap_copy(bits, sizeof bits, 0, made.count, out, bit + slots);
        slots += made.count;
        *ones += made.ones;
        levels += all, count -= all;
    }
    return slots;
}
