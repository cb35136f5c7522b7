/* Any bytes as a block of LZ4: what is written stays within the room that there is. */
#include "page/lz4_block.h"

#include "input.h"

enum { MOST = 1 << 14 };

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    size_t out_size = steering % MOST;
    uint8_t *data = exact(input, size), *out = malloc(out_size + PQX_LZ4_SPARE);
    pqx_lz4_block(data, size, out, out_size);
    free(data);
    free(out);
    return 0;
}
