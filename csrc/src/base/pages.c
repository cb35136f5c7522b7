#include "base/pages.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What stands in front of the memory that is given out. */
typedef union block {
    struct {
        size_t mapped; /* bytes of the mapping, this included; 0: malloc'ed */
        size_t asked;  /* bytes that were reserved before it grew */
        void *start;   /* as malloc gave it */
    };
    char line[64];
} block;

enum { LARGE = 1 << 20, HUGE_PAGE = 2 << 20, LARGEST_KEPT = 128 << 20, KEPT = 8, TIMES_ASKED = 4 };

static _Atomic(block *) kept[KEPT];

/* A block that was given back, if one fits and is not much too large. */
static block *take_kept(size_t size)
{
    for (int i = 0; i < KEPT; i++) {
        block *found = atomic_exchange(&kept[i], NULL);
        if (!found) continue;
        if (found->mapped >= size && found->mapped / TIMES_ASKED <= size) return found;
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

/* Memory of malloc's, at a line's boundary. */
static block *allocate(size_t size)
{
    uint8_t *start = malloc(2 * sizeof(block) + size);
    if (!start) return NULL;
    block *made = (block *)(start + (-(uintptr_t)start & (sizeof *made - 1)));
    made->mapped = 0;
    made->start = start;
    return made;
}

/* The mapping for `size` bytes. */
static size_t whole_pages(size_t size)
{ return (sizeof(block) + size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1); }

void *pqx_reserve(size_t size)
{
    if (size > SIZE_MAX / 2) return NULL;
    block *made;
    if (size < LARGE) {
        made = allocate(size);
    } else {
        made = take_kept(whole_pages(size));
        if (!made) made = map(whole_pages(size));
    }
    if (!made) return NULL;
    made->asked = size;
    return made + 1;
}

static int keep(block *given)
{
#ifdef MADV_FREE
    if (given->mapped > LARGEST_KEPT || given->mapped / TIMES_ASKED > whole_pages(given->asked))
        return 0;
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
    if (!given->mapped) free(given->start);
    else if (!keep(given)) munmap(given, given->mapped);
}

/* The same mapping with `size` bytes, in place or elsewhere at a huge page's boundary; NULL where
 * it cannot be moved. */
static block *remap(block *given, size_t size)
{
#ifdef MREMAP_MAYMOVE
    if (mremap(given, given->mapped, size, 0) == MAP_FAILED) {
        size_t room = size + HUGE_PAGE;
        uint8_t *start = mmap(NULL, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (start == MAP_FAILED) return NULL;
        size_t before = -(uintptr_t)start & (HUGE_PAGE - 1), behind = HUGE_PAGE - before;
        void *to = start + before;
        if (mremap(given, given->mapped, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) == MAP_FAILED) {
            munmap(start, room);
            return NULL;
        }
        if (before) munmap(start, before);
        if (behind) munmap(start + before + size, behind);
        given = to;
    }
    given->mapped = size;
    return given;
#else
    (void)given, (void)size;
    return NULL;
#endif
}

static size_t capacity_of(const block *given, size_t size)
{ return given->mapped ? given->mapped - sizeof *given : size; }

int pqx_grow(pqx_memory *memory, size_t used, size_t size)
{
    if (size <= memory->capacity) return 1;
    if (size > SIZE_MAX / 2) return 0;
    block *given = memory->data ? (block *)memory->data - 1 : NULL;
    block *made = given && given->mapped ? remap(given, whole_pages(size)) : NULL;
    if (!made) {
        void *room = pqx_reserve(size);
        if (!room) return 0;
        if (used) memcpy(room, memory->data, used);
        made = (block *)room - 1;
        if (given) made->asked = given->asked;
        pqx_release(memory->data);
    }
    *memory = (pqx_memory){(uint8_t *)(made + 1), capacity_of(made, size)};
    return 1;
}

void pqx_trim(pqx_memory *memory, size_t size)
{
    if (!memory->data) return;
    block *given = (block *)memory->data - 1;
    size_t whole = whole_pages(size);
    if (size < LARGE && memory->capacity >= LARGE) {
        void *room = pqx_reserve(size);
        if (!room) return;
        memcpy(room, memory->data, size);
        pqx_release(memory->data);
        *memory = (pqx_memory){room, size};
    } else if (whole < given->mapped / 2) {
        munmap((uint8_t *)given + whole, given->mapped - whole);
        given->mapped = whole;
        memory->capacity = whole - sizeof *given;
    }
}
