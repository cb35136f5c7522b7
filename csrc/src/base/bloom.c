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

static int check_blocks(size_t size, pqx_error *error)
{
    if (!size || size % BLOCK_BYTES || size / BLOCK_BYTES > UINT32_MAX)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, BLOCK_BYTES, size);
    return PQX_OK;
}

/* Return the offset of the block of a hash: the hash is mapped to the blocks without a division and
 * without bias for powers of two. */
static size_t block_of(uint64_t hash, size_t size)
{ return (size_t)((hash >> 32) * (size / BLOCK_BYTES) >> 32) * BLOCK_BYTES; }

int pqx_bloom_might_contain(const uint8_t *bitset, size_t size, const uint64_t *hashes,
                            size_t count, uint8_t *out, pqx_error *error)
{
    PQX_TRY(check_blocks(size, error));
    for (size_t i = 0; i < count; i++)
        out[i] = (uint8_t)block_holds(bitset + block_of(hashes[i], size), (uint32_t)hashes[i]);
    return PQX_OK;
}

int pqx_bloom_insert(uint8_t *bitset, size_t size, const uint64_t *hashes, size_t count,
                     pqx_error *error)
{
    PQX_TRY(check_blocks(size, error));
    for (size_t i = 0; i < count; i++) {
        uint8_t *block = bitset + block_of(hashes[i], size);
        for (int word = 0; word < WORDS; word++) {
            uint32_t bit = (uint32_t)hashes[i] * SALT[word] >> 27;
            block[4 * word + bit / 8] |= (uint8_t)(1u << bit % 8);
        }
    }
    return PQX_OK;
}

int pqx_bloom_hashes(const uint8_t *data, size_t size, const int32_t *offsets, size_t count,
                     uint64_t *out, pqx_error *error)
{
    for (size_t i = 0; i < count; i++) {
        int64_t begin = offsets[i], end = offsets[i + 1];
        if (begin < 0 || end < begin || (uint64_t)end > size)
            return pqx_fail(error, PQX_VALUE_OFFSET, 4 * (i + 1), size, (uint64_t)end);
        out[i] = pqx_xxh64(size ? data + begin : data, (size_t)(end - begin), 0);
    }
    return PQX_OK;
}
