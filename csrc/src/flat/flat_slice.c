/* Write a slice of a flat footer: assemble a small Thrift footer from the cells of a projection. */
#include <stdlib.h>

#include "flat/flat_head.h"
#include "flat/flat_slice.h"

static int check_arguments(const pqx_flat_slicer *s)
{
    const pqx_flat_facts *facts = &s->flat->facts;
    for (uint32_t i = 0; i < s->leaf_count; i++) {
        if (s->leaves[i] >= facts->leaf_count)
            return pqx_fail(s->error, PQX_BAD_ARGUMENT, 0, facts->leaf_count, s->leaves[i]);
        if (i && s->leaves[i] <= s->leaves[i - 1])
            return pqx_fail(s->error, PQX_BAD_ARGUMENT, 0, s->leaves[i - 1], s->leaves[i]);
    }
    for (uint32_t i = 0; i < s->row_group_count; i++) {
        if (s->row_groups[i] >= facts->row_group_count)
            return pqx_fail(s->error, PQX_BAD_ARGUMENT, 0, facts->row_group_count,
                            s->row_groups[i]);
    }
    return PQX_OK;
}

static int add_part(pqx_flat_slicer *s, uint32_t id, uint32_t *parent)
{
    const pqx_head *head;
    pqx_bytes thrift, path;
    PQX_TRY(pqx_flat_load_id(s->flat, id, &head, s->error));
    PQX_TRY(pqx_flat_join(s->flat, head, &thrift, &path, s->error));
    pqx_flat_part part = {
        .id = id,
        .place = (uint64_t)head->cell->place + head->at,
        .index = head->index,
        .parent_node = id == PQX_FLAT_GROUP ? PQX_FLAT_NONE : head->parent,
        .position = head->position,
        .leaf_count = head->leaf_count,
        .arrow = head->arrow,
        .thrift = s->bytes.size,
        .thrift_size = thrift.size,
        .path = s->bytes.size + thrift.size,
        .path_size = path.size,
        .column_order = head->column_order,
    };
    PQX_TRY(pqx_buffer_append(&s->bytes, thrift.data, thrift.size + path.size,
                              s->error)); /* joined: back to back */
    *parent = part.parent_node;
    return pqx_buffer_append(&s->parts, &part, sizeof part, s->error);
}

/* Add the leaves, and the groups above them. */
static int add_parts(pqx_flat_slicer *s)
{
    uint32_t node;
    for (uint32_t i = 0; i < s->leaf_count; i++) {
        PQX_TRY(add_part(s, s->leaves[i], &node));
        while (node != PQX_FLAT_NONE && !s->known[node]) {
            s->known[node] = 1;
            PQX_TRY(add_part(s, PQX_FLAT_GROUP | node, &node));
        }
    }
    return s->leaf_count ? PQX_OK : add_part(s, PQX_FLAT_GROUP, &node);
}

static int by_index(const void *one, const void *other)
{
    uint32_t a = ((const pqx_flat_part *)one)->index, b = ((const pqx_flat_part *)other)->index;
    return (a > b) - (a < b);
}

/* Sort the elements into preorder, and check that they form a tree. */
static int make_tree(pqx_flat_slicer *s)
{
    uint32_t count = pqx_flat_part_count(s), open = 0;
    pqx_flat_part *parts = pqx_flat_parts(s);
    qsort(parts, count, sizeof *parts, by_index);
    for (uint32_t i = 0; i < count; i++) {
        pqx_flat_part *part = &parts[i];
        if (i == 0) {
            if (part->id != PQX_FLAT_GROUP)
                return pqx_flat_fail(s->flat, s->error, PQX_BAD_VALUE, part->place, 0, part->index);
            part->parent = PQX_FLAT_NONE;
            part->end = count;
            continue;
        }
        while (open != PQX_FLAT_NONE && parts[open].id != (PQX_FLAT_GROUP | part->parent_node)) {
            parts[open].end = i;
            open = parts[open].parent;
        }
        if (open == PQX_FLAT_NONE || part->index == part[-1].index)
            return pqx_flat_fail(s->flat, s->error, PQX_BAD_VALUE, part->place, part[-1].index,
                                 part->index);
        parts[open].children++;
        part->parent = open;
        part->end = count;
        open = i;
    }
    for (; open != PQX_FLAT_NONE; open = parts[open].parent) parts[open].end = count;
    return PQX_OK;
}

static int list_elements(pqx_flat_slicer *s)
{
    const pqx_flat_part *parts = pqx_flat_parts(s);
    for (uint32_t i = 0; i < pqx_flat_part_count(s); i++) {
        const pqx_flat_part *part = &parts[i];
        pqx_slice_element element = {{s->bytes.data + part->thrift, part->thrift_size},
                                     (int32_t)part->children,
                                     part->column_order};
        pqx_bytes path = {s->bytes.data + part->path, part->path_size};
        PQX_TRY(pqx_buffer_append(&s->elements, &element, sizeof element, s->error));
        if (!(part->id & PQX_FLAT_GROUP))
            PQX_TRY(pqx_buffer_append(&s->paths, &path, sizeof path, s->error));
    }
    return PQX_OK;
}

static int reserve(pqx_flat_slicer *s)
{
    size_t groups = s->row_group_count, count = groups * s->leaf_count;
    s->known = (uint32_t *)calloc(s->flat->facts.node_count, sizeof *s->known);
    s->order = (uint32_t *)malloc(groups * sizeof *s->order + 1);
    s->groups = (pqx_row_group *)malloc(groups * sizeof *s->groups + 1);
    s->slice_groups = (pqx_slice_row_group *)malloc(groups * sizeof *s->slice_groups + 1);
    s->chunks = (pqx_chunk *)malloc(count * sizeof *s->chunks + 1);
    s->places = (pqx_places *)malloc(count * sizeof *s->places + 1);
    s->facts = (pqx_slice_chunk *)malloc(count * sizeof *s->facts + 1);
    if (!s->known || !s->order || !s->groups || !s->slice_groups || !s->chunks || !s->places
        || !s->facts)
        return pqx_fail(s->error, PQX_NO_MEMORY, 0, count * sizeof *s->chunks, 0);
    return pqx_buffer_reserve(&s->bytes, 1,
                              s->error); /* so that an empty buffer has an address, too */
}

static int by_value(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

int pqx_flat_order(const uint32_t *keys, uint32_t count, uint32_t *order, pqx_error *error)
{
    uint64_t *entries = (uint64_t *)malloc(count * sizeof *entries + 1);
    if (!entries) return pqx_fail(error, PQX_NO_MEMORY, 0, count * sizeof *entries, 0);
    int sorted = 1;
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = (uint64_t)keys[i] << 32 | i;
        sorted = sorted && (!i || entries[i] > entries[i - 1]);
    }
    if (!sorted) qsort(entries, count, sizeof *entries, by_value);
    for (uint32_t i = 0; i < count; i++) order[i] = (uint32_t)entries[i];
    free(entries);
    return PQX_OK;
}

static int add_row_groups(pqx_flat_slicer *s)
{
    for (uint32_t i = 0; i < s->row_group_count; i++) {
        uint32_t at = s->order[i];
        PQX_TRY(pqx_flat_read_row_group(s->flat, s->row_groups[at], &s->groups[at], s->error));
        s->slice_groups[at] = (pqx_slice_row_group){
            s->groups[at].num_rows, s->groups[at].file_offset, s->groups[at].ordinal};
    }
    return PQX_OK;
}

/* Add the chunks. A chunk in another file cannot be written, because its path is not in pqx_chunk.
 */
static int add_chunks(pqx_flat_slicer *s)
{
    pqx_buffer ignored = {0};
    int status = PQX_OK;
    for (uint32_t leaf = 0; status == PQX_OK && leaf < s->leaf_count; leaf++) {
        for (uint32_t i = 0; status == PQX_OK && i < s->row_group_count; i++) {
            size_t at = (size_t)s->order[i] * s->leaf_count + leaf;
            ignored.size = 0;
            status = pqx_flat_read_chunks(s->flat, s->leaves[leaf], s->row_groups[s->order[i]], 1,
                                          &s->chunks[at], &s->places[at], &ignored, s->error);
            if (status == PQX_OK && s->chunks[at].present & PQX_PRESENT_FILE_PATH)
                status = pqx_flat_fail(s->flat, s->error, PQX_UNSUPPORTED_VALUE,
                                       s->flat->column.place, 0, s->row_groups[s->order[i]]);
            s->facts[at] = (pqx_slice_chunk){{NULL, 0}, &s->chunks[at], &s->places[at]};
        }
    }
    pqx_buffer_free(&ignored);
    return status;
}

static int append_binary(pqx_flat_slicer *s, pqx_bytes bytes)
{
    uint8_t header[11] = {0x18};
    size_t length = pqx_varint_put(header + 1, bytes.size);
    PQX_TRY(pqx_buffer_append(&s->pairs, header, 1 + length, s->error));
    return pqx_buffer_append(&s->pairs, bytes.data, bytes.size, s->error);
}

/* Add the key-values except ARROW:schema, as Thrift structs. */
static int add_key_values(pqx_flat_slicer *s)
{
    for (uint32_t i = 0; i < s->flat->facts.key_value_count; i++) {
        pqx_bytes key, value;
        size_t begin = s->pairs.size;
        int is_arrow_schema;
        PQX_TRY(pqx_flat_is_arrow_schema(s->flat, i, &is_arrow_schema, s->error));
        if (is_arrow_schema) continue;
        PQX_TRY(pqx_flat_read_key_value(s->flat, i, &key, &value, s->error));
        PQX_TRY(append_binary(s, key));
        if (value.data) PQX_TRY(append_binary(s, value));
        PQX_TRY(pqx_buffer_append(&s->pairs, "", 1, s->error));
        pqx_bytes pair = {NULL, s->pairs.size - begin};
        PQX_TRY(pqx_buffer_append(&s->key_values, &pair, sizeof pair, s->error));
    }
    pqx_bytes *pairs = (pqx_bytes *)(void *)s->key_values.data;
    for (size_t i = 0, at = 0; i < s->key_values.size / sizeof *pairs; at += pairs[i++].size)
        pairs[i].data = s->pairs.data + at;
    return PQX_OK;
}

static int make_slice(pqx_flat_slicer *s, int arrow_schema, int key_values, pqx_buffer *out)
{
    pqx_flat *flat = s->flat;
    pqx_bytes created_by;
    int has_created_by;
    pqx_flat_begin(flat);
    PQX_TRY(check_arguments(s));
    PQX_TRY(reserve(s));
    PQX_TRY(pqx_flat_order(s->row_groups, s->row_group_count, s->order,
                           s->error)); /* each part of a column is loaded once */
    PQX_TRY(add_parts(s));
    PQX_TRY(make_tree(s));
    PQX_TRY(add_row_groups(s));
    pqx_flat_begin(flat); /* loads the leaves' cells again */
    PQX_TRY(add_chunks(s));
    if (arrow_schema) PQX_TRY(pqx_flat_slice_arrow(s));
    PQX_TRY(list_elements(s));
    if (key_values) PQX_TRY(add_key_values(s));
    PQX_TRY(pqx_flat_get_created_by(flat, &created_by, &has_created_by, s->error));
    pqx_slice_parts parts = {
        .version = flat->facts.version,
        .elements = (const pqx_slice_element *)s->elements.data,
        .element_count = pqx_flat_part_count(s),
        .row_groups = s->slice_groups,
        .row_group_count = s->row_group_count,
        .chunks = s->facts,
        .leaf_count = s->leaf_count,
        .paths = (const pqx_bytes *)s->paths.data,
        .key_values = (const pqx_bytes *)s->key_values.data,
        .key_value_count = (uint32_t)(s->key_values.size / sizeof(pqx_bytes)),
        .arrow_schema = {s->arrow_schema.data, s->arrow_schema.size},
        .created_by = created_by,
        .has_created_by = (uint8_t)has_created_by,
        .has_column_orders = (uint8_t)(flat->flags >> 2 & 1),
    };
    return pqx_slice_write(&parts, out, s->error);
}

int pqx_flat_slice(pqx_flat *flat, const uint32_t *leaves, uint32_t leaf_count,
                   const uint32_t *row_groups, uint32_t row_group_count, int arrow_schema,
                   int key_values, pqx_buffer *out, pqx_error *error)
{
    pqx_flat_slicer slicer = {.flat = flat,
                              .leaves = leaves,
                              .row_groups = row_groups,
                              .leaf_count = leaf_count,
                              .row_group_count = row_group_count,
                              .error = error};
    pqx_flat_slicer *s = &slicer;
    int status = make_slice(s, arrow_schema, key_values, out);
    pqx_buffer *buffers[] = {&s->parts,        &s->bytes, &s->elements,  &s->paths,
                             &s->arrow_schema, &s->pairs, &s->key_values};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) pqx_buffer_free(buffers[i]);
    void *arrays[] = {s->known,  s->order,  s->groups, s->slice_groups,
                      s->chunks, s->places, s->facts};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    return status;
}
