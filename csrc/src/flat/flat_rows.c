/* Read row groups, key-values and created_by of a flat footer. */
#include <stdlib.h>

#include "flat/flat_read.h"

#define ROW_GROUPS_HINT 4096
#define TEXT_HINT 4096
#define KEY_HINT 64 /* a cell's header, the table of a pair, and a key of 12 bytes */

int pqx_flat_row_group_view(pqx_flat *flat, uint32_t row_group, pqx_view *view, pqx_error *error)
{
    uint32_t part = row_group / PQX_FLAT_PART_ROW_GROUPS,
             left = flat->facts.row_group_count - part * PQX_FLAT_PART_ROW_GROUPS, place;
    uint32_t count = left < PQX_FLAT_PART_ROW_GROUPS ? left : PQX_FLAT_PART_ROW_GROUPS;
    pqx_cell *cell = &flat->row_groups;
    if (!cell->size || pqx_load32(cell->data + 12) != part) {
        PQX_TRY(pqx_flat_place(flat, flat->column_cells + flat->facts.node_count + part, &place,
                               error));
        PQX_TRY(
            pqx_flat_load(flat, cell, place, ROW_GROUPS_HINT, PQX_KIND_ROW_GROUPS, 0, part, error));
        PQX_TRY(pqx_flat_check_list(flat, cell, part * PQX_FLAT_PART_ROW_GROUPS, count, error));
    }
    uint32_t at =
        pqx_load32(cell->data + PQX_FLAT_LIST + 4 * (row_group % PQX_FLAT_PART_ROW_GROUPS));
    return pqx_flat_view(flat, cell, at, PQX_FLAT_ROW_GROUP, view, error);
}

/* Return a 64-bit field, or the default if it is absent. */
static int64_t field64(const pqx_view *view, uint32_t slot, int64_t absent)
{
    const uint8_t *field = pqx_flat_find(view, slot);
    return field ? (int64_t)pqx_load64(field) : absent;
}

/* Reserve room for the row counts that are not in the tail block: every column needs them, and
 * their cells are loaded once. */
static int reserve_late_rows(pqx_flat *flat, pqx_error *error)
{
    size_t count = flat->facts.row_group_count - PQX_FLAT_PART_ROW_GROUPS;
    flat->late_rows = (int64_t *)malloc(count * sizeof *flat->late_rows);
    if (!flat->late_rows)
        return pqx_fail(error, PQX_NO_MEMORY, 0, count * sizeof *flat->late_rows, 0);
    for (size_t i = 0; i < count; i++) flat->late_rows[i] = INT64_MIN;
    return PQX_OK;
}

int pqx_flat_num_rows(pqx_flat *flat, uint32_t row_group, int64_t *num_rows, pqx_error *error)
{
    pqx_view view;
    if (row_group < PQX_FLAT_PART_ROW_GROUPS) {
        *num_rows = (int64_t)pqx_load64(flat->groups + 8 * row_group);
        return PQX_OK;
    }
    if (!flat->late_rows) PQX_TRY(reserve_late_rows(flat, error));
    int64_t *known = &flat->late_rows[row_group - PQX_FLAT_PART_ROW_GROUPS];
    if (*known == INT64_MIN) {
        PQX_TRY(pqx_flat_row_group_view(flat, row_group, &view, error));
        *known = field64(&view, 2, 0);
    }
    *num_rows = *known;
    return PQX_OK;
}

int pqx_flat_read_group_table(pqx_flat *flat, uint32_t index, pqx_row_group *group,
                              pqx_error *error)
{
    pqx_view view;
    PQX_TRY(pqx_flat_row_group_view(flat, index, &view, error));
    const uint8_t *ordinal = pqx_flat_find(&view, 6);
    *group = (pqx_row_group){
        .num_rows = field64(&view, 2, 0),
        .total_byte_size = field64(&view, 1, 0),
        .file_offset = field64(&view, 4, -1),
        .total_compressed_size = field64(&view, 5, -1),
        .ordinal = ordinal ? (int16_t)pqx_load16(ordinal) : -1,
        .chunk_count = flat->facts.leaf_count,
    };
    return PQX_OK;
}

int pqx_flat_read_row_group(pqx_flat *flat, uint32_t index, pqx_row_group *group, pqx_error *error)
{
    uint32_t count = flat->group_count;
    if (index >= count) return pqx_flat_read_group_table(flat, index, group, error);
    int64_t numbers[4];
    for (uint32_t i = 0; i < 4; i++)
        numbers[i] = (int64_t)pqx_load64(flat->groups + 8 * (i * count + index));
    *group = (pqx_row_group){
        .num_rows = numbers[0],
        .total_byte_size = numbers[1],
        .file_offset = numbers[2],
        .total_compressed_size = numbers[3],
        .ordinal = (int16_t)pqx_load16(flat->groups + 32 * count + 2 * index),
        .chunk_count = flat->facts.leaf_count,
    };
    return PQX_OK;
}

int pqx_flat_get_row_groups(pqx_flat *flat, uint32_t first, uint32_t count,
                            pqx_row_group *row_groups, pqx_error *error)
{
    PQX_TRY(pqx_check_part(first, count, flat->facts.row_group_count, error));
    pqx_flat_begin(flat);
    for (uint32_t i = 0; i < count; i++)
        PQX_TRY(pqx_flat_read_row_group(flat, first + i, &row_groups[i], error));
    return PQX_OK;
}

int pqx_flat_get_sorting_columns(pqx_flat *flat, uint32_t row_group, pqx_sorting_column *columns,
                                 size_t capacity, size_t *count, pqx_error *error)
{
    pqx_view view, column;
    uint32_t vector;
    *count = 0;
    if (row_group >= flat->facts.row_group_count)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, flat->facts.row_group_count, row_group);
    pqx_flat_begin(flat);
    PQX_TRY(pqx_flat_row_group_view(flat, row_group, &view, error));
    PQX_TRY(pqx_flat_follow(flat, &view, 3, &vector, error));
    if (!vector) return PQX_OK;
    const pqx_cell *cell = view.cell;
    uint32_t length = pqx_load32(cell->data + vector);
    if (length > (cell->size - vector - 4) / 4)
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, (uint64_t)cell->place + vector,
                             cell->size, length);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t entry = vector + 4 + 4 * i, offset = pqx_load32(cell->data + entry);
        if (!offset || offset > cell->size - 4 - entry)
            return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, (uint64_t)cell->place + entry,
                                 cell->size, (uint64_t)entry + offset);
        PQX_TRY(pqx_flat_view(flat, cell, entry + offset, PQX_FLAT_SORTING_COLUMN, &column, error));
        const uint8_t *index = pqx_flat_find(&column, 0), *descending = pqx_flat_find(&column, 1),
                      *nulls_first = pqx_flat_find(&column, 2);
        if (i < capacity)
            columns[i] =
                (pqx_sorting_column){index ? (int32_t)pqx_load32(index) : 0,
                                     descending && *descending, nulls_first && *nulls_first};
    }
    *count = length;
    return PQX_OK;
}

static int key_value_place(pqx_flat *flat, uint32_t index, uint32_t *place, pqx_error *error)
{
    uint32_t first = flat->column_cells + flat->facts.node_count + flat->row_group_cells;
    return pqx_flat_place(flat, first + index, place, error);
}

int pqx_flat_is_arrow_schema(pqx_flat *flat, uint32_t index, int *answer, pqx_error *error)
{
    static const char arrow[] = "ARROW:schema";
    pqx_cell head;
    pqx_view view;
    pqx_bytes key;
    uint32_t place;
    PQX_TRY(key_value_place(flat, index, &place, error));
    PQX_TRY(pqx_flat_peek(flat, &flat->text, place, KEY_HINT, &head, error));
    *answer =
        head.size > PQX_FLAT_CELL_HEADER_BYTES + 4
        && pqx_flat_view(flat, &head, PQX_FLAT_CELL_HEADER_BYTES, PQX_FLAT_KEY_VALUE, &view, NULL)
               == PQX_OK
        && pqx_flat_blob(flat, &view, 0, &key, NULL) == PQX_OK && key.size == sizeof arrow - 1
        && memcmp(key.data, arrow, key.size) == 0;
    return PQX_OK;
}

int pqx_flat_read_key_value(pqx_flat *flat, uint32_t index, pqx_bytes *key, pqx_bytes *value,
                            pqx_error *error)
{
    pqx_view view;
    uint32_t place;
    PQX_TRY(key_value_place(flat, index, &place, error));
    PQX_TRY(
        pqx_flat_load(flat, &flat->text, place, TEXT_HINT, PQX_KIND_KEY_VALUE, 0, index, error));
    PQX_TRY(pqx_flat_view(flat, &flat->text, PQX_FLAT_CELL_HEADER_BYTES, PQX_FLAT_KEY_VALUE, &view,
                          error));
    PQX_TRY(pqx_flat_blob(flat, &view, 0, key, error));
    return pqx_flat_blob(flat, &view, 1, value, error);
}

int pqx_flat_get_key_value(pqx_flat *flat, uint32_t index, pqx_bytes *key, pqx_bytes *value,
                           pqx_error *error)
{
    uint32_t count = flat->facts.key_value_count;
    if (index >= count) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, count, index);
    pqx_flat_begin(flat);
    return pqx_flat_read_key_value(flat, index, key, value, error);
}

int pqx_flat_load_root(pqx_flat *flat, pqx_error *error)
{
    uint32_t place;
    pqx_flat_begin(flat);
    PQX_TRY(pqx_flat_place(flat, flat->place_count - flat->pool_pages - 1, &place, error));
    return pqx_flat_load(flat, &flat->text, place, 256, PQX_KIND_ROOT, 0, 0, error);
}

int pqx_flat_get_created_by(pqx_flat *flat, pqx_bytes *created_by, int *present, pqx_error *error)
{
    *created_by = (pqx_bytes){0};
    *present = flat->flags & PQX_FLAT_HAS_CREATED_BY;
    if (!*present) return PQX_OK;
    PQX_TRY(pqx_flat_load_root(flat, error));
    return pqx_flat_blob_at(flat, &flat->text, PQX_FLAT_CREATED_BY, created_by, error);
}
