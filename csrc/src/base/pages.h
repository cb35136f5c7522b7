/* Memory for what is as large as a footer. */
#ifndef PQX_PAGES_H
#define PQX_PAGES_H

#include <stddef.h>

/* At least `size` bytes, aligned as malloc aligns, to be given back with pqx_release; NULL where
 * there are none. From 1 MiB on they lie on huge pages where the system has them: a fault for every
 * 4 KiB costs more than the scan of what fits there. */
void *pqx_reserve(size_t size);
/* Give `memory` back, which may be NULL. Up to four large blocks, of 64 MiB at most, stay mapped
 * for the next reservations; the system may take all of their pages but the first huge one as soon
 * as it wants them. */
void pqx_release(void *memory);

#endif
