/* Decompress any bytes as a block of LZ4: no byte is written outside of the output.
 * Decompression by parts of the block and of the output gives the same result as at once. */
#include "page/lz4_block.h"

#include "block.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    static const block_format format = {PQX_LZ4_SPARE, pqx_lz4_block, NULL, pqx_lz4_until};
    return try_block(&format, input, size);
}
