/* Mappings of whole huge pages. Freed ones are kept for the next caller who wants one. */
#ifndef PQX_MAPPINGS_H
#define PQX_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

enum { PQX_HUGE_PAGE = 2 << 20 };

/* The bytes of a mapping for `size` bytes, which are at most SIZE_MAX / 2. */
static inline size_t pqx_whole_pages(size_t size)
{ return (size + PQX_HUGE_PAGE - 1) & ~(size_t)(PQX_HUGE_PAGE - 1); }

/* A mapping of at least `size` bytes, a whole number of huge pages, that begins at the boundary of
 * one: *mapped bytes; NULL where there are none. A kept one has what was in it. */
void *pqx_map(size_t size, size_t *mapped);
/* Whether a mapping that is kept serves whoever wants `size` bytes: it is not much too large. */
int pqx_is_kept_for(size_t size, size_t mapped);
/* Give a mapping back. Up to 1 GiB of them, of 128 MiB at most each, stay mapped; the system may
 * take their pages as soon as it wants them. */
void pqx_unmap(void *start, size_t mapped);
/* Give a mapping back to the system. */
void pqx_drop(void *start, size_t mapped);
/* The same mapping with `size` bytes, in place or elsewhere at a huge page's boundary; NULL where
 * it cannot be moved. */
void *pqx_remap(void *start, size_t mapped, size_t size);

#endif
