/* Write the ARROW:schema of a slice from the fields in a flat footer's pool. */
#include "flat/flat_residue.h"
#include "flat/flat_slice.h"

/* One top-level field, as ranges of `pieces` and `keeps`, because these buffers may move. */
typedef struct pqx_piece {
    size_t begin, end, keep, keep_end;
    uint64_t place; /* offset of its head */
    uint32_t arrow; /* of the item, in the pool */
    pqx_bytes name;
    int cut;
} pqx_piece;

static int integer_field(const pqx_flat_slicer *s, const pqx_flat_part *part, int16_t id,
                         int32_t absent)
{
    pqx_field field;
    int found;
    uint32_t raw;
    size_t next;
    const uint8_t *thrift = s->bytes.data + part->thrift;
    if (pqx_thrift_find(thrift, part->thrift_size, 0, id, PQX_MAX_DEPTH, &field, &found, NULL)
            != PQX_OK
        || !found || field.type != PQX_TYPE_I32)
        return absent;
    if (pqx_varint_get32(thrift, field.end, field.value, &raw, &next, NULL) != PQX_OK)
        return absent;
    return (int32_t)(raw >> 1 ^ (0 - (raw & 1)));
}

/* Return 1 for a group that Arrow reads as a struct. */
static int is_struct(const pqx_flat_slicer *s, const pqx_flat_part *part)
{
    pqx_field union_, member;
    int found = 0, more = 0;
    const uint8_t *thrift = s->bytes.data + part->thrift;
    if (!(part->id & PQX_FLAT_GROUP)
        || integer_field(s, part, PQX_SCHEMA_ELEMENT_REPETITION_TYPE, 0) == PQX_REPETITION_REPEATED)
        return 0;
    int converted = integer_field(s, part, PQX_SCHEMA_ELEMENT_CONVERTED_TYPE, -1);
    if (converted >= PQX_CONVERTED_MAP && converted <= PQX_CONVERTED_LIST) return 0;
    if (pqx_thrift_find(thrift, part->thrift_size, 0, PQX_SCHEMA_ELEMENT_LOGICAL_TYPE,
                        PQX_MAX_DEPTH, &union_, &found, NULL)
        != PQX_OK)
        return 0;
    if (!found || union_.type != PQX_TYPE_STRUCT) return 1;
    if (pqx_thrift_next(thrift, union_.end, union_.value, 0, PQX_MAX_DEPTH, &member, &more, NULL)
        != PQX_OK)
        return 0;
    return !more || (member.id != PQX_LOGICAL_LIST && member.id != PQX_LOGICAL_MAP);
}

static uint32_t wanted_below(const pqx_flat_slicer *s, const pqx_flat_part *part)
{
    uint32_t count = 0;
    for (uint32_t i = (uint32_t)(part - pqx_flat_parts(s)); i < part->end; i++)
        count += !(pqx_flat_parts(s)[i].id & PQX_FLAT_GROUP);
    return count;
}

/* Append the selection of the struct's children, then those of the children; *usable is 0 if the
 * cells are inconsistent. */
static int add_keep(pqx_flat_slicer *s, uint32_t group, int depth, pqx_buffer *keeps, int *usable)
{
    const pqx_flat_part *parts = pqx_flat_parts(s);
    int32_t children = integer_field(s, &parts[group], PQX_SCHEMA_ELEMENT_NUM_CHILDREN, 0);
    uint32_t limit = s->flat->facts.leaf_count + s->flat->facts.node_count;
    *usable = *usable && depth <= PQX_MAX_DEPTH && children > 0 && (uint32_t)children < limit;
    if (!*usable) return PQX_OK;
    size_t begin = keeps->size;
    PQX_TRY(pqx_buffer_reserve(keeps, (size_t)children, s->error));
    memset(keeps->data + begin, 0, (size_t)children);
    keeps->size += (size_t)children;
    for (uint32_t i = group + 1; i < parts[group].end;
         i = parts[i].id & PQX_FLAT_GROUP ? parts[i].end : i + 1) {
        if (parts[i].position >= (uint32_t)children) *usable = 0;
        else keeps->data[begin + parts[i].position] = 1;
    }
    for (uint32_t i = group + 1; *usable && i < parts[group].end;
         i = parts[i].id & PQX_FLAT_GROUP ? parts[i].end : i + 1) {
        if (is_struct(s, &parts[i])) PQX_TRY(add_keep(s, i, depth + 1, keeps, usable));
    }
    return PQX_OK;
}

int pqx_flat_pool_page(pqx_flat *flat, uint64_t named, uint32_t page, pqx_error *error)
{
    const pqx_cell *pool = &flat->pool;
    uint32_t place;
    if (page >= flat->pool_pages)
        return pqx_flat_fail(flat, error, PQX_BAD_VALUE, named, flat->pool_pages, page);
    if (pool->size && pqx_load32(pool->data + 12) == page) return PQX_OK;
    PQX_TRY(pqx_flat_place(flat, flat->place_count - flat->pool_pages + page, &place, error));
    return pqx_flat_load(flat, &flat->pool, place, flat->pool_hint, PQX_KIND_POOL, 0, page, error);
}

int pqx_flat_item_of(const pqx_flat *flat, const pqx_cell *pool, uint64_t named, uint32_t at,
                     pqx_bytes *item, pqx_error *error)
{
    if (at % 8 || at < PQX_FLAT_CELL_HEADER_BYTES || at > pool->size - 8)
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, named, pool->size, at);
    uint32_t size = pqx_load32(pool->data + at);
    if (size > pool->size - at - 8)
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, (uint64_t)pool->place + at, pool->size,
                             size);
    *item = (pqx_bytes){pool->data + at + 8, size};
    return PQX_OK;
}

int pqx_flat_pool_item(pqx_flat *flat, uint64_t named, uint32_t place, pqx_bytes *item,
                       pqx_error *error)
{
    uint32_t at = pqx_pool_offset(place);
    PQX_TRY(pqx_flat_pool_page(flat, named, pqx_pool_page(place), error));
    PQX_TRY(pqx_flat_item_of(flat, &flat->pool, named, at, item, error));
    return pqx_flat_spend(flat, flat->pool.place + at, (uint32_t)item->size,
                          error); /* many elements may share a long one */
}

/* Collect the top-level elements and the selections of their structs; *usable is 0 if one has no
 * field. */
static int collect(pqx_flat_slicer *s, pqx_buffer *list, pqx_buffer *keeps, int *usable)
{
    const pqx_flat_part *parts = pqx_flat_parts(s);
    for (uint32_t i = 1; *usable && i < pqx_flat_part_count(s); i++) {
        const pqx_flat_part *part = &parts[i];
        if (part->parent != 0) continue;
        *usable = part->arrow != 0;
        if (!*usable) break;
        pqx_piece piece = {
            .keep = keeps->size,
            .place = part->place,
            .arrow = part->arrow,
            .name = {s->bytes.data + part->path, part->path_size},
            .cut = is_struct(s, part) && wanted_below(s, part) < part->leaf_count,
        };
        if (piece.cut) PQX_TRY(add_keep(s, i, 0, keeps, usable));
        piece.keep_end = keeps->size;
        PQX_TRY(pqx_buffer_append(list, &piece, sizeof piece, s->error));
    }
    return PQX_OK;
}

static int add_item(pqx_flat_slicer *s, pqx_piece *piece, pqx_buffer *pieces)
{
    pqx_bytes item;
    PQX_TRY(pqx_flat_pool_item(s->flat, piece->place, piece->arrow, &item, s->error));
    piece->begin = pieces->size;
    piece->end = pieces->size + item.size;
    return pqx_buffer_append(pieces, item.data, item.size, s->error);
}

/* Add the fields' items page by page, so that each page is loaded once. */
static int add_items(pqx_flat_slicer *s, pqx_piece *all, uint32_t count, pqx_buffer *pieces)
{
    pqx_buffer room = {0};
    PQX_TRY(
        pqx_buffer_reserve(pieces, 1, s->error)); /* so that an empty buffer has an address, too */
    PQX_TRY(pqx_buffer_reserve(&room, 2 * (size_t)count * sizeof(uint32_t) + 1, s->error));
    uint32_t *pages = (uint32_t *)(void *)room.data, *order = pages + count;
    for (uint32_t i = 0; i < count; i++) pages[i] = pqx_pool_page(all[i].arrow);
    pqx_flat_begin(s->flat);
    int status = pqx_flat_order(pages, count, order, s->error);
    for (uint32_t i = 0; status == PQX_OK && i < count; i++)
        status = add_item(s, &all[order[i]], pieces);
    pqx_buffer_free(&room);
    return status;
}

static int build(pqx_flat_slicer *s, const pqx_buffer *list, const pqx_buffer *pieces,
                 const pqx_buffer *keeps)
{
    const pqx_piece *all = (const pqx_piece *)list->data;
    uint32_t count = (uint32_t)(list->size / sizeof *all);
    pqx_buffer room = {0};
    PQX_TRY(pqx_buffer_reserve(&room, 3 * (size_t)count * sizeof(pqx_bytes) + 1, s->error));
    pqx_bytes *piece = (pqx_bytes *)(void *)room.data, *name = piece + count, *keep = name + count;
    for (uint32_t i = 0; i < count; i++) {
        piece[i] = (pqx_bytes){pieces->data + all[i].begin, all[i].end - all[i].begin};
        name[i] = all[i].name;
        keep[i] = (pqx_bytes){all[i].cut ? keeps->data + all[i].keep : NULL,
                              all[i].keep_end - all[i].keep};
    }
    int status = pqx_arrow_schema_build(piece, name, keep, count, &s->arrow_schema, NULL);
    pqx_buffer_free(&room);
    if (status == PQX_NO_MEMORY) return pqx_fail(s->error, status, 0, 0, 0);
    if (status != PQX_OK) s->arrow_schema.size = 0; /* omit a schema that Arrow does not support */
    return PQX_OK;
}

int pqx_flat_slice_arrow(pqx_flat_slicer *s)
{
    pqx_buffer list = {0}, pieces = {0}, keeps = {0};
    int usable = s->leaf_count != 0, status = collect(s, &list, &keeps, &usable);
    if (status == PQX_OK && usable)
        status = add_items(s, (pqx_piece *)list.data, (uint32_t)(list.size / sizeof(pqx_piece)),
                           &pieces);
    if (status == PQX_OK && usable) status = build(s, &list, &pieces, &keeps);
    pqx_buffer_free(&list);
    pqx_buffer_free(&pieces);
    pqx_buffer_free(&keeps);
    return status;
}
