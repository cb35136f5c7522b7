/* The packed footer's reader: a pqx_index whose parts come from the cells of a packed payload. */
#ifndef PQX_PACKED_READ_H
#define PQX_PACKED_READ_H

#include "index/index_read.h"
#include "packed/packed.h"
#include "packed/tile.h"

typedef struct pqx_packed_plan pqx_packed_plan;

typedef struct pqx_packed_area_entry {
    uint32_t cells, begin,
        directory; /* number, place of the first, place of the list of their ends */
} pqx_packed_area_entry;

/* A cell with its bytes, and the tile that it contains. */
typedef struct pqx_packed_run {
    uint64_t number; /* PQX_INDEX_NOTHING: none loaded */
    pqx_buffer cell;
    pqx_packed_table rows[8]; /* of elements: where they are in the schema */
    pqx_packed_tile tile;
} pqx_packed_run;

typedef struct pqx_packed {
    pqx_index *index;
    pqx_packed_area_entry areas[PQX_CELLS_KINDS];
    uint32_t tile_columns, tile_rows, tiles_below, thrift_bytes, thrift_crc;
    uint32_t tail;        /* the place of the tail block, */
    uint32_t directories; /* and of the first directory */
    uint64_t limit;       /* of the Thrift bytes that one call makes */
    int has_books;
    pqx_buffer books_cell;
    pqx_packed_book books[PQX_BOOKS];
    pqx_packed_plan **plans; /* of the templates of chunks; NULL: not made yet */
    pqx_packed_run leaves, nodes, row_groups;
    pqx_packed_tile tile;
    uint64_t tile_number;
    pqx_buffer parts[4], frame, lengths, thrift;
} pqx_packed;

static inline pqx_packed *pqx_packed_of(pqx_index *index) { return (pqx_packed *)index->state; }

/* Load a cell into a buffer, followed by PQX_PACKED_SLACK bytes, and check it; the content begins
 * after its checksum. */
int pqx_packed_load(pqx_index *index, int kind, uint32_t number, pqx_buffer *cell,
                    pqx_content *content, pqx_error *error);
/* Load the books, once. */
int pqx_packed_load_books(pqx_index *index, pqx_error *error);
/* Load the cell with a run of structs, unless it is loaded: of elements or of row groups. */
int pqx_packed_load_run(pqx_index *index, int kind, uint32_t number, uint32_t count, int book,
                        pqx_packed_run *run, pqx_error *error);
/* Load the run with a row group. */
int pqx_packed_load_row_group(pqx_index *index, uint32_t number, pqx_error *error);
/* Append the struct `row` of a run. */
int pqx_packed_run_struct(pqx_packed_run *run, uint32_t row, pqx_buffer *out, size_t *columns_at,
                          pqx_error *error);
/* Append the Thrift bytes of a leaf's chunks in row groups [first, first + count) to `out`; their
 * lengths replace those in packed->lengths. */
int pqx_packed_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                      pqx_buffer *out, pqx_error *error);

/* The functions of the form; see pqx_index_form. */
int pqx_packed_load_entry(pqx_index *index, pqx_index_entry *entry, uint32_t id, pqx_error *error);
int pqx_packed_load_bucket(pqx_index *index, uint32_t bucket, uint64_t *place, pqx_error *error);
int pqx_packed_read_structs(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                            pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                            pqx_error *error);
int pqx_packed_read_chunks(pqx_index *index, uint32_t leaf, uint32_t first, uint32_t count,
                           pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                           pqx_error *error);
int pqx_packed_read_row_groups(pqx_index *index, uint32_t first, uint32_t count,
                               pqx_row_group *groups, pqx_error *error);
int pqx_packed_load_pair(pqx_index *index, uint32_t number, pqx_error *error);
int pqx_packed_read_created_by(pqx_index *index, pqx_bytes *text, pqx_error *error);
void pqx_packed_close(void *state);

#endif
