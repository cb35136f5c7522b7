/* Tiles: the values of the structs of some columns and rows, as tables of numbers and blocks of
 * texts (docs/formats.md, 15.4 and 15.5). */
#ifndef PQX_PACKED_TILE_H
#define PQX_PACKED_TILE_H

#include "packed/book.h"
#include "packed/numbers.h"

/* Parts of a tile: the areas of roles, and the rests of long texts. */
enum { PQX_PART_RESTS = PQX_ROLE_WORDS + 1 };

typedef struct pqx_packed_tile pqx_packed_tile;
struct pqx_packed_tile {
    const pqx_packed_book *book;
    /* Read a part with the functions below. */
    int (*load)(pqx_packed_tile *tile, int part, pqx_error *error);
    void *context;
    uint64_t limit; /* of the bytes that one call makes */
    uint32_t columns, rows;
    int skips_bounds; /* values of BOUND are 0, and texts empty, unless a struct is a text */
    const uint8_t *templates;
    uint8_t templates_form;
    uint8_t has[4];           /* parts that have been read */
    pqx_packed_table *tables; /* of each role; then, of each chain, where the rows' bytes begin */
    pqx_content placed;       /* for errors */
    pqx_content words, rests; /* the blocks of texts; those of the rests of long ones */
    const uint8_t *aliases;   /* one byte per role of words */
    uint32_t *word_ends, *rest_ends; /* columns + 1 places in the contents */
    void *zstd;
    /* the column and the rows of the decoded texts; UINT32_MAX: of no column */
    uint32_t texts_of, texts_first, texts_rows;
    /* `positions` are those of these chains in front of a column in some rows; 0 rows: of none.
     * They are moved by the roles `followed`, or `followed_firsts` in structs that have all of
     * these. */
    pqx_role_set followed_chains, followed, followed_firsts;
    uint32_t followed_column, followed_first, followed_rows;
    /* roles that the last call wanted, and these with those that they are predicted from */
    pqx_role_set wanted, arguments;
    /* roles of the column that it wanted, the chains that these need, and the roles of the chains
     */
    int has_chained;
    pqx_role_set chained, chained_chains, chained_roles;
    /* working memory of one call */
    pqx_buffer values, positions, text, texts, path_list;
};

/* Begin to read a tile, part by part. */
int pqx_packed_tile_begin(pqx_packed_tile *tile, const pqx_packed_book *book, uint32_t columns,
                          uint32_t rows, pqx_error *error);
int pqx_packed_tile_read(pqx_packed_tile *tile, int part, pqx_content *content);
void pqx_packed_tile_free(pqx_packed_tile *tile);

static inline int pqx_packed_tile_need(pqx_packed_tile *tile, int part, pqx_error *error)
{ return tile->has[part] ? PQX_OK : tile->load(tile, part, error); }

static inline uint8_t pqx_packed_template_of(const pqx_packed_tile *tile, uint32_t column,
                                             uint32_t row)
{
    if (tile->templates_form == PQX_TEMPLATES_ONE) return tile->templates[0];
    if (tile->templates_form == PQX_TEMPLATES_BY_COLUMN) return tile->templates[column];
    return tile->templates[(size_t)column * tile->rows + row];
}

/* Append the Thrift bytes of a column's structs in rows [first, first + count), and store their
 * lengths. `columns_at`, if not NULL, becomes the offset in `out` at which the list of columns of
 * the (one) struct is left out, or SIZE_MAX. */
int pqx_packed_tile_structs(pqx_packed_tile *tile, uint32_t column, uint32_t first, uint32_t count,
                            pqx_bytes path, pqx_buffer *out, uint32_t *lengths, size_t *columns_at,
                            pqx_error *error);

/* Return the head of a struct's list of columns, which pqx_packed_tile_structs leaves out. */
pqx_bytes pqx_packed_columns_head(const pqx_packed_tile *tile, uint32_t row);

/* words.c */
int pqx_packed_tile_read_words(pqx_packed_tile *tile, pqx_content *content);
int pqx_packed_tile_read_rests(pqx_packed_tile *tile, pqx_content *content);
/* Decode the texts of a column in rows [first, first + rows) into tile->texts: pqx_bytes
 * [role * tile->rows + row]. */
int pqx_packed_tile_texts(pqx_packed_tile *tile, uint32_t column, uint32_t first, uint32_t rows,
                          pqx_error *error);

#endif
