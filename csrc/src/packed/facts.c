/* Store the facts of a column's chunks: those that all chunks of a template share, and the values
 * of its roles. */
#include <stdlib.h>

#include "packed/facts.h"

static pqx_packed_plan *plan_at(const pqx_packed *p, const pqx_packed_values *v, uint32_t row)
{ return p->plans[pqx_packed_number_of_template(v, row)]; }

/* Make the plans of the rows' templates, once each; return 0 if one of them is not usable. */
static int make_plans(pqx_index *index, const pqx_packed_values *v, int *are_usable,
                      pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    *are_usable = 1;
    for (uint32_t row = 0; row < (v->is_uniform ? 1 : v->count) && *are_usable; row++) {
        pqx_packed_plan **plan = &p->plans[pqx_packed_number_of_template(v, row)];
        if (!*plan) {
            *plan = (pqx_packed_plan *)malloc(sizeof **plan);
            if (!*plan) return pqx_fail(error, PQX_NO_MEMORY, 0, sizeof **plan, 0);
            PQX_TRY(pqx_packed_make_plan(index, pqx_packed_template_at(v, row), *plan, error));
        }
        *are_usable = (*plan)->is_usable;
    }
    return PQX_OK;
}

/* Return the most bytes that the Thrift struct of a row can have. */
static uint64_t most_bytes(const pqx_packed_values *v, const pqx_packed_plan *plan, uint32_t row,
                           size_t path_size)
{
    uint64_t most = plan->most + path_size;
    for (uint32_t i = 0; i < plan->text_count; i++)
        most += pqx_packed_text(v, plan->texts[i], row).size;
    return most;
}

/* Take the most bytes of all rows from `room`; return 0 if there are fewer. */
static int take_room(const pqx_packed *p, const pqx_packed_values *v, size_t path_size,
                     uint64_t *room)
{
    enum { PATH_VARINTS = 2 }; /* bytes of Thrift for each byte of a path, and for its list */
    uint64_t needed = 0;
    path_size = PATH_VARINTS * path_size + 16;
    if (v->is_uniform && v->count && !plan_at(p, v, 0)->text_count)
        needed = v->count * most_bytes(v, plan_at(p, v, 0), 0, path_size);
    else
        for (uint32_t row = 0; row < v->count && needed <= *room; row++)
            needed += most_bytes(v, plan_at(p, v, row), row, path_size);
    if (needed > *room) return 0;
    *room -= needed;
    return 1;
}

/* Return 1 if all values of 32-bit fields have 32 bits. */
static int are_narrow(const pqx_packed *p, const pqx_packed_values *v)
{
    for (uint32_t from = 0, end; from < v->count; from = end) {
        const pqx_packed_plan *plan = plan_at(p, v, from);
        pqx_role_set narrow = plan->narrow;
        end = v->is_uniform ? v->count : from + 1;
        for (unsigned role = 0; pqx_take_role(&narrow, &role);) {
            const int64_t *values = pqx_packed_values_of(v, role);
            int64_t differs = 0;
            for (uint32_t row = from; row < end; row++)
                differs |= values[row] ^ (int32_t)values[row];
            if (differs) return 0;
        }
    }
    return 1;
}

enum { MOST_FIXED = 5 * 8 }; /* bytes of four bounds, and as many as one write may have */

/* The output: arrays with one entry per row group. */
typedef struct destination {
    pqx_chunk *chunks;
    pqx_places *places; /* or NULL */
    pqx_buffer *arena;
} destination;

/* Return where a fact of a row is stored; NULL for one of places that are not requested. */
static uint8_t *place_of(const destination *to, const pqx_packed_fact *fact, uint32_t row)
{
    if (fact->at < sizeof(pqx_chunk)) return (uint8_t *)&to->chunks[row] + fact->at;
    return to->places ? (uint8_t *)&to->places[row] + (fact->at - sizeof(pqx_chunk)) : NULL;
}

static void store_integer(const pqx_packed_fact *fact, int64_t value, uint8_t *at)
{
    int32_t narrow = (int32_t)value;
    if (fact->size == sizeof narrow) memcpy(at, &narrow, sizeof narrow);
    else memcpy(at, &value, sizeof value);
}

/* Store an integer in rows [first, end). */
static void store_integers(const pqx_packed_values *v, const pqx_packed_fact *fact, uint32_t first,
                           uint32_t end, const destination *to)
{
    const int64_t *values = pqx_packed_values_of(v, fact->step->role);
    size_t stride = fact->at < sizeof(pqx_chunk) ? sizeof(pqx_chunk) : sizeof(pqx_places);
    uint8_t *at = place_of(to, fact, first);
    for (uint32_t row = first; at && row < end; row++, at += stride)
        store_integer(fact, values[row], at);
}

/* Return the bounds, as bits, that are in rows [first, end) the bounds before them. */
static uint32_t find_shared(const pqx_packed_values *v, const pqx_packed_plan *plan, uint32_t first,
                            uint32_t end)
{
    uint32_t shared = 0;
    for (uint32_t i = plan->integer_count; i < plan->fact_count; i++) {
        if (!plan->facts[i].is_alike) continue;
        const pqx_packed_step *step = plan->facts[i].step, *like = plan->facts[i - 1].step;
        if (step->kind != PQX_STEP_TEXT && step->kind == like->kind && step->size == like->size
            && !memcmp(pqx_packed_values_of(v, step->role) + first,
                       pqx_packed_values_of(v, like->role) + first,
                       (end - first) * sizeof *v->values))
            shared |= 1u << i;
    }
    return shared;
}

/* Let the bound at the arena's end share the bytes of another one, if it has the same. */
static void share_bound(pqx_buffer *arena, const pqx_range *like, pqx_range *range)
{
    if (like->length != range->length
        || memcmp(arena->data + like->offset, arena->data + range->offset, range->length))
        return;
    arena->size = range->offset;
    *range = *like;
}

/* Append a bound to the arena, which has room for those of fixed widths. */
static int append_bound(const pqx_packed_values *v, const pqx_packed_step *step, uint32_t row,
                        pqx_buffer *arena, pqx_error *error)
{
    if (step->kind == PQX_STEP_TEXT) {
        pqx_bytes text = pqx_packed_text(v, step->role, row);
        PQX_TRY(pqx_buffer_append(arena, text.data, text.size, error));
        return pqx_buffer_reserve(arena, MOST_FIXED, error);
    }
    pqx_packed_put_fixed(step, pqx_packed_values_of(v, step->role)[row], arena->data + arena->size);
    arena->size += step->size;
    return PQX_OK;
}

/* Store the bounds of a row; those of `shared` have the bytes of the bound before. */
static int store_bounds(const pqx_packed_values *v, const pqx_packed_plan *plan, uint32_t shared,
                        uint32_t row, const destination *to, pqx_error *error)
{
    pqx_buffer *arena = to->arena;
    pqx_range range = {0, 0};
    PQX_TRY(pqx_buffer_reserve(arena, MOST_FIXED, error));
    for (uint32_t i = plan->integer_count; i < plan->fact_count; i++) {
        const pqx_packed_fact *fact = &plan->facts[i];
        pqx_range *into = (pqx_range *)(void *)((uint8_t *)&to->chunks[row] + fact->at);
        if (!(shared >> i & 1)) {
            const pqx_range like = range;
            range.offset = (uint32_t)arena->size;
            PQX_TRY(append_bound(v, fact->step, row, arena, error));
            range.length = (uint32_t)arena->size - range.offset;
            if (fact->is_alike) share_bound(arena, &like, &range);
        }
        into->offset = range.offset;
        into->length = range.length;
    }
    return PQX_OK;
}

/* Store the facts of rows [first, end), which have one template. */
static int store(const pqx_packed_values *v, const pqx_packed_plan *plan, uint32_t first,
                 uint32_t end, const destination *to, pqx_error *error)
{
    enum { BLOCK = 64 }; /* rows that stay in the nearest cache */
    const pqx_packed_fact *varying[PQX_MOST_FACTS];
    uint32_t count = 0, shared = to->arena ? find_shared(v, plan, first, end) : 0;
    pqx_placed_chunk sample = plan->sample;
    const destination one = {&sample.chunk, &sample.places, NULL};
    for (uint32_t i = 0; i < plan->integer_count; i++) {
        const pqx_packed_fact *fact = &plan->facts[i];
        const int64_t *values = pqx_packed_values_of(v, fact->step->role) + first;
        if (memcmp(values, values + 1, (end - first - 1) * sizeof *values)) varying[count++] = fact;
        else store_integer(fact, *values, place_of(&one, fact, 0));
    }
    if (!to->arena) PQX_TRY(pqx_packed_keep_bounds(NULL, &sample.chunk, NULL, error));
    for (uint32_t from = first, next; from < end; from = next) {
        next = end - from < BLOCK ? end : from + BLOCK;
        for (uint32_t row = from; row < next; row++) {
            to->chunks[row] = sample.chunk;
            if (to->places) to->places[row] = sample.places;
        }
        for (uint32_t i = 0; i < count; i++) store_integers(v, varying[i], from, next, to);
        for (uint32_t row = from; to->arena && row < next; row++)
            PQX_TRY(store_bounds(v, plan, shared, row, to, error));
    }
    return PQX_OK;
}

int pqx_packed_tile_facts(pqx_index *index, uint32_t column, uint32_t first, uint32_t count,
                          size_t path_size, pqx_chunk *chunks, pqx_places *places,
                          pqx_buffer *arena, uint64_t *room, int *is_done, pqx_error *error)
{
    pqx_packed *p = pqx_packed_of(index);
    pqx_packed_values v = {.tile = &p->tile, .column = column, .first = first, .count = count};
    pqx_role_set wanted = {{0}};
    PQX_TRY(pqx_packed_values_begin(&v, error));
    PQX_TRY(make_plans(index, &v, is_done, error));
    *is_done = *is_done && take_room(p, &v, path_size, room);
    if (!*is_done) return PQX_OK;
    for (uint32_t row = 0; row < (v.is_uniform ? 1 : count); row++)
        pqx_add_roles(&wanted, &plan_at(p, &v, row)->roles);
    if (!arena) wanted = pqx_without_roles(&wanted, &p->tile.book->of_area[PQX_ROLE_BOUND]);
    PQX_TRY(pqx_packed_values_decode(&v, &wanted, error));
    *is_done = are_narrow(p, &v);
    const destination to = {chunks, places, arena};
    for (uint32_t row = 0, end; *is_done && row < count; row = end) {
        end = v.is_uniform ? count : row + 1;
        PQX_TRY(store(&v, plan_at(p, &v, row), row, end, &to, error));
    }
    return PQX_OK;
}

/* Move a bound to the end of `arena`, where it may share the bytes of `like`. */
static int keep(const uint8_t *thrift, pqx_range *range, const pqx_range *like, pqx_buffer *arena,
                pqx_error *error)
{
    size_t at = arena->size;
    PQX_TRY(pqx_buffer_append(arena, thrift + range->offset, range->length, error));
    range->offset = (uint32_t)at;
    if (like) share_bound(arena, like, range);
    return PQX_OK;
}

int pqx_packed_keep_bounds(const uint8_t *thrift, pqx_chunk *chunk, pqx_buffer *arena,
                           pqx_error *error)
{
    pqx_range *ranges[] = {&chunk->min_value, &chunk->min, &chunk->max_value, &chunk->max};
    static const uint32_t bits[] = {PQX_PRESENT_MIN_VALUE, PQX_PRESENT_MIN, PQX_PRESENT_MAX_VALUE,
                                    PQX_PRESENT_MAX};
    chunk->chunk = chunk->metadata = chunk->statistics = (pqx_range){0, 0};
    for (int i = 0; i < 4; i++) {
        const pqx_range *like = i & 1 && chunk->present & bits[i - 1] ? ranges[i - 1] : NULL;
        if (!arena) *ranges[i] = (pqx_range){0, 0};
        else if (chunk->present & bits[i]) PQX_TRY(keep(thrift, ranges[i], like, arena, error));
    }
    return PQX_OK;
}
