/* Mappings of whole huge pages. Freed mappings are kept and reused. */
#ifndef PQX_MAPPINGS_H
#define PQX_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

enum { PQX_HUGE_PAGE = 2 << 20 };

/* Return the bytes of a mapping for `size` bytes, which are at most SIZE_MAX / 2. */
static inline size_t pqx_whole_pages(size_t size)
{ return (size + PQX_HUGE_PAGE - 1) & ~(size_t)(PQX_HUGE_PAGE - 1); }

/* Return a mapping of at least `size` bytes, aligned to a huge page, with a whole number of huge
 * pages; *mapped is its size. Return NULL if there is no memory. A reused mapping keeps its
 * previous contents. */
void *pqx_map(size_t size, size_t *mapped);
/* Return 1 if a kept mapping may serve a request for `size` bytes, that is, if it is not much too
 * large. */
int pqx_is_kept_for(size_t size, size_t mapped);
/* Free a mapping. Up to 1 GiB of mappings, of at most 256 MiB each, stay mapped; the system may
 * reclaim their pages at any time. */
void pqx_unmap(void *start, size_t mapped);
/* Return a mapping to the system. */
void pqx_drop(void *start, size_t mapped);
/* Resize a mapping to `size` bytes, in place or at another huge page boundary. Return NULL if it
 * cannot be moved. */
void *pqx_remap(void *start, size_t mapped, size_t size);

#endif
