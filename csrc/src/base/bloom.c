/* Split-block Bloom filters (parquet-format's BloomFilter.md). */
#include "base/internal.h"

enum { BLOCK_BYTES = 32, WORDS = 8 };

static const uint32_t SALT[WORDS] = {0x47b6137bu, 0x44974d91u, 0x8824ad5bu, 0xa2b7289du,
                                     0x705495c7u, 0x2df1424bu, 0x9efc4947u, 0x5c6bfb31u};

static int block_holds(const uint8_t *block, uint32_t key)
{
    uint32_t missing = 0;
    for (int i = 0; i < WORDS; i++)
        missing |= ~pqx_load32(block + 4 * i) & 1u << (key * SALT[i] >> 27);
    return !missing;
}

int pqx_bloom_might_contain(const uint8_t *bitset, size_t size, const uint64_t *hashes,
                            size_t count, uint8_t *out, pqx_error *error)
{
    uint64_t blocks = size / BLOCK_BYTES;
    if (!size || size % BLOCK_BYTES || blocks > UINT32_MAX)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, BLOCK_BYTES, size);
    for (size_t i = 0; i < count; i++) {
        uint64_t block =
            (hashes[i] >> 32) * blocks >> 32; /* maps the hash to [0, blocks) without a division and
                                                 without bias for powers of two */
        out[i] = (uint8_t)block_holds(bitset + block * BLOCK_BYTES, (uint32_t)hashes[i]);
    }
    return PQX_OK;
}
