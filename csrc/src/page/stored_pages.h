/* Read the requested rows of a column chunk from the pages that contain them, and no other page. */
#ifndef PQX_STORED_PAGES_H
#define PQX_STORED_PAGES_H

#include "page/page_table.h"
#include "page/file_chunk.h"

/* Read rows in turns, of which the odd ones are kept, from the pages of a table that matches the
 * chunk. Returns 1 on success; 0: the chunk or its table is damaged or not supported. */
int pqx_stored_read_pages(pqx_column *column, pqx_file_chunk *chunk, const pqx_page_table *table,
                          const int64_t *counts, size_t turns);

#endif
