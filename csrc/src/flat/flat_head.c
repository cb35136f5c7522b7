/* Heads of a flat footer's leaves and groups: the values of each element in a COLUMN or NODE cell.
 */
#include "flat/flat_head.h"

#define NAME 3 /* slot of SchemaElement */

/* The read position in a head, and its limit. */
typedef struct pqx_head_cursor {
    const uint8_t *data;
    uint32_t size, at;
    int ended;
} pqx_head_cursor;

static uint32_t take_varint(pqx_head_cursor *c)
{
    uint32_t value = 0;
    size_t next = 0;
    if (PQX_LIKELY(c->at < c->size && c->data[c->at] < 0x80)) return c->data[c->at++];
    if (!c->ended)
        c->ended = pqx_varint_get32(c->data, c->size, c->at, &value, &next, NULL) != PQX_OK;
    if (!c->ended) c->at = (uint32_t)next;
    return value;
}

static uint8_t take_byte(pqx_head_cursor *c)
{
    if (c->at < c->size) return c->data[c->at++];
    c->ended = 1;
    return 0;
}

/* Return the offset of the next table, `distance` words after the previous one; fails beyond the
 * cell. */
static uint64_t step(uint64_t *place, uint32_t distance, uint64_t limit, uint64_t *beyond)
{
    *place += 4 * (uint64_t)distance;
    if (PQX_UNLIKELY(*place > limit) && !*beyond) *beyond = *place;
    return *place;
}

/* Check the ranges of a head's numbers. */
static int check_head(const pqx_flat *flat, const pqx_head *head, uint32_t number, uint64_t index,
                      pqx_error *error)
{
    const pqx_flat_facts *facts = &flat->facts;
    uint64_t here = (uint64_t)head->cell->place + head->at;
    int is_node = (head->id & PQX_FLAT_GROUP) != 0;
    uint32_t parents = !is_node ? facts->node_count
                       : number ? number
                                : 1,
             elements = facts->leaf_count + facts->node_count;
    if (PQX_UNLIKELY(head->parent >= parents))
        return pqx_flat_fail(flat, error, PQX_BAD_VALUE, here, parents, head->parent);
    if (PQX_UNLIKELY(index >= elements))
        return pqx_flat_fail(flat, error, PQX_BAD_VALUE, here, elements, index);
    if (!is_node) return PQX_OK;
    if (head->first_leaf > facts->leaf_count)
        return pqx_flat_fail(flat, error, PQX_BAD_VALUE, here, facts->leaf_count, head->first_leaf);
    uint32_t left = facts->leaf_count - head->first_leaf;
    return head->leaf_count <= left
               ? PQX_OK
               : pqx_flat_fail(flat, error, PQX_BAD_VALUE, here, left, head->leaf_count);
}

/* Read the head at `at`, of leaf or node `id`; the table listed before it is at `before`. A leaf's
 * chunks are stored in `chunks`. */
static int read_head(const pqx_flat *flat, const pqx_cell *cell, uint32_t id, uint32_t at,
                     uint32_t before, pqx_head *head, uint32_t *chunks, pqx_error *error)
{
    pqx_head_cursor cursor = {cell->data, cell->size, at, 0}, *c = &cursor;
    int is_node = (id & PQX_FLAT_GROUP) != 0;
    uint32_t number = id & ~PQX_FLAT_GROUP, prefix, suffix, above = 0;
    uint64_t place = before, limit = cell->size - 4, beyond = 0, here = (uint64_t)cell->place + at;
    *head = (pqx_head){.cell = cell, .id = id, .at = at, .first_leaf = number, .leaf_count = 1};
    head->column_order = take_byte(c);
    head->max_definition = take_byte(c);
    head->max_repetition = take_byte(c);
    head->type = take_byte(c);
    head->element = (uint32_t)step(&place, take_varint(c), limit, &beyond);
    for (uint32_t i = 0; !is_node && i < flat->group_count; i++)
        chunks[i] = (uint32_t)step(&place, take_varint(c), limit, &beyond);
    uint64_t index = (uint64_t)number + take_varint(c);
    head->index = (uint32_t)index;
    head->parent = take_varint(c);
    if (head->parent) {
        head->position = take_varint(c);
        above = take_varint(c);
    } else {
        head->arrow = take_varint(c);
    }
    if (is_node) {
        head->first_leaf = take_varint(c);
        head->leaf_count = take_varint(c);
    }
    prefix = take_varint(c);
    suffix = take_varint(c);
    if (PQX_UNLIKELY(c->ended)) return pqx_flat_fail(flat, error, PQX_BAD_VALUE, here, 1, 0);
    if (PQX_UNLIKELY(beyond))
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, here, cell->size, beyond);
    PQX_TRY(check_head(flat, head, number, index, error));
    uint64_t end = (uint64_t)c->at + prefix + suffix + above;
    if (PQX_UNLIKELY(end > cell->size))
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, here, cell->size, end);
    head->prefix = (pqx_bytes){cell->data + c->at, prefix};
    head->suffix = (pqx_bytes){cell->data + c->at + prefix, suffix};
    head->above = (pqx_bytes){cell->data + c->at + prefix + suffix, above};
    head->last = (uint32_t)place;
    head->end = (uint32_t)end;
    return PQX_OK;
}

/* Find the beginning of the heads and of the tables. */
static int find_heads(const pqx_flat *flat, const pqx_cell *cell, uint32_t *at, uint32_t *tables,
                      pqx_error *error)
{
    uint64_t fixed = PQX_FLAT_TABLES_AT;
    if (pqx_load16(cell->data + 8) == PQX_KIND_COLUMN && flat->row_group_cells)
        fixed += 4 * ((uint64_t)flat->row_group_cells - 1);
    if (PQX_UNLIKELY(cell->size < fixed))
        return pqx_flat_fail(flat, error, PQX_BAD_VALUE, (uint64_t)cell->place + 4, fixed,
                             cell->size);
    *tables = (uint32_t)fixed;
    *at = pqx_load32(cell->data + PQX_FLAT_HEADS);
    if (PQX_LIKELY(*at <= cell->size)) return PQX_OK;
    return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, (uint64_t)cell->place + PQX_FLAT_HEADS,
                         cell->size, *at);
}

int pqx_flat_read_head(pqx_flat *flat, const pqx_cell *cell, uint32_t id, uint32_t step_count,
                       pqx_error *error)
{
    int is_node = (id & PQX_FLAT_GROUP) != 0;
    pqx_head *head = is_node ? &flat->group : &flat->leaf;
    uint32_t at, before;
    head->cell = NULL;
    PQX_TRY(find_heads(flat, cell, &at, &before, error));
    pqx_head read;
    for (uint32_t i = 0; i <= step_count; i++) {
        PQX_TRY(read_head(flat, cell, id - step_count + i, at, before, &read, flat->chunks, error));
        at = read.end;
        before = read.last;
    }
    PQX_TRY(pqx_flat_view(flat, cell, read.element, PQX_FLAT_SCHEMA_ELEMENT, &read.view, error));
    PQX_TRY(pqx_flat_blob(flat, &read.view, NAME, &read.name, error));
    *head = read;
    return PQX_OK;
}

int pqx_flat_heads_end(pqx_flat *flat, const pqx_cell *cell, uint32_t first, uint32_t count,
                       uint32_t *end, pqx_error *error)
{
    uint32_t before, ignored[PQX_FLAT_PART_ROW_GROUPS];
    pqx_head head;
    PQX_TRY(find_heads(flat, cell, end, &before, error));
    for (uint32_t i = 0; i < count; i++) {
        PQX_TRY(read_head(flat, cell, first + i, *end, before, &head, ignored, error));
        *end = head.end;
        before = head.last;
    }
    return PQX_OK;
}

int pqx_flat_read_list(pqx_flat *flat, const pqx_cell *cell, uint32_t count, uint32_t *end,
                       pqx_error *error)
{
    pqx_head_cursor cursor = {cell->data, cell->size, pqx_load32(cell->data + PQX_FLAT_PART_LIST),
                              0},
                    *c = &cursor;
    uint64_t place = PQX_FLAT_PART_TABLES, beyond = 0,
             here = (uint64_t)cell->place + PQX_FLAT_PART_LIST;
    if (c->at > c->size) return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, here, c->size, c->at);
    for (uint32_t i = 0; i < count; i++)
        flat->part_chunks[i] = (uint32_t)step(&place, take_varint(c), c->size - 4, &beyond);
    *end = c->at;
    if (c->ended) return pqx_flat_fail(flat, error, PQX_BAD_VALUE, here, 1, 0);
    return beyond ? pqx_flat_fail(flat, error, PQX_BAD_OFFSET, here, c->size, beyond) : PQX_OK;
}

/* Append to the joined bytes; there is room. */
static void join(pqx_flat *flat, pqx_bytes bytes)
{
    if (bytes.size) memcpy(flat->joined.data + flat->joined.size, bytes.data, bytes.size);
    flat->joined.size += bytes.size;
}

int pqx_flat_join(pqx_flat *flat, const pqx_head *head, pqx_bytes *thrift, pqx_bytes *path,
                  pqx_error *error)
{
    static const pqx_bytes nul = {(const uint8_t *)"", 1};
    flat->joined.size = 0;
    PQX_TRY(pqx_buffer_reserve(
        &flat->joined,
        head->prefix.size + head->suffix.size + head->above.size + 2 * head->name.size + 1, error));
    join(flat, head->prefix);
    join(flat, head->name);
    join(flat, head->suffix);
    size_t size = flat->joined.size;
    if (head->parent) {
        join(flat, head->above);
        join(flat, nul);
    }
    if (head->id != PQX_FLAT_GROUP) join(flat, head->name);
    *thrift = (pqx_bytes){flat->joined.data, size};
    *path = (pqx_bytes){flat->joined.data + size, flat->joined.size - size};
    return PQX_OK;
}
