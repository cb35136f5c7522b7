/* Write a sidecar, or an addition to one: header, blocks, footer. */
#include "sidecar/sidecar.h"

static int put(pqx_buffer *out, const void *bytes, size_t size, pqx_error *error)
{ return pqx_buffer_append(out, bytes, size, error); }
static int put32(pqx_buffer *out, uint32_t value, pqx_error *error)
{ return put(out, &value, 4, error); }
static int put64(pqx_buffer *out, uint64_t value, pqx_error *error)
{ return put(out, &value, 8, error); }

static uint64_t position(const pqx_pm_writer *writer) { return writer->base + writer->out.size; }

/* Append zeros up to the next multiple of 8 in the file. */
static int align(pqx_pm_writer *writer, pqx_error *error)
{
    static const uint8_t zeros[PQX_PM_ALIGNMENT] = {0};
    return put(&writer->out, zeros, (size_t)(-position(writer) & (PQX_PM_ALIGNMENT - 1)), error);
}

static size_t bloom_bytes(const pqx_pm_writer *writer)
{ return writer->external_blooms ? PQX_PM_EXTERNAL_BLOOM_BYTES : PQX_PM_BLOOM_BYTES; }

/* ---- header ---- */

static int check_table(const pqx_pm_table *table, pqx_error *error)
{
    uint32_t columns = table->column_count;
    if (table->designated_timestamp < -1
        || (table->designated_timestamp >= 0 && (uint32_t)table->designated_timestamp >= columns))
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, columns, (uint32_t)table->designated_timestamp);
    for (uint32_t i = 0; i < table->sorting_count; i++)
        if (table->sorting[i] >= columns)
            return pqx_fail(error, PQX_BAD_ARGUMENT, 0, columns, table->sorting[i]);
    for (uint32_t i = 0; i < table->bloom_count; i++) {
        if (table->bloom_columns[i] >= columns)
            return pqx_fail(error, PQX_BAD_ARGUMENT, 0, columns, table->bloom_columns[i]);
        if (i && table->bloom_columns[i] <= table->bloom_columns[i - 1])
            return pqx_fail(error, PQX_PM_BLOOM_ORDER, 0, table->bloom_columns[i - 1],
                            table->bloom_columns[i]);
    }
    return PQX_OK;
}

static int sorted_by_timestamp(const pqx_pm_table *table)
{
    int32_t timestamp = table->designated_timestamp;
    return timestamp >= 0 && table->sorting_count == 1 && table->sorting[0] == (uint32_t)timestamp
           && !(table->columns[timestamp].flags & PQX_PM_COLUMN_FLAG_DESCENDING);
}

static int put_descriptors(pqx_buffer *out, const pqx_pm_table *table, uint64_t names,
                           pqx_error *error)
{
    for (uint32_t i = 0; i < table->column_count; i++) {
        const pqx_pm_column *column = &table->columns[i];
        if (column->name.size > UINT32_MAX)
            return pqx_fail(error, PQX_TOO_LARGE, 0, UINT32_MAX, column->name.size);
        uint8_t record[PQX_PM_COLUMN_BYTES] = {0};
        pqx_store64(record + PQX_PM_COLUMN_NAME_OFFSET, names);
        pqx_store32(record + PQX_PM_COLUMN_ID, (uint32_t)column->id);
        pqx_store32(record + PQX_PM_COLUMN_TYPE, (uint32_t)column->type);
        pqx_store32(record + PQX_PM_COLUMN_FLAGS, (uint32_t)column->flags);
        pqx_store32(record + PQX_PM_COLUMN_FIXED_BYTE_LEN, (uint32_t)column->fixed_byte_len);
        pqx_store32(record + PQX_PM_COLUMN_NAME_LENGTH, (uint32_t)column->name.size);
        record[PQX_PM_COLUMN_PHYSICAL_TYPE] = column->physical_type;
        record[PQX_PM_COLUMN_MAX_REPETITION] = column->max_repetition;
        record[PQX_PM_COLUMN_MAX_DEFINITION] = column->max_definition;
        PQX_TRY(put(out, record, sizeof record, error));
        names += column->name.size;
    }
    return PQX_OK;
}

int pqx_pm_write_header(pqx_pm_writer *writer, const pqx_pm_table *table, pqx_error *error)
{
    PQX_TRY(check_table(table, error));
    int implicit = sorted_by_timestamp(table);
    uint32_t sorting = implicit ? 0 : table->sorting_count;
    uint64_t features =
        (table->bloom_count ? PQX_PM_FEATURE_BLOOM_FILTERS : 0)
        | (table->bloom_count && table->external_blooms ? PQX_PM_FEATURE_BLOOM_FILTERS_EXTERNAL : 0)
        | (implicit ? PQX_PM_FEATURE_SORTED_BY_TIMESTAMP : 0)
        | (table->squash_tracker != -1 ? PQX_PM_FEATURE_SQUASH_TRACKER : 0);
    uint8_t fixed[PQX_PM_HEADER_BYTES] = {0};
    pqx_store64(fixed + PQX_PM_HEADER_FEATURES, features);
    pqx_store32(fixed + PQX_PM_HEADER_TIMESTAMP, (uint32_t)table->designated_timestamp);
    pqx_store32(fixed + PQX_PM_HEADER_SORTING_COUNT, sorting);
    pqx_store32(fixed + PQX_PM_HEADER_COLUMN_COUNT, table->column_count);
    pqx_buffer *out = &writer->out;
    PQX_TRY(put(out, fixed, sizeof fixed, error));
    uint64_t names = PQX_PM_HEADER_BYTES + (uint64_t)table->column_count * PQX_PM_COLUMN_BYTES
                     + (uint64_t)sorting * PQX_PM_SORTING_BYTES;
    PQX_TRY(put_descriptors(out, table, names, error));
    PQX_TRY(put(out, table->sorting, (size_t)sorting * PQX_PM_SORTING_BYTES, error));
    for (uint32_t i = 0; i < table->column_count; i++)
        PQX_TRY(put(out, table->columns[i].name.data, table->columns[i].name.size, error));
    if (table->bloom_count) {
        PQX_TRY(put32(out, table->bloom_count, error));
        PQX_TRY(put(out, table->bloom_columns, 4 * (size_t)table->bloom_count, error));
    }
    if (table->squash_tracker != -1) PQX_TRY(put64(out, (uint64_t)table->squash_tracker, error));
    writer->column_count = table->column_count;
    writer->bloom_count = table->bloom_count;
    writer->external_blooms = table->bloom_count && table->external_blooms;
    return put(&writer->bloom_columns, table->bloom_columns, 4 * (size_t)table->bloom_count, error);
}

int pqx_pm_write_on(pqx_pm_writer *writer, const pqx_pm *pm, const pqx_pm_footer *footer,
                    uint64_t base, pqx_error *error)
{
    if (base < footer->size || base > pm->size)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, pm->size, base);
    uint64_t checksum = footer->offset + footer->length - PQX_PM_CHECKSUM_BYTES;
    writer->base = base;
    writer->previous = footer->size;
    writer->crc = pqx_crc32(footer->checksum, pm->data + checksum, base - checksum);
    writer->column_count = pm->column_count;
    writer->bloom_count = pm->bloom_count;
    writer->external_blooms = (pm->features & PQX_PM_FEATURE_BLOOM_FILTERS_EXTERNAL) != 0;
    writer->row_group_count = footer->row_group_count;
    size_t groups = footer->row_group_count;
    PQX_TRY(put(&writer->bloom_columns, pm->data + pm->bloom_columns, 4 * (size_t)pm->bloom_count,
                error));
    PQX_TRY(put(&writer->entries, pm->data + footer->entries, groups * PQX_PM_ENTRY_BYTES, error));
    return put(&writer->blooms, pm->data + footer->blooms,
               groups * pm->bloom_count * bloom_bytes(writer), error);
}

/* ---- blocks ---- */

/* Write one side of a chunk's statistics: its slot, and its out-of-line bytes. `region` is the
 * start of this block's out-of-line region. */
static int put_statistic(pqx_pm_writer *writer, const pqx_bytes *value, uint64_t region,
                         uint8_t *slot, int *inlined, pqx_error *error)
{
    *inlined = value->size <= PQX_PM_INLINE_BYTES;
    if (*inlined) {
        if (value->size) memcpy(slot, value->data, value->size);
        return PQX_OK;
    }
    if (value->size > PQX_PM_STATISTIC_BYTES)
        return pqx_fail(error, PQX_PM_STATISTIC_LENGTH, 0, PQX_PM_STATISTIC_BYTES, value->size);
    pqx_store64(slot, (position(writer) - region) << 16 | value->size);
    return put(&writer->out, value->data, value->size, error);
}

static int put_statistics(pqx_pm_writer *writer, const pqx_pm_chunk *chunk, uint64_t region,
                          uint8_t *record, pqx_error *error)
{
    uint8_t flags = chunk->flags & (PQX_PM_STAT_DISTINCT_COUNT | PQX_PM_STAT_NULL_COUNT);
    uint8_t sizes = 0;
    const pqx_bytes *sides[2] = {&chunk->min, &chunk->max};
    for (int side = 0; side < 2; side++) {
        int inlined, shift = 3 * side;
        if (!sides[side]->size) continue;
        PQX_TRY(put_statistic(writer, sides[side], region,
                              record + PQX_PM_CHUNK_MIN_STAT + 8 * side, &inlined, error));
        flags |= PQX_PM_STAT_MIN_PRESENT << shift | (chunk->flags & PQX_PM_STAT_MIN_EXACT << shift);
        if (inlined) {
            flags |= PQX_PM_STAT_MIN_INLINED << shift;
            sizes |= (uint8_t)(sides[side]->size << 4 * side);
        }
    }
    record[PQX_PM_CHUNK_STAT_FLAGS] = flags;
    record[PQX_PM_CHUNK_STAT_SIZES] = sizes;
    return PQX_OK;
}

/* Write the filter of the column that is number `at` of those with filters. */
static int put_bloom(pqx_pm_writer *writer, const pqx_pm_chunk *chunk, uint8_t *entry,
                     pqx_error *error)
{
    if (writer->external_blooms) {
        pqx_store64(entry, chunk->bloom_offset);
        pqx_store64(entry + 8, chunk->bloom_length);
        return PQX_OK;
    }
    if (!chunk->bloom.size) return PQX_OK;
    if (chunk->bloom.size > INT32_MAX)
        return pqx_fail(error, PQX_TOO_LARGE, 0, INT32_MAX, chunk->bloom.size);
    PQX_TRY(align(writer, error));
    uint64_t at = position(writer) >> PQX_PM_ALIGNMENT_SHIFT;
    if (at > UINT32_MAX)
        return pqx_fail(error, PQX_PM_BLOCK_OFFSET, 0,
                        (uint64_t)UINT32_MAX << PQX_PM_ALIGNMENT_SHIFT, position(writer));
    pqx_store32(entry, (uint32_t)at);
    PQX_TRY(put32(&writer->out, (uint32_t)chunk->bloom.size, error));
    return put(&writer->out, chunk->bloom.data, chunk->bloom.size, error);
}

static int put_chunk(pqx_pm_writer *writer, const pqx_pm_chunk *chunk, size_t block,
                     uint32_t column, uint8_t *bloom, pqx_error *error)
{
    uint8_t record[PQX_PM_CHUNK_BYTES] = {chunk->codec, chunk->encodings};
    size_t chunks = block + PQX_PM_BLOCK_BYTES,
           region = chunks + (size_t)writer->column_count * PQX_PM_CHUNK_BYTES;
    pqx_store64(record + PQX_PM_CHUNK_NUM_VALUES, chunk->num_values);
    pqx_store64(record + PQX_PM_CHUNK_BYTE_RANGE_START, chunk->byte_range_start);
    pqx_store64(record + PQX_PM_CHUNK_TOTAL_COMPRESSED, chunk->total_compressed_size);
    if (chunk->flags & PQX_PM_STAT_NULL_COUNT)
        pqx_store64(record + PQX_PM_CHUNK_NULL_COUNT, chunk->null_count);
    if (chunk->flags & PQX_PM_STAT_DISTINCT_COUNT)
        pqx_store64(record + PQX_PM_CHUNK_DISTINCT_COUNT, chunk->distinct_count);
    PQX_TRY(put_statistics(writer, chunk, writer->base + region, record, error));
    if (bloom) PQX_TRY(put_bloom(writer, chunk, bloom, error));
    memcpy(writer->out.data + chunks + (size_t)column * PQX_PM_CHUNK_BYTES, record, sizeof record);
    return PQX_OK;
}

/* Make room for row group `at` in the lists of the future footer. */
static int enter(pqx_pm_writer *writer, uint32_t at, uint64_t block, pqx_error *error)
{
    size_t row = writer->bloom_count * bloom_bytes(writer);
    if (at == writer->row_group_count) {
        PQX_TRY(pqx_buffer_reserve(&writer->entries, PQX_PM_ENTRY_BYTES, error));
        PQX_TRY(pqx_buffer_reserve(&writer->blooms, row, error));
        writer->entries.size += PQX_PM_ENTRY_BYTES;
        writer->blooms.size += row;
        writer->row_group_count++;
    }
    pqx_store32(writer->entries.data + (size_t)at * PQX_PM_ENTRY_BYTES,
                (uint32_t)(block >> PQX_PM_ALIGNMENT_SHIFT));
    if (row) memset(writer->blooms.data + at * row, 0, row);
    return PQX_OK;
}

int pqx_pm_write_row_group(pqx_pm_writer *writer, uint32_t at, uint64_t num_rows,
                           const pqx_pm_chunk *chunks, pqx_error *error)
{
    if (at > writer->row_group_count)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, writer->row_group_count, at);
    PQX_TRY(align(writer, error));
    uint64_t start = position(writer);
    if (start >> PQX_PM_ALIGNMENT_SHIFT > UINT32_MAX)
        return pqx_fail(error, PQX_PM_BLOCK_OFFSET, 0,
                        (uint64_t)UINT32_MAX << PQX_PM_ALIGNMENT_SHIFT, start);
    size_t block = writer->out.size,
           bytes = PQX_PM_BLOCK_BYTES + (size_t)writer->column_count * PQX_PM_CHUNK_BYTES;
    PQX_TRY(pqx_buffer_reserve(&writer->out, bytes, error));
    memset(writer->out.data + block, 0, bytes);
    pqx_store64(writer->out.data + block, num_rows);
    writer->out.size += bytes;
    PQX_TRY(enter(writer, at, start, error));
    uint8_t *row =
        writer->bloom_count
            ? writer->blooms.data + (size_t)at * writer->bloom_count * bloom_bytes(writer)
            : NULL;
    uint32_t filters = 0;
    for (uint32_t i = 0; i < writer->column_count; i++) {
        uint8_t *bloom = NULL;
        if (filters < writer->bloom_count
            && pqx_load32(writer->bloom_columns.data + 4 * (size_t)filters) == i)
            bloom = row + filters++ * bloom_bytes(writer);
        PQX_TRY(put_chunk(writer, &chunks[i], block, i, bloom, error));
    }
    return PQX_OK;
}

/* ---- footer ---- */

/* Count the given notes and the one with checksums, which only a complete new sidecar has. */
static uint32_t count_notes(const pqx_pm_end *end)
{ return end->scratchpad_count + (end->schema.size != 0); }

static int enlarge(uint64_t *size, uint64_t value, pqx_error *error)
{
    *size += PQX_PM_SCRATCH_HEAD + value;
    if (value <= PQX_PM_SCRATCHPAD_BYTES && *size <= PQX_PM_SCRATCHPAD_BYTES) return PQX_OK;
    return pqx_fail(error, PQX_PM_SCRATCHPAD_SIZE, 0, PQX_PM_SCRATCHPAD_BYTES,
                    value > PQX_PM_SCRATCHPAD_BYTES ? value : *size);
}

static int put_scratchpad(pqx_pm_writer *writer, size_t start, const pqx_pm_end *end,
                          pqx_error *error)
{
    pqx_buffer *out = &writer->out;
    uint64_t size = 4;
    PQX_TRY(put32(out, count_notes(end), error));
    for (uint32_t i = 0; i < end->scratchpad_count; i++) {
        const pqx_pm_scratch *entry = &end->scratchpad[i];
        PQX_TRY(enlarge(&size, entry->value.size, error));
        PQX_TRY(put32(out, entry->code, error));
        PQX_TRY(put32(out, (uint32_t)entry->value.size, error));
        PQX_TRY(put(out, entry->value.data, entry->value.size, error));
    }
    if (!end->schema.size) return PQX_OK;
    PQX_TRY(enlarge(&size, 4 * (uint64_t)writer->column_count + PQX_PM_SUMS_BYTES, error));
    if (writer->base) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, 0, writer->base);
    return pqx_pm_put_sums(out, writer->column_count, writer->row_group_count, start, end, error);
}

int pqx_pm_write_footer(pqx_pm_writer *writer, const pqx_pm_end *end, pqx_error *error)
{
    pqx_buffer *out = &writer->out;
    uint8_t fixed[PQX_PM_FOOTER_BYTES] = {0};
    size_t start = out->size;
    pqx_store64(fixed + PQX_PM_FOOTER_PARQUET_FOOTER_OFFSET, end->parquet_footer_offset);
    pqx_store32(fixed + PQX_PM_FOOTER_PARQUET_FOOTER_LENGTH, end->parquet_footer_length);
    pqx_store32(fixed + PQX_PM_FOOTER_ROW_GROUP_COUNT, writer->row_group_count);
    pqx_store64(fixed + PQX_PM_FOOTER_UNUSED_BYTES, end->unused_bytes);
    pqx_store64(fixed + PQX_PM_FOOTER_PREVIOUS_SIZE, writer->previous);
    pqx_store64(fixed + PQX_PM_FOOTER_FEATURES,
                (end->seq_txn != -1 ? PQX_PM_FOOTER_FEATURE_SEQ_TXN : 0)
                    | (count_notes(end) ? PQX_PM_FOOTER_FEATURE_SCRATCHPAD : 0));
    PQX_TRY(put(out, fixed, sizeof fixed, error));
    PQX_TRY(put(out, writer->entries.data, writer->entries.size, error));
    PQX_TRY(put(out, writer->blooms.data, writer->blooms.size, error));
    if (end->seq_txn != -1) PQX_TRY(put64(out, (uint64_t)end->seq_txn, error));
    if (count_notes(end)) PQX_TRY(put_scratchpad(writer, start, end, error));
    size_t unchecked = writer->base ? 0 : PQX_PM_HEADER_FEATURES;
    PQX_TRY(
        put32(out, pqx_crc32(writer->crc, out->data + unchecked, out->size - unchecked), error));
    if (out->size - start > UINT32_MAX)
        return pqx_fail(error, PQX_TOO_LARGE, 0, UINT32_MAX, out->size - start);
    PQX_TRY(put32(out, (uint32_t)(out->size - start), error));
    if (!writer->base) pqx_store64(out->data + PQX_PM_HEADER_FILE_SIZE, out->size);
    return PQX_OK;
}

void pqx_pm_writer_free(pqx_pm_writer *writer)
{
    pqx_buffer_free(&writer->out);
    pqx_buffer_free(&writer->bloom_columns);
    pqx_buffer_free(&writer->entries);
    pqx_buffer_free(&writer->blooms);
}
