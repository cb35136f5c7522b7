/* Pages of which only the first entries are needed: the rest is not read or decompressed. */
#ifndef PQX_STORED_PART_H
#define PQX_STORED_PART_H

#include "page/stored.h"
#include "page/unpack.h"

/* A dictionary whose values are read and decompressed when an index needs them. */
typedef struct pqx_stored_values {
    pqx_late_values late;
    pqx_unpack body;
    pqx_dictionary *dictionary; /* the column's */
} pqx_stored_values;

/* Return 1 if a dictionary page should be loaded on demand. */
int pqx_stored_is_late(const pqx_column *column, const pqx_page *header);
/* Supply the dictionary page whose body is at `at` in the window's file. `values`, the window and
 * `room` must remain valid until the end of the chunk. */
int pqx_stored_late_dictionary(pqx_column *column, const pqx_page *header, pqx_window *window,
                               uint64_t at, int codec, pqx_stored_values *values,
                               pqx_unpacked *room);
/* Supply a data page without repetition levels, of which at most the first `wanted` entries will be
 * read. Until the next one is supplied, it is in `room` or in the window. */
int pqx_stored_first(pqx_column *column, const pqx_page *header, pqx_window *window, uint64_t at,
                     int codec, uint64_t wanted, pqx_unpacked *room);

#endif
