/* Write tiles: the values of some structs as tables of numbers and blocks of texts. */
#ifndef PQX_PACKED_TILE_WRITE_H
#define PQX_PACKED_TILE_WRITE_H

#include "packed/packed.h"
#include "packed/structs.h"
#include "packed/tile.h"

/* The structs of a tile: that of a column and a row has the number
 * first + column * column_step + row * row_step. */
typedef struct pqx_tile_place {
    uint32_t columns, rows;
    uint64_t first, column_step, row_step;
} pqx_tile_place;

typedef struct pqx_tile_writer {
    const pqx_packed_structs *structs;
    const pqx_packed_compress *compress; /* NULL: nothing is compressed */
    pqx_tile_place place;
    pqx_buffer values;    /* int64_t [role * structs + column * rows + row] */
    pqx_buffer residuals; /* the same, for one role */
    pqx_buffer chosen;    /* working memory */
    pqx_buffer texts;
    pqx_error *error;
} pqx_tile_writer;

/* Load the structs of a tile. */
int pqx_tile_write_begin(pqx_tile_writer *writer, pqx_tile_place place);
void pqx_tile_writer_free(pqx_tile_writer *writer);
int pqx_tile_write_placed(pqx_tile_writer *writer, pqx_buffer *out);
int pqx_tile_write_bounds(pqx_tile_writer *writer, pqx_buffer *out);
/* words_write.c */
int pqx_tile_write_words(pqx_tile_writer *writer, pqx_buffer *hot, pqx_buffer *cold);

static inline uint32_t pqx_tile_template(const pqx_tile_writer *w, uint32_t column, uint32_t row)
{
    return w->structs->templates_of
        .data[w->place.first + column * w->place.column_step + row * w->place.row_step];
}
static inline int pqx_tile_has(const pqx_tile_writer *w, uint32_t column, uint32_t row,
                               unsigned role)
{ return pqx_has_role(&w->structs->templates[pqx_tile_template(w, column, row)].roles, role); }
static inline int64_t *pqx_tile_values(const pqx_tile_writer *w, unsigned role)
{ return (int64_t *)(void *)w->values.data + (size_t)role * w->place.columns * w->place.rows; }

#endif
