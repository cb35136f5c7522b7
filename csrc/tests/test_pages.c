/* Memory on pages of its own: what is given out is apart from everything else, and comes back. */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "harness.h"
#include "base/pages.h"

static const size_t sizes[] = {
    0, 1, 4096, (1 << 20) - 1, 1 << 20, (2 << 20) - 64, (2 << 20) - 63, 5 << 20, 70 << 20};
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
    unsigned char state;
    void *page = (void *)((uintptr_t)grown & ~(uintptr_t)4095);
    CHECK(mincore(page, 1, &state) == -1 && errno == ENOMEM);
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
    RUN(what_cannot_be_had_is_null);
    return 0;
}
