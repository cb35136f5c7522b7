/* Read column chunks from a file: the requested row groups and rows of many leaves. */
#ifndef PQX_STORED_FILE_H
#define PQX_STORED_FILE_H

#include "page/column.h"
#include "page/page_table.h"

/* The rows to read of each row group. */
typedef struct pqx_chosen_rows {
    const int64_t *rows; /* of each row group; `groups` of them from `first` on are read */
    /* the number of `counts` that belong to each row group; NULL: all rows are read */
    const int64_t *turns;
    const int64_t *counts; /* rows to skip, to read, to skip, and so on: `count` numbers in all */
    size_t first, groups, count;
} pqx_chosen_rows;

/* A leaf; its chunks, `step` records apart, are read into `column`. */
typedef struct pqx_leaf_reading {
    pqx_column *column; /* a new one */
    const pqx_chunk *chunks;
    size_t step;
    /* The pages of the chunk of each row group that is read. NULL, or a NULL element: unknown, so
     * that pages are read one after another. A leaf in a list needs them. */
    const pqx_page_table *const *tables;
    int checks_crc; /* compare the checksums of pages that have one */
    int is_done;    /* 0: the chunks are invalid or not supported here */
} pqx_leaf_reading;

/* Read the requested rows of leaves from a file, with at most `most_bytes` of byte arrays in total.
 * Uses memory for the decoded values, one page and 1 MiB. */
void pqx_read_leaves(pqx_leaf_reading *leaves, size_t count, const pqx_source *source,
                     const pqx_chosen_rows *chosen, uint64_t most_bytes);

#endif
