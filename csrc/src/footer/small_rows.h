/* Read columns of many small files as one array each, all rows or those that match a filter. */
#ifndef PQX_SMALL_ROWS_H
#define PQX_SMALL_ROWS_H

#include "footer/small_files.h"

/* A comparison of a leaf's values with ranges; a row with a null is accepted or not. */
typedef struct pqx_small_test {
    uint32_t leaf;
    uint8_t accepts_null;
    const pqx_ranges *ranges;
} pqx_small_test;

/* Comparisons, joined in postfix order: a step is the number of a test, or PQX_SMALL_AND or
 * PQX_SMALL_OR of the two results before it. */
enum { PQX_SMALL_AND = -1, PQX_SMALL_OR = -2 };
typedef struct pqx_small_filter {
    const pqx_small_test *tests;
    size_t count;
    const int32_t *steps;
    size_t step_count;
} pqx_small_filter;

/* Return 1 if the steps give one result, and name tests of the filter and leaves below
 * `leaf_count`. */
int pqx_small_filter_is_valid(const pqx_small_filter *filter, uint32_t leaf_count);

/* Read rows of `count` leaves of several files as one array per leaf, of the schema's types; leaves
 * are below the leaf_count of all files, which have the same schema, and `schema` has the top-level
 * fields of the whole footer. The rows are those of the first file, then those of the second one;
 * rows[i] is the number of rows of file i. `filter` is valid, or NULL for all rows. *is_filtered is
 * set to 0 if so many rows match that all are returned. Texts of all arrays have together at most
 * 64 times the bytes of the files. Returns 0 and makes no array if one of the files cannot be read
 * here, or was changed since it was opened. */
int pqx_small_rows(const pqx_small_file *const *files, size_t file_count,
                   const struct ArrowSchema *schema, const uint32_t *leaves, size_t count,
                   const pqx_small_filter *filter, uint64_t *rows, int *is_filtered,
                   struct ArrowArray *arrays);

#endif
