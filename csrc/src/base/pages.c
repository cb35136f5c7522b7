#include "base/pages.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

/* What stands in front of the memory that is given out. */
typedef union block {
    size_t mapped; /* bytes of the mapping, this included; 0: malloc'ed */
    char line[64];
} block;

enum { LARGE = 1 << 20, HUGE_PAGE = 2 << 20, LARGEST_KEPT = 64 << 20, KEPT = 4 };

static _Atomic(block *) kept[KEPT];

/* A block that was given back, if one fits and is not much too large. */
static block *take_kept(size_t size)
{
    for (int i = 0; i < KEPT; i++) {
        block *found = atomic_exchange(&kept[i], NULL);
        if (!found) continue;
        if (found->mapped >= size && found->mapped / 4 <= size) return found;
        block *none = NULL;
        if (!atomic_compare_exchange_strong(&kept[i], &none, found)) munmap(found, found->mapped);
    }
    return NULL;
}

/* A mapping that begins at a huge page's boundary. */
static block *map(size_t size)
{
    size_t room = size + HUGE_PAGE;
    uint8_t *start = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (start == MAP_FAILED) return NULL;
    size_t before = -(uintptr_t)start & (HUGE_PAGE - 1), behind = HUGE_PAGE - before;
    if (before) munmap(start, before);
    if (behind) munmap(start + before + size, behind);
    block *made = (block *)(start + before);
#ifdef MADV_HUGEPAGE
    madvise(made, size, MADV_HUGEPAGE);
#endif
    made->mapped = size;
    return made;
}

void *pqx_reserve(size_t size)
{
    if (size > SIZE_MAX / 2) return NULL;
    block *made;
    if (size < LARGE) {
        made = malloc(sizeof *made + size);
        if (made) made->mapped = 0;
    } else {
        size_t whole = (sizeof *made + size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
        made = take_kept(whole);
        if (!made) made = map(whole);
    }
    return made ? made + 1 : NULL;
}

static int keep(block *given)
{
#ifdef MADV_FREE
    if (given->mapped > LARGEST_KEPT) return 0;
    uint8_t *second_page = (uint8_t *)given + HUGE_PAGE;
    if (given->mapped > HUGE_PAGE && madvise(second_page, given->mapped - HUGE_PAGE, MADV_FREE))
        return 0;
    for (int i = 0; i < KEPT; i++) {
        block *none = NULL;
        if (atomic_compare_exchange_strong(&kept[i], &none, given)) return 1;
    }
#else
    (void)given;
#endif
    return 0;
}

void pqx_release(void *memory)
{
    if (!memory) return;
    block *given = (block *)memory - 1;
    if (!given->mapped) free(given);
    else if (!keep(given)) munmap(given, given->mapped);
}
