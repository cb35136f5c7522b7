#include "base/pages.h"

#include <stdlib.h>
#include <string.h>

#include "base/mappings.h"
#include "base/slabs.h"

/* The header before the memory that is returned to the caller. */
typedef union block {
    struct {
        size_t room;  /* bytes of the block, header included */
        size_t asked; /* requested bytes before it grew */
        void *start;  /* the pointer from malloc; NULL: a mapping, or a piece of a slab */
        pqx_piece piece;
        uint8_t is_piece;
    };
    char line[64];
} block;

enum { LARGE = PQX_MOST_PIECE - sizeof(block) + 1 };

/* Without slabs, a memory checker sees the end of each block. */
#ifdef PQX_NO_SLABS
enum { HAS_SLABS = 0 };
#else
enum { HAS_SLABS = 1 };
#endif

static int is_mapping(const block *given) { return !given->start && !given->is_piece; }

static block *map(size_t size)
{
    size_t mapped;
    block *made = (block *)pqx_map(size, &mapped);
    if (made) *made = (block){.room = mapped};
    return made;
}

static block *take_piece(size_t size)
{
    pqx_piece piece;
    size_t room;
    block *made = (block *)pqx_take_piece(size, &piece, &room);
    if (made) *made = (block){.room = room, .piece = piece, .is_piece = 1};
    return made;
}

/* Allocate with malloc, aligned to a cache line. */
static block *allocate(size_t size)
{
    uint8_t *start = (uint8_t *)malloc(size + sizeof(block));
    if (!start) return NULL;
    block *made = (block *)(start + (-(uintptr_t)start & (sizeof *made - 1)));
    *made = (block){.room = size, .start = start};
    return made;
}

void *pqx_reserve(size_t size)
{
    if (size > SIZE_MAX / 2) return NULL;
    block *made = NULL;
    size += sizeof *made;
    if (size > PQX_MOST_PIECE) made = map(size);
    else if (HAS_SLABS && size >= PQX_LEAST_PIECE) made = take_piece(size);
    if (!made && size <= PQX_MOST_PIECE) made = allocate(size);
    if (!made) return NULL;
    made->asked = size;
    return made + 1;
}

void pqx_release(void *memory)
{
    if (!memory) return;
    block *given = (block *)memory - 1;
    if (given->start) free(given->start);
    else if (given->is_piece) pqx_give_piece(given->piece);
    else if (pqx_is_kept_for(given->asked, given->room)) pqx_unmap(given, given->room);
    else pqx_drop(given, given->room);
}

/* Resize a mapping so that it has room for `size` bytes. */
static block *remap(block *given, size_t size)
{
    size_t whole = pqx_whole_pages(size + sizeof *given);
    block *made = (block *)pqx_remap(given, given->room, whole);
    if (made) made->room = whole;
    return made;
}

int pqx_grow(pqx_memory *memory, size_t used, size_t size)
{
    if (size <= memory->capacity) return 1;
    if (size > SIZE_MAX / 2) return 0;
    block *given = memory->data ? (block *)memory->data - 1 : NULL;
    block *made = given && is_mapping(given) ? remap(given, size) : NULL;
    if (!made) {
        void *room = pqx_reserve(size);
        if (!room) return 0;
        if (used) memcpy(room, memory->data, used);
        made = (block *)room - 1;
        if (given) made->asked = given->asked;
        pqx_release(memory->data);
    }
    *memory = (pqx_memory){(uint8_t *)(made + 1), made->room - sizeof *made};
    return 1;
}

void pqx_trim(pqx_memory *memory, size_t size)
{
    if (!memory->data) return;
    block *given = (block *)memory->data - 1;
    size_t whole = pqx_whole_pages(size + sizeof *given);
    if (!is_mapping(given)) return;
    if (size < LARGE) {
        void *room = pqx_reserve(size);
        if (!room) return;
        memcpy(room, memory->data, size);
        pqx_release(memory->data);
        *memory = (pqx_memory){(uint8_t *)room, size};
    } else if (whole < given->room / 2) {
        pqx_unmap((uint8_t *)given + whole, given->room - whole);
        given->room = whole;
        memory->capacity = whole - sizeof *given;
    }
}
