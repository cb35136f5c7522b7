/* Open a packed footer: check its tail block and nothing else. */
#include <stdlib.h>

#include "packed/packed_read.h"

enum { ALL_FLAGS = 7 };

/* Add an area whose entry is at `at` of the tail block; areas of unknown kinds are passed over. */
static int add_area(pqx_index *index, const uint8_t *entry, uint32_t tail, uint32_t at,
                    pqx_error *error)
{
    uint32_t kind = pqx_load32(entry);
    pqx_packed_area_entry area = {pqx_load32(entry + 4), pqx_load32(entry + 8),
                                  pqx_load32(entry + 12)};
    if (area.directory > tail || area.cells > (tail - area.directory) / 4)
        return pqx_index_fail(index, error, PQX_BAD_CELL, at + 12, tail, area.directory);
    if (area.begin > area.directory)
        return pqx_index_fail(index, error, PQX_BAD_CELL, at + 8, area.directory, area.begin);
    uint32_t most = (area.directory - area.begin) / PQX_FLAT_PAGE_BYTES;
    if (kind == PQX_CELLS_NAMES && area.cells > most)
        return pqx_index_fail(index, error, PQX_BAD_CELL, at + 4, most, area.cells);
    pqx_packed *p = pqx_packed_of(index);
    if (kind && kind < PQX_CELLS_KINDS) p->areas[kind] = area;
    if (area.directory < p->directories) p->directories = area.directory;
    return PQX_OK;
}

/* Check that each area has the number of cells that follows from the counts. */
static int check_areas(pqx_index *index, uint32_t tail, pqx_error *error)
{
    const pqx_index_shape *s = &index->shape;
    const pqx_packed *p = pqx_packed_of(index);
    uint64_t tiles = (uint64_t)pqx_packed_parts(s->leaves, p->tile_columns) * p->tiles_below;
    const struct {
        int kind;
        uint64_t cells;
    } expected[] = {
        {PQX_CELLS_LONG_TEXTS, tiles},
        {PQX_CELLS_TEXTS, tiles},
        {PQX_CELLS_BOUNDS, tiles},
        {PQX_CELLS_PAIRS, s->key_values},
        {PQX_CELLS_LEAVES, pqx_packed_parts(s->leaves, PQX_PACKED_ELEMENTS_PER_CELL)},
        {PQX_CELLS_NODES, pqx_packed_parts(s->nodes, PQX_PACKED_ELEMENTS_PER_CELL)},
        {PQX_CELLS_ROW_GROUPS, pqx_packed_parts(s->row_groups, PQX_PACKED_ROW_GROUPS_PER_CELL)},
        {PQX_CELLS_PLACED, tiles},
        {PQX_CELLS_NAMES, pqx_index_buckets(s)},
        {PQX_CELLS_BOOKS, 1},
        {PQX_CELLS_FRAME, 1},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        uint32_t found = p->areas[expected[i].kind].cells;
        if (found != expected[i].cells)
            return pqx_index_fail(index, error, PQX_BAD_CELL, tail + 49, expected[i].cells, found);
    }
    return PQX_OK;
}

static void read_counts(pqx_index *index, const uint8_t *block)
{
    pqx_packed *p = pqx_packed_of(index);
    index->shape = (pqx_index_shape){.leaves = pqx_load32(block),
                                     .nodes = pqx_load32(block + 4),
                                     .row_groups = pqx_load32(block + 8),
                                     .key_values = pqx_load32(block + 12),
                                     .names = pqx_load32(block + 16)};
    index->arrow_schema = pqx_load32(block + 20);
    index->facts = (pqx_flat_facts){.version = (int32_t)pqx_load32(block + 24),
                                    .num_rows = (int64_t)pqx_load64(block + 28),
                                    .leaf_count = index->shape.leaves,
                                    .node_count = index->shape.nodes,
                                    .row_group_count = index->shape.row_groups,
                                    .key_value_count = index->shape.key_values,
                                    .is_lossless = 1};
    p->thrift_bytes = pqx_load32(block + 36);
    p->thrift_crc = pqx_load32(block + 40);
    p->tile_columns = pqx_load16(block + 44);
    p->tile_rows = pqx_load16(block + 46);
    index->flags = block[48];
}

static int read_tail(pqx_index *index, uint32_t tail, pqx_error *error)
{
    const uint8_t *block = index->held + (index->payload + tail - index->held_begin);
    pqx_packed *p = pqx_packed_of(index);
    const pqx_index_shape *s = &index->shape;
    p->index = index;
    p->tail = p->directories = tail;
    read_counts(index, block);
    uint32_t structs = p->tile_columns * p->tile_rows;
    if (!s->nodes) return pqx_index_fail(index, error, PQX_BAD_CELL, tail + 4, 1, 0);
    if (index->arrow_schema > s->key_values)
        return pqx_index_fail(index, error, PQX_BAD_CELL, tail + 20, s->key_values,
                              index->arrow_schema);
    p->limit = pqx_packed_limit(index->length);
    if (p->thrift_bytes > p->limit)
        return pqx_index_fail(index, error, PQX_BAD_CELL, tail + 36, p->limit, p->thrift_bytes);
    p->limit = p->thrift_bytes;
    uint64_t least = PQX_PACKED_LEAST_ROW_GROUP + PQX_PACKED_LEAST_CHUNK * (uint64_t)s->leaves;
    if (s->row_groups > p->limit / least)
        return pqx_index_fail(index, error, PQX_BAD_CELL, tail + 8, p->limit / least,
                              s->row_groups);
    if (!structs || structs > PQX_PACKED_TILE_CHUNKS)
        return pqx_index_fail(index, error, PQX_BAD_CELL, tail + 44, PQX_PACKED_TILE_CHUNKS,
                              structs);
    if (index->flags > ALL_FLAGS)
        return pqx_index_fail(index, error, PQX_BAD_CELL, tail + 48, ALL_FLAGS, index->flags);
    p->tiles_below = pqx_packed_parts(s->row_groups, p->tile_rows);
    uint64_t names = PQX_PACKED_TAIL_BYTES + block[49] * (uint64_t)PQX_PACKED_AREA_BYTES,
             listed = s->names <= PQX_FLAT_LIST_ENTRIES ? s->names : 0,
             size = names + 8 * listed + PQX_PACKED_RECORD_BYTES;
    if (size != index->length - tail)
        return pqx_index_fail(index, error, PQX_BAD_CELL, tail + 16, index->length - tail, size);
    for (uint32_t i = 0; i < block[49]; i++) {
        uint32_t at = PQX_PACKED_TAIL_BYTES + i * PQX_PACKED_AREA_BYTES;
        PQX_TRY(add_area(index, block + at, tail, tail + at, error));
    }
    index->listed = block + names;
    index->listed_place = tail + names;
    return check_areas(index, tail, error);
}

int pqx_packed_open(const pqx_source *source, uint64_t payload, uint64_t length,
                    const uint8_t *known, size_t known_size, uint64_t known_end, pqx_index **opened,
                    pqx_error *error)
{
    static const pqx_index_form form = {
        .smallest_tail = PQX_PACKED_TAIL_BYTES + PQX_PACKED_RECORD_BYTES,
        .layout_version = PQX_PACKED_LAYOUT_VERSION,
        .read_tail = read_tail,
        .load_entry = pqx_packed_load_entry,
        .load_bucket = pqx_packed_load_bucket,
        .read_chunks = pqx_packed_read_chunks,
        .read_structs = pqx_packed_read_structs,
        .read_row_groups = pqx_packed_read_row_groups,
        .load_pair = pqx_packed_load_pair,
        .read_created_by = pqx_packed_read_created_by,
        .close = pqx_packed_close,
    };
    pqx_packed *packed = (pqx_packed *)calloc(1, sizeof *packed);
    *opened = NULL;
    if (!packed) return pqx_fail(error, PQX_NO_MEMORY, 0, sizeof *packed, 0);
    packed->tile_number = packed->leaves.number = packed->nodes.number = packed->row_groups.number =
        PQX_INDEX_NOTHING;
    return pqx_index_open_as(&form, packed, source, payload, length, payload, length, known,
                             known_size, known_end, opened, error);
}
