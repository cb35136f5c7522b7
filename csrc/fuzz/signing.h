/* Checksums of a flat payload made right, so that fuzzing gets behind them. */
#ifndef PQX_FUZZ_SIGNING_H
#define PQX_FUZZ_SIGNING_H

#include <stdint.h>
#include <string.h>

#include "parquetext_internal.h"

static inline uint32_t word_at(const uint8_t *data, size_t at)
{
    uint32_t value;
    memcpy(&value, data + at, 4);
    return value;
}

static inline void sign_range(uint8_t *data, size_t from, size_t to, size_t at)
{
    uint32_t crc = pqx_crc32(0, data + from, to - from);
    memcpy(data + at, &crc, 4);
}

/* Everything that looks like a cell, on a multiple of 8, and the tail block. */
static inline void sign_flat(uint8_t *data, size_t size)
{
    if (size < 40) return;
    uint32_t length = (uint32_t)size, tail_size = word_at(data, size - 8);
    memcpy(data + size - 12, &length, 4);
    if (tail_size < 32 || tail_size > size) return;
    size_t tail = size - tail_size;
    for (size_t at = 8; at + 16 <= tail; at += 8) {
        uint32_t cell = word_at(data, at + 4), kind = word_at(data, at + 8) & 0xffff;
        if (kind < 1 || kind > 8 || cell % 8 || cell < 16 || cell > tail - at) continue;
        sign_range(data, at + 4, at + cell, at);
        at += cell - 8;
    }
    sign_range(data, tail, size - 4, size - 4);
}

#endif
