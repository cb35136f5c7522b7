/* A column chunk in a file: load its pages one by one, and supply them to a column. */
#ifndef PQX_FILE_CHUNK_H
#define PQX_FILE_CHUNK_H

#include "page/codec.h"
#include "page/stored_part.h"

enum {
    PQX_BYTES_AT_ONCE = 1 << 20, /* that are read together */
    PQX_LEAST_BYTES = 16 << 10   /* if only a few rows are requested */
};

/* A chunk that is being read. Functions return 1 on success; 0: it is damaged or not supported. */
typedef struct pqx_file_chunk {
    pqx_window window; /* of its pages, */
    pqx_window held;   /* and of a dictionary whose values are loaded on demand */
    pqx_stored_values values;
    uint64_t begin, at;    /* offsets in the file: the first page, and the next one */
    pqx_memory dictionary; /* an uncompressed one */
    pqx_unpacked room;
    int codec;
    int checks_crc;  /* compare the checksums of pages that have one */
    uint64_t wanted; /* remaining entries up to the last one that is read */
    int is_part;     /* far fewer entries are read than exist */
} pqx_file_chunk;

void pqx_file_chunk_free(pqx_file_chunk *chunk);
/* Load the next page's header; its body begins at *body. */
int pqx_file_chunk_header(pqx_file_chunk *chunk, pqx_page *header, uint64_t *body);
/* Supply a dictionary page to the column. If only a few rows are requested, its values are loaded
 * on demand through a separate window. */
int pqx_file_chunk_give_dictionary(pqx_column *column, pqx_file_chunk *chunk,
                                   const pqx_page *header, uint64_t body);
/* Supply a data page to the column. A page of at most `passed` entries is not decompressed; nor are
 * the bytes after the last requested entry. */
int pqx_file_chunk_give_data(pqx_column *column, pqx_file_chunk *chunk, const pqx_page *header,
                             uint64_t body, uint64_t passed);

#endif
