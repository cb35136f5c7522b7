/* A slice of a scanned footer: select its elements, chunks and key-values. */
#include <stdlib.h>

#include "footer/slice.h"

typedef struct pqx_slicer {
    pqx_projection projection;
    const uint32_t *row_groups;
    uint32_t row_group_count;
    pqx_buffer elements; /* pqx_slice_element, as in the slice */
    pqx_buffer sources;  /* uint32_t: their indices among the footer's elements */
    pqx_buffer
        open; /* uint32_t: the groups that contain the last leaf, as indices into `elements` */
    pqx_buffer chunks, groups, paths, path_bytes, key_values, arrow_schema;
    pqx_error *error;
} pqx_slicer;

static pqx_bytes bytes_of(const pqx_slicer *s, pqx_range range)
{ return (pqx_bytes){s->projection.data + range.offset, range.length}; }

static int check_arguments(const pqx_slicer *s)
{
    const pqx_projection *p = &s->projection;
    const pqx_scan *scan = p->scan;
    for (uint32_t i = 0; i < p->leaf_count; i++) {
        if (p->leaves[i] >= scan->leaf_count)
            return pqx_fail(s->error, PQX_BAD_ARGUMENT, 0, scan->leaf_count, p->leaves[i]);
        if (i && p->leaves[i] <= p->leaves[i - 1])
            return pqx_fail(s->error, PQX_BAD_ARGUMENT, 0, p->leaves[i - 1], p->leaves[i]);
    }
    for (uint32_t i = 0; i < s->row_group_count && !p->groups; i++) {
        uint32_t index = s->row_groups[i];
        if (index >= scan->row_group_count)
            return pqx_fail(s->error, PQX_BAD_ARGUMENT, 0, scan->row_group_count, index);
        const pqx_row_group *row_group = &scan->row_groups[index];
        if (row_group->chunk_count != scan->leaf_count)
            return pqx_fail(s->error, PQX_IRREGULAR, row_group->bytes.offset, scan->leaf_count,
                            row_group->chunk_count);
    }
    return PQX_OK;
}

static int push(pqx_buffer *buffer, uint32_t value, pqx_error *error)
{ return pqx_buffer_append(buffer, &value, sizeof value, error); }

static uint32_t *words(const pqx_buffer *buffer) { return (uint32_t *)(void *)buffer->data; }

/* Append a leaf and the groups above it that the slice does not have yet: those after `known`, the
 * last element in the slice. */
static int add_branch(pqx_slicer *s, uint32_t leaf, uint32_t known)
{
    const pqx_element *all = s->projection.scan->elements;
    size_t begin = s->sources.size / sizeof(uint32_t), count = 0;
    uint32_t at = leaf;
    for (; at > known; at = (uint32_t)all[at].parent, count++)
        PQX_TRY(push(&s->sources, at, s->error));
    PQX_TRY(pqx_buffer_reserve(&s->elements, count * sizeof(pqx_slice_element), s->error));
    pqx_slice_element *elements = (pqx_slice_element *)(void *)s->elements.data;
    uint32_t *sources = words(&s->sources);
    for (size_t i = begin, j = begin + count; i + 1 < j;
         i++) { /* they were added from the leaf up */
        uint32_t other = sources[--j];
        sources[j] = sources[i];
        sources[i] = other;
    }
    while (sources[words(&s->open)[s->open.size / sizeof(uint32_t) - 1]] != at)
        s->open.size -= sizeof(uint32_t);
    elements[words(&s->open)[s->open.size / sizeof(uint32_t) - 1]].num_children++;
    for (size_t i = begin; i < begin + count; i++) {
        const pqx_element *element = &all[sources[i]];
        int is_leaf = sources[i] == leaf;
        elements[i] = (pqx_slice_element){bytes_of(s, element->bytes), is_leaf ? 0 : 1,
                                          element->column_order};
        if (!is_leaf) PQX_TRY(push(&s->open, (uint32_t)i, s->error));
    }
    s->elements.size += count * sizeof(pqx_slice_element);
    return PQX_OK;
}

/* Add the root, the leaves, and the groups above them. */
static int add_elements(pqx_slicer *s)
{
    const pqx_projection *p = &s->projection;
    pqx_slice_element root = {bytes_of(s, p->scan->elements[0].bytes), 0, 0};
    uint32_t known = 0;
    int status = pqx_buffer_append(&s->elements, &root, sizeof root, s->error);
    if (status == PQX_OK) status = push(&s->sources, 0, s->error);
    if (status == PQX_OK) status = push(&s->open, 0, s->error);
    for (uint32_t i = 0; status == PQX_OK && i < p->leaf_count; i++) {
        uint32_t leaf = p->scan->leaves[p->leaves[i]];
        status = add_branch(s, leaf, known);
        known = leaf;
    }
    return status;
}

/* Append the path of a leaf, NUL between the names. */
static int add_path(pqx_slicer *s, uint32_t leaf)
{
    const pqx_element *all = s->projection.scan->elements;
    size_t length = 0, begin = s->path_bytes.size;
    for (uint32_t at = leaf; at; at = (uint32_t)all[at].parent) length += all[at].name.length + 1;
    PQX_TRY(pqx_buffer_reserve(&s->path_bytes, length, s->error));
    size_t end = begin + length;
    for (uint32_t at = leaf; at;
         at = (uint32_t)all[at].parent) { /* written from the leaf up, so from the back */
        s->path_bytes.data[--end] = 0;
        end -= all[at].name.length;
        if (all[at].name.length)
            memcpy(s->path_bytes.data + end, s->projection.data + all[at].name.offset,
                   all[at].name.length);
    }
    s->path_bytes.size += length;
    pqx_bytes path = {NULL, length ? length - 1 : 0};
    return pqx_buffer_append(&s->paths, &path, sizeof path, s->error);
}

/* Add the paths of the leaves, for chunks that are written from values or lack a path. */
static int add_paths(pqx_slicer *s)
{
    const pqx_projection *p = &s->projection;
    for (uint32_t i = 0; i < p->leaf_count; i++)
        PQX_TRY(add_path(s, p->scan->leaves[p->leaves[i]]));
    pqx_bytes *paths = (pqx_bytes *)(void *)s->paths.data;
    const uint8_t *at = s->path_bytes.data;
    for (uint32_t i = 0; i < p->leaf_count; at += paths[i++].size + 1) paths[i].data = at;
    return PQX_OK;
}

static int add_chunks(pqx_slicer *s)
{
    const pqx_projection *p = &s->projection;
    if (p->groups) return add_paths(s);
    const pqx_scan *scan = p->scan;
    size_t count = (size_t)s->row_group_count * p->leaf_count;
    int status = pqx_buffer_reserve(&s->chunks, count * sizeof(pqx_slice_chunk), s->error);
    if (status == PQX_OK)
        status = pqx_buffer_reserve(&s->groups, s->row_group_count * sizeof(pqx_slice_row_group),
                                    s->error);
    if (status != PQX_OK) return status;
    pqx_slice_chunk *chunks = (pqx_slice_chunk *)(void *)s->chunks.data;
    pqx_slice_row_group *groups = (pqx_slice_row_group *)(void *)s->groups.data;
    uint32_t told = PQX_PRESENT_PATH_IN_SCHEMA;
    for (uint32_t i = 0; i < s->row_group_count; i++) {
        const pqx_row_group *row_group = &scan->row_groups[s->row_groups[i]];
        uint64_t first = scan->first_chunk[s->row_groups[i]];
        groups[i] =
            (pqx_slice_row_group){row_group->num_rows, row_group->file_offset, row_group->ordinal};
        for (uint32_t j = 0; j < p->leaf_count; j++) {
            const pqx_chunk *chunk = &scan->chunks[first + p->leaves[j]];
            *chunks++ = (pqx_slice_chunk){bytes_of(s, chunk->chunk), chunk, NULL};
            told &= chunk->present;
        }
    }
    return told ? PQX_OK : add_paths(s);
}

/* Add the key-values except ARROW:schema. */
static int add_key_values(pqx_slicer *s)
{
    const pqx_scan *scan = s->projection.scan;
    int status = PQX_OK;
    for (uint32_t i = 0; status == PQX_OK && i < scan->key_value_count; i++) {
        if (pqx_is_arrow_schema(s->projection.data, &scan->key_values[i])) continue;
        pqx_bytes pair = bytes_of(s, scan->key_values[i].bytes);
        status = pqx_buffer_append(&s->key_values, &pair, sizeof pair, s->error);
    }
    return status;
}

static int write_slice(pqx_slicer *s, pqx_buffer *out)
{
    const pqx_projection *p = &s->projection;
    const pqx_scan *scan = p->scan;
    pqx_slice_parts parts = {
        .version = scan->version,
        .elements = (const pqx_slice_element *)s->elements.data,
        .element_count = (uint32_t)(s->elements.size / sizeof(pqx_slice_element)),
        .row_groups = p->groups ? p->groups : (const pqx_slice_row_group *)s->groups.data,
        .row_group_count = s->row_group_count,
        .chunks = p->groups ? p->chunks : (const pqx_slice_chunk *)s->chunks.data,
        .leaf_count = p->leaf_count,
        .paths = (const pqx_bytes *)s->paths.data,
        .key_values = (const pqx_bytes *)s->key_values.data,
        .key_value_count = (uint32_t)(s->key_values.size / sizeof(pqx_bytes)),
        .arrow_schema = {s->arrow_schema.data, s->arrow_schema.size},
        .created_by = bytes_of(s, scan->created_by),
        .has_created_by = scan->has_created_by,
        .has_column_orders = scan->has_column_orders,
    };
    return pqx_slice_write(&parts, out, s->error);
}

int pqx_slice_projection(const pqx_projection *projection, size_t size, const uint32_t *row_groups,
                         uint32_t row_group_count, int arrow_schema, int key_values,
                         pqx_buffer *out, pqx_error *error)
{
    pqx_slicer s = {.projection = *projection,
                    .row_groups = row_groups,
                    .row_group_count = row_group_count,
                    .error = error};
    size_t end = projection->scan->end;
    int status = size < end ? pqx_fail(error, PQX_BAD_ARGUMENT, 0, end, size) : check_arguments(&s);
    if (status == PQX_OK) status = add_elements(&s);
    if (status == PQX_OK) status = add_chunks(&s);
    if (status == PQX_OK && key_values) status = add_key_values(&s);
    if (status == PQX_OK && arrow_schema) {
        status = pqx_project_arrow_schema(&s.projection, &s.arrow_schema);
        if (status == PQX_NO_MEMORY) pqx_fail(error, status, 0, 0, 0);
        else status = PQX_OK;
    }
    if (status == PQX_OK) status = write_slice(&s, out);
    pqx_buffer *buffers[] = {&s.elements, &s.sources,    &s.open,       &s.chunks,      &s.groups,
                             &s.paths,    &s.path_bytes, &s.key_values, &s.arrow_schema};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) pqx_buffer_free(buffers[i]);
    return status;
}

int pqx_slice_footer(const uint8_t *data, size_t size, const pqx_scan *scan, const uint32_t *leaves,
                     uint32_t leaf_count, const uint32_t *row_groups, uint32_t row_group_count,
                     int arrow_schema, int key_values, pqx_buffer *out, pqx_error *error)
{
    pqx_projection projection = {
        .data = data, .scan = scan, .leaves = leaves, .leaf_count = leaf_count};
    PQX_TRY(pqx_check_scan(scan, error));
    return pqx_slice_projection(&projection, size, row_groups, row_group_count, arrow_schema,
                                key_values, out, error);
}
