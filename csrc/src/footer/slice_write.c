/* Write a slice's FileMetaData in canonical compact Thrift. Its size is bounded first, so that
 * writing needs no checks. */
#include "footer/midpoint.h"
#include "thrift/cursor.h"

#define FIELD_HEADER(delta, type) ((uint8_t)((delta) << 4 | (type)))
#define MAX_VARINT 10
#define MAX_FACTS 320       /* a chunk written from values, without its path */
#define MAX_PATH_HEADERS 16 /* of a path's list, and of the fields at and after it */
#define MAX_ROW_GROUP 80    /* the direct fields of a row group */

static uint8_t *put_varint(uint8_t *at, uint64_t value) { return at + pqx_varint_put(at, value); }

static uint8_t *put_int(uint8_t *at, int64_t value)
{ return put_varint(at, (uint64_t)value << 1 ^ (uint64_t)(value >> 63)); }

static uint8_t *put_bytes(uint8_t *at, const uint8_t *bytes, size_t size)
{
    if (size) memcpy(at, bytes, size);
    return at + size;
}

static uint8_t *put_binary(uint8_t *at, const uint8_t *bytes, size_t size)
{ return put_bytes(put_varint(at, size), bytes, size); }

static uint8_t *put_list(uint8_t *at, int type, uint64_t count)
{
    if (count < 15) {
        *at = (uint8_t)(count << 4 | (unsigned)type);
        return at + 1;
    }
    *at = (uint8_t)(0xf0 | type);
    return put_varint(at + 1, count);
}

/* Write field `id` (1 to 15 above *last) of an integer type. */
static uint8_t *put_field(uint8_t *at, int *last, int id, int type, int64_t value)
{
    *at = FIELD_HEADER(id - *last, type);
    *last = id;
    return put_int(at + 1, value);
}

/* Write the element's bytes with a new num_children. */
static int put_element(uint8_t **at, const pqx_slice_element *element, pqx_error *error)
{
    const uint8_t *data = element->thrift.data;
    size_t size = element->thrift.size, copied = 0, end;
    pqx_field field = {0};
    int more = 1, renewed = 0;
    PQX_TRY(pqx_thrift_skip(data, size, 0, PQX_TYPE_STRUCT, &end, error));
    if (end != size) return pqx_fail(error, PQX_STRAY_BYTES, end, 0, size - end);
    for (;;) {
        PQX_TRY(
            pqx_thrift_next(data, size, field.end, field.id, PQX_MAX_DEPTH, &field, &more, error));
        if (!more) break;
        if (field.id != PQX_SCHEMA_ELEMENT_NUM_CHILDREN || field.type != PQX_TYPE_I32) continue;
        *at = put_bytes(*at, data + copied, field.value - copied);
        *at = put_int(*at, element->num_children);
        copied = field.end;
        renewed = 1;
    }
    if (element->num_children > 0 && !renewed)
        return pqx_fail(error, PQX_MISSING_FIELD, 0, PQX_SCHEMA_ELEMENT_NUM_CHILDREN, 0);
    *at = put_bytes(*at, data + copied, size - copied);
    return PQX_OK;
}

static uint8_t *put_path(uint8_t *at, pqx_bytes path)
{
    uint64_t parts = 1;
    size_t begin = 0;
    for (size_t i = 0; i < path.size; i++) parts += path.data[i] == 0;
    at = put_list(at, PQX_TYPE_BINARY, parts);
    for (size_t i = 0; i <= path.size; i++) {
        if (i < path.size && path.data[i] != 0) continue;
        at = put_binary(at, path.data + begin, i - begin);
        begin = i + 1;
    }
    return at;
}

static uint8_t *put_encodings(uint8_t *at, uint32_t mask)
{
    uint64_t count = 0;
    for (uint32_t bits = mask; bits; bits &= bits - 1) count++;
    at = put_list(at, PQX_TYPE_I32, count);
    for (int encoding = 0; encoding < 32; encoding++)
        if (mask >> encoding & 1) at = put_int(at, encoding);
    return at;
}

/* Write a ColumnMetaData with the values that are present. */
static uint8_t *put_metadata(uint8_t *at, const pqx_chunk *chunk, const pqx_places *places,
                             pqx_bytes path)
{
    int last = 0;
    uint32_t present = chunk->present;
    if (present & PQX_PRESENT_TYPE)
        at = put_field(at, &last, PQX_COLUMN_META_DATA_TYPE, PQX_TYPE_I32, chunk->type);
    *at = FIELD_HEADER(PQX_COLUMN_META_DATA_ENCODINGS - last, PQX_TYPE_LIST);
    at = put_encodings(at + 1, chunk->encodings);
    *at = FIELD_HEADER(1, PQX_TYPE_LIST);
    at = put_path(at + 1, path);
    last = PQX_COLUMN_META_DATA_PATH_IN_SCHEMA;
    if (present & PQX_PRESENT_CODEC)
        at = put_field(at, &last, PQX_COLUMN_META_DATA_CODEC, PQX_TYPE_I32, chunk->codec);
    if (present & PQX_PRESENT_NUM_VALUES)
        at = put_field(at, &last, PQX_COLUMN_META_DATA_NUM_VALUES, PQX_TYPE_I64, chunk->num_values);
    if (present & PQX_PRESENT_TOTAL_UNCOMPRESSED_SIZE)
        at = put_field(at, &last, PQX_COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE, PQX_TYPE_I64,
                       chunk->total_uncompressed_size);
    if (present & PQX_PRESENT_TOTAL_COMPRESSED_SIZE)
        at = put_field(at, &last, PQX_COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE, PQX_TYPE_I64,
                       chunk->total_compressed_size);
    if (present & PQX_PRESENT_DATA_PAGE_OFFSET)
        at = put_field(at, &last, PQX_COLUMN_META_DATA_DATA_PAGE_OFFSET, PQX_TYPE_I64,
                       chunk->data_page_offset);
    if (places && present & PQX_PRESENT_INDEX_PAGE_OFFSET)
        at = put_field(at, &last, PQX_COLUMN_META_DATA_INDEX_PAGE_OFFSET, PQX_TYPE_I64,
                       places->index_page_offset);
    if (present & PQX_PRESENT_DICTIONARY_PAGE_OFFSET)
        at = put_field(at, &last, PQX_COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET, PQX_TYPE_I64,
                       chunk->dictionary_page_offset);
    if (places && present & PQX_PRESENT_BLOOM_FILTER_OFFSET)
        at = put_field(at, &last, PQX_COLUMN_META_DATA_BLOOM_FILTER_OFFSET, PQX_TYPE_I64,
                       places->bloom_filter_offset);
    if (places && present & PQX_PRESENT_BLOOM_FILTER_LENGTH)
        at = put_field(at, &last, PQX_COLUMN_META_DATA_BLOOM_FILTER_LENGTH, PQX_TYPE_I32,
                       places->bloom_filter_length);
    *at = 0;
    return at + 1;
}

static uint8_t *put_header(uint8_t *at, int last, int id, int type)
{
    if (id > last && id - last < 16) {
        *at = FIELD_HEADER(id - last, type);
        return at + 1;
    }
    *at = (uint8_t)type;
    return put_int(at + 1, id);
}

/* Write a chunk and insert path_in_schema into its ColumnMetaData at `metadata`, before the first
 * field with a higher id. The other bytes are copied. */
static int put_with_path(uint8_t **at, pqx_bytes chunk, size_t metadata, pqx_bytes path,
                         pqx_error *error)
{
    pqx_field field = {.end = metadata};
    int more = 1, last;
    do {
        last = field.id;
        PQX_TRY(pqx_thrift_next(chunk.data, chunk.size, field.end, field.id, PQX_MAX_DEPTH, &field,
                                &more, error));
    } while (more && field.id <= PQX_COLUMN_META_DATA_PATH_IN_SCHEMA);
    uint8_t *to = put_bytes(*at, chunk.data, field.header);
    to = put_header(to, last, PQX_COLUMN_META_DATA_PATH_IN_SCHEMA, PQX_TYPE_LIST);
    to = put_path(to, path);
    if (more) to = put_header(to, PQX_COLUMN_META_DATA_PATH_IN_SCHEMA, field.id, field.type);
    size_t rest = more ? field.value : field.header;
    *at = put_bytes(to, chunk.data + rest, chunk.size - rest);
    return PQX_OK;
}

/* Write a chunk's Thrift bytes. If they lack path_in_schema, which readers require, insert the path
 * from the schema. */
static int put_thrift(uint8_t **at, pqx_bytes chunk, uint32_t present, const pqx_bytes *path,
                      pqx_error *error)
{
    pqx_field metadata = {0};
    int found = 0;
    if (PQX_UNLIKELY(path
                     && (present & (PQX_PRESENT_METADATA | PQX_PRESENT_PATH_IN_SCHEMA))
                            == PQX_PRESENT_METADATA))
        PQX_TRY(pqx_thrift_find(chunk.data, chunk.size, 0, PQX_COLUMN_CHUNK_META_DATA,
                                PQX_MAX_DEPTH, &metadata, &found, error));
    if (found && metadata.type == PQX_TYPE_STRUCT)
        return put_with_path(at, chunk, metadata.value, *path, error);
    *at = put_bytes(*at, chunk.data, chunk.size);
    return PQX_OK;
}

/* Write a ColumnChunk with the values that are present. */
static uint8_t *put_facts(uint8_t *at, const pqx_chunk *chunk, const pqx_places *places,
                          pqx_bytes path)
{
    int last = 0;
    at = put_field(at, &last, PQX_COLUMN_CHUNK_FILE_OFFSET, PQX_TYPE_I64, 0);
    if (chunk->present & PQX_PRESENT_METADATA) {
        *at = FIELD_HEADER(PQX_COLUMN_CHUNK_META_DATA - last, PQX_TYPE_STRUCT);
        at = put_metadata(at + 1, chunk, places, path);
        last = PQX_COLUMN_CHUNK_META_DATA;
    }
    if (places && chunk->present & PQX_PRESENT_OFFSET_INDEX) {
        at = put_field(at, &last, PQX_COLUMN_CHUNK_OFFSET_INDEX_OFFSET, PQX_TYPE_I64,
                       places->offset_index_offset);
        at = put_field(at, &last, PQX_COLUMN_CHUNK_OFFSET_INDEX_LENGTH, PQX_TYPE_I32,
                       places->offset_index_length);
    }
    if (places && chunk->present & PQX_PRESENT_COLUMN_INDEX) {
        at = put_field(at, &last, PQX_COLUMN_CHUNK_COLUMN_INDEX_OFFSET, PQX_TYPE_I64,
                       places->column_index_offset);
        at = put_field(at, &last, PQX_COLUMN_CHUNK_COLUMN_INDEX_LENGTH, PQX_TYPE_I32,
                       places->column_index_length);
    }
    *at = 0;
    return at + 1;
}

static int put_row_group(uint8_t **to, const pqx_slice_parts *parts, uint32_t index,
                         pqx_error *error)
{
    uint8_t *at = *to;
    const pqx_slice_row_group *row_group = &parts->row_groups[index];
    const pqx_slice_chunk *chunks =
        parts->leaf_count ? parts->chunks + (size_t)index * parts->leaf_count : NULL;
    int64_t bytes = 0, file_offset = row_group->file_offset;
    pqx_midpoint midpoint = PQX_NO_CHUNKS;
    int last = PQX_ROW_GROUP_COLUMNS;
    *at = FIELD_HEADER(PQX_ROW_GROUP_COLUMNS, PQX_TYPE_LIST);
    at = put_list(at + 1, PQX_TYPE_STRUCT, parts->leaf_count);
    for (uint32_t i = 0; i < parts->leaf_count; i++) {
        const pqx_chunk *facts = chunks[i].facts;
        if (chunks[i].thrift.data)
            PQX_TRY(put_thrift(&at, chunks[i].thrift, facts->present,
                               parts->paths ? &parts->paths[i] : NULL, error));
        else at = put_facts(at, facts, chunks[i].places, parts->paths[i]);
        if (facts->total_uncompressed_size > 0)
            bytes = pqx_add_saturated(bytes, facts->total_uncompressed_size);
        pqx_midpoint_add(&midpoint, facts);
    }
    int64_t compressed = pqx_midpoint_size(&midpoint, &file_offset);
    at = put_field(at, &last, PQX_ROW_GROUP_TOTAL_BYTE_SIZE, PQX_TYPE_I64, bytes);
    at = put_field(at, &last, PQX_ROW_GROUP_NUM_ROWS, PQX_TYPE_I64, row_group->num_rows);
    if (file_offset != -1)
        at = put_field(at, &last, PQX_ROW_GROUP_FILE_OFFSET, PQX_TYPE_I64, file_offset);
    at = put_field(at, &last, PQX_ROW_GROUP_TOTAL_COMPRESSED_SIZE, PQX_TYPE_I64, compressed);
    if (row_group->ordinal != -1)
        at = put_field(at, &last, PQX_ROW_GROUP_ORDINAL, PQX_TYPE_I16, row_group->ordinal);
    *at = 0;
    *to = at + 1;
    return PQX_OK;
}

static uint8_t *put_key_values(uint8_t *at, const pqx_slice_parts *parts, int *last)
{
    static const uint8_t key[] = "ARROW:schema";
    uint32_t count = parts->key_value_count + (parts->arrow_schema.size != 0);
    if (!count) return at;
    *at = FIELD_HEADER(PQX_FILE_META_DATA_KEY_VALUE_METADATA - *last, PQX_TYPE_LIST);
    at = put_list(at + 1, PQX_TYPE_STRUCT, count);
    for (uint32_t i = 0; i < parts->key_value_count; i++)
        at = put_bytes(at, parts->key_values[i].data, parts->key_values[i].size);
    if (parts->arrow_schema.size) {
        *at = FIELD_HEADER(PQX_KEY_VALUE_KEY, PQX_TYPE_BINARY);
        at = put_binary(at + 1, key, sizeof key - 1);
        *at = FIELD_HEADER(1, PQX_TYPE_BINARY);
        at = put_binary(at + 1, parts->arrow_schema.data, parts->arrow_schema.size);
        *at++ = 0;
    }
    *last = PQX_FILE_META_DATA_KEY_VALUE_METADATA;
    return at;
}

static int is_leaf(const pqx_slice_parts *parts, uint32_t element)
{ return parts->elements[element].num_children <= 0 && (element || parts->leaf_count); }

/* Write one ColumnOrder union per leaf: an empty struct in its member, or nothing. */
static uint8_t *put_column_orders(uint8_t *at, const pqx_slice_parts *parts)
{
    at = put_list(at, PQX_TYPE_STRUCT, parts->leaf_count);
    for (uint32_t i = 0; i < parts->element_count; i++) {
        uint8_t order = parts->elements[i].column_order;
        if (!is_leaf(parts, i)) continue;
        if (order) {
            *at++ = FIELD_HEADER(order < 16 ? order : 0, PQX_TYPE_STRUCT);
            if (order >= 16) at = put_int(at, order);
            *at++ = 0;
        }
        *at++ = 0;
    }
    return at;
}

/* Check that the elements are one tree in preorder, with leaf_count leaves. */
static int check_tree(const pqx_slice_parts *parts, pqx_error *error)
{
    int64_t open = 1;
    uint32_t leaves = 0, i = 0;
    for (; i < parts->element_count && open; i++) {
        int32_t children = parts->elements[i].num_children;
        open += (children > 0 ? children : 0) - 1;
        leaves += (uint32_t)is_leaf(parts, i);
    }
    if (open || i < parts->element_count)
        return pqx_fail(error, PQX_SCHEMA, 0, i + (uint64_t)open, parts->element_count);
    if (leaves != parts->leaf_count)
        return pqx_fail(error, PQX_SCHEMA, 0, parts->leaf_count, leaves);
    return PQX_OK;
}

/* Return an upper bound of the slice's size. A num_children of 2 bytes, header included, may grow
 * to 6. */
static size_t bound(const pqx_slice_parts *parts)
{
    size_t size = 128 + parts->created_by.size + parts->arrow_schema.size,
           row_groups = parts->row_group_count;
    for (uint32_t i = 0; i < parts->element_count; i++)
        size += 3 * parts->elements[i].thrift.size + 8;
    for (size_t i = 0; i < row_groups * parts->leaf_count; i++) {
        const pqx_slice_chunk *chunk = &parts->chunks[i];
        size += chunk->thrift.data ? chunk->thrift.size : MAX_FACTS;
        if (parts->paths)
            size += MAX_PATH_HEADERS + 6 * (parts->paths[i % parts->leaf_count].size + 1);
    }
    for (uint32_t i = 0; i < parts->key_value_count; i++) size += parts->key_values[i].size;
    return size + row_groups * MAX_ROW_GROUP;
}

static int write_parts(const pqx_slice_parts *parts, uint8_t *at, uint8_t **end, pqx_error *error)
{
    int last = 0;
    int64_t rows = 0;
    at = put_field(at, &last, PQX_FILE_META_DATA_VERSION, PQX_TYPE_I32, parts->version);
    *at = FIELD_HEADER(1, PQX_TYPE_LIST);
    at = put_list(at + 1, PQX_TYPE_STRUCT, parts->element_count);
    last = PQX_FILE_META_DATA_SCHEMA;
    for (uint32_t i = 0; i < parts->element_count; i++)
        PQX_TRY(put_element(&at, &parts->elements[i], error));
    for (uint32_t i = 0; i < parts->row_group_count; i++)
        rows = pqx_add_saturated(rows, parts->row_groups[i].num_rows);
    at = put_field(at, &last, PQX_FILE_META_DATA_NUM_ROWS, PQX_TYPE_I64, rows);
    *at = FIELD_HEADER(1, PQX_TYPE_LIST);
    at = put_list(at + 1, PQX_TYPE_STRUCT, parts->row_group_count);
    last = PQX_FILE_META_DATA_ROW_GROUPS;
    for (uint32_t i = 0; i < parts->row_group_count; i++)
        PQX_TRY(put_row_group(&at, parts, i, error));
    at = put_key_values(at, parts, &last);
    if (parts->has_created_by) {
        *at = FIELD_HEADER(PQX_FILE_META_DATA_CREATED_BY - last, PQX_TYPE_BINARY);
        at = put_binary(at + 1, parts->created_by.data, parts->created_by.size);
        last = PQX_FILE_META_DATA_CREATED_BY;
    }
    if (parts->has_column_orders) {
        *at = FIELD_HEADER(PQX_FILE_META_DATA_COLUMN_ORDERS - last, PQX_TYPE_LIST);
        at = put_column_orders(at + 1, parts);
    }
    *at = 0;
    *end = at + 1;
    return PQX_OK;
}

int pqx_slice_write(const pqx_slice_parts *parts, pqx_buffer *out, pqx_error *error)
{
    uint8_t *end = out->data;
    int status = check_tree(parts, error);
    if (status == PQX_OK) status = pqx_buffer_reserve(out, bound(parts), error);
    if (status == PQX_OK) status = write_parts(parts, out->data + out->size, &end, error);
    if (status == PQX_OK) out->size = (size_t)(end - out->data);
    return status;
}
