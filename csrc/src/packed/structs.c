/* Write the Thrift bytes of a tile's structs: decode the values of their roles, then follow their
 * templates. */
#include "flat/flat_residue.h"
#include "packed/tile.h"

/* The values of a column in some rows. */
typedef struct column_values {
    pqx_packed_tile *tile;
    uint32_t column, first, count;
    int is_uniform;     /* all rows have the same template */
    pqx_role_set roles; /* of its templates */
    int64_t *values;    /* [role * count + row] */
    int64_t *positions; /* [chain * count + row] */
} column_values;

static const pqx_packed_template *template_at(const column_values *v, uint32_t row)
{ return &v->tile->book->templates[pqx_packed_template_of(v->tile, v->column, v->first + row)]; }

static void look_at_templates(column_values *v)
{
    memset(&v->roles, 0, sizeof v->roles);
    v->is_uniform = v->tile->templates_form != PQX_TEMPLATES_BY_STRUCT;
    for (uint32_t row = 0; row < (v->is_uniform ? 1 : v->count); row++)
        pqx_add_roles(&v->roles, &template_at(v, row)->roles);
}

static int has_value(const column_values *v, unsigned role, uint32_t row)
{ return pqx_has_role(v->is_uniform ? &v->roles : &template_at(v, row)->roles, role); }

static int64_t *values_of(const column_values *v, unsigned role)
{ return v->values + (size_t)role * v->count; }

static int64_t wrapped_sum(int64_t one, int64_t other)
{ return (int64_t)((uint64_t)one + (uint64_t)other); }
static int64_t wrapped_difference(int64_t one, int64_t other)
{ return (int64_t)((uint64_t)one - (uint64_t)other); }

/* Return the value from which the distance of a role's value is stored. */
static int64_t predicted(const column_values *v, unsigned role, uint32_t row)
{
    const pqx_packed_role *r = &v->tile->book->roles[role];
    if (r->predictor == PQX_PREDICTOR_CHAINED) {
        const pqx_packed_chain *chain = &v->tile->book->chains[r->first];
        if (role == chain->second && chain->first < role && has_value(v, chain->first, row))
            return values_of(v, chain->first)[row];
        return v->positions[(size_t)r->first * v->count + row];
    }
    int64_t value = has_value(v, r->first, row) ? values_of(v, r->first)[row] : 0;
    if (r->predictor == PQX_PREDICTOR_SAME) return value;
    return wrapped_difference(value,
                              has_value(v, r->second, row) ? values_of(v, r->second)[row] : 0);
}

/* Decode the values of those roles of `wanted` that the column has. Roles refer to earlier ones. */
static void decode(column_values *v, const pqx_role_set *wanted)
{
    const pqx_packed_book *book = v->tile->book;
    for (unsigned role = 0; role < book->role_count; role++) {
        if (!pqx_has_role(wanted, role) || !pqx_has_role(&v->roles, role)) continue;
        const pqx_packed_table *table = &v->tile->tables[role];
        int64_t *values = values_of(v, role);
        pqx_packed_table_column(table, v->column, v->first, v->count, values);
        if (table->is_marked || book->roles[role].predictor == PQX_PREDICTOR_ALONE) continue;
        for (uint32_t row = 0; row < v->count; row++)
            values[row] = wrapped_sum(values[row], predicted(v, role, row));
    }
}

/* Move the chains whose roles have been decoded behind the structs of the column. */
static void advance(column_values *v, const pqx_role_set *decoded)
{
    const pqx_packed_book *book = v->tile->book;
    for (unsigned i = 0; i < book->chain_count; i++) {
        const pqx_packed_chain *chain = &book->chains[i];
        int64_t *positions = v->positions + (size_t)i * v->count;
        if (!pqx_has_role(decoded, chain->length) || !pqx_has_role(decoded, chain->first)
            || (chain->second != PQX_PACKED_NO_ROLE && !pqx_has_role(decoded, chain->second)))
            continue;
        for (uint32_t row = 0; row < v->count; row++) {
            unsigned begin = has_value(v, chain->first, row) ? chain->first : chain->second;
            if (begin == PQX_PACKED_NO_ROLE || !has_value(v, begin, row)) continue;
            int64_t length =
                has_value(v, chain->length, row) ? values_of(v, chain->length)[row] : 0;
            positions[row] = wrapped_sum(values_of(v, begin)[row], length);
        }
    }
}

static void add_chain(const pqx_packed_chain *chain, pqx_role_set *set)
{
    pqx_add_role(set, chain->length);
    pqx_add_role(set, chain->first);
    if (chain->second != PQX_PACKED_NO_ROLE) pqx_add_role(set, chain->second);
}

/* Add the roles from which those of a set are predicted, and from which these are, and so on. */
static void add_arguments(const pqx_packed_book *book, pqx_role_set *set)
{
    pqx_role_set before;
    do {
        before = *set;
        for (unsigned role = 0; role < book->role_count; role++) {
            const pqx_packed_role *r = &book->roles[role];
            if (!pqx_has_role(set, role)) continue;
            if (r->predictor == PQX_PREDICTOR_CHAINED) add_chain(&book->chains[r->first], set);
            else if (r->predictor != PQX_PREDICTOR_ALONE) pqx_add_role(set, r->first);
            if (r->predictor == PQX_PREDICTOR_DIFFERENCE) pqx_add_role(set, r->second);
        }
    } while (memcmp(&before, set, sizeof before));
}

/* Return the roles that move the chains which some role of the column is predicted from. */
static pqx_role_set chain_roles(const column_values *v)
{
    const pqx_packed_book *book = v->tile->book;
    pqx_role_set set = {{0}};
    for (unsigned role = 0; role < book->role_count; role++) {
        const pqx_packed_role *r = &book->roles[role];
        if (!pqx_has_role(&v->roles, role) || r->predictor != PQX_PREDICTOR_CHAINED) continue;
        if (v->tile->tables[role].is_marked) continue;
        add_chain(&book->chains[r->first], &set);
    }
    add_arguments(book, &set);
    return set;
}

/* Follow the chains over the columns before this one. */
static void follow_chains(column_values *v)
{
    pqx_role_set wanted = chain_roles(v);
    uint32_t column = v->column;
    if (!pqx_shares_roles(&wanted, &wanted)) return;
    for (unsigned chain = 0; chain < v->tile->book->chain_count; chain++)
        pqx_packed_table_column(&v->tile->tables[v->tile->book->role_count + chain], 0, v->first,
                                v->count, v->positions + (size_t)chain * v->count);
    for (v->column = 0; v->column < column; v->column++) {
        look_at_templates(v);
        decode(v, &wanted);
        advance(v, &wanted);
    }
    look_at_templates(v);
}

static int load_values(column_values *v, pqx_error *error)
{
    const pqx_packed_book *book = v->tile->book;
    size_t roles = (size_t)book->role_count * v->count * sizeof *v->values,
           chains = (size_t)book->chain_count * v->count * sizeof *v->positions;
    v->tile->values.size = v->tile->positions.size = 0;
    PQX_TRY(pqx_buffer_reserve(&v->tile->values, roles + 1, error));
    PQX_TRY(pqx_buffer_reserve(&v->tile->positions, chains + 1, error));
    v->values = (int64_t *)(void *)v->tile->values.data;
    v->positions = (int64_t *)(void *)v->tile->positions.data;
    look_at_templates(v);
    pqx_role_set all = v->roles;
    for (int i = 0; i < 4; i++) all.words[i] &= ~book->of_area[PQX_ROLE_WORDS].words[i];
    follow_chains(v);
    decode(v, &all);
    return PQX_OK;
}

static int put_fixed(const pqx_packed_step *step, int64_t value, pqx_buffer *out, pqx_error *error)
{
    uint8_t bytes[9] = {step->size};
    unsigned bits = 8u * step->size;
    uint64_t number = (uint64_t)value;
    int is_real = step->kind == PQX_STEP_FLOAT || step->kind == PQX_STEP_DOUBLE;
    if (is_real && number >> (bits - 1) & 1) number ^= (UINT64_C(1) << (bits - 1)) - 1;
    for (unsigned i = 0; i < step->size; i++)
        bytes[step->kind == PQX_STEP_BIG ? step->size - i : 1 + i] = (uint8_t)(number >> 8 * i);
    return pqx_buffer_append(out, bytes, 1 + (size_t)step->size, error);
}

static int put_step(const column_values *v, const pqx_packed_step *step, uint32_t row,
                    pqx_buffer *out, pqx_error *error)
{
    const pqx_packed_tile *tile = v->tile;
    if (step->kind == PQX_STEP_LITERAL)
        return pqx_buffer_append(out, step->literal, step->length, error);
    if (step->kind == PQX_STEP_PATH)
        return pqx_buffer_append(out, tile->path_list.data, tile->path_list.size, error);
    if (step->kind == PQX_STEP_INTEGER) {
        return pqx_buffer_append_varint(out, pqx_zigzag(values_of(v, step->role)[row]), error);
    }
    if (pqx_step_is_fixed(step->kind))
        return put_fixed(step, values_of(v, step->role)[row], out, error);
    const pqx_bytes *text = (const pqx_bytes *)(const void *)tile->texts.data
                            + (size_t)step->role * tile->rows + v->first + row;
    if (step->kind == PQX_STEP_TEXT) PQX_TRY(pqx_buffer_append_varint(out, text->size, error));
    return pqx_buffer_append(out, text->data, text->size, error);
}

/* Load the parts with the values of some rows, and decode their texts. */
static int prepare(column_values *v, pqx_bytes path, pqx_error *error)
{
    pqx_packed_tile *tile = v->tile;
    PQX_TRY(pqx_packed_tile_need(tile, PQX_ROLE_PLACED, error));
    look_at_templates(v);
    for (int area = PQX_ROLE_BOUND; area <= PQX_ROLE_WORDS; area++) {
        if (!pqx_shares_roles(&v->roles, &tile->book->of_area[area])) continue;
        PQX_TRY(pqx_packed_tile_need(tile, area, error));
        if (area == PQX_ROLE_WORDS) PQX_TRY(pqx_packed_tile_texts(tile, v->column, error));
    }
    tile->path_list.size = 0;
    PQX_TRY(pqx_append_path_list(path.data, path.size, &tile->path_list, error));
    return load_values(v, error);
}

int pqx_packed_tile_structs(pqx_packed_tile *tile, uint32_t column, uint32_t first, uint32_t count,
                            pqx_bytes path, pqx_buffer *out, uint32_t *lengths, size_t *columns_at,
                            pqx_error *error)
{
    column_values v = {.tile = tile, .column = column, .first = first, .count = count};
    size_t start = out->size;
    if (columns_at) *columns_at = SIZE_MAX;
    PQX_TRY(prepare(&v, path, error));
    tile->placed.error = error;
    for (uint32_t row = 0; row < count; row++) {
        const pqx_packed_template *used = template_at(&v, row);
        size_t begin = out->size;
        for (uint32_t i = 0; i < used->count; i++) {
            const pqx_packed_step *step = &used->steps[i];
            if (step->kind != PQX_STEP_COLUMNS) PQX_TRY(put_step(&v, step, row, out, error));
            else if (columns_at) *columns_at = out->size;
            if (PQX_UNLIKELY(out->size - start > tile->limit))
                return pqx_content_fail(&tile->placed, PQX_BAD_CELL, 0, tile->limit,
                                        out->size - start);
        }
        lengths[row] = (uint32_t)(out->size - begin);
    }
    return PQX_OK;
}

pqx_bytes pqx_packed_columns_head(const pqx_packed_tile *tile, uint32_t row)
{
    const pqx_packed_template *used = &tile->book->templates[pqx_packed_template_of(tile, 0, row)];
    for (uint32_t i = 0; i < used->count; i++)
        if (used->steps[i].kind == PQX_STEP_COLUMNS)
            return (pqx_bytes){used->steps[i].literal, used->steps[i].length};
    return (pqx_bytes){NULL, 0};
}
