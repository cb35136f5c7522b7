/* Memory for objects as large as a footer. */
#ifndef PQX_PAGES_H
#define PQX_PAGES_H

#include <stddef.h>
#include <stdint.h>

/* Reserve at least `size` bytes, aligned to 64; free them with pqx_release. Return NULL if there is
 * no memory. From 32 KiB on, blocks use huge pages if the system has them, up to 1 MiB as pieces of
 * a shared one: a page fault per 4 KiB costs more than scanning the page's contents. */
void *pqx_reserve(size_t size);
/* Free `memory`, which may be NULL. Huge pages stay mapped for later reservations (see mappings.h).
 */
void pqx_release(void *memory);

/* Memory that grows as it is filled. Initialize it with {0}; free `data` with pqx_release. */
typedef struct pqx_memory {
    uint8_t *data;
    size_t capacity;
} pqx_memory;

/* Make room for `size` bytes and keep the first `used` bytes. Large blocks are remapped, not
 * copied. Return 0 and change nothing if there is no memory. */
int pqx_grow(pqx_memory *memory, size_t used, size_t size);
/* Free the bytes after the first `size`, which may move, if they exceed `size`. A smaller rest was
 * hardly touched, and keeping the block size makes reuse likely. */
void pqx_trim(pqx_memory *memory, size_t size);

#endif
