/* Read the sidecar's header and columns in place. */
#include "sidecar/sidecar.h"

/* Return the offset after the header's fixed part, descriptors and sorting columns; SIZE_MAX if it
 * overflows. */
static uint64_t names_start(uint32_t columns, uint32_t sorting)
{
    return PQX_PM_HEADER_BYTES + (uint64_t)columns * PQX_PM_COLUMN_BYTES
           + (uint64_t)sorting * PQX_PM_SORTING_BYTES;
}

static int check_features(const pqx_pm *pm, pqx_error *error)
{
    uint64_t features = pm->features;
    int32_t timestamp = pm->designated_timestamp;
    if ((features & PQX_PM_FEATURE_BLOOM_FILTERS_EXTERNAL)
        && !(features & PQX_PM_FEATURE_BLOOM_FILTERS))
        return pqx_fail(error, PQX_PM_EXTERNAL_BLOOMS, PQX_PM_HEADER_FEATURES, 0, features);
    if ((features & PQX_PM_FEATURE_SORTED_BY_TIMESTAMP) && timestamp < 0)
        return pqx_fail(error, PQX_PM_SORTED_BY_NOTHING, PQX_PM_HEADER_FEATURES, 0, features);
    if (timestamp < -1 || (timestamp >= 0 && (uint32_t)timestamp >= pm->column_count))
        return pqx_fail(error, PQX_PM_TIMESTAMP, PQX_PM_HEADER_TIMESTAMP, pm->column_count,
                        (uint32_t)timestamp);
    return PQX_OK;
}

/* Check that every name is in the file, after the descriptors; *end is the end of the last one. */
static int check_names(const pqx_pm *pm, uint64_t start, uint64_t *end, pqx_error *error)
{
    *end = start;
    for (uint32_t i = 0; i < pm->column_count; i++) {
        const uint8_t *at = pqx_pm_descriptor(pm, i);
        uint64_t offset = pqx_load64(at + PQX_PM_COLUMN_NAME_OFFSET),
                 length = pqx_load32(at + PQX_PM_COLUMN_NAME_LENGTH);
        if (PQX_UNLIKELY(offset < start))
            return pqx_fail(error, PQX_PM_NAME, (uint64_t)(at - pm->data), start, offset);
        if (PQX_UNLIKELY(offset > pm->size || length > pm->size - offset))
            return pqx_fail(error, PQX_PM_NAME, (uint64_t)(at - pm->data), pm->size,
                            offset > pm->size ? offset : offset + length);
        if (offset + length > *end) *end = offset + length;
    }
    return PQX_OK;
}

/* Read the section of columns with Bloom filters, at `at`. */
static int read_bloom_columns(pqx_pm *pm, uint64_t at, uint64_t *end, pqx_error *error)
{
    if (pm->size - at < 4) return pqx_fail(error, PQX_PM_TRUNCATED, at, at + 4, pm->size);
    uint32_t count = pqx_load32(pm->data + at);
    if (count == 0 || count > pm->column_count)
        return pqx_fail(error, PQX_PM_BLOOM_COUNT, at, pm->column_count, count);
    uint64_t first = at + 4;
    if ((pm->size - first) / 4 < count)
        return pqx_fail(error, PQX_PM_TRUNCATED, first, first + 4 * (uint64_t)count, pm->size);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t here = first + 4 * (uint64_t)i;
        uint32_t column = pqx_load32(pm->data + here);
        if (column >= pm->column_count)
            return pqx_fail(error, PQX_PM_BLOOM_COLUMN, here, pm->column_count, column);
        uint32_t before = i ? pqx_load32(pm->data + here - 4) : 0;
        if (i && column <= before) return pqx_fail(error, PQX_PM_BLOOM_ORDER, here, before, column);
    }
    pm->bloom_count = count;
    pm->bloom_columns = first;
    *end = first + 4 * (uint64_t)count;
    return PQX_OK;
}

int pqx_pm_open(const uint8_t *data, size_t size, pqx_pm *pm, pqx_error *error)
{
    *pm = (pqx_pm){.data = data, .size = size, .squash_tracker = -1};
    if (size < PQX_PM_HEADER_BYTES)
        return pqx_fail(error, PQX_PM_TRUNCATED, 0, PQX_PM_HEADER_BYTES, size);
    pm->features = pqx_load64(data + PQX_PM_HEADER_FEATURES);
    if (pm->features & PQX_PM_REQUIRED_MASK)
        return pqx_fail(error, PQX_PM_REQUIRED_FEATURES, PQX_PM_HEADER_FEATURES, 0,
                        pm->features & PQX_PM_REQUIRED_MASK);
    pm->designated_timestamp = (int32_t)pqx_load32(data + PQX_PM_HEADER_TIMESTAMP);
    uint32_t sorting = pqx_load32(data + PQX_PM_HEADER_SORTING_COUNT);
    pm->column_count = pqx_load32(data + PQX_PM_HEADER_COLUMN_COUNT);
    uint64_t names = names_start(pm->column_count, sorting), end = 0;
    if (names > size)
        return pqx_fail(error, PQX_PM_TRUNCATED, PQX_PM_HEADER_SORTING_COUNT, names, size);
    pm->sorting = names - (size_t)sorting * PQX_PM_SORTING_BYTES;
    pm->sorting_count = pm->features & PQX_PM_FEATURE_SORTED_BY_TIMESTAMP ? 1 : sorting;
    PQX_TRY(check_features(pm, error));
    PQX_TRY(check_names(pm, names, &end, error));
    if (pm->features & PQX_PM_FEATURE_BLOOM_FILTERS)
        PQX_TRY(read_bloom_columns(pm, end, &end, error));
    if (pm->features & PQX_PM_FEATURE_SQUASH_TRACKER) {
        if (size - end < 8) return pqx_fail(error, PQX_PM_TRUNCATED, end, end + 8, size);
        pm->squash_tracker = (int64_t)pqx_load64(data + end);
        end += 8;
    }
    pm->end = end;
    return PQX_OK;
}

int pqx_pm_get_column(const pqx_pm *pm, uint32_t index, pqx_pm_column *column, pqx_error *error)
{
    if (index >= pm->column_count)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, pm->column_count, index);
    const uint8_t *at = pqx_pm_descriptor(pm, index);
    *column = pqx_pm_column_without_name(pm, index);
    column->name = (pqx_bytes){pm->data + pqx_load64(at + PQX_PM_COLUMN_NAME_OFFSET),
                               pqx_load32(at + PQX_PM_COLUMN_NAME_LENGTH)};
    return PQX_OK;
}

void pqx_pm_find_name(const pqx_pm *pm, const uint8_t *name, size_t size, uint32_t *columns,
                      size_t capacity, size_t *count)
{
    /* Names in one table often share a prefix, and seldom a suffix. */
    uint64_t end = size >= 8 ? pqx_load64(name + size - 8) : 0;
    *count = 0;
    for (uint32_t i = 0; i < pm->column_count; i++) {
        const uint8_t *at = pqx_pm_descriptor(pm, i);
        if (pqx_load32(at + PQX_PM_COLUMN_NAME_LENGTH) != size) continue;
        const uint8_t *there = pm->data + pqx_load64(at + PQX_PM_COLUMN_NAME_OFFSET);
        if (size >= 8 && pqx_load64(there + size - 8) != end) continue;
        if (size && memcmp(there, name, size) != 0) continue;
        if (*count < capacity) columns[*count] = i;
        ++*count;
    }
}

int pqx_pm_get_sorting_column(const pqx_pm *pm, uint32_t index, uint32_t *column, pqx_error *error)
{
    if (index >= pm->sorting_count)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, pm->sorting_count, index);
    if (pm->features & PQX_PM_FEATURE_SORTED_BY_TIMESTAMP) {
        *column = (uint32_t)pm->designated_timestamp;
        return PQX_OK;
    }
    size_t at = pm->sorting + (size_t)index * PQX_PM_SORTING_BYTES;
    *column = pqx_load32(pm->data + at);
    if (*column >= pm->column_count)
        return pqx_fail(error, PQX_PM_SORTING_COLUMN, at, pm->column_count, *column);
    return PQX_OK;
}
