/* Memory on pages of its own: allocations do not overlap, and are returned. */
#include <pthread.h>
#include <stdint.h>

#include "system.h"
#include "base/pages.h"

static const size_t sizes[] = {0,
                               1,
                               4096,
                               1 << 15,
                               40000,
                               65536,
                               65537,
                               400000,
                               400000,
                               (1 << 19) - 64,
                               1 << 19,
                               (1 << 20) - 64,
                               (1 << 20) - 1,
                               1 << 20,
                               (2 << 20) - 64,
                               (2 << 20) - 63,
                               5 << 20,
                               70 << 20};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void blocks_are_apart(void)
{
    uint8_t *blocks[SIZES];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < SIZES; i++) {
            blocks[i] = pqx_reserve(sizes[i]);
            CHECK(blocks[i] && (uintptr_t)blocks[i] % 16 == 0);
            memset(blocks[i], i + 1, sizes[i]);
        }
        for (int i = 0; i < SIZES; i++)
            for (size_t at = 0; at < sizes[i]; at += at + 4096 < sizes[i] ? 4095 : 1)
                CHECK(blocks[i][at] == i + 1);
        for (int i = 0; i < SIZES; i++) pqx_release(blocks[(i * 5 + round) % SIZES]);
    }
}

static void a_large_block_is_given_out_again(void)
{
    uint8_t *first = pqx_reserve(8 << 20);
    uintptr_t place = (uintptr_t)first;
    pqx_release(first);
    uint8_t *again = pqx_reserve(8 << 20), *other = pqx_reserve(8 << 20);
    CHECK((uintptr_t)again == place && other && again != other);
    pqx_release(again);
    pqx_release(other);
}

static void a_block_that_grew_too_large_for_the_next_one_is_not_kept(void)
{
    pqx_memory memory = {0};
    CHECK(pqx_grow(&memory, 0, 3 << 20) && pqx_grow(&memory, 0, 70 << 20));
    uint8_t *grown = memory.data;
    pqx_release(grown);
    CHECK(!is_mapped((void *)((uintptr_t)grown & ~(uintptr_t)4095)));
}

/* Blocks of 400,000 bytes: five of them fit on a huge page. */
static void a_block_of_a_slab_is_given_out_again(void)
{
    enum { BLOCKS = 100, BYTES = 400000 };
    uint8_t *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = pqx_reserve(BYTES);
        CHECK(blocks[i] && (uintptr_t)blocks[i] % 64 == 0);
        memset(blocks[i], i, BYTES);
    }
    uintptr_t place = (uintptr_t)blocks[50];
    pqx_release(blocks[50]);
    blocks[50] = pqx_reserve(BYTES - 1000);
    CHECK((uintptr_t)blocks[50] == place);
    memset(blocks[50], 50, BYTES - 1000);
    for (int i = 0; i < BLOCKS; i++) {
        CHECK(blocks[i][0] == i && blocks[i][BYTES - 1] == i);
        pqx_release(blocks[i]);
    }
}

/* Whoever has a block writes its number all over it, and finds nothing else there. */
static void *take_and_give(void *number)
{
    enum { BLOCKS = 40, ROUNDS = 200 };
    static const size_t some[] = {40000, 400000, 1 << 20, 90000, 3 << 20};
    uint8_t *blocks[BLOCKS] = {0}, own = (uint8_t)(uintptr_t)number;
    for (int round = 0; round < ROUNDS; round++) {
        int i = round * 7 % BLOCKS;
        size_t size = some[round % 5];
        if (blocks[i]) {
            size_t before = some[(round - BLOCKS) % 5];
            if (blocks[i][0] != own || blocks[i][before - 1] != own) return number;
            pqx_release(blocks[i]);
        }
        blocks[i] = pqx_reserve(size);
        if (!blocks[i]) return number;
        memset(blocks[i], own, size);
    }
    for (int i = 0; i < BLOCKS; i++) pqx_release(blocks[i]);
    return NULL;
}

static void threads_get_blocks_of_their_own(void)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    void *failed;
    for (uintptr_t i = 0; i < THREADS; i++)
        CHECK(!pthread_create(&threads[i], NULL, take_and_give, (void *)(i + 1)));
    for (int i = 0; i < THREADS; i++) CHECK(!pthread_join(threads[i], &failed) && !failed);
}

static void memory_keeps_what_is_in_it_as_it_grows_and_shrinks(void)
{
    pqx_memory memory = {0};
    size_t used = 0;
    for (size_t size = 1000; size < 20 << 20; size = size * 5 / 2) {
        CHECK(pqx_grow(&memory, used, size) && memory.capacity >= size);
        memset(memory.data + used, 7, size - used);
        used = size;
    }
    for (; used > 1000; used /= 3) {
        pqx_trim(&memory, used);
        CHECK(memory.capacity >= used);
        for (size_t at = 0; at < used; at++) CHECK(memory.data[at] == 7);
    }
    pqx_release(memory.data);
}

static void what_cannot_be_had_is_null(void)
{
    CHECK(pqx_reserve(SIZE_MAX) == NULL);
    CHECK(pqx_reserve(SIZE_MAX / 2) == NULL);
    pqx_release(NULL);
}

int main(void)
{
    RUN(a_large_block_is_given_out_again);
    RUN(blocks_are_apart);
    RUN(a_block_that_grew_too_large_for_the_next_one_is_not_kept);
    RUN(a_block_of_a_slab_is_given_out_again);
    RUN(threads_get_blocks_of_their_own);
    RUN(memory_keeps_what_is_in_it_as_it_grows_and_shrinks);
    RUN(what_cannot_be_had_is_null);
    return 0;
}
