/* Write the flat footer of a scanned Thrift footer: the payload, from front to back. */
#include "flat/flat_write.h"

#include <stdlib.h>

/* Reject footers that the flat schema cannot represent. */
static int check_scan(pqx_flat_writer *w)
{
    const pqx_scan *scan = w->scan;
    for (uint32_t i = 0; i < scan->row_group_count; i++) {
        const pqx_row_group *group = &scan->row_groups[i];
        if (group->chunk_count != scan->leaf_count)
            return pqx_fail(w->error, PQX_IRREGULAR, group->columns.offset, scan->leaf_count,
                            group->chunk_count);
    }
    if (!scan->has_column_orders) return PQX_OK;
    pqx_flat_list orders;
    PQX_TRY(pqx_flat_open_list(w, scan->column_orders.offset, &orders));
    return orders.count == scan->leaf_count
               ? PQX_OK
               : pqx_fail(w->error, PQX_MISMATCH, scan->column_orders.offset, scan->leaf_count,
                          orders.count);
}

static int reserve_array(pqx_flat_writer *w, void *pointer, size_t count, size_t bytes)
{
    void *array = malloc(count * bytes + 1);
    memcpy(pointer, &array, sizeof array);
    return array ? PQX_OK : pqx_fail(w->error, PQX_NO_MEMORY, 0, count * bytes, 0);
}

/* Classify elements as leaves or nodes, and reserve the arrays per element. */
static int number_elements(pqx_flat_writer *w)
{
    const pqx_scan *scan = w->scan;
    size_t count = scan->element_count;
    PQX_TRY(reserve_array(w, &w->leaf_of, count, sizeof *w->leaf_of));
    PQX_TRY(reserve_array(w, &w->node_of, count, sizeof *w->node_of));
    PQX_TRY(reserve_array(w, &w->position, count, sizeof *w->position));
    PQX_TRY(reserve_array(w, &w->node_element, count, sizeof *w->node_element));
    PQX_TRY(reserve_array(w, &w->arrow, count, sizeof *w->arrow));
    PQX_TRY(reserve_array(w, &w->hashes, count, sizeof *w->hashes));
    w->cell_leaves = pqx_flat_cell_leaves(scan->row_group_count);
    w->column_cells = scan->leaf_count / w->cell_leaves + (scan->leaf_count % w->cell_leaves != 0);
    memset(w->leaf_of, 0xff, count * sizeof *w->leaf_of);
    memset(w->node_of, 0xff, count * sizeof *w->node_of);
    for (uint32_t i = 0; i < scan->leaf_count; i++) w->leaf_of[scan->leaves[i]] = i;
    for (uint32_t i = 0; i < count; i++) {
        if (w->leaf_of[i] != PQX_FLAT_NONE) continue;
        w->node_element[w->node_count] = i;
        w->node_of[i] = w->node_count++;
    }
    uint32_t *children = w->arrow; /* used for counting before the pool needs it */
    memset(children, 0, count * sizeof *children);
    w->position[0] = 0;
    for (uint32_t i = 1; i < count; i++) w->position[i] = children[scan->elements[i].parent]++;
    return PQX_OK;
}

/* Write the root table and the vectors that only other readers use. */
static int write_root(pqx_flat_writer *w)
{
    const pqx_scan *scan = w->scan;
    if (scan->encrypted & 1)
        PQX_TRY(pqx_flat_find_crypto(w, 0, PQX_FILE_META_DATA_ENCRYPTION_ALGORITHM,
                                     PQX_FILE_META_DATA_FOOTER_SIGNING_KEY_METADATA, &w->crypto));
    uint32_t has_algorithm = w->crypto.member.tag != 0;
    if (scan->encrypted & 1 && !has_algorithm && !w->crypto.bytes)
        return pqx_fail(w->error, PQX_ENCRYPTED, 0, 0, scan->encrypted);
    const pqx_shape *shape;
    uint32_t first, at;
    uint32_t mask = 1u << PQX_FILE_META_DATA__VERSION | 1u << PQX_FILE_META_DATA__SCHEMA
                    | 1u << PQX_FILE_META_DATA__NUM_ROWS | 1u << PQX_FILE_META_DATA__ROW_GROUPS
                    | (uint32_t)(scan->has_key_values != 0) << PQX_FILE_META_DATA__KV
                    | (uint32_t)(scan->has_created_by != 0) << PQX_FILE_META_DATA__CREATED_BY
                    | has_algorithm << PQX_FILE_META_DATA__ENCRYPTION_ALGORITHM_TYPE
                    | has_algorithm << PQX_FILE_META_DATA__ENCRYPTION_ALGORITHM
                    | (uint32_t)(w->crypto.bytes != NULL)
                          << PQX_FILE_META_DATA__FOOTER_SIGNING_KEY_METADATA
                    | (uint32_t)(w->extension_count != 0) << PQX_FILE_META_DATA__EXTENSIONS;
    PQX_TRY(pqx_flat_zeros(w, 8, &first));
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_FILE_META_DATA, mask, &at, &shape));
    const uint16_t *field = shape->at;
    pqx_flat_link(w, first, at);
    pqx_store32(pqx_flat_at(w, at + field[PQX_FILE_META_DATA__VERSION]), (uint32_t)scan->version);
    pqx_store64(pqx_flat_at(w, at + field[PQX_FILE_META_DATA__NUM_ROWS]), (uint64_t)scan->num_rows);
    if (has_algorithm)
        pqx_flat_at(w, at)[field[PQX_FILE_META_DATA__ENCRYPTION_ALGORITHM_TYPE]] =
            w->crypto.member.tag;
    w->created_by_field = at + field[PQX_FILE_META_DATA__CREATED_BY];
    w->algorithm_field = at + field[PQX_FILE_META_DATA__ENCRYPTION_ALGORITHM];
    w->key_field = at + field[PQX_FILE_META_DATA__FOOTER_SIGNING_KEY_METADATA];
    PQX_TRY(pqx_flat_vector(w, at + field[PQX_FILE_META_DATA__SCHEMA], scan->element_count,
                            &w->schema_vector));
    PQX_TRY(pqx_flat_vector(w, at + field[PQX_FILE_META_DATA__ROW_GROUPS], scan->row_group_count,
                            &w->row_groups_vector));
    if (scan->has_key_values)
        PQX_TRY(pqx_flat_vector(w, at + field[PQX_FILE_META_DATA__KV], scan->key_value_count,
                                &w->key_values_vector));
    if (!w->extension_count) return PQX_OK;
    return pqx_flat_vector(w, at + field[PQX_FILE_META_DATA__EXTENSIONS], w->extension_count,
                           &w->extensions_vector);
}

static int put_sorting_column(pqx_flat_writer *w, size_t thrift, uint32_t *at)
{
    int64_t column = 0, descending = 0, nulls_first = 0;
    int has_column, has_descending, has_nulls_first;
    PQX_TRY(pqx_flat_find_integer(w, thrift, PQX_SORTING_COLUMN_COLUMN_IDX, PQX_TYPE_I32, &column,
                                  &has_column));
    PQX_TRY(pqx_flat_find_integer(w, thrift, PQX_SORTING_COLUMN_DESCENDING, PQX_TYPE_TRUE,
                                  &descending, &has_descending));
    PQX_TRY(pqx_flat_find_integer(w, thrift, PQX_SORTING_COLUMN_NULLS_FIRST, PQX_TYPE_TRUE,
                                  &nulls_first, &has_nulls_first));
    uint32_t mask = (uint32_t)has_column << PQX_SORTING_COLUMN__COLUMN_IDX
                    | (uint32_t)has_descending << PQX_SORTING_COLUMN__DESCENDING
                    | (uint32_t)has_nulls_first << PQX_SORTING_COLUMN__NULLS_FIRST;
    const pqx_shape *shape;
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_SORTING_COLUMN, mask, at, &shape));
    uint8_t *table = pqx_flat_at(w, *at);
    if (has_column)
        pqx_store32(table + shape->at[PQX_SORTING_COLUMN__COLUMN_IDX], (uint32_t)column);
    if (has_descending) table[shape->at[PQX_SORTING_COLUMN__DESCENDING]] = (uint8_t)descending;
    if (has_nulls_first) table[shape->at[PQX_SORTING_COLUMN__NULLS_FIRST]] = (uint8_t)nulls_first;
    return PQX_OK;
}

static int put_sorting_columns(pqx_flat_writer *w, const pqx_row_group *group, uint32_t field)
{
    pqx_flat_list list;
    uint32_t entries, table;
    PQX_TRY(pqx_flat_open_list(w, group->sorting_columns.offset, &list));
    if (list.count && list.type != PQX_TYPE_STRUCT)
        return pqx_fail(w->error, PQX_FIELD_TYPE, group->sorting_columns.offset, PQX_TYPE_STRUCT,
                        (uint64_t)list.type);
    PQX_TRY(pqx_flat_vector(w, field, list.count, &entries));
    size_t at = list.first;
    for (uint32_t i = 0; i < list.count; i++) {
        PQX_TRY(put_sorting_column(w, at, &table));
        pqx_flat_link(w, entries + 4 * i, table);
        PQX_TRY(pqx_thrift_skip(w->footer, w->footer_size, at, PQX_TYPE_STRUCT, &at, w->error));
    }
    return PQX_OK;
}

/* Write a RowGroup table; its `columns` offset refers to the vectors that follow all ROW_GROUPS
 * cells. */
static int put_row_group(pqx_flat_writer *w, uint32_t index, uint32_t *at, uint32_t *columns)
{
    const pqx_row_group *group = &w->scan->row_groups[index];
    int sorted = group->sorting_columns.length != 0;
    uint32_t mask =
        1u << PQX_ROW_GROUP__COLUMNS | 1u << PQX_ROW_GROUP__TOTAL_BYTE_SIZE
        | 1u << PQX_ROW_GROUP__NUM_ROWS | (uint32_t)sorted << PQX_ROW_GROUP__SORTING_COLUMNS
        | (uint32_t)(group->file_offset != -1) << PQX_ROW_GROUP__FILE_OFFSET
        | (uint32_t)(group->total_compressed_size != -1) << PQX_ROW_GROUP__TOTAL_COMPRESSED_SIZE
        | (uint32_t)(group->ordinal != -1) << PQX_ROW_GROUP__ORDINAL;
    const pqx_shape *shape;
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_ROW_GROUP, mask, at, &shape));
    uint8_t *table = pqx_flat_at(w, *at);
    pqx_store64(table + shape->at[PQX_ROW_GROUP__TOTAL_BYTE_SIZE],
                (uint64_t)group->total_byte_size);
    pqx_store64(table + shape->at[PQX_ROW_GROUP__NUM_ROWS], (uint64_t)group->num_rows);
    if (group->file_offset != -1)
        pqx_store64(table + shape->at[PQX_ROW_GROUP__FILE_OFFSET], (uint64_t)group->file_offset);
    if (group->total_compressed_size != -1)
        pqx_store64(table + shape->at[PQX_ROW_GROUP__TOTAL_COMPRESSED_SIZE],
                    (uint64_t)group->total_compressed_size);
    if (group->ordinal != -1)
        pqx_store16(table + shape->at[PQX_ROW_GROUP__ORDINAL], (uint16_t)group->ordinal);
    *columns = *at + shape->at[PQX_ROW_GROUP__COLUMNS];
    return sorted ? put_sorting_columns(w, group, *at + shape->at[PQX_ROW_GROUP__SORTING_COLUMNS])
                  : PQX_OK;
}

/* Write the ROW_GROUPS cells, then the `columns` vectors; `fields` collects the RowGroups' offsets
 * to these. */
static int write_row_groups(pqx_flat_writer *w, uint32_t *places, uint32_t *fields)
{
    uint32_t count = w->scan->row_group_count, stride = 4 + 4 * w->scan->leaf_count;
    for (uint32_t first = 0, part = 0; first < count; first += PQX_FLAT_PART_ROW_GROUPS, part++) {
        uint32_t here = count - first < PQX_FLAT_PART_ROW_GROUPS ? count - first
                                                                 : PQX_FLAT_PART_ROW_GROUPS,
                 cell, fixed, table;
        PQX_TRY(pqx_flat_cell_begin(w, PQX_KIND_ROW_GROUPS, 0, part, &cell));
        PQX_TRY(pqx_flat_zeros(w, 12 + 4 * here, &fixed));
        pqx_flat_records_begin(w);
        pqx_store32(pqx_flat_at(w, fixed), first);
        pqx_store32(pqx_flat_at(w, fixed + 4), here);
        for (uint32_t i = 0; i < here; i++) {
            PQX_TRY(put_row_group(w, first + i, &table, &fields[first + i]));
            pqx_store32(pqx_flat_at(w, fixed + 12 + 4 * i), table - cell);
            pqx_flat_link(w, w->row_groups_vector + 4 * (first + i), table);
            PQX_TRY(pqx_flat_add_group_record(w, first + i));
        }
        PQX_TRY(pqx_flat_put_records(w, &table));
        pqx_store32(pqx_flat_at(w, fixed + 8), table - cell);
        PQX_TRY(pqx_flat_cell_end(w, cell));
        places[part] = cell;
    }
    w->columns_vectors = pqx_flat_end(w);
    PQX_TRY(pqx_flat_zeros(w, (size_t)stride * count, NULL));
    for (uint32_t i = 0; i < count; i++) {
        pqx_store32(pqx_flat_at(w, w->columns_vectors + stride * i), w->scan->leaf_count);
        pqx_flat_link(w, fields[i], w->columns_vectors + stride * i);
    }
    return PQX_OK;
}

/* Write the chunks of row groups [first, first + count): their tables, listed here and in the
 * columns vectors, and their records. */
static int put_chunks(pqx_flat_writer *w, uint32_t leaf, uint32_t first, uint32_t count)
{
    const pqx_scan *scan = w->scan;
    const pqx_element *element = &scan->elements[scan->leaves[leaf]];
    uint32_t stride = 4 + 4 * scan->leaf_count,
             entry = w->columns_vectors + stride * first + 4 + 4 * leaf, table;
    for (uint32_t i = 0; i < count; i++, entry += stride) {
        const pqx_row_group *group = &scan->row_groups[first + i];
        uint64_t chunk = (uint64_t)(first + i) * scan->leaf_count + leaf;
        PQX_TRY(pqx_flat_put_chunk(w, element, group, chunk, &table));
        PQX_TRY(pqx_flat_add_chunk_record(w, element, chunk));
        PQX_TRY(pqx_flat_list_table(w, table));
        pqx_flat_link(w, entry, table);
    }
    return PQX_OK;
}

static int write_part(pqx_flat_writer *w, uint32_t leaf, uint32_t part, uint32_t *cell)
{
    uint32_t first = part * PQX_FLAT_PART_ROW_GROUPS, left = w->scan->row_group_count - first,
             fixed;
    uint32_t count = left < PQX_FLAT_PART_ROW_GROUPS ? left : PQX_FLAT_PART_ROW_GROUPS;
    PQX_TRY(pqx_flat_cell_begin(w, PQX_KIND_COLUMN, part, leaf, cell));
    PQX_TRY(pqx_flat_zeros(w, PQX_FLAT_PART_TABLES - PQX_FLAT_CELL_HEADER_BYTES, &fixed));
    pqx_store32(pqx_flat_at(w, fixed), part);
    pqx_flat_heads_begin(w, pqx_flat_end(w));
    pqx_flat_records_begin(w);
    PQX_TRY(put_chunks(w, leaf, first, count));
    PQX_TRY(pqx_flat_put_heads(w, *cell, PQX_FLAT_PART_LIST));
    PQX_TRY(pqx_flat_put_records(w, NULL));
    return pqx_flat_cell_end(w, *cell);
}

/* Write a leaf of the current COLUMN cell: its element and the first row groups' chunks. */
static int put_leaf(pqx_flat_writer *w, uint32_t leaf, uint32_t row_groups)
{
    uint32_t index = w->scan->leaves[leaf];
    PQX_TRY(pqx_flat_make_path(w, index));
    w->path_list.size = 0;
    PQX_TRY(pqx_append_path_list(w->path.data, w->path.size, &w->path_list, w->error));
    PQX_TRY(pqx_flat_head_begin(w, index));
    PQX_TRY(put_chunks(w, leaf, 0, row_groups));
    PQX_TRY(pqx_flat_head_end(w, index));
    w->hashes[leaf] = pqx_flat_hash_path(w->path.data, w->path.size);
    return PQX_OK;
}

/* Write COLUMN cell `number`, and, if it has a single leaf, the leaf's further parts. */
static int write_columns(pqx_flat_writer *w, uint32_t number)
{
    uint32_t groups = w->scan->row_group_count,
             count = groups < PQX_FLAT_PART_ROW_GROUPS ? groups : PQX_FLAT_PART_ROW_GROUPS;
    uint32_t parts = groups ? (groups - 1) / PQX_FLAT_PART_ROW_GROUPS + 1 : 1, cell, part_cell;
    uint32_t first = number * w->cell_leaves, left = w->scan->leaf_count - first,
             leaves = left < w->cell_leaves ? left : w->cell_leaves;
    PQX_TRY(pqx_flat_cell_begin(w, PQX_KIND_COLUMN, 0, number, &cell));
    PQX_TRY(pqx_flat_zeros(w, PQX_FLAT_TABLES_AT - PQX_FLAT_HEADS + 4 * ((size_t)parts - 1), NULL));
    pqx_flat_heads_begin(w, pqx_flat_end(w));
    pqx_flat_records_begin(w);
    for (uint32_t leaf = first; leaf < first + leaves; leaf++) PQX_TRY(put_leaf(w, leaf, count));
    PQX_TRY(pqx_flat_put_heads(w, cell, PQX_FLAT_HEADS));
    PQX_TRY(pqx_flat_put_records(w, NULL));
    PQX_TRY(pqx_flat_cell_end(w, cell));
    uint32_t length = pqx_flat_end(w) - cell;
    if (length > w->column_hint) w->column_hint = length < 4096 ? length : 4096;
    w->places[number] = cell;
    for (uint32_t part = 1; part < parts; part++) {
        PQX_TRY(write_part(w, first, part, &part_cell));
        pqx_store32(pqx_flat_at(w, cell) + PQX_FLAT_TABLES_AT + 4 * (part - 1), part_cell);
    }
    return PQX_OK;
}

static int write_key_value(pqx_flat_writer *w, uint32_t index, uint32_t *cell)
{
    const pqx_key_value *pair = &w->scan->key_values[index];
    uint32_t table;
    PQX_TRY(pqx_flat_cell_begin(w, PQX_KIND_KEY_VALUE, 0, index, cell));
    PQX_TRY(pqx_flat_key_value(w, w->footer + pair->key.offset, pair->key.length,
                               pair->has_value ? w->footer + pair->value.offset : NULL,
                               pair->value.length, &table));
    pqx_flat_link(w, w->key_values_vector + 4 * index, table);
    return pqx_flat_cell_end(w, *cell);
}

/* Write the ROOT cell, with the targets of the root table's offsets. */
static int write_root_cell(pqx_flat_writer *w, uint32_t *cell)
{
    pqx_range text = w->scan->created_by;
    uint32_t fixed, at;
    PQX_TRY(pqx_flat_cell_begin(w, PQX_KIND_ROOT, 0, 0, cell));
    PQX_TRY(pqx_flat_zeros(w, 16, &fixed));
    if (w->scan->has_created_by)
        PQX_TRY(pqx_flat_string(w, w->created_by_field, w->footer + text.offset, text.length));
    if (w->crypto.member.tag) {
        PQX_TRY(pqx_flat_put_algorithm(w, &w->crypto.member, &at));
        pqx_flat_link(w, w->algorithm_field, at);
    }
    if (w->crypto.bytes) PQX_TRY(pqx_flat_bytes(w, w->key_field, w->crypto.bytes, w->crypto.size));
    PQX_TRY(pqx_flat_write_shared(w));
    PQX_TRY(pqx_flat_append(w, w->residue.skeleton.data, w->residue.skeleton.size, &at));
    PQX_TRY(pqx_flat_append(w, w->residue.literals.data, w->residue.literals.size, NULL));
    uint32_t words[3] = {at - *cell, (uint32_t)w->residue.skeleton.size,
                         (uint32_t)w->residue.literals.size};
    memcpy(pqx_flat_at(w, fixed), words, sizeof words);
    return pqx_flat_cell_end(w, *cell);
}

/* Write all cells in order, and collect the directory's entries in w->places. */
static int write_cells(pqx_flat_writer *w, uint32_t *row_group_fields)
{
    const pqx_scan *scan = w->scan;
    uint32_t *row_groups = w->places + w->column_cells + w->node_count;
    uint32_t parts = scan->row_group_count / PQX_FLAT_PART_ROW_GROUPS
                     + (scan->row_group_count % PQX_FLAT_PART_ROW_GROUPS != 0);
    PQX_TRY(write_row_groups(w, row_groups, row_group_fields));
    for (uint32_t i = 0; i < w->column_cells; i++) PQX_TRY(write_columns(w, i));
    uint32_t *next = row_groups + parts;
    for (uint32_t i = 0; i < scan->key_value_count; i++) PQX_TRY(write_key_value(w, i, next++));
    uint32_t root = (uint32_t)(next - w->places);
    PQX_TRY(pqx_flat_list_pool(w, root + 1));
    PQX_TRY(pqx_flat_write_extensions(w));
    PQX_TRY(pqx_flat_reserve_names(w));
    PQX_TRY(pqx_flat_reserve_directory(w));
    PQX_TRY(pqx_flat_write_pool(
        w)); /* every projection needs the cells from here on, so they are read with the tail */
    for (uint32_t node = w->node_count; node--;) PQX_TRY(pqx_flat_write_node(w, node));
    PQX_TRY(pqx_flat_make_root_residue(w, 0));
    PQX_TRY(write_root_cell(w, &w->places[root]));
    pqx_flat_fill_directory(w);
    PQX_TRY(pqx_flat_fill_names(w));
    PQX_TRY(pqx_flat_write_tail(
        w, (uint32_t)scan->has_created_by | (uint32_t)scan->has_key_values << 1
               | (uint32_t)scan->has_column_orders << 2 | (w->is_compact ? PQX_FLAT_COMPACT : 0)));
    pqx_flat_sign_cells(w);
    return PQX_OK;
}

static int write_payload(pqx_flat_writer *w)
{
    const pqx_scan *scan = w->scan;
    uint32_t *row_group_fields = NULL;
    PQX_TRY(pqx_check_scan(scan, w->error));
    PQX_TRY(check_scan(w));
    PQX_TRY(pqx_flat_check_extensions(w));
    PQX_TRY(pqx_flat_check_paths(scan, w->limit, w->error));
    PQX_TRY(pqx_flat_shapes_new(w));
    PQX_TRY(number_elements(w));
    PQX_TRY(pqx_flat_make_pool(w));
    size_t listed = (size_t)scan->element_count + scan->row_group_count + scan->key_value_count + 1;
    PQX_TRY(reserve_array(w, &w->places, listed, sizeof *w->places));
    PQX_TRY(pqx_flat_room(w, scan->end));
    PQX_TRY(write_root(w));
    PQX_TRY(reserve_array(w, &row_group_fields, scan->row_group_count, sizeof *row_group_fields));
    int status = write_cells(w, row_group_fields);
    free(row_group_fields);
    return status;
}

/* Write a payload that only contains the Thrift footer's bytes. */
static int write_verbatim(pqx_flat_writer *w)
{
    static const pqx_scan nothing = {0};
    uint32_t first, at;
    PQX_TRY(pqx_flat_make_root_residue(w, 1));
    w->scan = &nothing;
    PQX_TRY(pqx_flat_shapes_new(w));
    PQX_TRY(pqx_flat_zeros(w, 8, &first));
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_FILE_META_DATA, 0, &at, NULL));
    pqx_flat_link(w, first, at);
    PQX_TRY(reserve_array(w, &w->places, w->place_count = 1, sizeof *w->places));
    PQX_TRY(pqx_flat_reserve_directory(w));
    PQX_TRY(write_root_cell(w, &w->places[0]));
    pqx_flat_fill_directory(w);
    PQX_TRY(pqx_flat_write_tail(w, PQX_FLAT_VERBATIM));
    pqx_flat_sign_cells(w);
    return PQX_OK;
}

/* Return 1 if a footer that fails with this status can be stored verbatim. */
static int is_unspeakable(int status)
{
    return status == PQX_ENCRYPTED || status == PQX_IRREGULAR || status == PQX_MISMATCH
           || status == PQX_MISSING_FIELD || status == PQX_UNSUPPORTED_VALUE
           || status == PQX_FIELD_TYPE || status == PQX_SCHEMA;
}

static uint64_t limit_of(const pqx_scan *scan, const pqx_flat_extension *extensions, uint32_t count)
{
    uint64_t size = scan->end;
    for (uint32_t i = 0; i < count; i++) size += extensions[i].data.size;
    return pqx_flat_limit(size);
}

static int write_once(const uint8_t *footer, size_t size, const pqx_scan *scan,
                      int (*write)(pqx_flat_writer *), int is_compact,
                      const pqx_flat_extension *extensions, uint32_t extension_count,
                      pqx_buffer *out, pqx_error *error)
{
    pqx_flat_writer writer = {.footer = footer,
                              .footer_size = size,
                              .scan = scan,
                              .error = error,
                              .out = out,
                              .base = out->size,
                              .limit = limit_of(scan, extensions, extension_count),
                              .is_compact = is_compact,
                              .extensions = extensions,
                              .extension_count = extension_count},
                    *w = &writer;
    int status = write(w);
    uint64_t limit = (uint64_t)PQX_FLAT_WRITTEN_LIMIT * (out->size - w->base),
             rebuilt = scan->end - w->residue.left_out;
    if (status == PQX_OK && rebuilt > limit)
        status = pqx_fail(error, PQX_TOO_LARGE, 0, limit, rebuilt);
    if (status != PQX_OK) out->size = w->base;
    pqx_buffer *buffers[] = {&w->shapes,  &w->vtables,   &w->tables,    &w->cells,
                             &w->path,    &w->pool,      &w->pool_ends, &w->listed,
                             &w->records, &w->path_list, &w->heads,     &w->shared_links};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) pqx_buffer_free(buffers[i]);
    pqx_residue_free(&w->residue);
    pqx_buffer_free(&w->known_group.steps);
    for (size_t i = 0; i < sizeof w->known / sizeof *w->known; i++)
        pqx_buffer_free(&w->known[i].steps);
    void *arrays[] = {w->shape_of, w->leaf_of, w->node_of, w->position,  w->node_element,
                      w->places,   w->hashes,  w->arrow,   w->pool_slots};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    return status;
}

int pqx_flat_write(const uint8_t *footer, size_t size, const pqx_scan *scan, int flags,
                   const pqx_flat_extension *extensions, uint32_t extension_count, pqx_buffer *out,
                   pqx_error *error)
{
    if (flags & ~(PQX_FLAT_WRITE_COMPACT | PQX_FLAT_WRITE_VERBATIM))
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0,
                        PQX_FLAT_WRITE_COMPACT | PQX_FLAT_WRITE_VERBATIM, (uint32_t)flags);
    int status =
        write_once(footer, size, scan, write_payload, (flags & PQX_FLAT_WRITE_COMPACT) != 0,
                   extensions, extension_count, out, error);
    if (!(flags & PQX_FLAT_WRITE_VERBATIM) || extension_count || !is_unspeakable(status))
        return status;
    return write_once(footer, size, scan, write_verbatim, 0, NULL, 0, out, error);
}
