/* Pages of which the first entries alone are needed: no more is read and decompressed. */
#ifndef PQX_STORED_PART_H
#define PQX_STORED_PART_H

#include "page/stored.h"
#include "page/unpack.h"

/* A dictionary whose values are read and decompressed when an index leads to them. */
typedef struct pqx_stored_values {
    pqx_late_values late;
    pqx_unpack body;
    pqx_dictionary *dictionary; /* the column's */
} pqx_stored_values;

/* Whether it is worth it for a dictionary page. */
int pqx_stored_is_late(const pqx_column *column, const pqx_page *header);
/* Give a column the dictionary page whose body the window's file has at `at`. `values`, the window
 * and `room` must outlive the chunk. */
int pqx_stored_late_dictionary(pqx_column *column, const pqx_page *header, pqx_window *window,
                               uint64_t at, int codec, pqx_stored_values *values,
                               pqx_unpacked *room);
/* Give a column a data page without repetition levels, of which at most the first `wanted` entries
 * will be read: until the next one is given it lies in `room`, or in the window. */
int pqx_stored_first(pqx_column *column, const pqx_page *header, pqx_window *window, uint64_t at,
                     int codec, uint64_t wanted, pqx_unpacked *room);

#endif
