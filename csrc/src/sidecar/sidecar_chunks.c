/* Read the sidecar's row group blocks: column chunks, statistics and Bloom filters. */
#include "sidecar/sidecar.h"

/* A column's chunks are far apart: while one is read, the one this many row groups ahead is
 * prefetched. */
enum { AHEAD = 16 };
static inline void fetch_ahead(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t row_group,
                               uint32_t end, uint32_t column)
{
    if (end - row_group <= AHEAD) return;
    const uint8_t *chunk = pm->data + pqx_pm_chunk_at(pm, footer, row_group + AHEAD, column);
    __builtin_prefetch(chunk);
    __builtin_prefetch(chunk + PQX_PM_CHUNK_BYTES - 1);
}

static int check_range(const pqx_pm_footer *footer, uint32_t first, uint32_t count,
                       pqx_error *error)
{
    if (first <= footer->row_group_count && count <= footer->row_group_count - first) return PQX_OK;
    return pqx_fail(error, PQX_BAD_ARGUMENT, 0, footer->row_group_count, (uint64_t)first + count);
}

int pqx_pm_check_chunks(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                        uint32_t first, uint32_t count, pqx_error *error)
{
    if (column >= pm->column_count)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, pm->column_count, column);
    return check_range(footer, first, count, error);
}

int pqx_pm_get_rows(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t first, uint32_t count,
                    int64_t *rows, pqx_error *error)
{
    uint64_t total = 0;
    PQX_TRY(check_range(footer, first, count, error));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = pqx_pm_block_at(pm, footer, first + i), here = pqx_load64(pm->data + at);
        if (here > INT64_MAX - total) return pqx_fail(error, PQX_PM_ROWS, at, INT64_MAX, here);
        total += here;
        rows[i] = (int64_t)here;
    }
    return PQX_OK;
}

int pqx_pm_get_bytes(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column, uint32_t first,
                     uint32_t count, int member, uint8_t *values, pqx_error *error)
{
    if (member < PQX_PM_CHUNK_CODEC || member > PQX_PM_CHUNK_STAT_SIZES)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, PQX_PM_CHUNK_STAT_SIZES, (uint64_t)member);
    PQX_TRY(pqx_pm_check_chunks(pm, footer, column, first, count, error));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t at = pqx_pm_chunk_at(pm, footer, first + i, column) + (uint64_t)member;
        values[i] = pm->data[at];
        if (member == PQX_PM_CHUNK_CODEC && values[i] > PQX_PM_LAST_CODEC)
            return pqx_fail(error, PQX_PM_CODEC, at, PQX_PM_LAST_CODEC, values[i]);
    }
    return PQX_OK;
}

/* Read a number: -1 if the chunk does not have it, or if it exceeds a signed number. */
static inline int64_t number_at(const uint8_t *chunk, int member)
{
    uint8_t flag = member == PQX_PM_CHUNK_NULL_COUNT       ? PQX_PM_STAT_NULL_COUNT
                   : member == PQX_PM_CHUNK_DISTINCT_COUNT ? PQX_PM_STAT_DISTINCT_COUNT
                                                           : 0;
    uint64_t value = pqx_load64(chunk + member);
    return (chunk[PQX_PM_CHUNK_STAT_FLAGS] & flag) == flag && value <= INT64_MAX ? (int64_t)value
                                                                                 : -1;
}

int pqx_pm_get_numbers(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                       uint32_t first, uint32_t count, int member, int64_t *values,
                       pqx_error *error)
{
    if (member < PQX_PM_CHUNK_NUM_VALUES || member > PQX_PM_CHUNK_DISTINCT_COUNT || member % 8)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, PQX_PM_CHUNK_DISTINCT_COUNT, (uint64_t)member);
    PQX_TRY(pqx_pm_check_chunks(pm, footer, column, first, count, error));
    for (uint32_t i = first, end = first + count; i < end; i++) {
        fetch_ahead(pm, footer, i, end, column);
        values[i - first] = number_at(pm->data + pqx_pm_chunk_at(pm, footer, i, column), member);
    }
    return PQX_OK;
}

int pqx_pm_get_all_numbers(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                           uint32_t first, uint32_t count, int64_t *values, pqx_error *error)
{
    PQX_TRY(pqx_pm_check_chunks(pm, footer, column, first, count, error));
    for (uint32_t i = 0; i < count; i++) {
        fetch_ahead(pm, footer, first + i, first + count, column);
        const uint8_t *chunk = pm->data + pqx_pm_chunk_at(pm, footer, first + i, column);
        for (int member = PQX_PM_CHUNK_NUM_VALUES, row = 0; member <= PQX_PM_CHUNK_DISTINCT_COUNT;
             member += 8, row++)
            values[(size_t)row * count + i] = number_at(chunk, member);
    }
    return PQX_OK;
}

/* Return the width of an inline statistic of this column; 0 if the chunk's sizes define it. */
static uint32_t inline_width(const pqx_pm_column *column)
{
    static const uint8_t widths[] = PQX_WIDTHS_OF_TYPE;
    uint8_t type = column->physical_type;
    if (type < sizeof widths) return widths[type];
    if (type != PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY || column->fixed_byte_len <= 0) return 0;
    return column->fixed_byte_len > PQX_PM_INLINE_BYTES ? PQX_PM_INLINE_BYTES
                                                        : (uint32_t)column->fixed_byte_len;
}

typedef struct statistic {
    uint64_t offset;
    uint32_t length;
} statistic;

/* Read one side of a chunk's statistics: `flags` are the side's flags, shifted down; `stored` is
 * the size in the chunk. */
static int read_statistic(const pqx_pm *pm, const pqx_pm_footer *footer, uint64_t slot,
                          uint64_t region, int flags, uint32_t stored, const pqx_pm_column *column,
                          statistic *found, pqx_error *error)
{
    *found = (statistic){0, 0};
    if (!(flags & PQX_PM_STAT_MIN_PRESENT)) return PQX_OK;
    if (flags & PQX_PM_STAT_MIN_INLINED) {
        int by_size = column->physical_type == PQX_PHYSICAL_INT96
                      || column->physical_type == PQX_PHYSICAL_BYTE_ARRAY;
        uint32_t width = by_size ? (stored > PQX_PM_INLINE_BYTES ? PQX_PM_INLINE_BYTES : stored)
                                 : inline_width(column);
        *found = (statistic){slot, width};
        return PQX_OK;
    }
    uint64_t reference = pqx_load64(pm->data + slot), offset = reference >> 16;
    uint32_t length = reference & 0xffff;
    if (length && offset + length > footer->offset - region)
        return pqx_fail(error, PQX_PM_STATISTIC, slot, footer->offset, region + offset + length);
    *found = (statistic){region + offset, length};
    return PQX_OK;
}

int pqx_pm_get_bounds(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                      uint32_t first, uint32_t count, uint8_t *has, uint64_t *min_offsets,
                      uint32_t *min_lengths, uint64_t *max_offsets, uint32_t *max_lengths,
                      pqx_error *error)
{
    statistic min, max;
    PQX_TRY(pqx_pm_check_chunks(pm, footer, column, first, count, error));
    const pqx_pm_column facts = pqx_pm_column_without_name(pm, column);
    for (uint32_t i = 0; i < count; i++) {
        fetch_ahead(pm, footer, first + i, first + count, column);
        uint64_t region = pqx_pm_block_at(pm, footer, first + i) + PQX_PM_BLOCK_BYTES
                          + (uint64_t)pm->column_count * PQX_PM_CHUNK_BYTES;
        uint64_t at = pqx_pm_chunk_at(pm, footer, first + i, column);
        int flags = pm->data[at + PQX_PM_CHUNK_STAT_FLAGS];
        uint32_t sizes = pm->data[at + PQX_PM_CHUNK_STAT_SIZES];
        PQX_TRY(read_statistic(pm, footer, at + PQX_PM_CHUNK_MIN_STAT, region, flags, sizes & 15,
                               &facts, &min, error));
        PQX_TRY(read_statistic(pm, footer, at + PQX_PM_CHUNK_MAX_STAT, region, flags >> 3,
                               sizes >> 4, &facts, &max, error));
        has[i] = (uint8_t)((min.length != 0) | (max.length != 0) << 1);
        min_offsets[i] = min.length ? min.offset : 0;
        min_lengths[i] = min.length;
        max_offsets[i] = max.length ? max.offset : 0;
        max_lengths[i] = max.length;
    }
    return PQX_OK;
}

/* Find the column among those with filters by binary search; bloom_count if it has none. */
static uint32_t bloom_position(const pqx_pm *pm, uint32_t column)
{
    uint32_t low = 0, high = pm->bloom_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        uint32_t there = pqx_load32(pm->data + pm->bloom_columns + 4 * (size_t)middle);
        if (there == column) return middle;
        if (there < column) low = middle + 1;
        else high = middle;
    }
    return pm->bloom_count;
}

int pqx_pm_get_bloom(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t row_group,
                     uint32_t column, pqx_pm_bloom *bloom, pqx_error *error)
{
    *bloom = (pqx_pm_bloom){PQX_PM_BLOOM_NONE, 0, 0};
    PQX_TRY(pqx_pm_check_chunks(pm, footer, column, row_group, 1, error));
    uint32_t position = bloom_position(pm, column);
    if (position == pm->bloom_count) return PQX_OK;
    uint64_t entry = (uint64_t)row_group * pm->bloom_count + position;
    if (pm->features & PQX_PM_FEATURE_BLOOM_FILTERS_EXTERNAL) {
        const uint8_t *at = pm->data + footer->blooms + entry * PQX_PM_EXTERNAL_BLOOM_BYTES;
        uint64_t offset = pqx_load64(at), length = pqx_load64(at + 8);
        if (offset || length)
            *bloom = (pqx_pm_bloom){length && offset <= UINT64_MAX - length ? PQX_PM_BLOOM_EXTERNAL
                                                                            : PQX_PM_BLOOM_UNUSABLE,
                                    offset, length};
        return PQX_OK;
    }
    uint64_t offset = (uint64_t)pqx_load32(pm->data + footer->blooms + entry * PQX_PM_BLOOM_BYTES)
                      << PQX_PM_ALIGNMENT_SHIFT;
    if (offset == 0) return PQX_OK;
    *bloom = (pqx_pm_bloom){PQX_PM_BLOOM_UNUSABLE, offset, 0};
    if (offset < pm->end || offset > footer->offset || footer->offset - offset < 4) return PQX_OK;
    uint32_t length = pqx_load32(pm->data + offset);
    bloom->length = length;
    bloom->offset = offset + 4;
    if (length >= PQX_PM_SMALLEST_BLOOM_BYTES && length % 32 == 0
        && length <= footer->offset - bloom->offset)
        bloom->kind = PQX_PM_BLOOM_INLINE;
    return PQX_OK;
}
