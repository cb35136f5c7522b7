/* Write cells of the flat footer, its directory and its tail block. */
#include "flat/flat_write.h"

int pqx_flat_cell_begin(pqx_flat_writer *w, int kind, uint32_t part, uint32_t number,
                        uint32_t *cell)
{
    PQX_TRY(pqx_flat_pad(w, 8));
    PQX_TRY(pqx_flat_zeros(w, PQX_FLAT_CELL_HEADER_BYTES, cell));
    uint8_t *header = pqx_flat_at(w, *cell);
    pqx_store16(header + 8, (uint16_t)kind);
    pqx_store16(header + 10, (uint16_t)(part < 65535 ? part : 65535));
    pqx_store32(header + 12, number);
    return pqx_buffer_append(&w->cells, cell, sizeof *cell, w->error);
}

int pqx_flat_cell_end(pqx_flat_writer *w, uint32_t cell)
{
    PQX_TRY(pqx_flat_pad(w, 8));
    pqx_store32(pqx_flat_at(w, cell) + 4, pqx_flat_end(w) - cell);
    return PQX_OK;
}

int pqx_flat_pages(pqx_flat_writer *w, int kind, uint32_t count, uint32_t *first)
{
    PQX_TRY(pqx_flat_pad(w, 8));
    *first = pqx_flat_end(w);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cell;
        PQX_TRY(pqx_flat_cell_begin(w, kind, 0, i, &cell));
        PQX_TRY(pqx_flat_zeros(w, PQX_FLAT_PAGE_BYTES - PQX_FLAT_CELL_HEADER_BYTES, NULL));
        PQX_TRY(pqx_flat_cell_end(w, cell));
    }
    return PQX_OK;
}

void pqx_flat_sign_cells(pqx_flat_writer *w)
{
    const uint32_t *cells = (const uint32_t *)(const void *)w->cells.data;
    for (size_t i = 0; i < w->cells.size / sizeof *cells; i++) {
        uint8_t *cell = pqx_flat_at(w, cells[i]);
        pqx_store32(cell, pqx_crc32(0, cell + 4, pqx_load32(cell + 4) - 4));
    }
}

int pqx_flat_reserve_directory(pqx_flat_writer *w)
{
    uint32_t pages = (w->place_count + PQX_FLAT_DIRECTORY_ENTRIES - 1) / PQX_FLAT_DIRECTORY_ENTRIES;
    return pqx_flat_pages(w, PQX_KIND_DIRECTORY, pages, &w->directory);
}

void pqx_flat_fill_directory(pqx_flat_writer *w)
{
    for (uint32_t first = 0, page = 0; first < w->place_count;
         first += PQX_FLAT_DIRECTORY_ENTRIES, page++) {
        uint32_t left = w->place_count - first;
        uint32_t used = left < PQX_FLAT_DIRECTORY_ENTRIES ? left : PQX_FLAT_DIRECTORY_ENTRIES;
        uint8_t *cell = pqx_flat_at(w, w->directory + PQX_FLAT_PAGE_BYTES * page);
        pqx_store16(cell + 10, (uint16_t)used);
        memcpy(cell + PQX_FLAT_CELL_HEADER_BYTES, w->places + first, 4 * (size_t)used);
    }
}

static void store_counts(pqx_flat_writer *w, uint8_t *tail, uint32_t flags)
{
    const pqx_scan *scan = w->scan;
    uint32_t groups = scan->row_group_count,
             parts = groups / PQX_FLAT_PART_ROW_GROUPS + (groups % PQX_FLAT_PART_ROW_GROUPS != 0);
    const uint32_t words[] = {scan->leaf_count,
                              w->node_count,
                              groups,
                              scan->key_value_count,
                              (uint32_t)(w->pool_ends.size / 4),
                              parts,
                              flags,
                              (uint32_t)scan->version};
    memcpy(tail, words, sizeof words);
    pqx_store64(tail + 32, (uint64_t)scan->num_rows);
    const uint32_t more[] = {w->directory,
                             w->buckets,
                             w->bucket_count,
                             w->column_hint,
                             w->pool_hint,
                             (uint32_t)w->vtables.size,
                             (uint32_t)(w->listed.size / 8),
                             w->extensions_cell};
    memcpy(tail + 40, more, sizeof more);
}

/* Write the values of the first row groups, array by array. */
static int put_row_groups(pqx_flat_writer *w)
{
    const pqx_row_group *groups = w->scan->row_groups;
    uint32_t all = w->scan->row_group_count,
             count = all < PQX_FLAT_PART_ROW_GROUPS ? all : PQX_FLAT_PART_ROW_GROUPS, at;
    PQX_TRY(pqx_flat_zeros(w, PQX_FLAT_TAIL_GROUP_BYTES * (size_t)count, &at));
    uint8_t *facts = pqx_flat_at(w, at);
    for (uint32_t i = 0; i < count; i++) {
        const pqx_row_group *group = &groups[i];
        const int64_t numbers[4] = {group->num_rows, group->total_byte_size, group->file_offset,
                                    group->total_compressed_size};
        for (uint32_t j = 0; j < 4; j++)
            pqx_store64(facts + 8 * (j * count + i), (uint64_t)numbers[j]);
        pqx_store16(facts + 32 * count + 2 * i, (uint16_t)group->ordinal);
    }
    return PQX_OK;
}

int pqx_flat_write_tail(pqx_flat_writer *w, uint32_t flags)
{
    static const uint8_t uuid[16] = PQX_UUID_FLAT_FOOTER;
    uint32_t tail, record;
    PQX_TRY(pqx_flat_pad(w, 8));
    PQX_TRY(pqx_flat_zeros(w, PQX_FLAT_TAIL_BYTES, &tail));
    store_counts(w, pqx_flat_at(w, tail), flags);
    PQX_TRY(put_row_groups(w));
    uint32_t area;
    PQX_TRY(pqx_flat_append(w, w->vtables.data, w->vtables.size, &area));
    pqx_flat_place_vtables(w, area);
    PQX_TRY(pqx_flat_pad(w, 4));
    PQX_TRY(pqx_flat_append(w, w->listed.data, w->listed.size, NULL));
    PQX_TRY(pqx_flat_pad(w, 8));
    PQX_TRY(pqx_flat_append(w, uuid, sizeof uuid, &record));
    PQX_TRY(pqx_flat_zeros(w, PQX_FLAT_RECORD_BYTES - sizeof uuid, NULL));
    uint32_t end = pqx_flat_end(w);
    uint8_t *words = pqx_flat_at(w, record + sizeof uuid);
    pqx_store32(words, PQX_FLAT_LAYOUT_VERSION);
    pqx_store32(words + 4, end);
    pqx_store32(words + 8, end - tail);
    pqx_store32(words + 12, pqx_crc32(0, pqx_flat_at(w, tail), end - tail - 4));
    return PQX_OK;
}
