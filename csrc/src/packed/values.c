/* Decode the values of a column's structs: find their templates, follow the chains over the columns
 * before it, and add predictions. */
#include "packed/values.h"

static void look_at_templates(pqx_packed_values *v)
{
    memset(&v->roles, 0, sizeof v->roles);
    v->is_uniform = v->tile->templates_form != PQX_TEMPLATES_BY_STRUCT;
    for (uint32_t row = 0; row < (v->is_uniform ? 1 : v->count); row++)
        pqx_add_roles(&v->roles, &pqx_packed_template_at(v, row)->roles);
}

int pqx_packed_values_begin(pqx_packed_values *v, pqx_error *error)
{
    pqx_packed_tile *tile = v->tile;
    PQX_TRY(pqx_packed_tile_need(tile, PQX_ROLE_PLACED, error));
    look_at_templates(v);
    for (int area = PQX_ROLE_BOUND; area <= PQX_ROLE_WORDS; area++) {
        if (!pqx_shares_roles(&v->roles, &tile->book->of_area[area])) continue;
        PQX_TRY(pqx_packed_tile_need(tile, area, error));
        if (area == PQX_ROLE_WORDS)
            PQX_TRY(pqx_packed_tile_texts(tile, v->column, v->first, v->count, error));
    }
    return PQX_OK;
}

static int has_value(const pqx_packed_values *v, unsigned role, uint32_t row)
{ return pqx_has_role(v->is_uniform ? &v->roles : &pqx_packed_template_at(v, row)->roles, role); }

/* Add to `values`, or subtract from them, those of a role; structs without it have 0. All sums
 * wrap. */
static void add_role(const pqx_packed_values *v, unsigned role, int is_subtracted, int64_t *values)
{
    const int64_t *others = pqx_packed_values_of(v, role);
    const uint64_t sign = is_subtracted ? UINT64_MAX : 1;
    if (!pqx_has_role(&v->roles, role)) return;
    for (uint32_t row = 0; row < v->count; row++)
        if (has_value(v, role, row))
            values[row] = (int64_t)((uint64_t)values[row] + sign * (uint64_t)others[row]);
}

/* Add the chain's positions, or in structs that have its first begin that, to a second begin. */
static void add_position(const pqx_packed_values *v, unsigned role, int64_t *values)
{
    const pqx_packed_chain *chain = &v->tile->book->chains[v->tile->book->roles[role].first];
    const int64_t *positions = v->positions + (size_t)v->tile->book->roles[role].first * v->count,
                  *first = pqx_packed_values_of(v, chain->first);
    int is_second = role == chain->second && pqx_has_role(&v->roles, chain->first);
    for (uint32_t row = 0; row < v->count; row++) {
        int64_t begin = is_second && has_value(v, chain->first, row) ? first[row] : positions[row];
        values[row] = (int64_t)((uint64_t)values[row] + (uint64_t)begin);
    }
}

/* Decode the values of those roles of `wanted` that the column has. Roles refer to earlier ones. */
static void decode(pqx_packed_values *v, const pqx_role_set *wanted)
{
    const pqx_packed_book *book = v->tile->book;
    for (unsigned number = 0; number < book->role_count; number++) {
        if (!pqx_has_role(wanted, number) || !pqx_has_role(&v->roles, number)) continue;
        pqx_packed_table *table = &v->tile->tables[number];
        const pqx_packed_role *role = &book->roles[number];
        int64_t *values = pqx_packed_values_of(v, number);
        pqx_packed_table_column(table, v->column, v->first, v->count, values);
        if (table->is_marked) continue;
        if (role->predictor == PQX_PREDICTOR_CHAINED) add_position(v, number, values);
        else if (role->predictor != PQX_PREDICTOR_ALONE) add_role(v, role->first, 0, values);
        if (role->predictor == PQX_PREDICTOR_DIFFERENCE) add_role(v, role->second, 1, values);
    }
}

/* Move a chain behind the structs of the column. */
static void advance_chain(pqx_packed_values *v, const pqx_packed_chain *chain, int64_t *positions)
{
    const pqx_role_set *roles = &v->roles;
    for (uint32_t row = 0; row < v->count; row++) {
        if (!v->is_uniform) roles = &pqx_packed_template_at(v, row)->roles;
        unsigned begin = pqx_has_role(roles, chain->first) ? chain->first : chain->second;
        if (begin == PQX_PACKED_NO_ROLE || !pqx_has_role(roles, begin)) continue;
        uint64_t length = pqx_has_role(roles, chain->length)
                              ? (uint64_t)pqx_packed_values_of(v, chain->length)[row]
                              : 0;
        positions[row] = (int64_t)((uint64_t)pqx_packed_values_of(v, begin)[row] + length);
    }
}

/* Move the chains whose roles have been decoded. */
static void advance(pqx_packed_values *v, const pqx_role_set *decoded)
{
    const pqx_packed_book *book = v->tile->book;
    for (unsigned i = 0; i < book->chain_count; i++) {
        const pqx_packed_chain *chain = &book->chains[i];
        if (pqx_has_role(decoded, chain->length) && pqx_has_role(decoded, chain->first)
            && (chain->second == PQX_PACKED_NO_ROLE || pqx_has_role(decoded, chain->second)))
            advance_chain(v, chain, v->positions + (size_t)i * v->count);
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

/* Return the roles that move the chains which some wanted role of the column is predicted from. */
static pqx_role_set chain_roles(const pqx_packed_values *v, const pqx_role_set *wanted)
{
    const pqx_packed_book *book = v->tile->book;
    pqx_role_set set = {{0}};
    for (unsigned role = 0; role < book->role_count; role++) {
        const pqx_packed_role *r = &book->roles[role];
        if (!pqx_has_role(wanted, role) || r->predictor != PQX_PREDICTOR_CHAINED) continue;
        if (v->tile->tables[role].is_marked || !pqx_has_role(&v->roles, role)) continue;
        add_chain(&book->chains[r->first], &set);
    }
    add_arguments(book, &set);
    return set;
}

/* Return 1 if the tile's positions are those of the same rows in front of this column or an earlier
 * one, and of all chains that are needed. */
static int goes_on(const pqx_packed_values *v, const pqx_role_set *needed)
{
    const pqx_packed_tile *tile = v->tile;
    uint64_t missing = 0;
    for (int i = 0; i < 4; i++) missing |= needed->words[i] & ~tile->followed.words[i];
    return tile->followed_rows == v->count && tile->followed_first == v->first
           && tile->followed_column <= v->column && !missing;
}

/* Follow the chains over the columns before this one, from the one that was the last. */
static void follow_chains(pqx_packed_values *v, const pqx_role_set *wanted)
{
    pqx_packed_tile *tile = v->tile;
    pqx_role_set needed = chain_roles(v, wanted);
    uint32_t column = v->column;
    if (!pqx_shares_roles(&needed, &needed)) return;
    if (!goes_on(v, &needed)) {
        for (unsigned chain = 0; chain < tile->book->chain_count; chain++)
            pqx_packed_table_column(&tile->tables[tile->book->role_count + chain], 0, v->first,
                                    v->count, v->positions + (size_t)chain * v->count);
        tile->followed = needed;
        tile->followed_first = v->first;
        tile->followed_rows = v->count;
        tile->followed_column = 0;
    }
    for (v->column = tile->followed_column; v->column < column; v->column++) {
        look_at_templates(v);
        decode(v, &tile->followed);
        advance(v, &tile->followed);
    }
    tile->followed_column = column;
    look_at_templates(v);
}

int pqx_packed_values_decode(pqx_packed_values *v, const pqx_role_set *wanted, pqx_error *error)
{
    const pqx_packed_book *book = v->tile->book;
    size_t roles = (size_t)book->role_count * v->count * sizeof *v->values,
           chains = (size_t)book->chain_count * v->count * sizeof *v->positions;
    v->tile->values.size = v->tile->positions.size = 0;
    PQX_TRY(pqx_buffer_reserve(&v->tile->values, roles + 1, error));
    PQX_TRY(pqx_buffer_reserve(&v->tile->positions, chains + 1, error));
    v->values = (int64_t *)(void *)v->tile->values.data;
    v->positions = (int64_t *)(void *)v->tile->positions.data;
    pqx_role_set all = *wanted;
    add_arguments(book, &all);
    for (int i = 0; i < 4; i++) all.words[i] &= ~book->of_area[PQX_ROLE_WORDS].words[i];
    follow_chains(v, &all);
    decode(v, &all);
    return PQX_OK;
}

void pqx_packed_put_fixed(const pqx_packed_step *step, int64_t value, uint8_t *out)
{
    unsigned bits = 8u * step->size;
    uint64_t number = (uint64_t)value;
    int is_real = step->kind == PQX_STEP_FLOAT || step->kind == PQX_STEP_DOUBLE;
    if (is_real && number >> (bits - 1) & 1) number ^= (UINT64_C(1) << (bits - 1)) - 1;
    if (step->kind != PQX_STEP_BIG) pqx_store64(out, number);
    for (unsigned i = 0; step->kind == PQX_STEP_BIG && i < step->size; i++)
        out[step->size - 1 - i] = (uint8_t)(number >> 8 * i);
}
