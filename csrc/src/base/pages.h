/* Memory for what is as large as a footer. */
#ifndef PQX_PAGES_H
#define PQX_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* At least `size` bytes, aligned to 64, to be given back with pqx_release; NULL where there are
 * none. From 32 KiB on they lie on huge pages where the system has them, as pieces of one up to
 * 1 MiB: a fault for every 4 KiB costs more than the scan of what fits there. */
void *pqx_reserve(size_t size);
/* Give `memory` back, which may be NULL. What lay on huge pages stays mapped for the next
 * reservations, as mappings.h says. */
void pqx_release(void *memory);

/* Memory that grows as it is filled. {0} at first; `data` is given back with pqx_release. */
typedef struct pqx_memory {
    uint8_t *data;
    size_t capacity;
} pqx_memory;

/* Make room for `size` bytes, keeping the first `used` ones; large memory is moved by its mapping
 * and not copied. 0, and nothing has changed, where there are none. */
int pqx_grow(pqx_memory *memory, size_t used, size_t size);
/* Give back what is behind the first `size` bytes, which may move, where that is more than they
 * are: less was hardly touched, and a block of the same size is found again. */
void pqx_trim(pqx_memory *memory, size_t size);

#endif
