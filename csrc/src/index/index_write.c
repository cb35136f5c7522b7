/* Write the footer index of a scanned Thrift footer: positions, names, checksums. */
#include <stdlib.h>

#include "index/index.h"

typedef struct pqx_index_writer {
    const uint8_t *footer;
    const pqx_scan *scan;
    pqx_index_shape shape;
    pqx_index_areas areas;
    uint8_t *payload; /* initialized to zeros */
    uint8_t *at;      /* the write position */
    pqx_index_names names;
    pqx_error *error;
} pqx_index_writer;

pqx_index_areas pqx_index_lay_out(const pqx_index_shape *s, uint64_t limit)
{
    const uint64_t counts[] = {s->leaves,     s->nodes,      pqx_index_parts(s),
                               s->row_groups, s->key_values, pqx_index_buckets(s)};
    const uint64_t sizes[] = {
        pqx_index_leaf_bytes(s),      pqx_index_node_bytes(s),      4,
        pqx_index_row_group_bytes(s), pqx_index_key_value_bytes(s), PQX_FLAT_PAGE_BYTES};
    uint64_t ends[6], end = 0;
    for (int i = 0; i < 6; i++) {
        end = end == UINT64_MAX || counts[i] > (limit - end) / sizes[i]
                  ? UINT64_MAX
                  : end + counts[i] * sizes[i];
        ends[i] = end;
    }
    return (pqx_index_areas){ends[0], ends[1], ends[3], ends[4], ends[5]};
}

static uint32_t most(uint32_t one, uint32_t other) { return one > other ? one : other; }
static uint32_t end_of(pqx_range range) { return range.offset + range.length; }

static uint8_t bytes_for(uint64_t largest)
{
    uint8_t bytes = 1;
    while (bytes < 4 && largest >> 8 * bytes) bytes++;
    return bytes;
}

static uint8_t *put(uint8_t *at, uint64_t value, uint32_t width)
{
    memcpy(at, &value, width);
    return at + width;
}

static uint32_t crc_of(const pqx_index_writer *w, pqx_range range)
{ return pqx_crc32(0, w->footer + range.offset, range.length); }

/* Write the checksum of the cell, which extends from `cell` to the write position. */
static void sign(const pqx_index_writer *w, uint8_t *cell)
{ pqx_store32(cell, pqx_crc32(0, cell + 4, (size_t)(w->at - cell) - 4)); }

/* Compute the required widths of offsets, lengths and numbers. */
static int measure(pqx_index_writer *w)
{
    const pqx_scan *scan = w->scan;
    uint32_t longest = 0, largest = 0;
    uint64_t limit = pqx_flat_limit(scan->end);
    if (scan->encrypted) return pqx_fail(w->error, PQX_ENCRYPTED, 0, 0, scan->encrypted);
    for (uint32_t i = 0; i < scan->row_group_count; i++) {
        const pqx_row_group *group = &scan->row_groups[i];
        if (group->chunk_count != scan->leaf_count)
            return pqx_fail(w->error, PQX_IRREGULAR, group->columns.offset, scan->leaf_count,
                            group->chunk_count);
        largest = most(largest, end_of(group->bytes));
    }
    PQX_TRY(pqx_flat_check_paths(scan, limit, w->error));
    for (uint32_t i = 0; i < scan->key_value_count; i++)
        largest = most(largest, end_of(scan->key_values[i].bytes));
    for (uint64_t i = 0; i < scan->chunk_count; i++)
        longest = most(longest, scan->chunks[i].chunk.length);
    for (uint32_t i = 0; i < scan->element_count; i++) {
        const pqx_element *element = &scan->elements[i];
        longest = most(longest, element->bytes.length);
        largest = most(largest, end_of(element->bytes));
    }
    uint64_t names = pqx_index_names_count(scan);
    if (names > UINT32_MAX) return pqx_fail(w->error, PQX_TOO_LARGE, 0, UINT32_MAX, names);
    w->shape = (pqx_index_shape){
        .leaves = scan->leaf_count,
        .nodes = scan->element_count - scan->leaf_count,
        .row_groups = scan->row_group_count,
        .key_values = scan->key_value_count,
        .names = (uint32_t)names,
        .offset_bytes = bytes_for(largest),
        .length_bytes = bytes_for(longest),
        .number_bytes = bytes_for(scan->element_count),
    };
    w->areas = pqx_index_lay_out(&w->shape, INT32_MAX);
    uint64_t size =
        w->areas.tail == UINT64_MAX ? UINT64_MAX : w->areas.tail + pqx_index_tail_bytes(&w->shape);
    if (size > INT32_MAX) return pqx_fail(w->error, PQX_TOO_LARGE, 0, INT32_MAX, size);
    return size <= limit ? PQX_OK : pqx_fail(w->error, PQX_OUT_OF_PROPORTION, 0, limit, size);
}

static void put_schema_part(pqx_index_writer *w, uint32_t index)
{
    const pqx_index_shape *s = &w->shape;
    const pqx_element *element = &w->scan->elements[index];
    int is_leaf = !(w->names.id_of[index] & PQX_FLAT_GROUP);
    uint32_t parent = index ? w->names.id_of[element->parent] & ~PQX_FLAT_GROUP : 0;
    w->at = put(w->at + 4, crc_of(w, element->bytes), 4);
    w->at = put(w->at, element->bytes.offset, s->offset_bytes);
    w->at = put(w->at, element->bytes.length, s->length_bytes);
    w->at = put(w->at, parent, s->number_bytes);
    w->at = put(w->at, index, s->number_bytes);
    w->at = put(w->at, w->names.position[index], s->number_bytes);
    *w->at++ = is_leaf ? element->column_order : 0;
    *w->at++ = element->max_definition;
    *w->at++ = element->max_repetition;
}

/* Write one checksum over all chunks of the part, their offsets, and their lengths. */
static void put_chunks(pqx_index_writer *w, uint32_t leaf, uint32_t part)
{
    const pqx_index_shape *s = &w->shape;
    uint32_t count = s->row_groups ? pqx_index_groups(s->row_groups, part) : 0, crc = 0;
    const pqx_chunk *chunk =
        count ? w->scan->chunks + (uint64_t)part * PQX_FLAT_PART_ROW_GROUPS * s->leaves + leaf
              : NULL;
    uint8_t *sum = w->at, *lengths = sum + 4 + (size_t)count * s->offset_bytes;
    w->at += 4;
    for (uint32_t i = 0; i < count; i++) {
        if (i) chunk += s->leaves;
        crc = pqx_crc32(crc, w->footer + chunk->chunk.offset, chunk->chunk.length);
        w->at = put(w->at, chunk->chunk.offset, s->offset_bytes);
        lengths = put(lengths, chunk->chunk.length, s->length_bytes);
    }
    w->at = lengths;
    pqx_store32(sum, crc);
}

static void put_column(pqx_index_writer *w, uint32_t leaf)
{
    uint8_t *cell = w->at;
    put_schema_part(w, w->scan->leaves[leaf]);
    put_chunks(w, leaf, 0);
    sign(w, cell);
    for (uint32_t part = 1; part < pqx_index_parts(&w->shape); part++) {
        cell = w->at;
        w->at += 4;
        put_chunks(w, leaf, part);
        sign(w, cell);
    }
}

static void put_node(pqx_index_writer *w, uint32_t node)
{
    const pqx_element *element = &w->scan->elements[w->names.node_element[node]];
    uint8_t *cell = w->at;
    put_schema_part(w, w->names.node_element[node]);
    w->at = put(w->at, (uint32_t)element->first_leaf, w->shape.number_bytes);
    w->at = put(w->at, (uint32_t)element->leaf_count, w->shape.number_bytes);
    sign(w, cell);
}

static void put_row_groups(pqx_index_writer *w, uint32_t part)
{
    const pqx_row_group *group = w->scan->row_groups + (size_t)part * PQX_FLAT_PART_ROW_GROUPS;
    uint32_t count = pqx_index_groups(w->shape.row_groups, part), width = w->shape.offset_bytes;
    uint8_t *cell = w->at;
    w->at += 4;
    for (uint32_t i = 0; i < count; i++, group++) {
        uint32_t begin = group->bytes.offset, columns = group->columns.offset;
        uint32_t columns_end = columns + group->columns.length, end = begin + group->bytes.length;
        uint32_t crc = pqx_crc32(0, w->footer + begin, columns - begin);
        w->at = put(w->at, pqx_crc32(crc, w->footer + columns_end, end - columns_end), 4);
        w->at = put(w->at, begin, width);
        w->at = put(w->at, columns, width);
        w->at = put(w->at, columns_end, width);
        w->at = put(w->at, end, width);
    }
    sign(w, cell);
}

static void put_key_value(pqx_index_writer *w, pqx_range bytes)
{
    uint8_t *cell = w->at;
    w->at = put(w->at + 4, crc_of(w, bytes), 4);
    w->at = put(w->at, bytes.offset, w->shape.offset_bytes);
    w->at = put(w->at, bytes.length, w->shape.offset_bytes);
    sign(w, cell);
}

/* ---- the tail block ---- */

static void put_tail(pqx_index_writer *w)
{
    const pqx_scan *scan = w->scan;
    const pqx_index_shape *s = &w->shape;
    uint8_t *tail = w->at;
    const uint32_t words[] = {s->leaves,
                              s->nodes,
                              s->row_groups,
                              s->key_values,
                              s->names,
                              pqx_index_arrow_schema(w->footer, scan),
                              (uint32_t)scan->version};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) w->at = put(w->at, words[i], 4);
    w->at = put(w->at, (uint64_t)scan->num_rows, 8);
    w->at = put(w->at, scan->created_by.offset, 4);
    w->at = put(w->at, scan->created_by.length, 4);
    w->at = put(w->at, scan->has_created_by ? crc_of(w, scan->created_by) : 0, 4);
    *w->at++ = s->offset_bytes;
    *w->at++ = s->length_bytes;
    *w->at++ = s->number_bytes;
    *w->at++ =
        (uint8_t)(scan->has_created_by | scan->has_key_values << 1 | scan->has_column_orders << 2);
    if (s->names <= PQX_FLAT_LIST_ENTRIES) {
        memcpy(w->at, w->names.entries, 8 * (size_t)s->names);
        w->at += 8 * (size_t)s->names;
    }
    w->at = put(w->at, PQX_INDEX_LAYOUT_VERSION, 4);
    w->at = put(w->at, pqx_index_tail_bytes(s), 4);
    w->at = put(w->at, pqx_crc32(0, tail, (size_t)(w->at - tail)), 4);
}

static int write_payload(pqx_index_writer *w, pqx_buffer *out)
{
    PQX_TRY(measure(w));
    PQX_TRY(pqx_index_names_make(w->footer, w->scan, &w->names, w->error));
    size_t size = (size_t)w->areas.tail + pqx_index_tail_bytes(&w->shape);
    PQX_TRY(pqx_buffer_reserve(out, size, w->error));
    w->at = out->data + out->size;
    memset(w->at, 0, size);
    for (uint32_t leaf = 0; leaf < w->shape.leaves; leaf++) put_column(w, leaf);
    for (uint32_t node = 0; node < w->shape.nodes; node++) put_node(w, node);
    for (uint32_t part = 0; part < pqx_index_parts(&w->shape); part++) put_row_groups(w, part);
    for (uint32_t i = 0; i < w->shape.key_values; i++)
        put_key_value(w, w->scan->key_values[i].bytes);
    pqx_index_names_put_buckets(&w->names, w->at);
    w->at += PQX_FLAT_PAGE_BYTES * (size_t)pqx_index_buckets(&w->shape);
    put_tail(w);
    out->size += size;
    return PQX_OK;
}

int pqx_index_write(const uint8_t *footer, size_t size, const pqx_scan *scan, pqx_buffer *out,
                    pqx_error *error)
{
    pqx_index_writer writer = {.footer = footer, .scan = scan, .error = error};
    int status = size < scan->end ? pqx_fail(error, PQX_BAD_ARGUMENT, 0, scan->end, size)
                                  : pqx_check_scan(scan, error);
    if (status == PQX_OK) status = write_payload(&writer, out);
    pqx_index_names_free(&writer.names);
    return status;
}
