/* Column chunks read from a file: many leaves, and the row groups and rows that are wanted. */
#ifndef PQX_STORED_FILE_H
#define PQX_STORED_FILE_H

#include "page/column.h"

/* Which rows to read of row groups. */
typedef struct pqx_chosen_rows {
    const int64_t *rows; /* of each row group; `groups` of them from `first` on are read */
    const int64_t
        *turns; /* how many of the counts are of each row group; NULL: all rows are read */
    const int64_t *counts; /* rows to skip, to read, to skip, and so on: `count` numbers in all */
    size_t first, groups, count;
} pqx_chosen_rows;

/* A leaf without lists: what its chunks, each `step` records behind the last, are read into. */
typedef struct pqx_leaf_reading {
    pqx_column *column; /* a new one */
    const pqx_chunk *chunks;
    size_t step;
    int is_done; /* 0: something is wrong with the chunks, or they are not read here */
} pqx_leaf_reading;

/* Read the chosen rows of leaves from a file, of byte arrays at most
 * `most_bytes` together. Memory is that of what is decoded, a page and 1 MiB. */
void pqx_read_leaves(pqx_leaf_reading *leaves, size_t count, const pqx_source *source,
                     const pqx_chosen_rows *chosen, uint64_t most_bytes);

#endif
