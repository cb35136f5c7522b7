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
    for (uint32_t row = 0; row < v->count && needed <= *room; row++)
        needed += most_bytes(v, plan_at(p, v, row), row, path_size);
    if (needed > *room) return 0;
    *room -= needed;
    return 1;
}

/* Return 1 if all values of 32-bit fields have 32 bits. */
static int are_narrow(const pqx_packed *p, const pqx_packed_values *v)
{
    for (unsigned role = 0; role < v->tile->book->role_count; role++) {
        const int64_t *values = pqx_packed_values_of(v, role);
        if (!pqx_has_role(&v->roles, role)) continue;
        for (uint32_t row = 0; row < v->count; row++) {
            const pqx_packed_plan *plan = plan_at(p, v, v->is_uniform ? 0 : row);
            if (!pqx_has_role(&plan->narrow, role)) {
                if (v->is_uniform) break;
                continue;
            }
            if (values[row] != (int32_t)values[row]) return 0;
        }
    }
    return 1;
}

/* Where facts are stored: arrays with a member for each row. */
typedef struct destination {
    pqx_chunk *chunks;
    pqx_places *places; /* or NULL */
    pqx_buffer *arena;
} destination;

/* Store an integer in some rows. */
static void store_integers(const pqx_packed_values *v, const pqx_packed_fact *fact, uint32_t first,
                           uint32_t end, const destination *to)
{
    const int64_t *values = pqx_packed_values_of(v, fact->step->role);
    int is_place = fact->at >= sizeof(pqx_chunk);
    size_t stride = is_place ? sizeof(pqx_places) : sizeof(pqx_chunk);
    uint8_t *at = is_place ? (uint8_t *)to->places + (fact->at - sizeof(pqx_chunk))
                           : (uint8_t *)to->chunks + fact->at;
    if (is_place && !to->places) return;
    for (uint32_t row = first; row < end; row++) {
        int32_t narrow = (int32_t)values[row];
        if (fact->size == sizeof narrow) memcpy(at + row * stride, &narrow, sizeof narrow);
        else memcpy(at + row * stride, &values[row], sizeof values[row]);
    }
}

/* Append a bound to the arena, which has room for those of fixed widths. */
static int store_bound(const pqx_packed_values *v, const pqx_packed_fact *fact, uint32_t row,
                       const destination *to, pqx_error *error)
{
    const pqx_packed_step *step = fact->step;
    pqx_buffer *arena = to->arena;
    pqx_range range = {(uint32_t)arena->size, step->size};
    if (step->kind == PQX_STEP_TEXT) {
        pqx_bytes text = pqx_packed_text(v, step->role, row);
        range.length = (uint32_t)text.size;
        PQX_TRY(pqx_buffer_append(arena, text.data, text.size, error));
    } else {
        pqx_packed_put_fixed(step, pqx_packed_values_of(v, step->role)[row],
                             arena->data + arena->size);
        arena->size += step->size;
    }
    memcpy((uint8_t *)&to->chunks[row] + fact->at, &range, sizeof range);
    return PQX_OK;
}

static int store_bounds(const pqx_packed_values *v, const pqx_packed_plan *plan, uint32_t row,
                        const destination *to, pqx_error *error)
{
    enum { MOST_FIXED = 5 * 8 }; /* bytes of four bounds, and as many as one write may have */
    PQX_TRY(pqx_buffer_reserve(to->arena, MOST_FIXED, error));
    for (uint32_t i = plan->integer_count; i < plan->fact_count; i++) {
        PQX_TRY(store_bound(v, &plan->facts[i], row, to, error));
        if (plan->facts[i].step->kind == PQX_STEP_TEXT)
            PQX_TRY(pqx_buffer_reserve(to->arena, MOST_FIXED, error));
    }
    return PQX_OK;
}

static int store(const pqx_packed *p, const pqx_packed_values *v, const destination *to,
                 pqx_error *error)
{
    for (uint32_t row = 0; row < v->count; row++) {
        const pqx_packed_plan *plan = plan_at(p, v, row);
        to->chunks[row] = plan->sample.chunk;
        if (to->places) to->places[row] = plan->sample.places;
        for (uint32_t i = 0; i < plan->integer_count && !v->is_uniform; i++)
            store_integers(v, &plan->facts[i], row, row + 1, to);
        PQX_TRY(store_bounds(v, plan, row, to, error));
    }
    const pqx_packed_plan *plan = plan_at(p, v, 0);
    for (uint32_t i = 0; i < plan->integer_count && v->is_uniform; i++)
        store_integers(v, &plan->facts[i], 0, v->count, to);
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
    PQX_TRY(pqx_packed_values_decode(&v, &wanted, error));
    *is_done = are_narrow(p, &v);
    const destination to = {chunks, places, arena};
    return *is_done && count ? store(p, &v, &to, error) : PQX_OK;
}

static int keep(const uint8_t *thrift, pqx_range *range, int is_there, pqx_buffer *arena,
                pqx_error *error)
{
    size_t at = arena->size;
    if (!is_there) return PQX_OK;
    PQX_TRY(pqx_buffer_append(arena, thrift + range->offset, range->length, error));
    range->offset = (uint32_t)at;
    return PQX_OK;
}

int pqx_packed_keep_bounds(const uint8_t *thrift, pqx_chunk *chunk, pqx_buffer *arena,
                           pqx_error *error)
{
    uint32_t present = chunk->present;
    chunk->chunk = chunk->metadata = chunk->statistics = (pqx_range){0, 0};
    PQX_TRY(keep(thrift, &chunk->min_value, present & PQX_PRESENT_MIN_VALUE, arena, error));
    PQX_TRY(keep(thrift, &chunk->max_value, present & PQX_PRESENT_MAX_VALUE, arena, error));
    PQX_TRY(keep(thrift, &chunk->min, present & PQX_PRESENT_MIN, arena, error));
    return keep(thrift, &chunk->max, present & PQX_PRESENT_MAX, arena, error);
}
