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
    v->skips_bounds = tile->skips_bounds;
    for (uint32_t row = 0; row < (v->is_uniform ? 1 : v->count); row++)
        v->skips_bounds &= !pqx_packed_template_at(v, row)->has_raw;
    if (v->skips_bounds) return PQX_OK;
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
    pqx_role_set left = pqx_both_roles(wanted, &v->roles);
    for (unsigned number = 0; pqx_take_role(&left, &number);) {
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

/* Move a chain past the structs of the column. */
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

/* Move the chains that are followed, whose roles have been decoded. */
static void advance(pqx_packed_values *v)
{
    pqx_role_set left = v->tile->followed_chains;
    for (unsigned chain = 0; pqx_take_role(&left, &chain);)
        advance_chain(v, &v->tile->book->chains[chain], v->positions + (size_t)chain * v->count);
}

/* Add the roles that move a chain; `with_second` also those of structs without its first begin. */
static void add_chain(const pqx_packed_chain *chain, int with_second, pqx_role_set *set)
{
    pqx_add_role(set, chain->length);
    pqx_add_role(set, chain->first);
    if (with_second && chain->second != PQX_PACKED_NO_ROLE) pqx_add_role(set, chain->second);
}

/* Add the roles from which those of a set are predicted, and from which these are, and so on; and
 * to `chains` those that are needed. */
static void add_arguments(const pqx_packed_book *book, int with_second, pqx_role_set *set,
                          pqx_role_set *chains)
{
    pqx_role_set left = *set;
    for (unsigned role = 0; pqx_take_role(&left, &role);) {
        const pqx_packed_role *r = &book->roles[role];
        pqx_role_set more = {{0}};
        if (r->predictor == PQX_PREDICTOR_CHAINED) {
            add_chain(&book->chains[r->first], with_second, &more);
            pqx_add_role(chains, r->first);
        } else if (r->predictor != PQX_PREDICTOR_ALONE) pqx_add_role(&more, r->first);
        if (r->predictor == PQX_PREDICTOR_DIFFERENCE) pqx_add_role(&more, r->second);
        more = pqx_without_roles(&more, set);
        pqx_add_roles(&left, &more);
        pqx_add_roles(set, &more);
    }
}

/* Return the roles that move the chains which some wanted role of the column is predicted from. */
static pqx_role_set chain_roles(const pqx_packed_values *v, int with_second,
                                const pqx_role_set *wanted, pqx_role_set *chains)
{
    const pqx_packed_book *book = v->tile->book;
    pqx_role_set set = {{0}}, left = pqx_both_roles(wanted, &v->roles);
    memset(chains, 0, sizeof *chains);
    for (unsigned role = 0; pqx_take_role(&left, &role);) {
        const pqx_packed_role *r = &book->roles[role];
        if (r->predictor != PQX_PREDICTOR_CHAINED || v->tile->tables[role].is_marked) continue;
        add_chain(&book->chains[r->first], with_second, &set);
        pqx_add_role(chains, r->first);
    }
    add_arguments(book, with_second, &set, chains);
    return set;
}

/* Find the chains that the wanted roles of the column need, unless the last call found them. */
static void find_chains(pqx_packed_values *v, const pqx_role_set *wanted)
{
    pqx_packed_tile *tile = v->tile;
    pqx_role_set here = pqx_both_roles(wanted, &v->roles);
    if (tile->has_chained && !memcmp(&here, &tile->chained, sizeof here)) return;
    tile->chained_roles = chain_roles(v, 1, wanted, &tile->chained_chains);
    tile->chained = here;
    tile->has_chained = 1;
}

/* Return 1 if the tile's positions belong to the same rows, to this column or an earlier one, and
 * include all chains that are needed. */
static int goes_on(const pqx_packed_values *v, const pqx_role_set *chains)
{
    const pqx_packed_tile *tile = v->tile;
    pqx_role_set missing = pqx_without_roles(chains, &tile->followed_chains);
    return tile->followed_rows == v->count && tile->followed_first == v->first
           && tile->followed_column <= v->column && !pqx_has_roles(&missing);
}

/* Return 1 if all structs of the column have the first begins of all chains that are followed. */
static int has_firsts(const pqx_packed_values *v)
{
    pqx_role_set missing = pqx_without_roles(&v->tile->followed_firsts, &v->roles);
    return v->is_uniform && !pqx_has_roles(&missing);
}

/* Return 1 if the chunks of a column begin at their positions in a chain, and have a length, which
 * is not predicted. */
static int is_without_gap(const pqx_packed_values *v, unsigned number, uint32_t column)
{
    const pqx_packed_tile *tile = v->tile;
    const pqx_packed_book *book = tile->book;
    const pqx_packed_chain *chain = &book->chains[number];
    const pqx_role_set *has =
        &book->templates[pqx_packed_template_of(tile, column, v->first)].roles;
    unsigned begin = pqx_has_role(has, chain->first) ? chain->first : chain->second;
    if (begin == PQX_PACKED_NO_ROLE || !pqx_has_role(has, begin)
        || !pqx_has_role(has, chain->length))
        return 0;
    const pqx_packed_role *role = &book->roles[begin];
    return role->predictor == PQX_PREDICTOR_CHAINED && role->first == number
           && !tile->tables[begin].is_marked
           && pqx_packed_column_is_zero(&tile->tables[begin], column)
           && (book->roles[chain->length].predictor == PQX_PREDICTOR_ALONE
               || tile->tables[chain->length].is_marked);
}

/* Return the first column from v->column on, or `end`, whose chunks are not without gap in all
 * chains that are followed. */
static uint32_t find_gap(const pqx_packed_values *v, uint32_t end)
{
    const pqx_packed_tile *tile = v->tile;
    if (tile->templates_form == PQX_TEMPLATES_BY_STRUCT) return v->column;
    for (uint32_t column = v->column; column < end; column++) {
        pqx_role_set left = tile->followed_chains;
        for (unsigned chain = 0; pqx_take_role(&left, &chain);)
            if (!is_without_gap(v, chain, column)) return column;
    }
    return end;
}

/* Move the chains that are followed over columns without gaps. */
static void add_lengths(pqx_packed_values *v, uint32_t end)
{
    pqx_role_set left = v->tile->followed_chains;
    for (unsigned number = 0; pqx_take_role(&left, &number);) {
        unsigned length = v->tile->book->chains[number].length;
        pqx_packed_table_sums(&v->tile->tables[length], v->column, end, v->first, v->count,
                              pqx_packed_values_of(v, length),
                              v->positions + (size_t)number * v->count);
    }
}

/* Follow the chains over the columns before this one, from the one that was the last. */
static void follow_chains(pqx_packed_values *v, const pqx_role_set *wanted)
{
    pqx_packed_tile *tile = v->tile;
    find_chains(v, wanted);
    const pqx_role_set *chains = &tile->chained_chains;
    uint32_t column = v->column;
    if (!pqx_has_roles(chains)) return;
    if (!goes_on(v, chains)) {
        pqx_role_set by_firsts;
        for (unsigned chain = 0; chain < tile->book->chain_count; chain++)
            pqx_packed_table_column(&tile->tables[tile->book->role_count + chain], 0, v->first,
                                    v->count, v->positions + (size_t)chain * v->count);
        tile->followed_chains = *chains;
        tile->followed = tile->chained_roles;
        tile->followed_firsts = chain_roles(v, 0, wanted, &by_firsts);
        if (memcmp(chains, &by_firsts, sizeof *chains)) tile->followed_firsts = tile->followed;
        tile->followed_first = v->first;
        tile->followed_rows = v->count;
        tile->followed_column = 0;
    }
    for (v->column = tile->followed_column; v->column < column; v->column++) {
        if (tile->templates_form != PQX_TEMPLATES_ONE) look_at_templates(v);
        uint32_t next = find_gap(v, column);
        if (next > v->column) {
            add_lengths(v, next);
            v->column = next - 1;
            continue;
        }
        decode(v, has_firsts(v) ? &tile->followed_firsts : &tile->followed);
        advance(v);
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
    if (memcmp(&all, &v->tile->wanted, sizeof all)) {
        pqx_role_set chains = {{0}};
        add_arguments(book, 1, &all, &chains);
        v->tile->wanted = *wanted;
        v->tile->arguments = all;
    }
    all = pqx_without_roles(&v->tile->arguments, &book->of_area[PQX_ROLE_WORDS]);
    if (v->skips_bounds) {
        pqx_role_set bounds = pqx_both_roles(&all, &book->of_area[PQX_ROLE_BOUND]);
        all = pqx_without_roles(&all, &bounds);
        for (unsigned role = 0; pqx_take_role(&bounds, &role);)
            memset(pqx_packed_values_of(v, role), 0, v->count * sizeof *v->values);
    }
    follow_chains(v, &all);
    decode(v, &all);
    return PQX_OK;
}
