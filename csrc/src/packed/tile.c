/* Read a tile: its templates, and the tables of its roles. */
#include <stdlib.h>

#include "packed/tile.h"

int pqx_packed_tile_begin(pqx_packed_tile *tile, const pqx_packed_book *book, uint32_t columns,
                          uint32_t rows, pqx_error *error)
{
    if (tile->book != book) {
        size_t size = ((size_t)book->role_count + book->chain_count) * sizeof *tile->tables;
        free(tile->tables);
        tile->tables = (pqx_packed_table *)malloc(size + 1);
        tile->book = tile->tables ? book : NULL;
        tile->wanted = tile->arguments = (pqx_role_set){{0}};
        if (!tile->tables) return pqx_fail(error, PQX_NO_MEMORY, 0, size, 0);
    }
    tile->columns = columns;
    tile->rows = rows;
    tile->texts_of = UINT32_MAX;
    tile->followed_rows = 0;
    tile->has_chained = 0;
    memset(tile->has, 0, sizeof tile->has);
    return PQX_OK;
}

void pqx_packed_tile_free(pqx_packed_tile *tile)
{
    pqx_buffer *buffers[] = {&tile->values, &tile->positions, &tile->text, &tile->texts,
                             &tile->path_list};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) pqx_buffer_free(buffers[i]);
    free(tile->tables);
    free(tile->word_ends);
    free(tile->rest_ends);
    tile->word_ends = tile->rest_ends = NULL;
}

static int read_templates(pqx_packed_tile *tile, pqx_content *c)
{
    size_t at = c->at;
    const uint32_t counts[] = {1, tile->columns, tile->columns * tile->rows};
    PQX_TRY(pqx_content_byte(c, &tile->templates_form));
    if (tile->templates_form > PQX_TEMPLATES_BY_STRUCT)
        return pqx_content_fail(c, PQX_BAD_VALUE, at, PQX_TEMPLATES_BY_STRUCT,
                                tile->templates_form);
    uint32_t count = counts[tile->templates_form];
    at = c->at;
    PQX_TRY(pqx_content_take(c, count, &tile->templates));
    for (uint32_t i = 0; i < count; i++)
        if (tile->templates[i] >= tile->book->template_count)
            return pqx_content_fail(c, PQX_BAD_VALUE, at + i, tile->book->template_count,
                                    tile->templates[i]);
    return PQX_OK;
}

static int read_tables(pqx_packed_tile *tile, int area, pqx_content *c)
{
    for (unsigned role = 0; role < tile->book->role_count; role++)
        if (tile->book->roles[role].area == area)
            PQX_TRY(pqx_packed_table_read(c, tile->columns, tile->rows, &tile->tables[role]));
    return PQX_OK;
}

static int read_placed(pqx_packed_tile *tile, pqx_content *c)
{
    tile->placed = *c;
    PQX_TRY(read_templates(tile, c));
    for (unsigned chain = 0; chain < tile->book->chain_count; chain++)
        PQX_TRY(
            pqx_packed_table_read(c, 1, tile->rows, &tile->tables[tile->book->role_count + chain]));
    return read_tables(tile, PQX_ROLE_PLACED, c);
}

int pqx_packed_tile_read(pqx_packed_tile *tile, int part, pqx_content *c)
{
    int status = part == PQX_ROLE_PLACED  ? read_placed(tile, c)
                 : part == PQX_ROLE_BOUND ? read_tables(tile, part, c)
                 : part == PQX_ROLE_WORDS ? pqx_packed_tile_read_words(tile, c)
                                          : pqx_packed_tile_read_rests(tile, c);
    tile->has[part] = status == PQX_OK;
    return status;
}
