/* Write the flat footer's pool: fields of ARROW:schema, which projections use, and skeletons; each
 * is stored once. */
#include <stdlib.h>

#include "flat/flat_write.h"

static const pqx_key_value *find_arrow_schema(const pqx_flat_writer *w)
{
    static const char key[] = "ARROW:schema";
    for (uint32_t i = 0; i < w->scan->key_value_count; i++) {
        const pqx_key_value *pair = &w->scan->key_values[i];
        if (pair->has_value && pair->key.length == sizeof key - 1
            && memcmp(w->footer + pair->key.offset, key, sizeof key - 1) == 0)
            return pair;
    }
    return NULL;
}

/* Return the item at a pool position: its length, a zero word, its bytes. */
static const uint8_t *item_at(const pqx_flat_writer *w, uint32_t place)
{
    const uint32_t *ends = (const uint32_t *)(const void *)w->pool_ends.data;
    uint32_t page = pqx_pool_page(place), at = pqx_pool_offset(place);
    return w->pool.data + (page ? ends[page - 1] : 0) + at - PQX_FLAT_CELL_HEADER_BYTES;
}

pqx_bytes pqx_flat_pool_get(const pqx_flat_writer *w, uint32_t place)
{
    const uint8_t *item = item_at(w, place);
    return (pqx_bytes){item + 8, pqx_load32(item)};
}

/* Assign the item a position in the current page, or in a new one. */
static int add_item(pqx_flat_writer *w, const uint8_t *bytes, size_t size, uint32_t *place)
{
    static const uint8_t zeros[8] = {0};
    size_t padded = (8 + size + 7) & ~(size_t)7;
    uint32_t pages = (uint32_t)(w->pool_ends.size / 4);
    uint32_t *ends = (uint32_t *)(void *)w->pool_ends.data;
    size_t begin = pages > 1 ? ends[pages - 2] : 0;
    if (!pages
        || PQX_FLAT_CELL_HEADER_BYTES + w->pool.size - begin + padded > PQX_FLAT_POOL_PAGE_BYTES) {
        if (pages) begin = ends[pages - 1];
        PQX_TRY(pqx_buffer_append(&w->pool_ends, zeros, 4, w->error));
        ends = (uint32_t *)(void *)w->pool_ends.data;
        pages++;
    }
    *place = (pages - 1) << PQX_POOL_PAGE_SHIFT
             | (uint32_t)(PQX_FLAT_CELL_HEADER_BYTES + w->pool.size - begin) / 8;
    uint32_t words[2] = {(uint32_t)size, 0};
    PQX_TRY(pqx_flat_room(w, w->pool.size + padded));
    PQX_TRY(pqx_buffer_append(&w->pool, words, sizeof words, w->error));
    PQX_TRY(pqx_buffer_append(&w->pool, bytes, size, w->error));
    PQX_TRY(pqx_buffer_append(&w->pool, zeros, padded - 8 - size, w->error));
    ends[pages - 1] = (uint32_t)w->pool.size;
    return PQX_OK;
}

/* Return the slot of the item with this content, or the empty slot for it. */
static uint32_t *find_slot(const pqx_flat_writer *w, const uint8_t *bytes, size_t size)
{
    uint32_t slot = (uint32_t)pqx_xxh64(bytes, size, 0) & w->pool_mask;
    for (; w->pool_slots[slot]; slot = (slot + 1) & w->pool_mask) {
        const uint8_t *item = item_at(w, w->pool_slots[slot]);
        if (pqx_load32(item) == size && !memcmp(item + 8, bytes, size)) break;
    }
    return &w->pool_slots[slot];
}

/* Double the slots, from 64 at first. */
static int grow_slots(pqx_flat_writer *w)
{
    uint32_t *old = w->pool_slots, count = old ? w->pool_mask + 1 : 0,
             mask = old ? 2 * w->pool_mask + 1 : 63;
    uint32_t *slots = (uint32_t *)calloc((size_t)mask + 1, sizeof *slots);
    if (!slots) return pqx_fail(w->error, PQX_NO_MEMORY, 0, 4 * ((uint64_t)mask + 1), 0);
    w->pool_slots = slots;
    w->pool_mask = mask;
    for (uint32_t i = 0; i < count; i++) {
        if (!old[i]) continue;
        pqx_bytes item = pqx_flat_pool_get(w, old[i]);
        *find_slot(w, item.data, item.size) = old[i];
    }
    free(old);
    return PQX_OK;
}

int pqx_flat_pool_add(pqx_flat_writer *w, const uint8_t *bytes, size_t size, uint32_t *place)
{
    if (w->pool_items >= w->pool_mask / 2) PQX_TRY(grow_slots(w));
    uint32_t *slot = find_slot(w, bytes, size);
    if (!*slot) {
        PQX_TRY(add_item(w, bytes, size, slot));
        w->pool_items++;
    }
    *place = *slot;
    return PQX_OK;
}

static int name_equals(const pqx_flat_writer *w, const pqx_arrow_schema *schema, uint32_t field,
                       const pqx_element *element)
{
    pqx_bytes name;
    if (pqx_arrow_field_name(schema, field, &name, NULL) != PQX_OK) return 0;
    return name.size == element->name.length
           && memcmp(name.data, w->footer + element->name.offset, name.size) == 0;
}

/* Collect all top-level elements' items; *usable is 0 if one of them has none. */
static int collect(pqx_flat_writer *w, const pqx_arrow_schema *schema, int *usable)
{
    pqx_buffer piece = {0};
    uint32_t field = 0, place = 0;
    int status = PQX_OK;
    for (uint32_t i = 1; status == PQX_OK && *usable && i < w->scan->element_count; i++) {
        if (w->scan->elements[i].parent != 0) continue;
        piece.size = 0;
        *usable = field < schema->field_count
                  && name_equals(w, schema, field, &w->scan->elements[i])
                  && pqx_arrow_field_piece(schema, field, &piece, NULL) == PQX_OK;
        if (*usable) status = pqx_flat_pool_add(w, piece.data, piece.size, &place);
        w->arrow[i] = place;
        field++;
    }
    *usable = *usable && field == schema->field_count;
    pqx_buffer_free(&piece);
    return status;
}

static void forget_items(pqx_flat_writer *w)
{
    w->pool.size = w->pool_ends.size = w->pool_items = 0;
    if (w->pool_slots) memset(w->pool_slots, 0, ((size_t)w->pool_mask + 1) * sizeof *w->pool_slots);
    memset(w->arrow, 0, w->scan->element_count * sizeof *w->arrow);
}

int pqx_flat_make_pool(pqx_flat_writer *w)
{
    const pqx_key_value *pair = find_arrow_schema(w);
    pqx_arrow_schema schema;
    forget_items(w);
    if (!pair
        || pqx_arrow_schema_parse(w->footer + pair->value.offset, pair->value.length, &schema, NULL)
               != PQX_OK)
        return PQX_OK;
    int usable = 1, status = collect(w, &schema, &usable);
    pqx_arrow_schema_free(&schema);
    if (!usable) forget_items(w);
    return status;
}

int pqx_flat_list_pool(pqx_flat_writer *w, uint32_t before)
{
    uint32_t pages = (uint32_t)(w->pool_ends.size / 4);
    uint32_t *places = (uint32_t *)realloc(w->places, ((size_t)before + pages) * sizeof *places);
    if (!places)
        return pqx_fail(w->error, PQX_NO_MEMORY, 0, ((uint64_t)before + pages) * sizeof *places, 0);
    w->places = places;
    w->place_count = before + pages;
    return PQX_OK;
}

int pqx_flat_write_pool(pqx_flat_writer *w)
{
    const uint32_t *ends = (const uint32_t *)(const void *)w->pool_ends.data;
    uint32_t pages = (uint32_t)(w->pool_ends.size / 4),
             *places = w->places + (w->place_count - pages);
    for (uint32_t page = pages; page--;) {
        uint32_t begin = page ? ends[page - 1] : 0;
        uint32_t cell;
        PQX_TRY(pqx_flat_cell_begin(w, PQX_KIND_POOL, 0, page, &cell));
        PQX_TRY(pqx_flat_append(w, w->pool.data + begin, ends[page] - begin, NULL));
        PQX_TRY(pqx_flat_cell_end(w, cell));
        uint32_t length = pqx_flat_end(w) - cell;
        if (length > w->pool_hint)
            w->pool_hint = length < PQX_FLAT_POOL_PAGE_BYTES ? length : PQX_FLAT_POOL_PAGE_BYTES;
        places[page] = cell;
    }
    return PQX_OK;
}
