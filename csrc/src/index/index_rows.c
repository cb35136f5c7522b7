/* Read row groups, key-values and created_by through a footer index. */
#include "index/index_read.h"

int pqx_index_decode_row_group(pqx_scanning *s, const uint8_t *own, size_t size, size_t before,
                               pqx_row_group *group)
{
    int32_t id = 0;
    int has_num_rows = 0, ignored = 0;
    s->cursor = (pqx_cursor){own, size, 0, NULL};
    *group = PQX_EMPTY_ROW_GROUP;
    for (;;) {
        int type = 0;
        PQX_TRY(pqx_read_field(&s->cursor, &id, &type));
        if (type == 0) return s->cursor.at == size && has_num_rows ? PQX_OK : PQX_NOT_A_STRUCT;
        if (id != PQX_ROW_GROUP_COLUMNS)
            PQX_TRY(pqx_scan_row_group_field(s, id, type, group, &ignored, &has_num_rows));
        else if (s->cursor.at != before)
            PQX_TRY(pqx_skip_field(&s->cursor, type, PQX_IN_ROW_GROUP));
    }
}

/* Load the ROW_GROUPS cell that contains row group `number`, and find its entry. */
static int load_cell(pqx_index *index, uint32_t number, uint64_t *place, const uint8_t **entry,
                     pqx_error *error)
{
    const pqx_index_shape *s = &index->shape;
    uint32_t part = number / PQX_FLAT_PART_ROW_GROUPS, size = pqx_index_row_group_bytes(s);
    uint64_t cell =
        index->areas.row_groups + part * (4 + PQX_FLAT_PART_ROW_GROUPS * (uint64_t)size);
    if (index->row_group_part != part) {
        index->row_group_part = PQX_INDEX_NOTHING;
        PQX_TRY(pqx_index_load(index, cell,
                               4 + pqx_index_groups(s->row_groups, part) * (size_t)size,
                               &index->row_groups, error));
        index->row_group_part = part;
    }
    uint32_t at = 4 + number % PQX_FLAT_PART_ROW_GROUPS * size;
    *place = cell + at;
    *entry = index->row_groups.data + at;
    return PQX_OK;
}

/* Read the entry's four offsets. None may be below the previous one or below *end, that of the
 * preceding row group. */
static int read_offsets(const pqx_index *index, const uint8_t *entry, uint64_t place, uint64_t *end,
                        pqx_range ranges[2], pqx_error *error)
{
    uint32_t o = index->shape.offset_bytes, offsets[4];
    for (uint32_t i = 0; i < 4; i++) {
        offsets[i] = pqx_index_number(entry + 4 + i * o, o);
        if (offsets[i] < *end || offsets[i] > index->limit)
            return pqx_index_fail(index, error, PQX_BAD_OFFSET, place + 4 + i * o, index->limit,
                                  offsets[i]);
        *end = offsets[i];
    }
    ranges[0] = (pqx_range){offsets[0], offsets[1] - offsets[0]};
    ranges[1] = (pqx_range){offsets[2], offsets[3] - offsets[2]};
    return PQX_OK;
}

/* Read the row groups of one cell; their bytes are read together into index->own. */
static int read_some(pqx_index *index, uint32_t first, uint32_t count, uint64_t *end,
                     pqx_row_group *groups, pqx_error *error)
{
    pqx_range ranges[2 * PQX_FLAT_PART_ROW_GROUPS] = {0};
    uint32_t checksums[PQX_FLAT_PART_ROW_GROUPS];
    uint64_t place, start = 0;
    const uint8_t *entry;
    for (uint32_t i = 0; i < count; i++) {
        PQX_TRY(load_cell(index, first + i, &place, &entry, error));
        if (!i) start = place;
        checksums[i] = pqx_load32(entry);
        PQX_TRY(read_offsets(index, entry, place, end, ranges + 2 * i, error));
    }
    index->own.size = 0;
    PQX_TRY(pqx_index_gather(index, start, ranges, 2 * count, &index->own, error));
    const uint8_t *own = index->own.data;
    for (uint32_t i = 0; i < count; i++) {
        const pqx_range *range = ranges + 2 * i;
        size_t size = (size_t)range[0].length + range[1].length;
        PQX_TRY(pqx_index_check_thrift(index, checksums[i], own, size, range[0].offset, error));
        if (pqx_index_decode_row_group(&index->scanning, own, size, range[0].length, &groups[i])
            != PQX_OK)
            return pqx_index_not_whole(index, range[0].offset, size, error);
        groups[i].chunk_count = index->shape.leaves;
        own += size;
    }
    return PQX_OK;
}

int pqx_index_read_row_groups(pqx_index *index, uint32_t first, uint32_t count,
                              pqx_row_group *groups, pqx_error *error)
{ return index->form->read_row_groups(index, first, count, groups, error); }

int pqx_index_load_row_groups(pqx_index *index, uint32_t first, uint32_t count,
                              pqx_row_group *groups, pqx_error *error)
{
    uint64_t end = 0;
    for (uint32_t done = 0; done < count;) {
        uint32_t left = PQX_FLAT_PART_ROW_GROUPS - (first + done) % PQX_FLAT_PART_ROW_GROUPS,
                 some = left < count - done ? left : count - done;
        PQX_TRY(read_some(index, first + done, some, &end, groups + done, error));
        done += some;
    }
    return PQX_OK;
}

int pqx_index_get_row_groups(pqx_index *index, uint32_t first, uint32_t count,
                             pqx_row_group *row_groups, pqx_error *error)
{
    PQX_TRY(pqx_check_part(first, count, index->shape.row_groups, error));
    pqx_index_begin(index);
    PQX_TRY(pqx_index_read_row_groups(index, first, count, row_groups, error));
    for (uint32_t i = 0; i < count; i++)
        row_groups[i].sorting_columns = (pqx_range){0, 0}; /* relative to bytes that are gone */
    return PQX_OK;
}

static int read_sorting_column(pqx_cursor *c, pqx_sorting_column *column)
{
    int32_t id = 0;
    *column = (pqx_sorting_column){0, 0, 0};
    for (;;) {
        int type = 0;
        PQX_TRY(pqx_read_field(c, &id, &type));
        if (type == 0) return PQX_OK;
        int is_boolean = type == PQX_TYPE_TRUE || type == PQX_TYPE_FALSE;
        if (id == PQX_SORTING_COLUMN_COLUMN_IDX && type == PQX_TYPE_I32)
            PQX_TRY(pqx_read_i32(c, &column->column));
        else if (id == PQX_SORTING_COLUMN_DESCENDING && is_boolean)
            column->descending = type == PQX_TYPE_TRUE;
        else if (id == PQX_SORTING_COLUMN_NULLS_FIRST && is_boolean)
            column->nulls_first = type == PQX_TYPE_TRUE;
        else PQX_TRY(pqx_skip_field(c, type, PQX_IN_ROW_GROUP + 2));
    }
}

int pqx_index_get_sorting_columns(pqx_index *index, uint32_t row_group, pqx_sorting_column *columns,
                                  size_t capacity, size_t *count, pqx_error *error)
{
    pqx_row_group group;
    pqx_sorting_column column;
    uint32_t listed = 0;
    *count = 0;
    if (row_group >= index->shape.row_groups)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, index->shape.row_groups, row_group);
    pqx_index_begin(index);
    PQX_TRY(pqx_index_read_row_groups(index, row_group, 1, &group, error));
    if (!group.sorting_columns.length) return PQX_OK;
    pqx_cursor c = {index->own.data, index->own.size, group.sorting_columns.offset, NULL};
    int status = pqx_read_list_of(&c, PQX_TYPE_STRUCT, PQX_IN_ROW_GROUP, &listed, NULL);
    for (uint32_t i = 0; status == PQX_OK && i < listed; i++) {
        status = read_sorting_column(&c, &column);
        if (i < capacity) columns[i] = column;
    }
    *count = listed;
    return status == PQX_OK ? PQX_OK
                            : pqx_fail(error, status, index->footer, 0,
                                       0); /* not reached: the list was walked before */
}

int pqx_index_load_pair(pqx_index *index, uint32_t number, pqx_error *error)
{
    const pqx_index_shape *s = &index->shape;
    uint32_t o = s->offset_bytes, size = pqx_index_key_value_bytes(s);
    uint64_t place = index->areas.key_values + (uint64_t)number * size;
    PQX_TRY(pqx_index_load(index, place, size, &index->text, error));
    const uint8_t *cell = index->text.data;
    pqx_range range = {pqx_index_number(cell + 8, o), pqx_index_number(cell + 8 + o, o)};
    index->pair_begin = range.offset;
    return pqx_index_read_thrift(index, place + 8, range, pqx_load32(cell + 4), &index->pair_thrift,
                                 error);
}

int pqx_index_read_pair(pqx_index *index, uint32_t number, pqx_key_value *pair, pqx_error *error)
{
    if (index->pair != number) {
        index->pair = PQX_INDEX_NOTHING;
        PQX_TRY(index->form->load_pair(index, number, error));
    }
    pqx_cursor c = {index->pair_thrift.data, index->pair_thrift.size, 0, NULL};
    if (pqx_scan_key_value(&c, pair) != PQX_OK || c.at != c.size)
        return pqx_index_not_whole(index, index->pair_begin, c.size, error);
    index->pair = number;
    return PQX_OK;
}

int pqx_index_get_key_value(pqx_index *index, uint32_t number, pqx_bytes *key, pqx_bytes *value,
                            pqx_error *error)
{
    pqx_key_value pair;
    if (number >= index->shape.key_values)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, index->shape.key_values, number);
    pqx_index_begin(index);
    PQX_TRY(pqx_index_read_pair(index, number, &pair, error));
    *key = (pqx_bytes){index->pair_thrift.data + pair.key.offset, pair.key.length};
    *value = (pqx_bytes){pair.has_value ? index->pair_thrift.data + pair.value.offset : NULL,
                         pair.value.length};
    return PQX_OK;
}

int pqx_index_read_created_by(pqx_index *index, pqx_bytes *text, pqx_error *error)
{ return index->form->read_created_by(index, text, error); }

int pqx_index_load_created_by(pqx_index *index, pqx_bytes *text, pqx_error *error)
{
    PQX_TRY(pqx_index_read_thrift(index, index->areas.tail + 36, index->created_by,
                                  index->created_by_crc, &index->created_by_text, error));
    *text = (pqx_bytes){index->created_by_text.data, index->created_by_text.size};
    return PQX_OK;
}

int pqx_index_get_created_by(pqx_index *index, pqx_bytes *text, int *present, pqx_error *error)
{
    *text = (pqx_bytes){0};
    *present = index->flags & 1;
    pqx_index_begin(index);
    return *present ? pqx_index_read_created_by(index, text, error) : PQX_OK;
}
