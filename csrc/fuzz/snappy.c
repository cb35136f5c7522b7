/* Decompress any bytes as a block of Snappy: no byte is written outside of the output.
 * Decompression by parts of the block and of the output gives the same result as at once. */
#include "page/snappy.h"

#include "block.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    static const block_format format = {PQX_SNAPPY_SPARE, pqx_snappy, pqx_snappy_begin,
                                        pqx_snappy_until};
    return try_block(&format, input, size);
}
