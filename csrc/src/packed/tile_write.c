/* Write the tables of a tile: which template each struct has, and the values of its roles. */
#include "packed/tile_write.h"

void pqx_tile_writer_free(pqx_tile_writer *w)
{
    pqx_buffer *buffers[] = {&w->values, &w->residuals, &w->chosen, &w->texts};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) pqx_buffer_free(buffers[i]);
}

static size_t structs_of(const pqx_tile_writer *w)
{ return (size_t)w->place.columns * w->place.rows; }

int pqx_tile_write_begin(pqx_tile_writer *w, pqx_tile_place place)
{
    const pqx_packed_structs *s = w->structs;
    w->place = place;
    size_t bytes = structs_of(w) * sizeof(int64_t);
    w->values.size = w->residuals.size = 0;
    PQX_TRY(pqx_buffer_reserve(&w->values, bytes * s->role_count + 1, w->error));
    PQX_TRY(pqx_buffer_reserve(&w->residuals, bytes + 1, w->error));
    const uint64_t *firsts = (const uint64_t *)(const void *)s->firsts.data;
    for (uint32_t column = 0; column < place.columns; column++) {
        for (uint32_t row = 0; row < place.rows; row++) {
            uint64_t number = place.first + column * place.column_step + row * place.row_step;
            const int64_t *value = (const int64_t *)(const void *)s->values.data + firsts[number];
            unsigned used = s->templates_of.data[number];
            const pqx_coded_step *step = pqx_packed_steps_of(s, used);
            size_t at = (size_t)column * place.rows + row;
            for (uint32_t i = 0; i < s->templates[used].count; i++, step++)
                if (pqx_step_has_role(step->kind))
                    pqx_tile_values(w, (unsigned)step->code)[at] = *value++;
        }
    }
    return PQX_OK;
}

static int write_templates(pqx_tile_writer *w, pqx_buffer *out)
{
    int is_one = 1, are_columns = 1;
    for (uint32_t column = 0; column < w->place.columns; column++) {
        uint32_t first = pqx_tile_template(w, column, 0);
        is_one &= first == pqx_tile_template(w, 0, 0);
        for (uint32_t row = 1; row < w->place.rows; row++)
            are_columns &= first == pqx_tile_template(w, column, row);
    }
    int form = !are_columns ? PQX_TEMPLATES_BY_STRUCT
               : is_one     ? PQX_TEMPLATES_ONE
                            : PQX_TEMPLATES_BY_COLUMN;
    PQX_TRY(pqx_buffer_append_byte(out, (uint32_t)form, w->error));
    uint32_t columns = form == PQX_TEMPLATES_ONE ? 1 : w->place.columns,
             rows = form == PQX_TEMPLATES_BY_STRUCT ? w->place.rows : 1;
    for (uint32_t column = 0; column < columns; column++)
        for (uint32_t row = 0; row < rows; row++)
            PQX_TRY(pqx_buffer_append_byte(out, pqx_tile_template(w, column, row), w->error));
    return PQX_OK;
}

/* Return the value of a role in a struct, 0 if it has none. */
static int64_t value_at(const pqx_tile_writer *w, unsigned role, uint32_t column, uint32_t row)
{
    if (role == PQX_PACKED_NO_ROLE || !pqx_tile_has(w, column, row, role)) return 0;
    return pqx_tile_values(w, role)[(size_t)column * w->place.rows + row];
}

/* Return 1 if a struct has a begin, as a chain sees it. */
static int begin_of(const pqx_tile_writer *w, const pqx_packed_chain *chain, uint32_t column,
                    uint32_t row, int64_t *begin)
{
    unsigned role = pqx_tile_has(w, column, row, chain->first) ? chain->first : chain->second;
    if (role == PQX_PACKED_NO_ROLE || !pqx_tile_has(w, column, row, role)) return 0;
    *begin = value_at(w, role, column, row);
    return 1;
}

/* Return the first begin of a row of the tile, 0 if there is none. */
static int64_t first_of(const pqx_tile_writer *w, const pqx_packed_chain *chain, uint32_t row)
{
    int64_t begin = 0;
    for (uint32_t column = 0; column < w->place.columns; column++)
        if (begin_of(w, chain, column, row, &begin)) break;
    return begin;
}

static int write_firsts(pqx_tile_writer *w, const pqx_packed_chain *chain, pqx_buffer *out)
{
    int64_t *firsts = (int64_t *)(void *)w->residuals.data;
    for (uint32_t row = 0; row < w->place.rows; row++) firsts[row] = first_of(w, chain, row);
    return pqx_packed_table_write(firsts, 1, w->place.rows, out, w->error);
}

static int64_t difference(int64_t one, int64_t other)
{ return (int64_t)((uint64_t)one - (uint64_t)other); }

/* Store the distances of a chained role's values from the positions in the chain. */
static void follow_chain(const pqx_tile_writer *w, unsigned role, int64_t *residuals)
{
    const pqx_packed_chain *chain = &w->structs->chains[w->structs->roles[role].first];
    for (uint32_t row = 0; row < w->place.rows; row++) {
        int64_t position = first_of(w, chain, row), begin;
        for (uint32_t column = 0; column < w->place.columns; column++) {
            size_t at = (size_t)column * w->place.rows + row;
            if (pqx_tile_has(w, column, row, role)) {
                int is_behind = role == chain->second && pqx_tile_has(w, column, row, chain->first);
                residuals[at] =
                    difference(pqx_tile_values(w, role)[at],
                               is_behind ? value_at(w, chain->first, column, row) : position);
            }
            if (begin_of(w, chain, column, row, &begin))
                position =
                    (int64_t)((uint64_t)begin + (uint64_t)value_at(w, chain->length, column, row));
        }
    }
}

static void predict(const pqx_tile_writer *w, unsigned role, int64_t *residuals)
{
    const pqx_packed_role *r = &w->structs->roles[role];
    if (r->predictor == PQX_PREDICTOR_CHAINED) {
        follow_chain(w, role, residuals);
        return;
    }
    for (uint32_t column = 0; column < w->place.columns; column++) {
        for (uint32_t row = 0; row < w->place.rows; row++) {
            size_t at = (size_t)column * w->place.rows + row;
            int64_t from = value_at(w, r->first, column, row);
            if (r->predictor == PQX_PREDICTOR_DIFFERENCE)
                from = difference(from, value_at(w, r->second, column, row));
            residuals[at] = difference(pqx_tile_values(w, role)[at], from);
        }
    }
}

/* Replace absent numbers by ones that cost little: another number of the column, or of the table.
 */
static void fill(const pqx_tile_writer *w, unsigned role, int64_t *table)
{
    int64_t some = 0;
    int is_known = 0;
    for (uint32_t column = 0; column < w->place.columns && !is_known; column++)
        for (uint32_t row = 0; row < w->place.rows && !is_known; row++)
            if (pqx_tile_has(w, column, row, role)) {
                some = table[(size_t)column * w->place.rows + row];
                is_known = 1;
            }
    for (uint32_t column = 0; column < w->place.columns; column++) {
        int64_t *values = table + (size_t)column * w->place.rows, other = some;
        uint32_t row = 0;
        while (row < w->place.rows && !pqx_tile_has(w, column, row, role)) row++;
        if (row < w->place.rows) other = values[row];
        for (row = 0; row < w->place.rows; row++)
            if (!pqx_tile_has(w, column, row, role)) values[row] = other;
    }
}

static int write_role(pqx_tile_writer *w, unsigned role, pqx_buffer *out)
{
    int64_t *values = pqx_tile_values(w, role), *residuals = (int64_t *)(void *)w->residuals.data;
    uint32_t columns = w->place.columns, rows = w->place.rows;
    size_t first = out->size;
    if (w->structs->roles[role].predictor != PQX_PREDICTOR_ALONE) {
        predict(w, role, residuals);
        fill(w, role, residuals);
        PQX_TRY(pqx_packed_table_write(residuals, columns, rows, out, w->error));
    }
    size_t last = out->size;
    memcpy(residuals, values, structs_of(w) * sizeof *values);
    fill(w, role, residuals);
    PQX_TRY(pqx_packed_table_write(residuals, columns, rows, out, w->error));
    if (last == first) return PQX_OK;
    if (out->size - last >= last - first) {
        out->size = last;
        return PQX_OK;
    }
    memmove(out->data + first, out->data + last, out->size - last);
    out->size = first + (out->size - last);
    out->data[first] |= PQX_TABLE_MARK;
    return PQX_OK;
}

static int write_area(pqx_tile_writer *w, int area, pqx_buffer *out)
{
    for (unsigned role = 0; role < w->structs->role_count; role++)
        if (w->structs->roles[role].area == area) PQX_TRY(write_role(w, role, out));
    return PQX_OK;
}

int pqx_tile_write_placed(pqx_tile_writer *w, pqx_buffer *out)
{
    PQX_TRY(write_templates(w, out));
    for (uint32_t i = 0; i < w->structs->chain_count; i++)
        PQX_TRY(write_firsts(w, &w->structs->chains[i], out));
    return write_area(w, PQX_ROLE_PLACED, out);
}

int pqx_tile_write_bounds(pqx_tile_writer *w, pqx_buffer *out)
{ return write_area(w, PQX_ROLE_BOUND, out); }
