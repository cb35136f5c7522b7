/* The data pages of a column chunk: their places in the file, and their first rows. */
#ifndef PQX_PAGE_TABLE_H
#define PQX_PAGE_TABLE_H

#include "base/internal.h"

/* The pages of a chunk, from its OffsetIndex or from the headers of its pages. Initialize it with
 * {0} except `begin`, `end` and `rows`, and free it with pqx_page_table_free. */
typedef struct pqx_page_table {
    pqx_page_location *pages; /* `count` of them: first rows and offsets ascend */
    size_t count;
    uint64_t begin, end; /* of the chunk in its file */
    uint64_t rows;       /* of its row group */
} pqx_page_table;

void pqx_page_table_free(pqx_page_table *table);
/* Fill a table from an OffsetIndex. The pages must begin inside the chunk, follow each other
 * without a gap up to its end, and each have at least one row: otherwise PQX_PAGE_INDEX, with the
 * number of the wrong page in error->found. */
int pqx_page_table_parse(pqx_page_table *table, const uint8_t *index, size_t size,
                         pqx_error *error);
/* Fill a table from the OffsetIndex of a chunk in a file, as pqx_page_table_parse does; begin, end
 * and rows are set. Return 0 if there is no index, or if chunk or index are damaged, encrypted, in
 * another file or unreadable. */
int pqx_page_table_load(pqx_page_table *table, const pqx_source *source, const pqx_chunk *chunk,
                        const pqx_places *places, uint64_t rows);
/* Fill a table from the headers of the pages of a leaf without lists, whose rows are its values:
 * one short read per page. Errors are those of pqx_page_header, PQX_NO_MEMORY and PQX_PAGE_INDEX.
 */
int pqx_page_table_walk(pqx_page_table *table, const pqx_source *source, pqx_error *error);
/* Return the page that contains a row below `rows` of a table with pages. O(log pages). */
size_t pqx_page_table_find(const pqx_page_table *table, uint64_t row);

/* Return the first row after a page. */
static inline uint64_t pqx_page_table_end_of(const pqx_page_table *table, size_t page)
{ return page + 1 < table->count ? (uint64_t)table->pages[page + 1].first_row : table->rows; }

#endif
