/* Open a flat footer: check its tail block and nothing else. */
#include <stdlib.h>

#include "base/port.h"
#include "flat/flat_read.h"

#define SMALLEST_TAIL (PQX_FLAT_TAIL_BYTES + PQX_FLAT_RECORD_BYTES)
#define FIRST_READ 4096
#define SMALLEST_CHUNK 8 /* an entry of a vector and a table */

static int read_fd(void *context, uint64_t offset, size_t length, uint8_t *into)
{ return pqx_read_exactly((int)(intptr_t)context, offset, into, length); }

pqx_source pqx_source_fd(int fd, uint64_t size)
{ return (pqx_source){read_fd, (void *)(intptr_t)fd, size}; }

/* Make the payload's bytes from `place` on available; read them if they are not in memory. */
static int hold(pqx_flat *flat, uint32_t place, pqx_error *error)
{
    if (place >= flat->held) return PQX_OK;
    uint32_t count = flat->length - place;
    uint8_t *bytes = NULL;
    PQX_TRY(pqx_flat_read_anew(flat, place, count, &bytes, error));
    free(flat->owned);
    flat->bytes = flat->owned = bytes;
    flat->held = place;
    return PQX_OK;
}

/* Check the record at the payload's end, the tail block's range and its checksum. */
static int check_record(pqx_flat *flat, pqx_error *error)
{
    static const uint8_t uuid[16] = PQX_UUID_FLAT_FOOTER;
    uint32_t at = flat->length - PQX_FLAT_RECORD_BYTES;
    if (at < flat->held)
        PQX_TRY(hold(flat, flat->length > FIRST_READ ? flat->length - FIRST_READ : 0, error));
    const uint8_t *record = flat->bytes + (at - flat->held);
    uint32_t length = pqx_load32(record + 20), tail = pqx_load32(record + 24);
    if (length != flat->length)
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, at + 20, flat->length, length);
    if (tail % 8 || tail < SMALLEST_TAIL || tail > flat->length - 8)
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, at + 24, flat->length, tail);
    flat->tail = flat->length - tail;
    PQX_TRY(hold(flat, flat->tail, error));
    record = flat->bytes + (at - flat->held);
    uint32_t stored = pqx_load32(record + 28),
             crc = pqx_crc32(0, flat->bytes + (flat->tail - flat->held), tail - 4);
    if (stored != crc) return pqx_flat_fail(flat, error, PQX_CHECKSUM, at + 28, stored, crc);
    if (memcmp(record, uuid, sizeof uuid) != 0)
        return pqx_flat_fail(flat, error, PQX_UNKNOWN_LAYOUT, at, PQX_FLAT_LAYOUT_VERSION, 0);
    uint32_t version = pqx_load32(record + 16);
    if (version != PQX_FLAT_LAYOUT_VERSION)
        return pqx_flat_fail(flat, error, PQX_UNKNOWN_LAYOUT, at + 16, PQX_FLAT_LAYOUT_VERSION,
                             version);
    return PQX_OK;
}

/* Check `count` pages of 256 bytes from `place` on, which must be before the tail block. */
static int check_pages(const pqx_flat *flat, uint32_t place, uint64_t count, uint32_t field,
                       pqx_error *error)
{
    if (place % 8 == 0 && place <= flat->tail
        && count <= (flat->tail - place) / PQX_FLAT_PAGE_BYTES)
        return PQX_OK;
    return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, flat->tail + field, flat->tail, place);
}

static int check_counts(pqx_flat *flat, pqx_error *error)
{
    const uint8_t *tail = flat->bytes + (flat->tail - flat->held);
    pqx_flat_facts *facts = &flat->facts;
    facts->leaf_count = pqx_load32(tail);
    facts->node_count = pqx_load32(tail + 4);
    facts->row_group_count = pqx_load32(tail + 8);
    facts->key_value_count = pqx_load32(tail + 12);
    flat->pool_pages = pqx_load32(tail + 16);
    flat->row_group_cells = pqx_load32(tail + 20);
    flat->flags = pqx_load32(tail + 24);
    facts->version = (int32_t)pqx_load32(tail + 28);
    facts->num_rows = (int64_t)pqx_load64(tail + 32);
    uint32_t groups = facts->row_group_count,
             cells = groups / PQX_FLAT_PART_ROW_GROUPS + (groups % PQX_FLAT_PART_ROW_GROUPS != 0);
    facts->is_lossless = !(flat->flags & PQX_FLAT_COMPACT);
    if (!facts->node_count && !(flat->flags & PQX_FLAT_VERBATIM))
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, flat->tail + 4, 1, 0);
    if (flat->row_group_cells != cells)
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, flat->tail + 20, cells,
                             flat->row_group_cells);
    if (flat->flags > PQX_FLAT_ALL_FLAGS)
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, flat->tail + 24, PQX_FLAT_ALL_FLAGS,
                             flat->flags);
    uint32_t counted = facts->leaf_count | facts->node_count | groups | facts->key_value_count
                       | flat->pool_pages | flat->row_group_cells;
    if (flat->flags & PQX_FLAT_VERBATIM && (flat->flags > PQX_FLAT_VERBATIM || counted))
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, flat->tail + 24, PQX_FLAT_VERBATIM,
                             flat->flags);
    uint64_t smallest = (uint64_t)groups * (facts->leaf_count ? facts->leaf_count : 1);
    smallest = smallest > UINT64_MAX / SMALLEST_CHUNK ? UINT64_MAX : smallest * SMALLEST_CHUNK;
    flat->cell_leaves = pqx_flat_cell_leaves(groups);
    flat->column_cells =
        facts->leaf_count / flat->cell_leaves + (facts->leaf_count % flat->cell_leaves != 0);
    if (smallest > flat->length)
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, flat->tail + 8, flat->length, smallest);
    return PQX_OK;
}

/* Check the offsets in the tail block and the lists within it. */
static int check_places(pqx_flat *flat, pqx_error *error)
{
    const uint8_t *tail = flat->bytes + (flat->tail - flat->held);
    flat->directory = pqx_load32(tail + 40);
    flat->buckets = pqx_load32(tail + 44);
    flat->bucket_count = pqx_load32(tail + 48);
    flat->column_hint = pqx_load32(tail + 52);
    flat->pool_hint = pqx_load32(tail + 56);
    flat->vtable_bytes = pqx_load32(tail + 60);
    flat->listed_count = pqx_load32(tail + 64);
    flat->extensions_place = pqx_load32(tail + 68);
    uint32_t groups = flat->facts.row_group_count;
    if (flat->listed_count > PQX_FLAT_LIST_ENTRIES)
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, flat->tail + 64, PQX_FLAT_LIST_ENTRIES,
                             flat->listed_count);
    flat->group_count = groups < PQX_FLAT_PART_ROW_GROUPS ? groups : PQX_FLAT_PART_ROW_GROUPS;
    uint32_t counted = PQX_FLAT_TAIL_GROUP_BYTES * flat->group_count;
    uint64_t lists =
        ((uint64_t)PQX_FLAT_TAIL_BYTES + counted + flat->vtable_bytes + 3) & ~(uint64_t)3;
    uint64_t size = ((lists + 8 * flat->listed_count + 7) & ~(uint64_t)7) + PQX_FLAT_RECORD_BYTES;
    if (flat->vtable_bytes % 2 || size != flat->length - flat->tail)
        return pqx_flat_fail(flat, error, PQX_BAD_CELL, flat->tail + 60, flat->length - flat->tail,
                             size);
    flat->groups = tail + PQX_FLAT_TAIL_BYTES;
    flat->vtables = flat->tail + PQX_FLAT_TAIL_BYTES + counted;
    flat->listed = tail + lists;
    uint64_t places = (uint64_t)flat->column_cells + flat->facts.node_count + flat->row_group_cells
                      + flat->facts.key_value_count + 1 + flat->pool_pages;
    PQX_TRY(check_pages(flat, flat->directory,
                        (places + PQX_FLAT_DIRECTORY_ENTRIES - 1) / PQX_FLAT_DIRECTORY_ENTRIES, 40,
                        error));
    flat->place_count = (uint32_t)places;
    if (flat->bucket_count || flat->buckets)
        PQX_TRY(check_pages(flat, flat->buckets,
                            flat->bucket_count ? flat->bucket_count : UINT32_MAX, 44, error));
    return PQX_OK;
}

int pqx_flat_open_any(const pqx_source *source, uint64_t payload, uint64_t length,
                      const uint8_t *known, size_t known_size, uint64_t known_end,
                      pqx_flat **opened, pqx_error *error)
{
    *opened = NULL;
    if (known_end > source->size || known_size > known_end)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0,
                        known_end > source->size ? source->size : known_end, known_size);
    if (payload > source->size || length > source->size - payload || length < 8 + SMALLEST_TAIL
        || length > INT32_MAX)
        return pqx_fail(error, PQX_BAD_OFFSET, payload, source->size, length);
    uint64_t known_begin = known_end - known_size, end = payload + length;
    uint64_t held = known_end < end         ? end
                    : known_begin < payload ? payload
                    : known_begin < end     ? known_begin
                                            : end;
    size_t count = (size_t)(end - held);
    pqx_flat *flat = (pqx_flat *)malloc(sizeof *flat + count);
    if (!flat) return pqx_fail(error, PQX_NO_MEMORY, 0, sizeof *flat + count, 0);
    memset(flat, 0, sizeof *flat);
    flat->source = *source;
    flat->payload = payload;
    flat->length = (uint32_t)length;
    flat->held = (uint32_t)(held - payload);
    flat->bytes = flat->first_bytes;
    if (count) memcpy(flat->first_bytes, known + (held - known_begin), count);
    int status = check_record(flat, error);
    if (status == PQX_OK) status = check_counts(flat, error);
    if (status == PQX_OK) status = check_places(flat, error);
    if (status == PQX_OK) *opened = flat;
    else pqx_flat_close(flat);
    return status;
}

int pqx_flat_open(const pqx_source *source, uint64_t payload, uint64_t length, const uint8_t *known,
                  size_t known_size, uint64_t known_end, pqx_flat **opened, pqx_error *error)
{
    PQX_TRY(
        pqx_flat_open_any(source, payload, length, known, known_size, known_end, opened, error));
    pqx_flat *flat = *opened;
    if (PQX_LIKELY(!(flat->flags & PQX_FLAT_VERBATIM))) return PQX_OK;
    pqx_flat_fail(flat, error, PQX_VERBATIM, (uint64_t)flat->tail + 24, 0, flat->flags);
    *opened = NULL;
    pqx_flat_close(flat);
    return PQX_VERBATIM;
}

static int read_memory(void *context, uint64_t offset, size_t length, uint8_t *into)
{
    memcpy(into, (const uint8_t *)context + offset, length);
    return 0;
}

int pqx_flat_open_memory(const uint8_t *payload, size_t size, pqx_flat **opened, pqx_error *error)
{
    pqx_source source = {read_memory, (void *)(uintptr_t)payload, size};
    return pqx_flat_open_any(&source, 0, size, payload, size, size, opened, error);
}

void pqx_flat_close(pqx_flat *flat)
{
    if (!flat) return;
    pqx_cell *cells[] = {&flat->column,         &flat->node,     &flat->part,
                         &flat->row_groups,     &flat->text,     &flat->pool,
                         &flat->directory_page, &flat->bucket,   &flat->extensions,
                         &flat->extension,      &flat->candidate};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) free(cells[i]->buffer);
    pqx_buffer_free(&flat->scratch);
    pqx_buffer_free(&flat->joined);
    pqx_name_table_free(&flat->all_names);
    free(flat->late_rows);
    free(flat->names);
    free(flat->whole);
    free(flat->owned);
    free(flat);
}

void pqx_flat_get_facts(const pqx_flat *flat, pqx_flat_facts *facts) { *facts = flat->facts; }

void pqx_flat_io(const pqx_flat *flat, uint64_t *reads, uint64_t *bytes)
{
    *reads = flat->reads;
    *bytes = flat->fetched;
}
