/* Pages as a column chunk stores them, decompressed and given to a column. */
#ifndef PQX_STORED_H
#define PQX_STORED_H

#include "page/column.h"

/* What pages are decompressed into; {0} at first, given back with pqx_unpacked_free. */
typedef struct pqx_unpacked {
    pqx_memory body, dictionary;
    void *zstd, *dictionary_zstd; /* what libzstd works in */
} pqx_unpacked;

void pqx_unpacked_free(pqx_unpacked *room);

/* Each of these says whether it is done. It is not where the page is none that the format allows,
 * its codec is none of codec.h, or there is no memory: nothing says which. `stored` has the page's
 * header->compressed_size bytes, as a chunk of that codec has them. */

/* Whether a header is one that every reader takes, of a chunk's first page or a later one. */
int pqx_stored_is_usual(const pqx_page *header, int is_first);
/* Whether a chunk lies within its file, by offsets such that no other reader begins with another
 * page. */
int pqx_stored_has_place(const pqx_chunk *chunk, uint64_t file_size);
/* Give a column the dictionary page of its chunk, which then lies in `room`. */
int pqx_stored_dictionary(pqx_column *column, const pqx_page *header, const uint8_t *stored,
                          int codec, pqx_unpacked *room);
/* How many bytes of a data page's levels stand apart from its values. 0: the format has no such
 * page. */
int pqx_stored_levels(const pqx_column *column, const pqx_page *header, size_t *size);
/* Give a column a data page: until the next one is given it lies in `room`, or where it is stored.
 * Of a page that has at most `passed` entries the header alone is given. */
int pqx_stored_page(pqx_column *column, const pqx_page *header, const uint8_t *stored, int codec,
                    uint64_t passed, pqx_unpacked *room);
/* Decode the first `rows` rows of a chunk whose pages are all there, one behind the other; nothing
 * is done where a dictionary does not come first. */
int pqx_stored_chunk(pqx_column *column, const uint8_t *data, size_t size, int codec, uint64_t rows,
                     pqx_unpacked *room);

#endif
