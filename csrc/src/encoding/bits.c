#include "encoding/bits.h"

#include "encoding/expand.h"
#include "encoding/loops.h"
#include "encoding/scale.h"
#include "encoding/split.h"
#include "encoding/sums.h"

/* Return how many of `count` values can be loaded with `load` bytes each within data[0..size). */
PQX_INLINE size_t within(size_t size, uint64_t bit, uint32_t width, size_t load, size_t count)
{
    if (size < load || bit >> 3 > size - load) return 0;
    if (((bit + (count - 1) * width) >> 3) + load <= size) return count;
    uint64_t most = (((uint64_t)(size - load) << 3 | 7) - bit) / width + 1;
    return most < count ? (size_t)most : count;
}

/* Return the value at bit `bit`: up to 57 bits with a load of 8 bytes, up to 64 bits with 9. */
PQX_INLINE uint64_t value_at(const uint8_t *data, uint64_t bit, uint64_t mask, size_t load)
{
    const uint8_t *at = data + (bit >> 3);
    unsigned shift = bit & 7;
    uint64_t low = pqx_load64(at) >> shift;
    return (load == 8 ? low : low | (uint64_t)at[8] << 1 << (63 - shift)) & mask;
}

PQX_INLINE void store(void *out, size_t i, uint64_t value, int bytes)
{
    if (bytes == 2) ((uint16_t *)out)[i] = (uint16_t)value;
    if (bytes == 4) ((uint32_t *)out)[i] = (uint32_t)value;
    if (bytes == 8) ((uint64_t *)out)[i] = value;
}

/* Unpack to integers of `bytes` bytes. Return the highest one. */
PQX_INLINE uint64_t unpack(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                           size_t count, void *out, int bytes, size_t load)
{
    uint64_t mask = UINT64_MAX >> (64 - width), highest = 0;
    size_t i = 0, easy = within(size, bit, width, load, count);
    for (; i < easy; i++, bit += width) {
        uint64_t value = value_at(data, bit, mask, load);
        if (value > highest) highest = value;
        store(out, i, value, bytes);
    }
    if (i == count) return highest;

    uint8_t tail[18] = {0}; /* the values that no load can reach within the input, and zeros */
    size_t start = (size_t)(bit >> 3);
    memcpy(tail, data + start, size - start);
    for (bit &= 7; i < count; i++, bit += width) {
        uint64_t value = value_at(tail, bit, mask, load);
        if (value > highest) highest = value;
        store(out, i, value, bytes);
    }
    return highest;
}

static uint32_t unpack16(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                         size_t count, uint16_t *out)
{ return (uint32_t)unpack(data, size, bit, width, count, out, 2, 8); }

static uint32_t unpack32(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                         size_t count, uint32_t *out)
{ return (uint32_t)unpack(data, size, bit, width, count, out, 4, 8); }

static void unpack64(const uint8_t *data, size_t size, uint64_t bit, uint32_t width, size_t count,
                     uint64_t *out)
{
    if (width > 57) unpack(data, size, bit, width, count, out, 8, 9);
    else unpack(data, size, bit, width, count, out, 8, 8);
}

uint32_t pqx_unpack16_msb(const uint8_t *data, size_t size, uint64_t bit, uint32_t width,
                          size_t count, uint16_t *out)
{
    uint32_t highest = 0, mask = pqx_mask32(width);
    for (size_t i = 0; i < count; i++, bit += width) {
        size_t at = (size_t)(bit >> 3);
        uint32_t word = 0;
        for (size_t k = 0; k < 3; k++) word = word << 8 | (at + k < size ? data[at + k] : 0);
        uint32_t value = word >> (24 - (bit & 7) - width) & mask;
        if (value > highest) highest = value;
        out[i] = (uint16_t)value;
    }
    return highest;
}

const pqx_loops pqx_portable_loops = {"portable",
                                      unpack16,
                                      unpack32,
                                      unpack64,
                                      pqx_join_portable,
                                      pqx_sum32_portable,
                                      pqx_sum64_portable,
                                      pqx_expand_portable,
                                      pqx_scale32_portable,
                                      pqx_scale64_portable};
