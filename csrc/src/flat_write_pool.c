/* The flat footer's pool: the fields of ARROW:schema, each once, so that a projection finds its own. */
#include <stdlib.h>

#include "flat_write.h"

/* Items by content, open addressing. */
typedef struct pqx_items {
    uint32_t *slots;                      /* index of an item's first user + 1 */
    uint32_t mask;
} pqx_items;

static const pqx_key_value *find_arrow_schema(const pqx_flat_writer *w)
{
    static const char key[] = "ARROW:schema";
    for (uint32_t i = 0; i < w->scan->key_value_count; i++) {
        const pqx_key_value *pair = &w->scan->key_values[i];
        if (pair->has_value && pair->key.length == sizeof key - 1 && memcmp(w->footer + pair->key.offset, key, sizeof key - 1) == 0) return pair;
    }
    return NULL;
}

/* Where item number `page`, `at` lies in w->pool. */
static size_t pool_place(const pqx_flat_writer *w, uint32_t page, uint32_t at)
{
    const uint32_t *ends = (const uint32_t *)(const void *)w->pool_ends.data;
    return (page ? ends[page - 1] : 0) + at - PQX_FLAT_CELL_HEADER_BYTES;
}

/* Give the piece its place in the current page, or in a new one. */
static int add_item(pqx_flat_writer *w, const pqx_buffer *piece, uint32_t element)
{
    static const uint8_t zeros[8] = {0};
    size_t padded = (8 + piece->size + 7) & ~(size_t)7;
    uint32_t pages = (uint32_t)(w->pool_ends.size / 4);
    uint32_t *ends = (uint32_t *)(void *)w->pool_ends.data;
    size_t begin = pages > 1 ? ends[pages - 2] : 0;
    if (!pages || PQX_FLAT_CELL_HEADER_BYTES + w->pool.size - begin + padded > PQX_FLAT_POOL_PAGE_BYTES) {
        if (pages) begin = ends[pages - 1];
        PQX_TRY(pqx_buffer_append(&w->pool_ends, zeros, 4, w->error));
        ends = (uint32_t *)(void *)w->pool_ends.data;
        pages++;
    }
    w->item_page[element] = pages - 1;
    w->item_at[element] = (uint32_t)(PQX_FLAT_CELL_HEADER_BYTES + w->pool.size - begin);
    uint32_t words[2] = {(uint32_t)piece->size, 0};
    PQX_TRY(pqx_flat_room(w, w->pool.size + padded));
    PQX_TRY(pqx_buffer_append(&w->pool, words, sizeof words, w->error));
    PQX_TRY(pqx_buffer_append(&w->pool, piece->data, piece->size, w->error));
    PQX_TRY(pqx_buffer_append(&w->pool, zeros, padded - 8 - piece->size, w->error));
    ends[pages - 1] = (uint32_t)w->pool.size;
    return PQX_OK;
}

/* Find the piece among the items, or add it. */
static int place_item(pqx_flat_writer *w, pqx_items *items, const pqx_buffer *piece, uint32_t element)
{
    uint32_t slot = (uint32_t)pqx_xxh64(piece->data, piece->size, 0) & items->mask;
    for (; items->slots[slot]; slot = (slot + 1) & items->mask) {
        uint32_t first = items->slots[slot] - 1;
        const uint8_t *item = w->pool.data + pool_place(w, w->item_page[first], w->item_at[first]);
        if (pqx_load32(item) != piece->size || memcmp(item + 8, piece->data, piece->size) != 0) continue;
        w->item_page[element] = w->item_page[first];
        w->item_at[element] = w->item_at[first];
        return PQX_OK;
    }
    items->slots[slot] = element + 1;
    return add_item(w, piece, element);
}

static int name_equals(const pqx_flat_writer *w, const pqx_arrow_schema *schema, uint32_t field, const pqx_element *element)
{
    pqx_bytes name;
    if (pqx_arrow_field_name(schema, field, &name, NULL) != PQX_OK) return 0;
    return name.size == element->name.length && memcmp(name.data, w->footer + element->name.offset, name.size) == 0;
}

/* All top-level elements' items; *usable is 0 where one of them has none. */
static int collect(pqx_flat_writer *w, const pqx_arrow_schema *schema, pqx_items *items, int *usable)
{
    pqx_buffer piece = {0};
    uint32_t field = 0;
    int status = PQX_OK;
    for (uint32_t i = 1; status == PQX_OK && *usable && i < w->scan->element_count; i++) {
        if (w->scan->elements[i].parent != 0) continue;
        piece.size = 0;
        *usable = field < schema->field_count && name_equals(w, schema, field, &w->scan->elements[i])
            && pqx_arrow_field_piece(schema, field, &piece, NULL) == PQX_OK;
        if (*usable) status = place_item(w, items, &piece, i);
        field++;
    }
    *usable = *usable && field == schema->field_count;
    pqx_buffer_free(&piece);
    return status;
}

static void forget_items(pqx_flat_writer *w)
{
    w->pool.size = w->pool_ends.size = 0;
    for (uint32_t i = 0; i < w->scan->element_count; i++) {
        w->item_page[i] = PQX_FLAT_NONE;
        w->item_at[i] = 0;
    }
}

int pqx_flat_make_pool(pqx_flat_writer *w)
{
    const pqx_key_value *pair = find_arrow_schema(w);
    pqx_arrow_schema schema;
    forget_items(w);
    if (!pair || pqx_arrow_schema_parse(w->footer + pair->value.offset, pair->value.length, &schema, NULL) != PQX_OK) return PQX_OK;
    pqx_items items = {NULL, 15};
    while (items.mask / 2 < w->scan->element_count) items.mask = items.mask * 2 + 1;
    items.slots = calloc((size_t)items.mask + 1, sizeof *items.slots);
    int usable = 1, status = items.slots ? collect(w, &schema, &items, &usable) : pqx_fail(w->error, PQX_NO_MEMORY, 0, 4 * (uint64_t)items.mask, 0);
    free(items.slots);
    pqx_arrow_schema_free(&schema);
    if (!usable) forget_items(w);
    return status;
}

int pqx_flat_write_pool(pqx_flat_writer *w)
{
    const uint32_t *ends = (const uint32_t *)(const void *)w->pool_ends.data;
    uint32_t *places = w->places + w->place_count, begin = 0;
    for (uint32_t page = 0; page < w->pool_ends.size / 4; page++) {
        uint32_t cell;
        PQX_TRY(pqx_flat_cell_begin(w, PQX_KIND_POOL, 0, page, &cell));
        PQX_TRY(pqx_flat_append(w, w->pool.data + begin, ends[page] - begin, NULL));
        PQX_TRY(pqx_flat_cell_end(w, cell));
        uint32_t length = pqx_flat_end(w) - cell;
        if (length > w->pool_hint) w->pool_hint = length < PQX_FLAT_POOL_PAGE_BYTES ? length : PQX_FLAT_POOL_PAGE_BYTES;
        places[page] = cell;
        begin = ends[page];
    }
    w->place_count += (uint32_t)(w->pool_ends.size / 4);
    return PQX_OK;
}
