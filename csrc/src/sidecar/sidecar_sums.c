/* The note that lets a plan read little of a sidecar: a checksum of each column, and one of the
 * parts that locate the columns. */
#include "sidecar/sidecar.h"

int pqx_pm_sum_column(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column, uint32_t *sum,
                      pqx_error *error)
{
    PQX_TRY(pqx_pm_check_chunks(pm, footer, column, 0, footer->row_group_count, error));
    uint32_t found = pqx_crc32(0, pqx_pm_descriptor(pm, column), PQX_PM_COLUMN_BYTES);
    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        uint64_t chunk = pqx_pm_chunk_at(pm, footer, i, column), offsets[2];
        uint32_t lengths[2];
        uint8_t has;
        found = pqx_crc32(found, pm->data + chunk, PQX_PM_CHUNK_BYTES);
        PQX_TRY(pqx_pm_get_bounds(pm, footer, column, i, 1, &has, &offsets[0], &lengths[0],
                                  &offsets[1], &lengths[1], error));
        for (int side = 0; side < 2; side++)
            if (pqx_pm_is_out_of_line(chunk, offsets[side], lengths[side]))
                found = pqx_crc32(found, pm->data + offsets[side], lengths[side]);
    }
    *sum = found;
    return PQX_OK;
}

uint32_t pqx_pm_sum_lead(const pqx_pm *pm, const pqx_pm_footer *footer)
{
    uint64_t tail = pqx_pm_sums_tail(pm->column_count),
             entries = (uint64_t)footer->row_group_count * PQX_PM_ENTRY_BYTES;
    uint32_t sum = pqx_crc32(0, pm->data + PQX_PM_HEADER_FEATURES,
                             PQX_PM_HEADER_BYTES - PQX_PM_HEADER_FEATURES);
    sum = pqx_crc32(sum, pm->data + footer->offset, PQX_PM_FOOTER_BYTES + entries);
    return pqx_crc32(sum, pm->data + footer->size - tail, tail - PQX_PM_SUMS_BEHIND);
}

int pqx_pm_put_sums(pqx_buffer *out, uint32_t column_count, uint32_t row_group_count, size_t start,
                    const pqx_pm_end *end, pqx_error *error)
{
    const pqx_pm_scratch *last =
        end->scratchpad_count ? &end->scratchpad[end->scratchpad_count - 1] : NULL;
    if (!last || last->code != PQX_PM_ORIGIN_CODE || last->value.size != PQX_PM_ORIGIN_BYTES)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, PQX_PM_ORIGIN_BYTES,
                        last ? last->value.size : 0);
    uint64_t value = 4 * (uint64_t)column_count + PQX_PM_SUMS_BYTES;
    PQX_TRY(pqx_buffer_reserve(
        out, PQX_PM_SCRATCH_HEAD + value + PQX_PM_CHECKSUM_BYTES + PQX_PM_TRAILER_BYTES, error));
    uint8_t *note = out->data + out->size,
            *fixed = note + PQX_PM_SCRATCH_HEAD + 4 * (size_t)column_count;
    const pqx_pm pm = {.data = out->data, .size = out->size, .column_count = column_count};
    const pqx_pm_footer footer = {
        .size =
            out->size + PQX_PM_SCRATCH_HEAD + value + PQX_PM_CHECKSUM_BYTES + PQX_PM_TRAILER_BYTES,
        .offset = start,
        .row_group_count = row_group_count,
        .entries = start + PQX_PM_FOOTER_BYTES,
    };
    pqx_store32(note, PQX_PM_SUMS_CODE);
    pqx_store32(note + 4, (uint32_t)value);
    for (uint32_t i = 0; i < column_count; i++) {
        uint32_t sum = 0;
        PQX_TRY(pqx_pm_sum_column(&pm, &footer, i, &sum, error));
        pqx_store32(note + PQX_PM_SCRATCH_HEAD + 4 * (size_t)i, sum);
    }
    pqx_store64(fixed + PQX_PM_SUMS_SCHEMA_HASH, pqx_xxh64(end->schema.data, end->schema.size, 0));
    pqx_store32(fixed + PQX_PM_SUMS_SCHEMA_LENGTH, (uint32_t)end->schema.size);
    pqx_store32(fixed + PQX_PM_SUMS_COLUMN_COUNT, column_count);
    pqx_store32(fixed + PQX_PM_SUMS_ROW_GROUP_COUNT, row_group_count);
    pqx_store32(fixed + PQX_PM_SUMS_LAYOUT, PQX_PM_SUMS_KNOWN_LAYOUT);
    pqx_store32(fixed + PQX_PM_SUMS_CRC, pqx_pm_sum_lead(&pm, &footer));
    out->size += PQX_PM_SCRATCH_HEAD + value;
    return PQX_OK;
}
