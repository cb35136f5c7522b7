/* The data that our sidecars store for slices of a footer: schema, key-values, and the metadata of
 * each chunk that `_pm` lacks. */
#include <stdlib.h>

#include "footer/slice.h"
#include "sidecar/sidecar.h"

enum { LAYOUT = PQX_PM_SLICES_KNOWN_LAYOUT, FIXED = 24, HAS_DICTIONARY = 1 };
#define FARTHEST (INT64_C(1) << 60) /* maximum distance of a data page from its chunk's start */
#define NEEDED                                                                             \
    (PQX_PRESENT_METADATA | PQX_PRESENT_NUM_VALUES | PQX_PRESENT_TOTAL_UNCOMPRESSED_SIZE   \
     | PQX_PRESENT_TOTAL_COMPRESSED_SIZE | PQX_PRESENT_DATA_PAGE_OFFSET | PQX_PRESENT_TYPE \
     | PQX_PRESENT_CODEC)

int pqx_pm_open_slices(const uint8_t *data, size_t size, pqx_pm_slices *slices, pqx_error *error)
{
    if (size < FIXED) return pqx_fail(error, PQX_PM_SLICES, 0, FIXED, size);
    if (pqx_load32(data) != LAYOUT)
        return pqx_fail(error, PQX_PM_SLICES, 0, LAYOUT, pqx_load32(data));
    uint64_t schema = pqx_load32(data + 4), pairs = pqx_load32(data + 12),
             leaves = pqx_load32(data + 16);
    uint64_t begin = FIXED + 4 * leaves + schema + pairs;
    if (begin > size) return pqx_fail(error, PQX_PM_SLICES, 4, size, begin);
    slices->ends = data + FIXED;
    slices->schema = (pqx_bytes){data + FIXED + 4 * leaves, (size_t)schema};
    slices->key_values = (pqx_bytes){slices->schema.data + schema, (size_t)pairs};
    slices->runs = (pqx_bytes){data + begin, (size_t)(size - begin)};
    slices->key_value_count = pqx_load32(data + 8);
    slices->leaf_count = (uint32_t)leaves;
    slices->row_group_count = pqx_load32(data + 20);
    uint64_t last = 0;
    for (uint64_t i = 0; i < leaves; i++) {
        uint64_t end = pqx_load32(slices->ends + 4 * i);
        if (end < last || end > slices->runs.size)
            return pqx_fail(error, PQX_PM_SLICES, FIXED + 4 * i, slices->runs.size, end);
        last = end;
    }
    if (last != slices->runs.size)
        return pqx_fail(error, PQX_PM_SLICES, FIXED, slices->runs.size, last);
    return PQX_OK;
}

/* Return 1 if a run and `_pm` together contain everything that a reader needs of a chunk. */
static int is_told(const pqx_chunk *chunk)
{
    uint32_t present = chunk->present;
    int64_t start = pqx_pm_range_start(chunk);
    if ((present & NEEDED) != NEEDED || present & (PQX_PRESENT_FILE_PATH | PQX_PRESENT_CRYPTO))
        return 0;
    if (chunk->num_values < 0 || chunk->total_compressed_size < 0
        || chunk->total_uncompressed_size < 0 || start < 0)
        return 0;
    return chunk->data_page_offset >= 0 && chunk->data_page_offset < FARTHEST && start < FARTHEST;
}

static uint8_t *put_run(uint8_t *at, const pqx_chunk *chunk)
{
    int has_dictionary = (chunk->present & PQX_PRESENT_DICTIONARY_PAGE_OFFSET) != 0;
    at += pqx_varint_put(at,
                         pqx_zigzag(chunk->total_uncompressed_size - chunk->total_compressed_size));
    at += pqx_varint_put(at, chunk->encodings);
    return at
           + pqx_varint_put(at, pqx_zigzag(chunk->data_page_offset - pqx_pm_range_start(chunk)) << 1
                                    | (uint64_t)has_dictionary);
}

int pqx_pm_write_runs(const pqx_scan *scan, pqx_buffer *ends, pqx_buffer *out, int *whole,
                      pqx_error *error)
{
    size_t begin = out->size, end = 0, begin_ends = ends->size;
    *whole = scan->regular;
    for (uint64_t i = 0; i < scan->chunk_count && *whole; i++) *whole = is_told(&scan->chunks[i]);
    if (!*whole) return PQX_OK;
    int status = pqx_buffer_reserve(ends, 4 * (size_t)scan->leaf_count, error);
    for (uint32_t leaf = 0; status == PQX_OK && leaf < scan->leaf_count; leaf++) {
        status = pqx_buffer_reserve(out, (size_t)scan->row_group_count * 30 + 1, error);
        if (status != PQX_OK) break;
        uint8_t *at = out->data + out->size;
        for (uint32_t i = 0; i < scan->row_group_count; i++)
            at = put_run(at, &scan->chunks[(size_t)i * scan->leaf_count + leaf]);
        out->size = (size_t)(at - out->data);
        end = out->size - begin;
        if (end > UINT32_MAX) *whole = 0;
        pqx_store32(ends->data + ends->size, (uint32_t)end);
        ends->size += 4;
    }
    if (status != PQX_OK || !*whole) {
        out->size = begin;
        ends->size = begin_ends;
    }
    return status;
}

typedef struct run {
    int64_t overhead, data_page;
    uint32_t encodings;
    int has_dictionary;
} run;

static int next_run(const pqx_pm_slices *slices, size_t end, size_t *at, run *run, pqx_error *error)
{
    uint64_t overhead, place;
    const uint8_t *data = slices->runs.data;
    size_t begin = *at;
    if (pqx_varint_get64(data, end, begin, &overhead, at, NULL) == PQX_OK
        && pqx_varint_get32(data, end, *at, &run->encodings, at, NULL) == PQX_OK
        && pqx_varint_get64(data, end, *at, &place, at, NULL) == PQX_OK) {
        run->overhead = pqx_unzigzag(overhead);
        run->has_dictionary = place & HAS_DICTIONARY;
        run->data_page = pqx_unzigzag(place >> 1);
        return PQX_OK;
    }
    return pqx_fail(error, PQX_PM_SLICES, begin, end, begin);
}

static int contradicts(uint32_t leaf, pqx_error *error)
{ return pqx_fail(error, PQX_PM_SLICES, 0, leaf, leaf); }

static int fill_chunk(const pqx_element *element, const uint8_t *stored, const run *run,
                      uint32_t leaf, pqx_chunk *chunk, pqx_error *error)
{
    uint64_t values = pqx_load64(stored + PQX_PM_CHUNK_NUM_VALUES),
             start = pqx_load64(stored + PQX_PM_CHUNK_BYTE_RANGE_START);
    uint64_t size = pqx_load64(stored + PQX_PM_CHUNK_TOTAL_COMPRESSED);
    if (values > INT64_MAX || start >= (uint64_t)FARTHEST || size >= (uint64_t)FARTHEST
        || stored[PQX_PM_CHUNK_CODEC] > PQX_PM_LAST_CODEC)
        return contradicts(leaf, error);
    if (run->overhead <= -FARTHEST || run->overhead >= FARTHEST || run->data_page <= -FARTHEST
        || run->data_page >= FARTHEST)
        return contradicts(leaf, error);
    *chunk = (pqx_chunk){
        .num_values = (int64_t)values,
        .total_uncompressed_size = (int64_t)size + run->overhead,
        .total_compressed_size = (int64_t)size,
        .data_page_offset = (int64_t)start + run->data_page,
        .dictionary_page_offset = run->has_dictionary ? (int64_t)start : -1,
        .null_count = -1,
        .distinct_count = -1,
        .type = element->type,
        .codec = stored[PQX_PM_CHUNK_CODEC],
        .present = NEEDED | (run->has_dictionary ? PQX_PRESENT_DICTIONARY_PAGE_OFFSET : 0),
        .encodings = run->encodings,
    };
    return chunk->data_page_offset < 0 || chunk->total_uncompressed_size < 0
               ? contradicts(leaf, error)
               : PQX_OK;
}

static void fill_statistics(const uint8_t *stored, uint8_t has, const uint64_t offsets[2],
                            const uint32_t lengths[2], pqx_chunk *chunk)
{
    int flags = stored[PQX_PM_CHUNK_STAT_FLAGS];
    uint64_t nulls = pqx_load64(stored + PQX_PM_CHUNK_NULL_COUNT),
             distinct = pqx_load64(stored + PQX_PM_CHUNK_DISTINCT_COUNT);
    if (flags & PQX_PM_STAT_NULL_COUNT && nulls <= INT64_MAX) {
        chunk->null_count = (int64_t)nulls;
        chunk->present |= PQX_PRESENT_STATISTICS | PQX_PRESENT_NULL_COUNT;
    }
    if (flags & PQX_PM_STAT_DISTINCT_COUNT && distinct <= INT64_MAX) {
        chunk->distinct_count = (int64_t)distinct;
        chunk->present |= PQX_PRESENT_STATISTICS | PQX_PRESENT_DISTINCT_COUNT;
    }
    if (has & 1) {
        chunk->min_value = (pqx_range){(uint32_t)offsets[0], lengths[0]};
        chunk->present |= PQX_PRESENT_STATISTICS | PQX_PRESENT_MIN_VALUE | PQX_PRESENT_MIN_EXACT_SET
                          | (flags & PQX_PM_STAT_MIN_EXACT ? PQX_PRESENT_MIN_EXACT : 0);
    }
    if (has & 2) {
        chunk->max_value = (pqx_range){(uint32_t)offsets[1], lengths[1]};
        chunk->present |= PQX_PRESENT_STATISTICS | PQX_PRESENT_MAX_VALUE | PQX_PRESENT_MAX_EXACT_SET
                          | (flags & PQX_PM_STAT_MAX_EXACT ? PQX_PRESENT_MAX_EXACT : 0);
    }
}

/* Set the location of an external Bloom filter; an inline one is not in the Parquet file. */
static int fill_bloom(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t row_group,
                      uint32_t column, pqx_chunk *chunk, pqx_places *places, pqx_error *error)
{
    pqx_pm_bloom bloom = {0};
    memset(places, 0xff, sizeof *places);
    if (pm->bloom_count) PQX_TRY(pqx_pm_get_bloom(pm, footer, row_group, column, &bloom, error));
    if (bloom.kind != PQX_PM_BLOOM_EXTERNAL || bloom.offset > INT64_MAX || bloom.length > INT32_MAX)
        return PQX_OK;
    places->bloom_filter_offset = (int64_t)bloom.offset;
    places->bloom_filter_length = (int32_t)bloom.length;
    chunk->present |= PQX_PRESENT_BLOOM_FILTER_OFFSET | PQX_PRESENT_BLOOM_FILTER_LENGTH;
    return PQX_OK;
}

int pqx_pm_get_chunks(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_slices *slices,
                      const pqx_element *element, uint32_t leaf, uint32_t first, uint32_t count,
                      pqx_chunk *chunks, pqx_places *places, pqx_error *error)
{
    pqx_pm_column column;
    run run = {0};
    PQX_TRY(pqx_pm_get_column(pm, leaf, &column, error));
    if (slices->leaf_count != pm->column_count || slices->row_group_count != footer->row_group_count
        || element->type != column.physical_type || pm->size > UINT32_MAX)
        return contradicts(leaf, error);
    if (first > footer->row_group_count || count > footer->row_group_count - first)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, footer->row_group_count,
                        (uint64_t)first + count);
    size_t at = leaf ? pqx_load32(slices->ends + 4 * (size_t)(leaf - 1)) : 0,
           end = pqx_load32(slices->ends + 4 * (size_t)leaf);
    for (uint32_t i = 0; i < first; i++) PQX_TRY(next_run(slices, end, &at, &run, error));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t block =
            (uint64_t)pqx_load32(pm->data + footer->entries + 4 * (uint64_t)(first + i))
            << PQX_PM_ALIGNMENT_SHIFT;
        const uint8_t *stored =
            pm->data + block + PQX_PM_BLOCK_BYTES + (uint64_t)leaf * PQX_PM_CHUNK_BYTES;
        uint64_t offsets[2];
        uint32_t lengths[2];
        uint8_t has;
        PQX_TRY(next_run(slices, end, &at, &run, error));
        PQX_TRY(fill_chunk(element, stored, &run, leaf, &chunks[i], error));
        PQX_TRY(pqx_pm_get_bounds(pm, footer, leaf, first + i, 1, &has, &offsets[0], &lengths[0],
                                  &offsets[1], &lengths[1], error));
        fill_statistics(stored, has, offsets, lengths, &chunks[i]);
        PQX_TRY(fill_bloom(pm, footer, first + i, leaf, &chunks[i], &places[i], error));
    }
    return PQX_OK;
}

/* The chunks of a slice: those of all leaves, in row-group major order. */
typedef struct facts {
    pqx_slice_row_group *groups;
    pqx_slice_chunk *chunks;
    pqx_chunk *column, *wanted; /* one leaf's chunks in all row groups; those of the slice */
    pqx_places *places;
    int64_t *rows;
} facts;

static int gather(facts *f, const pqx_pm *pm, const pqx_pm_footer *footer,
                  const pqx_pm_slices *slices, const pqx_scan *schema, const uint32_t *leaves,
                  uint32_t leaf_count, const uint32_t *row_groups, uint32_t row_group_count,
                  pqx_error *error)
{
    size_t all = footer->row_group_count, count = (size_t)row_group_count * leaf_count;
    f->groups = (pqx_slice_row_group *)malloc(row_group_count * sizeof *f->groups + 1);
    f->chunks = (pqx_slice_chunk *)malloc(count * sizeof *f->chunks + 1);
    f->wanted = (pqx_chunk *)malloc(count * sizeof *f->wanted + 1);
    f->column = (pqx_chunk *)malloc(all * sizeof *f->column + 1);
    f->places = (pqx_places *)malloc(all * sizeof *f->places + 1);
    f->rows = (int64_t *)malloc(all * sizeof *f->rows + 1);
    if (!f->groups || !f->chunks || !f->wanted || !f->column || !f->places || !f->rows)
        return pqx_fail(error, PQX_NO_MEMORY, 0, count * sizeof *f->wanted, 0);
    if (row_group_count)
        PQX_TRY(pqx_pm_get_rows(pm, footer, 0, footer->row_group_count, f->rows, error));
    for (uint32_t i = 0; i < row_group_count; i++) {
        if (row_groups[i] >= footer->row_group_count)
            return pqx_fail(error, PQX_BAD_ARGUMENT, 0, footer->row_group_count, row_groups[i]);
        f->groups[i] = (pqx_slice_row_group){f->rows[row_groups[i]], -1, -1};
    }
    for (uint32_t j = 0; j < leaf_count && row_group_count; j++) {
        if (leaves[j] >= schema->leaf_count)
            return pqx_fail(error, PQX_BAD_ARGUMENT, 0, schema->leaf_count, leaves[j]);
        PQX_TRY(pqx_pm_get_chunks(pm, footer, slices, &schema->elements[schema->leaves[leaves[j]]],
                                  leaves[j], 0, footer->row_group_count, f->column, f->places,
                                  error));
        for (uint32_t i = 0; i < row_group_count; i++) {
            size_t at = (size_t)i * leaf_count + j;
            f->wanted[at] = f->column[row_groups[i]];
            f->chunks[at] = (pqx_slice_chunk){{NULL, 0}, &f->wanted[at], NULL};
        }
    }
    return PQX_OK;
}

int pqx_pm_slice(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_slices *slices,
                 const uint8_t *data, size_t size, const pqx_scan *schema, const uint32_t *leaves,
                 uint32_t leaf_count, const uint32_t *row_groups, uint32_t row_group_count,
                 int arrow_schema, int key_values, pqx_buffer *out, pqx_error *error)
{
    facts f = {0};
    PQX_TRY(pqx_check_scan(schema, error));
    int status = gather(&f, pm, footer, slices, schema, leaves, leaf_count, row_groups,
                        row_group_count, error);
    pqx_projection projection = {.data = data,
                                 .scan = schema,
                                 .leaves = leaves,
                                 .leaf_count = leaf_count,
                                 .groups = f.groups,
                                 .chunks = f.chunks};
    if (status == PQX_OK)
        status = pqx_slice_projection(&projection, size, row_groups, row_group_count, arrow_schema,
                                      key_values, out, error);
    void *arrays[] = {f.groups, f.chunks, f.column, f.wanted, f.places, f.rows};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) free(arrays[i]);
    return status;
}
