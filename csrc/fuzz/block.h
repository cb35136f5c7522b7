/* Decompress any bytes as a block, at once and by parts. */
#ifndef PQX_FUZZ_BLOCK_H
#define PQX_FUZZ_BLOCK_H

#include "../tests/parts.h"
#include "input.h"

static inline int try_block(const block_format *format, const uint8_t *input, size_t size)
{
    enum { MOST = 1 << 14, MOST_STEP = 200, LENGTH_BYTES = 5 };
    uint64_t steering = take_steering(input, &size);
    size_t out_size = steering % MOST, step = 1 + (steering >> 16) % MOST_STEP;
    uint8_t *data = exact(input, size), *out = malloc(out_size + format->spare);
    size_t there = size < LENGTH_BYTES || steering >> 40 & 1 ? size : LENGTH_BYTES;
    uint8_t *parts = malloc(out_size + format->spare);
    int is_whole = format->whole(data, size, out, out_size);
    int is_same = out_size && fills_in_parts(format, data, size, there, step, parts, out_size);
    if (out_size) CLAIM(is_whole == is_same);
    if (out_size && is_whole) CLAIM(!memcmp(out, parts, out_size));
    free(data);
    free(out);
    free(parts);
    return 0;
}

#endif
