/* DELTA_BINARY_PACKED as a test writes it: any block and miniblock size, any wider width. */
#ifndef PQX_TEST_DELTAS_H
#define PQX_TEST_DELTAS_H

#include "harness.h"

enum { MOST_DELTA_BYTES = 1 << 20 };

static inline uint64_t zigzag(uint64_t value) { return value << 1 ^ -(value >> 63); }

static inline uint64_t narrowed(uint64_t value, int is_64)
{ return is_64 ? value : (uint64_t)(int64_t)(int32_t)(uint32_t)value; }

static inline void put_bits(uint8_t *out, uint64_t bit, uint32_t width, uint64_t value)
{
    for (uint32_t i = 0; i < width; i++, bit++)
        if (value >> i & 1) out[bit / 8] |= (uint8_t)(1u << bit % 8);
}

/* One block of `count` values behind `last`; miniblocks are `spare` bits wider than they need. */
static inline size_t put_block(uint8_t *out, int is_64, const uint64_t *values, size_t count,
                               uint64_t last, size_t miniblocks, size_t miniblock, uint32_t spare)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        int64_t delta = (int64_t)narrowed(values[i] - (i ? values[i - 1] : last), is_64);
        if (delta < least) least = delta;
    }
    size_t size = pqx_varint_put(out, zigzag((uint64_t)least)), at = size + miniblocks;
    for (size_t m = 0; m < miniblocks; m++) {
        size_t from = m * miniblock, to = from + miniblock < count ? from + miniblock : count;
        if (from >= count) {
            out[size + m] = 0xee; /* of no value: any byte */
            continue;
        }
        uint64_t all = 0;
        uint32_t width = 0, most = is_64 ? 64 : 32;
        uint64_t mask = is_64 ? UINT64_MAX : UINT32_MAX;
        for (size_t i = from; i < to; i++)
            all |= (values[i] - (i ? values[i - 1] : last) - (uint64_t)least) & mask;
        while (width < most && all >> width) width++;
        width = width + spare < 64 ? width + spare : 64;
        out[size + m] = (uint8_t)width;
        memset(out + at, 0, miniblock / 8 * width);
        for (size_t i = from; i < to; i++) {
            uint64_t packed = (values[i] - (i ? values[i - 1] : last) - (uint64_t)least) & mask;
            put_bits(out + at, (uint64_t)(i - from) * width, width, packed);
        }
        at += miniblock / 8 * width;
    }
    return at;
}

/* The page of `values`; returns its size. */
static inline size_t put_deltas(uint8_t *out, int is_64, const uint64_t *values, size_t count,
                                size_t block, size_t miniblocks, uint32_t spare)
{
    size_t size = pqx_varint_put(out, block);
    size += pqx_varint_put(out + size, miniblocks);
    size += pqx_varint_put(out + size, count);
    size += pqx_varint_put(out + size, zigzag(count ? narrowed(values[0], is_64) : 0));
    for (size_t at = 1; at < count; at += block) {
        size_t some = count - at < block ? count - at : block;
        size += put_block(out + size, is_64, values + at, some, values[at - 1], miniblocks,
                          block / miniblocks, spare);
    }
    return size;
}

/* Numbers that look like chance, the same ones in every run. */
static inline uint64_t next_number(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

#endif
