/* Decompress the stored pages of a column chunk and supply them to a column. */
#ifndef PQX_STORED_H
#define PQX_STORED_H

#include "page/column.h"

/* The memory for decompressed pages; {0} at first, freed with pqx_unpacked_free. */
typedef struct pqx_unpacked {
    pqx_memory body, dictionary;
    void *zstd, *dictionary_zstd; /* contexts of libzstd */
} pqx_unpacked;

void pqx_unpacked_free(pqx_unpacked *room);

/* Each of these functions returns 1 on success. It returns 0, without a reason, if the page is not
 * valid, its codec is not in codec.h, or there is no memory. `stored` has the page's
 * header->compressed_size bytes, as a chunk of that codec stores them. */

/* Return 1 if every reader accepts the header, of a chunk's first page or a later one. */
int pqx_stored_is_usual(const pqx_page *header, int is_first);
/* Return 1 if a chunk is within its file, and its offsets make every reader begin with the same
 * page. */
int pqx_stored_has_place(const pqx_chunk *chunk, uint64_t file_size);
/* Supply the dictionary page of a column's chunk, decompressed into `room`. */
int pqx_stored_dictionary(pqx_column *column, const pqx_page *header, const uint8_t *stored,
                          int codec, pqx_unpacked *room);
/* Return the number of a data page's level bytes that are stored separately from its values. 0: the
 * format has no such page. */
int pqx_stored_levels(const pqx_column *column, const pqx_page *header, size_t *size);
/* Supply a data page to a column. Until the next one is supplied, it is in `room` or in the stored
 * bytes. Of a page with at most `passed` entries, only the header is supplied. */
int pqx_stored_page(pqx_column *column, const pqx_page *header, const uint8_t *stored, int codec,
                    uint64_t passed, pqx_unpacked *room);
/* Read rows of a chunk whose pages are all in memory, back to back, as pqx_column_take_turns does.
 * Fails if a dictionary does not come first. */
int pqx_stored_chunk(pqx_column *column, const uint8_t *data, size_t size, int codec,
                     const int64_t *counts, size_t turns, pqx_unpacked *room);

#endif
