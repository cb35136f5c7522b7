/* Bloom filters: a bitset of another writer, exact-size buffers of every length, hashes at both
 * ends. */
#include "harness.h"

/* The int64 numbers 0 to 9 in one block, made by Spark 3.2.1. */
static const uint8_t NUMBERS[32] = {24,  130, 24, 8,  134, 8,   68, 6,   2,  101, 128,
                                    10,  64,  2,  38, 78,  114, 1,  64,  38, 1,   192,
                                    194, 152, 64, 70, 0,   36,  56, 121, 64, 0};

static void known_numbers(void)
{
    for (uint64_t number = 0; number <= 10; number++) {
        uint64_t hash = pqx_xxh64((const uint8_t *)&number, sizeof number, 0);
        uint8_t held = 2;
        CHECK(pqx_bloom_might_contain(NUMBERS, sizeof NUMBERS, &hash, 1, &held, NULL) == PQX_OK);
        CHECK(held == (number < 10));
    }
}

static void only_whole_blocks_and_nothing_beyond(void)
{
    static const uint64_t HASHES[] = {0, UINT64_MAX, 1ull << 63, 0xffffffff00000000u};
    enum { COUNT = sizeof HASHES / sizeof *HASHES };
    uint8_t ones[32 * 9];
    memset(ones, 0xff, sizeof ones);
    for (size_t size = 0; size <= sizeof ones; size++) {
        uint8_t *bitset = exact(ones, size), held[COUNT] = {2, 2, 2, 2};
        pqx_error error = {0};
        int status = pqx_bloom_might_contain(bitset, size, HASHES, COUNT, held, &error);
        CHECK(status == (size && size % 32 == 0 ? PQX_OK : PQX_BAD_ARGUMENT));
        if (status) CHECK(error.expected == 32 && error.found == size);
        else CHECK(held[0] == 1 && held[1] == 1 && held[2] == 1 && held[3] == 1);
        free(bitset);
    }
}

static void inserted_numbers_give_the_bits_of_the_other_writer(void)
{
    uint8_t numbers[80], *bitset = exact((const uint8_t[32]){0}, 32);
    int32_t offsets[11];
    uint64_t hashes[10];
    for (int32_t i = 0; i <= 10; i++) offsets[i] = 8 * i;
    for (uint64_t i = 0; i < 10; i++) memcpy(numbers + 8 * i, &i, 8);
    CHECK(pqx_bloom_hashes(numbers, sizeof numbers, offsets, 10, hashes, NULL) == PQX_OK);
    CHECK(pqx_bloom_insert(bitset, 32, hashes, 10, NULL) == PQX_OK);
    CHECK(!memcmp(bitset, NUMBERS, 32));
    CHECK(pqx_bloom_insert(bitset, 31, hashes, 10, NULL) == PQX_BAD_ARGUMENT);
    free(bitset);
    offsets[10] = 81;
    pqx_error error = {0};
    CHECK(pqx_bloom_hashes(numbers, sizeof numbers, offsets, 10, hashes, &error)
          == PQX_VALUE_OFFSET);
    CHECK(error.offset == 40 && error.expected == 80 && error.found == 81);
    offsets[10] = 71;
    CHECK(pqx_bloom_hashes(numbers, sizeof numbers, offsets, 10, hashes, NULL) == PQX_VALUE_OFFSET);
}

int main(void)
{
    RUN(known_numbers);
    RUN(inserted_numbers_give_the_bits_of_the_other_writer);
    RUN(only_whole_blocks_and_nothing_beyond);
    return 0;
}
