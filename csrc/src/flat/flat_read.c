/* Cells of a flat footer: fetched, checked, and cached until the next one of their kind is needed.
 */
#include <stdlib.h>

#include "flat/flat_head.h"

#define FEW_BUCKETS 32

void pqx_flat_begin(pqx_flat *flat) { flat->allowance = 2 * (uint64_t)flat->length + 65536; }

int pqx_flat_spend(pqx_flat *flat, uint32_t place, uint32_t size, pqx_error *error)
{
    if (PQX_UNLIKELY(size > flat->allowance))
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, place, flat->length, size);
    flat->allowance -= size;
    return PQX_OK;
}

/* Read [place, place + size) of the payload into the cell's buffer, which already contains the
 * first `have` bytes. */
static int fetch(pqx_flat *flat, pqx_cell *cell, uint32_t place, uint32_t have, uint32_t size,
                 pqx_error *error)
{
    if (size > cell->capacity) {
        size_t capacity = size <= 512 ? 512 : size < 4096 ? 4096 : size;
        uint8_t *buffer = (uint8_t *)realloc(cell->buffer, capacity);
        if (!buffer) return pqx_fail(error, PQX_NO_MEMORY, 0, capacity, 0);
        cell->buffer = buffer;
        cell->capacity = capacity;
    }
    int failure = flat->source.read(flat->source.context, flat->payload + place + have, size - have,
                                    cell->buffer + have);
    if (failure)
        return pqx_flat_fail(flat, error, PQX_IO, (uint64_t)place + have, size - have,
                             (uint64_t)failure);
    flat->reads++;
    flat->fetched += size - have;
    cell->data = cell->buffer;
    return PQX_OK;
}

/* Return the cell at `place` if it is in memory (a bucket only if it is complete), or NULL if it
 * must be read. */
static const uint8_t *in_memory(const pqx_flat *flat, uint32_t place)
{
    if (place >= flat->held) return flat->bytes + (place - flat->held);
    if (flat->whole) return flat->whole + place;
    uint32_t at = place - flat->buckets;
    if (!flat->names || at % PQX_FLAT_PAGE_BYTES || at / PQX_FLAT_PAGE_BYTES >= flat->bucket_count)
        return NULL;
    return pqx_load32(flat->names + at + 4) == PQX_FLAT_PAGE_BYTES ? flat->names + at : NULL;
}

int pqx_flat_read_anew(pqx_flat *flat, uint32_t place, uint32_t size, uint8_t **bytes,
                       pqx_error *error)
{
    uint8_t *anew = (uint8_t *)malloc(size);
    if (!anew) return pqx_fail(error, PQX_NO_MEMORY, 0, size, 0);
    int failure = flat->source.read(flat->source.context, flat->payload + place, size, anew);
    if (failure) {
        free(anew);
        return pqx_flat_fail(flat, error, PQX_IO, place, size, (uint64_t)failure);
    }
    *bytes = anew;
    flat->reads++;
    flat->fetched += size;
    return PQX_OK;
}

/* A reader that serves many lookups keeps all buckets: by then it has read 1 in 32 of them. */
static int hold_names(pqx_flat *flat, pqx_error *error)
{
    uint32_t size = PQX_FLAT_PAGE_BYTES * flat->bucket_count;
    if (flat->names || flat->whole || flat->bucket_loads < FEW_BUCKETS
        || flat->bucket_loads < flat->bucket_count / 32)
        return PQX_OK;
    return pqx_flat_read_anew(flat, flat->buckets, size, &flat->names, error);
}

int pqx_flat_hold(pqx_flat *flat, pqx_error *error)
{
    return flat->whole || !flat->held
               ? PQX_OK
               : pqx_flat_read_anew(flat, 0, flat->length, &flat->whole, error);
}

/* Drop a cell and the values read from it. */
static void forget(pqx_flat *flat, pqx_cell *cell)
{
    cell->size = 0;
    if (cell == &flat->column) flat->leaf.cell = NULL;
    if (cell == &flat->node) flat->group.cell = NULL;
    if (cell == &flat->part) flat->part_list = 0;
}

static int check_place(const pqx_flat *flat, uint32_t place, pqx_error *error)
{
    if (PQX_LIKELY(place % 8 == 0 && place >= 8
                   && place <= flat->tail - PQX_FLAT_CELL_HEADER_BYTES))
        return PQX_OK;
    return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, place, flat->tail, place);
}

int pqx_flat_peek(pqx_flat *flat, pqx_cell *cell, uint32_t place, uint32_t size, pqx_cell *head,
                  pqx_error *error)
{
    forget(flat, cell);
    PQX_TRY(check_place(flat, place, error));
    if (size > flat->tail - place) size = flat->tail - place;
    const uint8_t *here = in_memory(flat, place);
    if (!here) PQX_TRY(fetch(flat, cell, place, 0, size, error));
    *head = (pqx_cell){.data = here ? here : cell->data, .place = place, .size = size};
    return PQX_OK;
}

/* Read the whole cell at `place` into memory, and check its length and checksum. */
static int load(pqx_flat *flat, pqx_cell *cell, uint32_t place, uint32_t hint, pqx_error *error)
{
    forget(flat, cell);
    PQX_TRY(check_place(flat, place, error));
    uint32_t most = flat->tail - place, have = 0;
    const uint8_t *here = in_memory(flat, place);
    if (here) {
        cell->data = here;
    } else {
        have = hint < PQX_FLAT_CELL_HEADER_BYTES ? PQX_FLAT_CELL_HEADER_BYTES
               : hint < 4096                     ? hint
                                                 : 4096;
        if (have > most) have = most;
        PQX_TRY(fetch(flat, cell, place, 0, have, error));
    }
    uint32_t size = pqx_load32(cell->data + 4);
    if (PQX_UNLIKELY(size % 8 || size < PQX_FLAT_CELL_HEADER_BYTES || size > most))
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, (uint64_t)place + 4, most, size);
    uint32_t kind = pqx_load16(cell->data + 8); /* pages are small, and a lookup may need many */
    if (kind != PQX_KIND_DIRECTORY && kind != PQX_KIND_BUCKET)
        PQX_TRY(pqx_flat_spend(flat, place, size, error));
    if (!here && size > have) PQX_TRY(fetch(flat, cell, place, have, size, error));
    uint32_t stored = pqx_load32(cell->data), crc = pqx_crc32(0, cell->data + 4, size - 4);
    if (PQX_UNLIKELY(stored != crc))
        return pqx_flat_fail(flat, error, PQX_CHECKSUM, place, stored, crc);
    cell->place = place;
    cell->size = size;
    if (PQX_UNLIKELY(flat->unseen != NULL)) memset(flat->unseen + place, 0, size);
    return PQX_OK;
}

static int check_kind(pqx_flat *flat, pqx_cell *cell, int kind, uint32_t part, uint32_t number,
                      pqx_error *error)
{
    uint32_t is_kind = pqx_load16(cell->data + 8), is_part = pqx_load16(cell->data + 10),
             is_number = pqx_load32(cell->data + 12);
    if (part > 65535) part = 65535;
    if (PQX_LIKELY(is_kind == (uint32_t)kind && (is_part == part || kind != PQX_KIND_COLUMN)
                   && is_number == number))
        return PQX_OK;
    uint64_t place = cell->place;
    forget(flat, cell);
    if (is_kind != (uint32_t)kind)
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, place + 8, (uint64_t)kind, is_kind);
    if (is_part != part && kind == PQX_KIND_COLUMN)
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, place + 10, part, is_part);
    return pqx_flat_fail(flat, error, PQX_BAD_CELL, place + 12, number, is_number);
}

int pqx_flat_load(pqx_flat *flat, pqx_cell *cell, uint32_t place, uint32_t hint, int kind,
                  uint32_t part, uint32_t number, pqx_error *error)
{
    if (!cell->size || cell->place != place) PQX_TRY(load(flat, cell, place, hint, error));
    return check_kind(flat, cell, kind, part, number, error);
}

int pqx_flat_load_page(pqx_flat *flat, pqx_cell *cell, uint32_t first, uint32_t index, int kind,
                       uint32_t most, uint32_t *used, pqx_error *error)
{
    uint32_t place = first + PQX_FLAT_PAGE_BYTES * index;
    int is_far = kind == PQX_KIND_BUCKET && place < flat->held && cell->place != place;
    if (is_far) PQX_TRY(hold_names(flat, error));
    PQX_TRY(pqx_flat_load(flat, cell, place, PQX_FLAT_PAGE_BYTES, kind, 0, index, error));
    flat->bucket_loads += (uint32_t)is_far;
    if (PQX_UNLIKELY(cell->size != PQX_FLAT_PAGE_BYTES)) {
        uint32_t size = cell->size;
        cell->size = 0;
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, (uint64_t)place + 4, PQX_FLAT_PAGE_BYTES,
                             size);
    }
    *used = pqx_load16(cell->data + 10);
    if (PQX_UNLIKELY(*used > most))
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, (uint64_t)place + 10, most, *used);
    return PQX_OK;
}

int pqx_flat_place(pqx_flat *flat, uint32_t index, uint32_t *place, pqx_error *error)
{
    uint32_t page = index / PQX_FLAT_DIRECTORY_ENTRIES, entry = index % PQX_FLAT_DIRECTORY_ENTRIES,
             used;
    PQX_TRY(pqx_flat_load_page(flat, &flat->directory_page, flat->directory, page,
                               PQX_KIND_DIRECTORY, PQX_FLAT_DIRECTORY_ENTRIES, &used, error));
    if (PQX_UNLIKELY(entry >= used))
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, (uint64_t)flat->directory_page.place + 10,
                             entry + 1, used);
    *place = pqx_load32(flat->directory_page.data + PQX_FLAT_CELL_HEADER_BYTES + 4 * entry);
    return PQX_OK;
}

static int check_size(const pqx_flat *flat, pqx_cell *cell, uint64_t needed, pqx_error *error)
{
    if (PQX_LIKELY(cell->size >= needed)) return PQX_OK;
    return pqx_flat_fail(flat, error, PQX_BAD_VALUE, (uint64_t)cell->place + 4, needed, cell->size);
}

static int check_word(const pqx_flat *flat, const pqx_cell *cell, uint32_t at, uint32_t expected,
                      pqx_error *error)
{
    uint32_t found = pqx_load32(cell->data + at);
    if (PQX_LIKELY(found == expected)) return PQX_OK;
    return pqx_flat_fail(flat, error, PQX_BAD_VALUE, (uint64_t)cell->place + at, expected, found);
}

int pqx_flat_check_list(const pqx_flat *flat, pqx_cell *cell, uint32_t first, uint32_t count,
                        pqx_error *error)
{
    int status = check_size(flat, cell, PQX_FLAT_LIST, error);
    if (status == PQX_OK) status = check_word(flat, cell, 16, first, error);
    if (status == PQX_OK) status = check_word(flat, cell, 20, count, error);
    if (status == PQX_OK)
        status = check_size(flat, cell, PQX_FLAT_LIST + 4 * (uint64_t)count, error);
    if (status != PQX_OK) cell->size = 0;
    return status;
}

/* Read the cell at `place` unless it is cached for either kind; *cell is then its cache slot. */
static int load_either(pqx_flat *flat, uint32_t place, pqx_cell **found, pqx_error *error)
{
    pqx_cell *cell = flat->node.size && flat->node.place == place ? &flat->node : &flat->column;
    *found = cell;
    if (cell->size && cell->place == place) return PQX_OK;
    cell = &flat->candidate;
    PQX_TRY(load(flat, cell, place, flat->column_hint, error));
    int kind = pqx_load16(cell->data + 8) == PQX_KIND_NODE ? PQX_KIND_NODE : PQX_KIND_COLUMN;
    PQX_TRY(check_kind(flat, cell, kind, 0, pqx_load32(cell->data + 12), error));
    *found = kind == PQX_KIND_NODE ? &flat->node : &flat->column;
    pqx_cell swap = **found;
    **found = *cell;
    *cell = swap;
    cell->size = 0;
    *(kind == PQX_KIND_NODE ? &flat->group.cell : &flat->leaf.cell) = NULL;
    return PQX_OK;
}

int pqx_flat_load_named(pqx_flat *flat, uint32_t word, const pqx_head **head, pqx_error *error)
{
    uint32_t which = word % 8, leaves = flat->facts.leaf_count;
    pqx_cell *cell;
    PQX_TRY(load_either(flat, word - which, &cell, error));
    int is_node = cell == &flat->node;
    uint32_t number = pqx_load32(cell->data + 12),
             cells = is_node ? flat->facts.node_count : flat->column_cells;
    if (PQX_UNLIKELY(number >= cells))
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, (uint64_t)cell->place + 12, cells, number);
    uint32_t first = is_node ? number : number * flat->cell_leaves, left = leaves - first;
    uint32_t here = is_node                    ? 1
                    : left < flat->cell_leaves ? left
                                               : flat->cell_leaves,
             id = first + which;
    if (PQX_UNLIKELY(which >= here))
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, (uint64_t)cell->place + 12, here, which);
    if (is_node) id |= PQX_FLAT_GROUP;
    *head = is_node ? &flat->group : &flat->leaf;
    return (*head)->cell && (*head)->id == id ? PQX_OK
                                              : pqx_flat_read_head(flat, cell, id, which, error);
}

int pqx_flat_load_id(pqx_flat *flat, uint32_t id, const pqx_head **head, pqx_error *error)
{
    int is_node = (id & PQX_FLAT_GROUP) != 0, kind = is_node ? PQX_KIND_NODE : PQX_KIND_COLUMN;
    uint32_t number = id & ~PQX_FLAT_GROUP,
             count = is_node ? flat->facts.node_count : flat->facts.leaf_count, place;
    *head = is_node ? &flat->group : &flat->leaf;
    if (number >= count) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, count, number);
    if ((*head)->cell && (*head)->id == id) return PQX_OK;
    pqx_cell *cell = is_node ? &flat->node : &flat->column;
    uint32_t at = is_node ? number : pqx_flat_cell_of(flat, number);
    if (!cell->size || pqx_load16(cell->data + 8) != kind || pqx_load32(cell->data + 12) != at) {
        PQX_TRY(pqx_flat_place(flat, (is_node ? flat->column_cells : 0) + at, &place, error));
        PQX_TRY(pqx_flat_load(flat, cell, place, flat->column_hint, kind, 0, at, error));
    }
    return pqx_flat_read_head(flat, cell, id, is_node ? 0 : number - at * flat->cell_leaves, error);
}

int pqx_flat_check_part(const pqx_flat *flat, pqx_cell *cell, uint32_t part, pqx_error *error)
{
    PQX_TRY(check_size(flat, cell, PQX_FLAT_PART_TABLES, error));
    return check_word(flat, cell, 16, part, error);
}

int pqx_flat_inside(const pqx_flat *flat, const pqx_cell *cell, uint32_t words, uint32_t at,
                    uint32_t length, pqx_error *error)
{
    if (PQX_LIKELY(at <= cell->size && length <= cell->size - at)) return PQX_OK;
    return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, (uint64_t)cell->place + words, cell->size,
                         at);
}
