#include "base/mappings.h"

#include "base/atomics.h"
#include "base/port.h"

enum { KEPT = 256, LARGEST_KEPT = 256 << 20, MOST_KEPT = 1 << 30, TIMES_WANTED = 4 };

/* The addresses of the kept mappings; the low bits, which are 0 in the address, contain the number
 * of huge pages. Nothing is stored in the mapping itself, because the system may reclaim its pages.
 * 0: an empty slot. */
static PQX_ATOMIC(uintptr_t) kept[KEPT];
static PQX_ATOMIC(size_t) bytes_kept;
static PQX_ATOMIC(unsigned) next; /* the slot to free if there are too many */

static size_t size_of(uintptr_t mapping) { return (mapping & (PQX_HUGE_PAGE - 1)) * PQX_HUGE_PAGE; }

static void *start_of(uintptr_t mapping)
{ return (void *)(mapping & ~(uintptr_t)(PQX_HUGE_PAGE - 1)); }

int pqx_is_kept_for(size_t size, size_t mapped)
{ return mapped / TIMES_WANTED <= pqx_whole_pages(size); }

static int fits(uintptr_t found, size_t size)
{ return size_of(found) >= size && pqx_is_kept_for(size, size_of(found)); }

/* Take the smallest kept mapping that fits. Return 0 if there is none. */
static uintptr_t take_kept(size_t size)
{
    for (;;) {
        int best = -1;
        uintptr_t found = 0;
        for (int i = 0; i < KEPT && size_of(found) != size; i++) {
            uintptr_t other = atomic_load(&kept[i]);
            if (!other || !fits(other, size) || (found && size_of(other) >= size_of(found)))
                continue;
            best = i;
            found = other;
        }
        if (best < 0) return 0;
        if (!atomic_compare_exchange_strong(&kept[best], &found, 0)) continue;
        atomic_fetch_sub(&bytes_kept, size_of(found));
        return found;
    }
}

void pqx_drop(void *start, size_t mapped) { pqx_unmap_pages(start, mapped); }

void *pqx_map(size_t size, size_t *mapped)
{
    *mapped = pqx_whole_pages(size);
    uintptr_t found = take_kept(*mapped);
    if (!found) return pqx_map_pages(*mapped, PQX_HUGE_PAGE);
    *mapped = size_of(found);
    return start_of(found);
}

/* Put `mapping` into a slot and unmap the slot's previous mapping. */
static void put(unsigned slot, uintptr_t mapping)
{
    uintptr_t old = atomic_exchange(&kept[slot % KEPT], mapping);
    if (!old) return;
    atomic_fetch_sub(&bytes_kept, size_of(old));
    pqx_drop(start_of(old), size_of(old));
}

static void keep(uintptr_t mapping)
{
    for (int i = 0; i < KEPT; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&kept[i], &none, mapping)) return;
    }
    put(atomic_fetch_add(&next, 1), mapping);
}

void pqx_unmap(void *start, size_t mapped)
{
    if (mapped <= LARGEST_KEPT && pqx_offer_pages(start, mapped)) {
        size_t all = atomic_fetch_add(&bytes_kept, mapped) + mapped;
        for (int i = 0; all > MOST_KEPT && i < KEPT; i++, all = atomic_load(&bytes_kept))
            put(atomic_fetch_add(&next, 1), 0);
        keep((uintptr_t)start | mapped / PQX_HUGE_PAGE);
        return;
    }
    pqx_drop(start, mapped);
}

void *pqx_remap(void *start, size_t mapped, size_t size)
{ return pqx_resize_pages(start, mapped, size, PQX_HUGE_PAGE); }
