/* Decompress any bytes as a block of LZ4: no byte is written outside of the output.
 * Decompression by parts of the block and of the output gives the same result as at once. */
#include "page/lz4_block.h"

#include "../tests/parts.h"
#include "input.h"

enum { MOST = 1 << 14, MOST_STEP = 200, LENGTH_BYTES = 5 };

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    size_t out_size = steering % MOST, step = 1 + (steering >> 16) % MOST_STEP;
    uint8_t *data = exact(input, size), *out = malloc(out_size + PQX_LZ4_SPARE);
    size_t there = size < LENGTH_BYTES || steering >> 40 & 1 ? size : LENGTH_BYTES;
    uint8_t *parts = malloc(out_size + PQX_LZ4_SPARE);
    int is_whole = pqx_lz4_block(data, size, out, out_size);
    pqx_lz b = pqx_lz_of(data, there, parts, out_size);
    int is_same = out_size && decompress_by_parts(&b, data + size, step, pqx_lz4_until);
    if (out_size) CLAIM(is_whole == is_same);
    if (out_size && is_whole) CLAIM(!memcmp(out, parts, out_size));
    free(data);
    free(out);
    free(parts);
    return 0;
}
