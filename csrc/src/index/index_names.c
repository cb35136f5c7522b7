/* Number a schema's elements, hash their names, and fill buckets with them. */
#include <stdlib.h>

#include "index/index.h"

uint64_t pqx_index_names_count(const pqx_scan *scan)
{
    uint64_t count = scan->element_count - 1;
    for (uint32_t i = 1; i < scan->element_count; i++)
        count += scan->elements[i].field_id != INT32_MIN;
    return count;
}

static int reserve(const pqx_scan *scan, pqx_index_names *names, pqx_error *error)
{
    size_t elements = scan->element_count, count = (size_t)pqx_index_names_count(scan);
    *names = (pqx_index_names){
        .id_of = (uint32_t *)calloc(elements, sizeof *names->id_of),
        .position = (uint32_t *)calloc(elements, sizeof *names->position),
        .node_element = (uint32_t *)calloc(elements, sizeof *names->node_element),
        .homes = (uint32_t *)malloc(count * sizeof *names->homes + 1),
        .entries = (uint8_t *)malloc(count * 8 + 1),
    };
    if (names->id_of && names->position && names->node_element && names->homes && names->entries)
        return PQX_OK;
    return pqx_fail(error, PQX_NO_MEMORY, 0, elements * 20 + count * 12, 0);
}

/* Classify elements as leaves or nodes, and count siblings in `children`. */
static void number_elements(const pqx_scan *scan, pqx_index_names *names, size_t *children)
{
    uint32_t nodes = 0;
    for (uint32_t i = 0; i < scan->element_count; i++) names->id_of[i] = PQX_FLAT_GROUP;
    for (uint32_t i = 0; i < scan->leaf_count; i++) names->id_of[scan->leaves[i]] = i;
    for (uint32_t i = 0; i < scan->element_count; i++) {
        if (names->id_of[i] & PQX_FLAT_GROUP) {
            names->node_element[nodes] = i;
            names->id_of[i] |= nodes++;
        }
        if (i) names->position[i] = (uint32_t)children[scan->elements[i].parent]++;
    }
}

static void put_entry(pqx_index_names *names, uint32_t *count, uint64_t hash, uint32_t id)
{
    pqx_store32(names->entries + 8 * (size_t)*count, (uint32_t)hash);
    pqx_store32(names->entries + 8 * (size_t)*count + 4, id);
    names->homes[(*count)++] = (uint32_t)(hash >> 32);
}

/* Hash the path of each element: its parent's path, which is still at the start of the buffer, and
 * its name. Entries of leaves come first, then those of nodes. */
static int put_paths(const uint8_t *footer, const pqx_scan *scan, pqx_index_names *names,
                     size_t *path_size, pqx_buffer *path, pqx_error *error)
{
    uint32_t leaf = 0, node = scan->leaf_count;
    path_size[0] = 0;
    for (uint32_t i = 1; i < scan->element_count; i++) {
        const pqx_element *element = &scan->elements[i];
        uint32_t *next = names->id_of[i] & PQX_FLAT_GROUP ? &node : &leaf;
        path->size = path_size[element->parent];
        if (element->parent) PQX_TRY(pqx_buffer_append(path, ".", 1, error));
        PQX_TRY(
            pqx_buffer_append(path, footer + element->name.offset, element->name.length, error));
        PQX_TRY(pqx_buffer_reserve(path, 1, error));
        path_size[i] = path->size;
        put_entry(names, next, pqx_flat_hash_path(path->data, path->size), names->id_of[i]);
    }
    names->count = node;
    return PQX_OK;
}

static void put_field_ids(const pqx_scan *scan, pqx_index_names *names)
{
    for (uint32_t i = 0; i < scan->element_count; i++) {
        uint32_t element =
            i < scan->leaf_count ? scan->leaves[i] : names->node_element[i - scan->leaf_count];
        int32_t field_id = scan->elements[element].field_id;
        if (element && field_id != INT32_MIN)
            put_entry(names, &names->count, pqx_flat_hash_field_id(field_id),
                      names->id_of[element]);
    }
}

int pqx_index_names_make(const uint8_t *footer, const pqx_scan *scan, pqx_index_names *names,
                         pqx_error *error)
{
    pqx_buffer path = {0};
    PQX_TRY(reserve(scan, names, error));
    size_t *sizes = (size_t *)calloc(scan->element_count, sizeof *sizes);
    if (!sizes) return pqx_fail(error, PQX_NO_MEMORY, 0, scan->element_count * sizeof *sizes, 0);
    number_elements(scan, names, sizes);
    int status = put_paths(footer, scan, names, sizes, &path, error);
    if (status == PQX_OK) put_field_ids(scan, names);
    pqx_buffer_free(&path);
    free(sizes);
    return status;
}

void pqx_index_names_free(pqx_index_names *names)
{
    void *arrays[] = {names->id_of, names->position, names->node_element, names->homes,
                      names->entries};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    *names = (pqx_index_names){0};
}

void pqx_index_names_put_buckets(const pqx_index_names *names, uint8_t *first)
{
    const pqx_index_shape shape = {.names = names->count};
    uint32_t buckets = pqx_index_buckets(&shape);
    if (!buckets) return;
    for (uint32_t i = 0; i < buckets; i++) {
        uint8_t *bucket = first + PQX_FLAT_PAGE_BYTES * (size_t)i;
        pqx_store32(bucket + 4, PQX_FLAT_PAGE_BYTES);
        pqx_store16(bucket + 8, PQX_KIND_BUCKET);
        pqx_store32(bucket + 12, i);
    }
    pqx_flat_fill_buckets(first, buckets, names->homes, names->entries, names->count);
    for (uint32_t i = 0; i < buckets; i++) {
        uint8_t *bucket = first + PQX_FLAT_PAGE_BYTES * (size_t)i;
        pqx_store32(bucket, pqx_crc32(0, bucket + 4, PQX_FLAT_PAGE_BYTES - 4));
    }
}

uint32_t pqx_index_arrow_schema(const uint8_t *footer, const pqx_scan *scan)
{
    static const char key[] = "ARROW:schema";
    for (uint32_t i = 0; i < scan->key_value_count; i++) {
        const pqx_key_value *pair = &scan->key_values[i];
        if (pair->has_value && pair->key.length == sizeof key - 1
            && !memcmp(footer + pair->key.offset, key, sizeof key - 1))
            return i + 1;
    }
    return 0;
}
