/* Read the requested rows of a column chunk from the pages that contain them, and no other page. */
#ifndef PQX_STORED_PAGES_H
#define PQX_STORED_PAGES_H

#include "page/page_table.h"
#include "page/file_chunk.h"

/* Skip and read rows in turns, from the pages of a table that matches the chunk; `counts` begins
 * with rows to skip. Return 1 on success, or 0 if the chunk or its table is damaged or not
 * supported. */
int pqx_stored_read_pages(pqx_column *column, pqx_file_chunk *chunk, const pqx_page_table *table,
                          const int64_t *counts, size_t turns);

#endif
