/* Write tables of the flat footer: a presence mask determines the layout; equal vtables are written
 * once. */
#include <stdlib.h>

#include "flat/flat_write.h"

#define PAYLOAD_LIMIT 0x7fffffffu

static const pqx_flat_layout layouts[PQX_FLAT_TABLES] = PQX_FLAT_LAYOUTS;

int pqx_flat_shapes_new(pqx_flat_writer *w)
{
    size_t count = 0;
    for (int table = 0; table < PQX_FLAT_TABLES; table++) {
        w->first_mask[table] = (uint32_t)count;
        count += (size_t)1 << layouts[table].count;
    }
    w->shape_of = (uint16_t *)calloc(count, sizeof *w->shape_of);
    return w->shape_of ? PQX_OK
                       : pqx_fail(w->error, PQX_NO_MEMORY, 0, count * sizeof *w->shape_of, 0);
}

int pqx_flat_room(pqx_flat_writer *w, size_t more)
{
    size_t size = w->out->size - w->base;
    if (PQX_UNLIKELY(more > w->limit || size > w->limit - more))
        return pqx_fail(w->error, PQX_OUT_OF_PROPORTION, 0, w->limit, w->limit + 1);
    if (PQX_UNLIKELY(more > PAYLOAD_LIMIT - size))
        return pqx_fail(w->error, PQX_TOO_LARGE, 0, PAYLOAD_LIMIT, size + more);
    if (PQX_LIKELY(more <= w->out->capacity - w->out->size)) return PQX_OK;
    return pqx_buffer_reserve(w->out, more, w->error);
}

int pqx_flat_zeros(pqx_flat_writer *w, size_t count, uint32_t *at)
{
    PQX_TRY(pqx_flat_room(w, count));
    if (at) *at = pqx_flat_end(w);
    memset(w->out->data + w->out->size, 0, count);
    w->out->size += count;
    return PQX_OK;
}

int pqx_flat_pad(pqx_flat_writer *w, uint32_t multiple)
{ return pqx_flat_zeros(w, (0u - pqx_flat_end(w)) & (multiple - 1), NULL); }

int pqx_flat_append(pqx_flat_writer *w, const uint8_t *bytes, size_t size, uint32_t *at)
{
    PQX_TRY(pqx_flat_room(w, size));
    if (at) *at = pqx_flat_end(w);
    if (size) memcpy(w->out->data + w->out->size, bytes, size);
    w->out->size += size;
    return PQX_OK;
}

/* Return the offset of an equal vtable, or append a new one. */
static int intern_vtable(pqx_flat_writer *w, const uint8_t *vtable, uint16_t size, uint32_t *place)
{
    for (size_t at = 0; at < w->vtables.size; at += pqx_load16(w->vtables.data + at)) {
        if (pqx_load16(w->vtables.data + at) == size
            && memcmp(w->vtables.data + at, vtable, size) == 0) {
            *place = (uint32_t)at;
            return PQX_OK;
        }
    }
    *place = (uint32_t)w->vtables.size;
    return pqx_buffer_append(&w->vtables, vtable, size, w->error);
}

static int add_shape(pqx_flat_writer *w, int table, uint32_t mask, uint16_t *number)
{
    static const uint8_t widths[4] = {4, 8, 2, 1};
    const pqx_flat_layout *layout = &layouts[table];
    uint8_t vtable[4 + 2 * 32] = {0};
    pqx_shape shape = {.align = 4};
    uint16_t size = 4, slots = 0;
    for (int width = 0; width < 4; width++) {
        for (int field = 0; field < layout->count; field++) {
            if (!(mask >> field & 1) || layout->fields[field].bytes != widths[width]) continue;
            if (widths[width] == 8 && shape.align == 4) {
                shape.align = 8;
                shape.lead = (0u - size) & 7;
            }
            uint8_t slot = layout->fields[field].slot;
            shape.at[field] = size;
            pqx_store16(vtable + 4 + 2 * slot, size);
            size += widths[width];
            if (slot >= slots) slots = slot + 1;
        }
    }
    shape.size = (size + 3) & ~3;
    uint16_t vtable_size = 4 + 2 * slots;
    pqx_store16(vtable, vtable_size);
    pqx_store16(vtable + 2, shape.size);
    PQX_TRY(intern_vtable(w, vtable, vtable_size, &shape.vtable));
    PQX_TRY(pqx_buffer_append(&w->shapes, &shape, sizeof shape, w->error));
    *number = (uint16_t)(w->shapes.size / sizeof shape);
    return PQX_OK;
}

int pqx_flat_table(pqx_flat_writer *w, int table, uint32_t mask, uint32_t *at,
                   const pqx_shape **shape_out)
{
    uint16_t *number = &w->shape_of[w->first_mask[table] + mask];
    if (PQX_UNLIKELY(!*number)) PQX_TRY(add_shape(w, table, mask, number));
    const pqx_shape *shape = (const pqx_shape *)w->shapes.data + (*number - 1);
    uint32_t end = pqx_flat_end(w), start = end + ((shape->lead - end) & (shape->align - 1));
    uint32_t all = start - end + shape->size;
    PQX_TRY(pqx_flat_room(w, all));
    memset(w->out->data + w->out->size, 0, all);
    w->out->size += all;
    pqx_store32(pqx_flat_at(w, start), start - shape->vtable);
    *at = start;
    if (shape_out) *shape_out = shape;
    return pqx_buffer_append(&w->tables, &start, sizeof start, w->error);
}

void pqx_flat_place_vtables(pqx_flat_writer *w, uint32_t area)
{
    const uint32_t *tables = (const uint32_t *)(const void *)w->tables.data;
    for (size_t i = 0; i < w->tables.size / sizeof *tables; i++) {
        uint8_t *table = pqx_flat_at(w, tables[i]);
        pqx_store32(table, pqx_load32(table) - area);
    }
}

static int put_bytes(pqx_flat_writer *w, uint32_t field, const uint8_t *bytes, size_t size,
                     size_t terminator)
{
    uint32_t at;
    PQX_TRY(pqx_flat_pad(w, 4));
    if (size > PAYLOAD_LIMIT) return pqx_fail(w->error, PQX_TOO_LARGE, 0, PAYLOAD_LIMIT, size);
    PQX_TRY(pqx_flat_zeros(w, 4, &at));
    pqx_store32(pqx_flat_at(w, at), (uint32_t)size);
    pqx_flat_link(w, field, at);
    PQX_TRY(pqx_flat_append(w, bytes, size, NULL));
    return pqx_flat_zeros(w, terminator, NULL);
}

int pqx_flat_string(pqx_flat_writer *w, uint32_t field, const uint8_t *bytes, size_t size)
{ return put_bytes(w, field, bytes, size, 1); }

int pqx_flat_bytes(pqx_flat_writer *w, uint32_t field, const uint8_t *bytes, size_t size)
{ return put_bytes(w, field, bytes, size, 0); }

int pqx_flat_vector(pqx_flat_writer *w, uint32_t field, uint32_t count, uint32_t *entries)
{
    uint32_t at;
    PQX_TRY(pqx_flat_pad(w, 4));
    PQX_TRY(pqx_flat_zeros(w, 4 + 4 * (size_t)count, &at));
    pqx_store32(pqx_flat_at(w, at), count);
    pqx_flat_link(w, field, at);
    *entries = at + 4;
    return PQX_OK;
}

int pqx_flat_key_value(pqx_flat_writer *w, const uint8_t *key, size_t key_size,
                       const uint8_t *value, size_t value_size, uint32_t *at)
{
    const pqx_shape *shape;
    uint32_t mask = 1u << PQX_KEY_VALUE__KEY | (value ? 1u << PQX_KEY_VALUE__VAL : 0);
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_KEY_VALUE, mask, at, &shape));
    PQX_TRY(pqx_flat_string(w, *at + shape->at[PQX_KEY_VALUE__KEY], key, key_size));
    return value ? pqx_flat_string(w, *at + shape->at[PQX_KEY_VALUE__VAL], value, value_size)
                 : PQX_OK;
}
