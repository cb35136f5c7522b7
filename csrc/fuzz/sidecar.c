/* Open any bytes as a sidecar, with the checksum and the size made right, ask for everything, slice
 * by the note that is there for slices, walk its chain, and append to it. */
#include "input.h"
#include "base/wire.h"

#define MOST 16
#define TRAILING 8

static void ask_for_chunks(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column)
{
    uint32_t count = footer->row_group_count < MOST ? footer->row_group_count : MOST;
    uint8_t has[MOST], codecs[MOST];
    uint64_t min_at[MOST], max_at[MOST];
    uint32_t min_size[MOST], max_size[MOST];
    int64_t numbers[MOST], all[5 * MOST];
    volatile uint8_t seen = 0;
    (void)pqx_pm_get_bytes(pm, footer, column, 0, count, PQX_PM_CHUNK_CODEC, codecs, NULL);
    CLAIM(pqx_pm_get_all_numbers(pm, footer, column, 0, count, all, NULL) == PQX_OK);
    for (int member = PQX_PM_CHUNK_NUM_VALUES, row = 0; member <= PQX_PM_CHUNK_DISTINCT_COUNT;
         member += 8, row++) {
        CLAIM(pqx_pm_get_numbers(pm, footer, column, 0, count, member, numbers, NULL) == PQX_OK);
        CLAIM(memcmp(numbers, all + (size_t)row * count, 8 * (size_t)count) == 0);
    }
    if (pqx_pm_get_bounds(pm, footer, column, 0, count, has, min_at, min_size, max_at, max_size,
                          NULL)
        == PQX_OK)
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < min_size[i]; j++) seen ^= pm->data[min_at[i] + j];
            for (uint32_t j = 0; j < max_size[i]; j++) seen ^= pm->data[max_at[i] + j];
        }
    for (uint32_t i = 0; i < count; i++) {
        pqx_pm_bloom bloom;
        CLAIM(pqx_pm_get_bloom(pm, footer, i, column, &bloom, NULL) == PQX_OK);
        if (bloom.kind != PQX_PM_BLOOM_INLINE) continue;
        CLAIM(bloom.length % 32 == 0 && bloom.length > 0);
        for (uint64_t j = 0; j < bloom.length; j++) seen ^= pm->data[bloom.offset + j];
    }
    (void)seen;
}

static void ask_for_everything(const pqx_pm *pm, const pqx_pm_footer *footer)
{
    int64_t rows[MOST];
    uint32_t found[4], sorting;
    size_t count;
    uint64_t at = footer->scratchpad;
    (void)pqx_pm_get_rows(
        pm, footer, 0, footer->row_group_count < MOST ? footer->row_group_count : MOST, rows, NULL);
    for (uint32_t i = 0; i < pm->sorting_count && i < MOST; i++)
        (void)pqx_pm_get_sorting_column(pm, i, &sorting, NULL);
    for (uint32_t column = 0; column < pm->column_count && column < MOST; column++) {
        pqx_pm_column facts;
        CLAIM(pqx_pm_get_column(pm, column, &facts, NULL) == PQX_OK);
        pqx_pm_find_name(pm, facts.name.data, facts.name.size, found, 4, &count);
        CLAIM(count >= 1);
        ask_for_chunks(pm, footer, column);
    }
    for (uint32_t i = 0; i < footer->scratchpad_count; i++) {
        pqx_bytes value;
        uint32_t code;
        pqx_pm_get_scratch(pm, at, &code, &value, &at);
        CLAIM(value.data + value.size <= pm->data + pm->size);
        CLAIM(pqx_pm_find_scratch(pm, footer, code, &value));
    }
    (void)pqx_pm_is_of(pm, footer, &(pqx_pm_file){.size = UINT64_MAX / 2});
}

/* A slice by the sidecar's note is a sound footer of exactly the projection. */
static void slice(const pqx_pm *pm, const pqx_pm_footer *footer)
{
    static const uint32_t numbers[4] = {0, 1, 2, 3};
    pqx_bytes note;
    pqx_pm_slices slices;
    pqx_scan schema;
    pqx_buffer out = {0};
    if (!pqx_pm_find_scratch(pm, footer, PQX_PM_SLICES_CODE, &note)
        || pqx_pm_open_slices(note.data, note.size, &slices, NULL) != PQX_OK)
        return;
    if (pqx_scan_loosely(slices.schema.data, slices.schema.size, &schema, NULL) != PQX_OK) return;
    uint32_t leaves = schema.leaf_count < 4 ? schema.leaf_count : 4,
             groups = footer->row_group_count < 4 ? footer->row_group_count : 4;
    if (pqx_pm_slice(pm, footer, &slices, slices.schema.data, slices.schema.size, &schema, numbers,
                     leaves, numbers, groups, 1, 1, &out, NULL)
        == PQX_OK) {
        uint8_t *sliced = exact(out.data, out.size);
        claim_footer_of(sliced, out.size, leaves, groups);
        free(sliced);
    }
    pqx_buffer_free(&out);
    pqx_scan_free(&schema);
}

/* Appending to a snapshot gives a snapshot, from which the one before can be found. */
static void append(const pqx_pm *pm, const pqx_pm_footer *footer)
{
    pqx_pm_writer writer = {0};
    const pqx_pm_end end = {.parquet_footer_offset = UINT64_MAX / 2, .seq_txn = -1};
    pqx_pm again;
    pqx_pm_footer last;
    if (pqx_pm_write_on(&writer, pm, footer, pm->size, NULL) == PQX_OK
        && pqx_pm_write_footer(&writer, &end, NULL) == PQX_OK) {
        size_t size = pm->size + writer.out.size;
        uint8_t *whole = malloc(size);
        if (!whole) abort();
        memcpy(whole, pm->data, pm->size);
        memcpy(whole + pm->size, writer.out.data, writer.out.size);
        CLAIM(pqx_pm_open(whole, size, &again, NULL) == PQX_OK);
        if (!(pm->features >> 4))
            CLAIM(pqx_pm_get_footer(&again, size, &last, NULL) == PQX_OK
                  && last.previous == footer->size);
        free(whole);
    }
    pqx_pm_writer_free(&writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    uint8_t *data = exact(input, size);
    pqx_pm pm;
    pqx_pm_footer footer;
    if (size > 16 && steering & 1) {
        uint32_t crc = pqx_crc32(0, data + 8, size - 8 - TRAILING);
        memcpy(data, &(uint64_t){size}, 8);
        memcpy(data + size - TRAILING, &crc, 4);
    }
    if (pqx_pm_open(data, size, &pm, NULL) == PQX_OK) {
        uint64_t committed = pqx_pm_committed_size(data);
        if (pqx_pm_get_footer(&pm, committed, &footer, NULL) == PQX_OK) {
            (void)pqx_pm_check(&pm, &footer, NULL);
            ask_for_everything(&pm, &footer);
            slice(&pm, &footer);
            append(&pm, &footer);
        }
        if (pqx_pm_find_footer(&pm, committed, steering >> 1, &footer, NULL) == PQX_OK)
            ask_for_everything(&pm, &footer);
    }
    free(data);
    return 0;
}
