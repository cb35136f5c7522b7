/* Scan any bytes as a footer: all ranges are inside, both decoders agree, and the struct ends at
 * the end that the plain skip finds. */
#include "input.h"
#include "../tests/scans.h"

static void inside(pqx_range range, size_t size)
{ CLAIM(range.offset <= size && range.length <= size - range.offset); }

static void check_chunk(const uint8_t *data, size_t size, const pqx_chunk *chunk,
                        const pqx_element *leaf)
{
    inside(chunk->chunk, size);
    inside(chunk->metadata, size);
    inside(chunk->statistics, size);
    inside(chunk->min_value, size);
    inside(chunk->max_value, size);
    inside(chunk->min, size);
    inside(chunk->max, size);
    if (!leaf) return;
    pqx_range min, max;
    int has;
    pqx_usable_bounds(data, chunk, leaf, &min, &max, &has);
    if (has & 1) inside(min, size);
    if (has & 2) inside(max, size);
}

static pqx_bound_column reserve(uint64_t count, uint64_t bytes)
{
    pqx_bound_column made = {malloc(8 * count + 1), malloc(8 * count + 1), malloc(4 * (count + 1)),
                             malloc(bytes + 1), malloc(PQX_BOUND_BITMAPS * ((count + 7) / 8) + 1)};
    return made;
}

static void release(pqx_bound_column column)
{
    free(column.numbers);
    free(column.moments);
    free(column.offsets);
    free(column.bytes);
    free(column.valid);
}

/* The columns have exactly the announced sizes for all readings. */
static void check_columns(const uint8_t *data, size_t size, const pqx_scan *scan)
{
    uint64_t low, high;
    if (pqx_bound_bytes(data, scan, &low, &high, NULL) != PQX_OK) return;
    CLAIM(low <= size && high <= size);
    pqx_bound_column minima = reserve(scan->chunk_count, low),
                     maxima = reserve(scan->chunk_count, high);
    uint8_t *readings = malloc(scan->leaf_count + 1);
    for (uint32_t i = 0; i < scan->leaf_count; i++) readings[i] = (uint8_t)(data[i % size] + i);
    pqx_bound_columns(data, scan, readings, &minima, &maxima);
    CLAIM((uint64_t)minima.offsets[scan->chunk_count] == low
          && (uint64_t)maxima.offsets[scan->chunk_count] == high);
    free(readings);
    release(minima);
    release(maxima);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    (void)take_steering(input, &size);
    uint8_t *data = exact(input, size);
    pqx_scan scan;
    pqx_error error = {0};
    int accepted = 0;
    CLAIM(both_decoders(data, size, &scan, &error, &accepted));
    if (accepted) {
        size_t end;
        pqx_missing missing;
        CLAIM(pqx_thrift_skip(data, size, 0, 12, &end, NULL) == PQX_OK && end == scan.end);
        CLAIM(pqx_find_missing(data, size, &missing, NULL) == PQX_OK && missing.offset < size);
        for (uint32_t i = 0; i < scan.element_count; i++) {
            inside(scan.elements[i].bytes, size);
            inside(scan.elements[i].name, size);
            inside(scan.elements[i].logical_type, size);
            CLAIM(scan.elements[i].parent < (int32_t)i);
        }
        for (uint32_t i = 0; i < scan.leaf_count; i++) CLAIM(scan.leaves[i] < scan.element_count);
        for (uint32_t i = 0; i < scan.key_value_count; i++) {
            inside(scan.key_values[i].key, size);
            inside(scan.key_values[i].value, size);
        }
        for (uint32_t i = 0; i < scan.row_group_count; i++) {
            inside(scan.row_groups[i].bytes, size);
            CLAIM(scan.first_chunk[i] <= scan.chunk_count);
            CLAIM(scan.row_groups[i].chunk_count <= scan.chunk_count - scan.first_chunk[i]);
        }
        for (uint64_t i = 0; i < scan.chunk_count; i++) {
            int has_leaf = scan.regular && scan.leaf_count;
            check_chunk(data, size, &scan.chunks[i],
                        has_leaf ? &scan.elements[scan.leaves[i % scan.leaf_count]] : NULL);
        }
        for (uint32_t i = 1; i < scan.element_count && i < 50;
             i++) { /* an element of the root reads like its own name */
            pqx_range name = scan.elements[i].name;
            size_t found =
                pqx_scan_find_name(data, &scan, data + name.offset, name.length, NULL, 0);
            CLAIM(found >= (size_t)(scan.elements[i].parent == 0) && found < scan.element_count);
        }
        check_columns(data, size, &scan);
        pqx_scan_free(&scan);
    } else {
        CLAIM(error.code != PQX_OK);
    }
    free(data);
    return 0;
}
