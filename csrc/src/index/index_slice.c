/* Write a slice through a footer index: assemble the parts of the Thrift footer that the projection
 * needs into a small scan. */
#include <stdlib.h>

#include "index/index_read.h"
#include "footer/slice.h"
#include "flat/flat_slice.h"

/* An element of the slice, before its final position is known. */
typedef struct sliced_element {
    pqx_element element; /* ranges are relative to the slicer's `data` */
    pqx_real real;
    uint64_t place;
    uint32_t id, index, parent;
} sliced_element;

typedef struct index_slicer {
    pqx_index *index;
    const uint32_t *leaves, *row_groups;
    uint32_t leaf_count, row_group_count;
    pqx_scan scan; /* leaves and row groups are those of the slice, renumbered */
    pqx_buffer data, found, key_values;
    pqx_real *real;
    uint32_t *order, *numbers;
    uint8_t *known;
    pqx_error *error;
} index_slicer;

static int check_arguments(const index_slicer *s)
{
    const pqx_index_shape *shape = &s->index->shape;
    for (uint32_t i = 0; i < s->leaf_count; i++) {
        if (s->leaves[i] >= shape->leaves)
            return pqx_fail(s->error, PQX_BAD_ARGUMENT, 0, shape->leaves, s->leaves[i]);
        if (i && s->leaves[i] <= s->leaves[i - 1])
            return pqx_fail(s->error, PQX_BAD_ARGUMENT, 0, s->leaves[i - 1], s->leaves[i]);
    }
    for (uint32_t i = 0; i < s->row_group_count; i++)
        if (s->row_groups[i] >= shape->row_groups)
            return pqx_fail(s->error, PQX_BAD_ARGUMENT, 0, shape->row_groups, s->row_groups[i]);
    return PQX_OK;
}

static pqx_range shifted(pqx_range range, size_t by)
{ return (pqx_range){range.offset + (uint32_t)by, range.length}; }

/* Append bytes; ranges are 32 bits wide. */
static int append(index_slicer *s, const uint8_t *bytes, size_t size)
{
    if (size > UINT32_MAX - (uint64_t)s->data.size)
        return pqx_fail(s->error, PQX_TOO_LARGE, s->index->footer, UINT32_MAX,
                        (uint64_t)s->data.size + size);
    return pqx_buffer_append(&s->data, bytes, size, s->error);
}

static int add_element(index_slicer *s, uint32_t id, uint32_t *parent)
{
    const pqx_index_entry *entry;
    PQX_TRY(pqx_index_load_id(s->index, id, &entry, s->error));
    size_t at = s->data.size;
    sliced_element found = {.element = entry->element,
                            .real = {entry->position, entry->leaf_count},
                            .place = entry->place,
                            .id = id,
                            .index = entry->index,
                            .parent = entry->parent};
    found.element.bytes = shifted(entry->element.bytes, at);
    found.element.name = shifted(entry->element.name, at);
    found.element.logical_type = shifted(entry->element.logical_type, at);
    PQX_TRY(append(s, entry->thrift.data, entry->thrift.size));
    *parent = entry->parent;
    return pqx_buffer_append(&s->found, &found, sizeof found, s->error);
}

/* Add the leaves, and the groups above them. */
static int add_elements(index_slicer *s)
{
    uint32_t node = 0;
    for (uint32_t i = 0; i < s->leaf_count; i++) {
        PQX_TRY(add_element(s, s->leaves[i], &node));
        while (!s->known[node]) {
            s->known[node] = 1;
            PQX_TRY(add_element(s, PQX_FLAT_GROUP | node, &node));
        }
    }
    return s->leaf_count ? PQX_OK : add_element(s, PQX_FLAT_GROUP, &node);
}

static int by_index(const void *one, const void *other)
{
    uint32_t a = ((const sliced_element *)one)->index, b = ((const sliced_element *)other)->index;
    return (a > b) - (a < b);
}

/* Sort the elements into preorder, check that they form a tree with the leaves in order, and
 * renumber them. */
static int make_tree(index_slicer *s)
{
    sliced_element *found = (sliced_element *)(void *)s->found.data;
    uint32_t count = (uint32_t)(s->found.size / sizeof *found), leaves = 0;
    int32_t open = -1;
    qsort(found, count, sizeof *found, by_index);
    for (uint32_t i = 0; i < count; i++) {
        const sliced_element *last = i ? &found[i - 1] : NULL;
        int is_leaf = !(found[i].id & PQX_FLAT_GROUP);
        while (open >= 0 && found[open].id != (PQX_FLAT_GROUP | found[i].parent))
            open = s->scan.elements[open].parent;
        if (i ? open < 0 || found[i].index == last->index : found[0].id != PQX_FLAT_GROUP)
            return pqx_fail(s->error, PQX_BAD_VALUE, found[i].place, i ? last->index : 0,
                            found[i].index);
        if (is_leaf && s->leaves[leaves] != found[i].id)
            return pqx_fail(s->error, PQX_BAD_VALUE, found[i].place, s->leaves[leaves],
                            found[i].id);
        pqx_element *element = &s->scan.elements[i];
        *element = found[i].element;
        element->parent = open;
        element->first_leaf = (int32_t)leaves;
        element->leaf_count = is_leaf;
        if (is_leaf) s->scan.leaves[leaves++] = i;
        for (int32_t at = open; is_leaf && at >= 0; at = s->scan.elements[at].parent)
            s->scan.elements[at].leaf_count++;
        s->real[i] = found[i].real;
        if (!is_leaf) open = (int32_t)i;
    }
    s->scan.element_count = count;
    s->scan.leaf_count = leaves;
    return PQX_OK;
}

/* Return how many of the requested row groups, from index i on, are consecutive both in the file
 * and in the slice. */
static uint32_t run_of(const index_slicer *s, uint32_t i)
{
    uint32_t at = s->order[i], run = 1;
    while (i + run < s->row_group_count && s->order[i + run] == at + run
           && s->row_groups[at + run] == s->row_groups[at] + run)
        run++;
    return run;
}

/* Read the requested row groups, each once. */
static int add_row_groups(index_slicer *s)
{
    pqx_row_group *groups = s->scan.row_groups;
    for (uint32_t i = 0, run; i < s->row_group_count; i += run) {
        uint32_t at = s->order[i];
        run = run_of(s, i);
        if (i && s->row_groups[at] == s->row_groups[s->order[i - 1]]) {
            run = 1;
            groups[at] = groups[s->order[i - 1]];
        } else {
            PQX_TRY(
                pqx_index_read_row_groups(s->index, s->row_groups[at], run, &groups[at], s->error));
        }
    }
    for (uint32_t i = 0; i < s->row_group_count; i++) {
        groups[i].chunk_count = s->leaf_count;
        s->scan.first_chunk[i] = (uint64_t)i * s->leaf_count;
    }
    return PQX_OK;
}

/* Append the Thrift bytes of a leaf's chunks in the `run` row groups from i on, in the order of the
 * file; `found` has room for them. */
static int add_run(index_slicer *s, uint32_t leaf, uint32_t i, uint32_t run, pqx_chunk *found)
{
    PQX_TRY(s->index->form->read_structs(s->index, s->leaves[leaf], s->row_groups[s->order[i]], run,
                                         found, NULL, &s->data, s->error));
    for (uint32_t at = 0; at < run; at++)
        s->scan.chunks[(size_t)s->order[i + at] * s->leaf_count + leaf] = found[at];
    return PQX_OK;
}

/* Read the chunks leaf by leaf, each part once. */
static int add_chunks(index_slicer *s)
{
    int status = PQX_OK;
    size_t size = s->row_group_count * sizeof(pqx_chunk);
    pqx_chunk *found = (pqx_chunk *)malloc(size + 1);
    if (!found) return pqx_fail(s->error, PQX_NO_MEMORY, 0, size, 0);
    for (uint32_t leaf = 0; status == PQX_OK && leaf < s->leaf_count; leaf++)
        for (uint32_t i = 0, run; status == PQX_OK && i < s->row_group_count; i += run) {
            run = run_of(s, i);
            status = add_run(s, leaf, i, run, found);
        }
    free(found);
    return status;
}

static int add_key_value(index_slicer *s, uint32_t number)
{
    pqx_key_value pair;
    PQX_TRY(pqx_index_read_pair(s->index, number, &pair, s->error));
    size_t at = s->data.size;
    pair.bytes = shifted(pair.bytes, at);
    pair.key = shifted(pair.key, at);
    pair.value = shifted(pair.value, at);
    PQX_TRY(append(s, s->index->pair_thrift.data, s->index->pair_thrift.size));
    return pqx_buffer_append(&s->key_values, &pair, sizeof pair, s->error);
}

static int add_key_values(index_slicer *s, int arrow_schema, int key_values)
{
    const pqx_index *index = s->index;
    for (uint32_t i = 0; key_values && i < index->shape.key_values; i++)
        PQX_TRY(add_key_value(s, i));
    if (!key_values && arrow_schema && index->arrow_schema && s->leaf_count)
        PQX_TRY(add_key_value(s, index->arrow_schema - 1));
    s->scan.key_values = (pqx_key_value *)(void *)s->key_values.data;
    s->scan.key_value_count = (uint32_t)(s->key_values.size / sizeof(pqx_key_value));
    return PQX_OK;
}

static int add_created_by(index_slicer *s)
{
    pqx_bytes text;
    if (!(s->index->flags & 1)) return PQX_OK;
    PQX_TRY(pqx_index_read_created_by(s->index, &text, s->error));
    s->scan.created_by = (pqx_range){(uint32_t)s->data.size, (uint32_t)text.size};
    s->scan.has_created_by = 1;
    return append(s, text.data, text.size);
}

/* Reserve room for the maximum number of elements: each leaf and the groups above it, each once. */
static int reserve(index_slicer *s)
{
    size_t elements = s->found.size / sizeof(sliced_element), groups = s->row_group_count,
           chunks = groups * s->leaf_count;
    s->scan.elements = (pqx_element *)calloc(elements, sizeof *s->scan.elements);
    s->scan.leaves = (uint32_t *)malloc(s->leaf_count * sizeof *s->scan.leaves + 1);
    s->real = (pqx_real *)malloc(elements * sizeof *s->real);
    s->scan.row_groups = (pqx_row_group *)malloc(groups * sizeof *s->scan.row_groups + 1);
    s->scan.first_chunk = (uint64_t *)malloc(groups * sizeof *s->scan.first_chunk + 1);
    s->scan.chunks = (pqx_chunk *)malloc(chunks * sizeof *s->scan.chunks + 1);
    s->order = (uint32_t *)malloc(groups * sizeof *s->order + 1);
    size_t most = groups > s->leaf_count ? groups : s->leaf_count;
    s->numbers = (uint32_t *)malloc((most + 1) * sizeof *s->numbers);
    if (s->scan.elements && s->scan.leaves && s->real && s->scan.row_groups && s->scan.first_chunk
        && s->scan.chunks && s->order && s->numbers)
        return PQX_OK;
    return pqx_fail(s->error, PQX_NO_MEMORY, 0, chunks * sizeof *s->scan.chunks, 0);
}

static int make_slice(index_slicer *s, int arrow_schema, int key_values, pqx_buffer *out)
{
    pqx_index *index = s->index;
    PQX_TRY(check_arguments(s));
    s->known = (uint8_t *)calloc(index->shape.nodes, 1);
    if (!s->known) return pqx_fail(s->error, PQX_NO_MEMORY, 0, index->shape.nodes, 0);
    pqx_index_begin(index);
    PQX_TRY(add_elements(s));
    PQX_TRY(reserve(s));
    PQX_TRY(make_tree(s));
    PQX_TRY(pqx_flat_order(s->row_groups, s->row_group_count, s->order, s->error));
    PQX_TRY(add_row_groups(s));
    pqx_index_begin(index); /* reads the leaves' elements again */
    PQX_TRY(add_chunks(s));
    PQX_TRY(add_key_values(s, arrow_schema, key_values));
    PQX_TRY(add_created_by(s));
    for (uint32_t i = 0; i < s->leaf_count || i < s->row_group_count; i++) s->numbers[i] = i;
    s->scan.version = index->facts.version;
    s->scan.has_column_orders = (index->flags >> 2) & 1;
    s->scan.row_group_count = s->row_group_count;
    s->scan.end = s->data.size;
    pqx_projection projection = {
        .data = s->data.data,
        .scan = &s->scan,
        .leaves = s->numbers,
        .leaf_count = s->leaf_count,
        .real = s->real,
        .real_elements = index->shape.leaves + index->shape.nodes,
    };
    return pqx_slice_projection(&projection, s->data.size, s->numbers, s->row_group_count,
                                arrow_schema, key_values, out, s->error);
}

int pqx_index_slice(pqx_index *index, const uint32_t *leaves, uint32_t leaf_count,
                    const uint32_t *row_groups, uint32_t row_group_count, int arrow_schema,
                    int key_values, pqx_buffer *out, pqx_error *error)
{
    index_slicer s = {.index = index,
                      .leaves = leaves,
                      .row_groups = row_groups,
                      .leaf_count = leaf_count,
                      .row_group_count = row_group_count,
                      .error = error};
    int status = make_slice(&s, arrow_schema, key_values, out);
    void *arrays[] = {s.scan.elements,   s.scan.leaves,      s.real,
                      s.scan.row_groups, s.scan.first_chunk, s.scan.chunks,
                      s.order,           s.numbers,          s.known};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    pqx_buffer *buffers[] = {&s.data, &s.found, &s.key_values};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) pqx_buffer_free(buffers[i]);
    return status;
}
