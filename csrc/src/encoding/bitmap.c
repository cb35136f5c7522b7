#include "encoding/bitmap.h"

static inline unsigned ones_of(uint64_t bits)
{
    bits -= bits >> 1 & 0x5555555555555555u;
    bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
    return (unsigned)(((bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0fu) * 0x0101010101010101u >> 56);
}

/* Load at least 57 bits from bit `bit` on, padded with zeros after the last byte. */
static inline uint64_t bits_at(const uint8_t *data, size_t size, uint64_t bit)
{
    size_t at = (size_t)(bit >> 3);
    uint64_t word = 0;
    if (size - at >= 8) word = pqx_load64(data + at);
    else memcpy(&word, data + at, size - at);
    return word >> (bit & 7);
}

/* Store the `count` lowest bits, at most 8, at bit `bit` of `out`; they are in one byte. */
static inline void put(uint8_t *out, uint64_t bit, unsigned count, unsigned bits)
{
    unsigned shift = bit & 7, mask = ((1u << count) - 1) << shift;
    uint8_t *byte = out + (bit >> 3);
    *byte = (uint8_t)((*byte & ~mask) | (bits << shift & mask));
}

size_t pqx_bitmap_copy(const uint8_t *data, size_t size, uint64_t bit, size_t count, uint8_t *out,
                       uint64_t out_bit)
{
    size_t ones = 0;
    while (count && (out_bit & 7 || count < 8)) {
        unsigned some = 8 - (out_bit & 7);
        if (some > count) some = (unsigned)count;
        unsigned bits = (unsigned)bits_at(data, size, bit) & ((1u << some) - 1);
        put(out, out_bit, some, bits);
        ones += ones_of(bits);
        bit += some, out_bit += some, count -= some;
    }
    uint8_t *to = out + (out_bit >> 3);
    unsigned shift = bit & 7;
    for (; count >= 64; bit += 64, to += 8, count -= 64) {
        const uint8_t *from = data + (bit >> 3);
        uint64_t word = pqx_load64(from) >> shift;
        if (shift) word |= (uint64_t)from[8] << (64 - shift);
        pqx_store64(to, word);
        ones += ones_of(word);
    }
    for (; count >= 8; bit += 8, to++, count -= 8) {
        *to = (uint8_t)bits_at(data, size, bit);
        ones += ones_of(*to);
    }
    if (count) {
        unsigned bits = (unsigned)bits_at(data, size, bit) & ((1u << count) - 1);
        put(to, 0, (unsigned)count, bits);
        ones += ones_of(bits);
    }
    return ones;
}

void pqx_bitmap_fill(uint8_t *out, uint64_t bit, size_t count, int value)
{
    unsigned byte = value ? 0xff : 0;
    unsigned head = -(unsigned)bit & 7;
    if (head > count) head = (unsigned)count;
    if (head) put(out, bit, head, byte);
    bit += head, count -= head;
    if (count >= 8) memset(out + (bit >> 3), (int)byte, count >> 3);
    if (count & 7) put(out, bit + (count & ~(size_t)7), count & 7, byte);
}

size_t pqx_bitmap_alike(const uint8_t *data, size_t size, uint64_t bit, size_t most)
{
    if (!most) return 0;
    uint64_t first = bits_at(data, size, bit) & 1 ? UINT64_MAX : 0;
    for (size_t alike = 0; alike < most; alike += 56, bit += 56) {
        uint64_t other = bits_at(data, size, bit) ^ first;
        for (size_t i = 0; i < 56 && alike + i < most; i++)
            if (other >> i & 1) return alike + i;
    }
    return most;
}
