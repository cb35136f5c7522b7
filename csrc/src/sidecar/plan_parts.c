/* Read only the parts of a sidecar that a plan needs: a few hundred bytes, each covered by a
 * checksum of the note PQTC. */
#include "base/port.h"
#include "sidecar/plan.h"

/* Reading so many bytes takes about as long as starting a read. */
enum { PAGE = 1 << 12, READS = 4 };

/* Read bytes into the buffer at their file offset. Return 1 if all of them were read. */
static int fetch(int fd, pqx_buffer *bytes, uint64_t at, uint64_t size)
{ return pqx_read_exactly(fd, at, bytes->data + at, (size_t)size) == 0; }

/* Return the bytes of the header, and of as many of the plan's descriptors as one read covers. */
static uint64_t header_bytes(const pqx_plan *plan)
{
    uint64_t end = PQX_PM_HEADER_BYTES;
    for (uint32_t i = 0; i < plan->column_count; i++) {
        uint64_t here =
            PQX_PM_HEADER_BYTES + ((uint64_t)plan->columns[i].leaf + 1) * PQX_PM_COLUMN_BYTES;
        if (here > end) end = here;
    }
    return end < PAGE ? end : PAGE;
}

/* Read the header's fixed part, and reserve room for the whole file once its last byte is known to
 * exist. */
static int read_header(const pqx_plan *plan, int fd, pqx_plan_sidecar *opened)
{
    pqx_buffer *bytes = &opened->bytes;
    uint8_t last;
    bytes->size = 0;
    if (pqx_buffer_reserve(bytes, PAGE, NULL) != PQX_OK || !fetch(fd, bytes, 0, header_bytes(plan)))
        return 0;
    uint64_t committed = pqx_pm_committed_size(bytes->data),
             features = pqx_load64(bytes->data + PQX_PM_HEADER_FEATURES);
    if (committed < READS * PAGE || committed > UINT32_MAX || (features & PQX_PM_REQUIRED_MASK))
        return 0;
    bytes->size = PAGE;
    if (committed > bytes->capacity
        && (pqx_read_exactly(fd, committed - 1, &last, 1) != 0
            || pqx_buffer_reserve(bytes, committed - PAGE, NULL) != PQX_OK))
        return 0;
    uint32_t columns = pqx_load32(bytes->data + PQX_PM_HEADER_COLUMN_COUNT);
    opened->pm = (pqx_pm){
        .data = bytes->data,
        .size = (size_t)committed,
        .features = features,
        .column_count = columns,
        .end = PQX_PM_HEADER_BYTES + (size_t)columns * PQX_PM_COLUMN_BYTES,
    };
    return 1;
}

/* Read the notes at the end. Return the offset of the checksums' fixed part, 0 if there is none. */
static uint64_t read_tail(int fd, pqx_plan_sidecar *opened)
{
    const pqx_pm *pm = &opened->pm;
    uint64_t size = pqx_pm_sums_tail(pm->column_count),
             sums = 4 * (uint64_t)pm->column_count + PQX_PM_SUMS_BYTES;
    if (pm->end + PQX_PM_FOOTER_BYTES + size > pm->size
        || !fetch(fd, &opened->bytes, pm->size - size, size))
        return 0;
    const uint8_t *origin = pm->data + pm->size - size,
                  *note = origin + PQX_PM_SCRATCH_HEAD + PQX_PM_ORIGIN_BYTES;
    const uint8_t *fixed = note + PQX_PM_SCRATCH_HEAD + sums - PQX_PM_SUMS_BYTES;
    if (pqx_load32(origin) != PQX_PM_ORIGIN_CODE || pqx_load32(origin + 4) != PQX_PM_ORIGIN_BYTES)
        return 0;
    if (pqx_load32(note) != PQX_PM_SUMS_CODE || pqx_load32(note + 4) != sums) return 0;
    if (pqx_load32(fixed + PQX_PM_SUMS_LAYOUT) != PQX_PM_SUMS_KNOWN_LAYOUT
        || pqx_load32(fixed + PQX_PM_SUMS_COLUMN_COUNT) != pm->column_count)
        return 0;
    return (uint64_t)(fixed - pm->data);
}

/* Read the footer's fixed part and its entries. Return 1 if they are valid. */
static int read_footer(int fd, uint64_t fixed, pqx_plan_sidecar *opened)
{
    const pqx_pm *pm = &opened->pm;
    pqx_pm_footer *footer = &opened->footer;
    uint64_t tail = pqx_pm_sums_tail(pm->column_count), entries;
    *footer = (pqx_pm_footer){.size = pm->size, .scratchpad_count = 1, .seq_txn = -1};
    footer->row_group_count = pqx_load32(pm->data + fixed + PQX_PM_SUMS_ROW_GROUP_COUNT);
    footer->length = pqx_load32(pm->data + pm->size - PQX_PM_TRAILER_BYTES);
    footer->scratchpad = pm->size - tail;
    entries = (uint64_t)footer->row_group_count * PQX_PM_ENTRY_BYTES;
    if (footer->length < PQX_PM_FOOTER_BYTES + entries + tail - PQX_PM_TRAILER_BYTES
        || footer->length > pm->size - PQX_PM_TRAILER_BYTES - pm->end)
        return 0;
    footer->offset = pm->size - PQX_PM_TRAILER_BYTES - footer->length;
    footer->entries = footer->offset + PQX_PM_FOOTER_BYTES;
    if (!fetch(fd, &opened->bytes, footer->offset, PQX_PM_FOOTER_BYTES + entries)) return 0;
    if (pqx_pm_sum_lead(pm, footer) != pqx_load32(pm->data + fixed + PQX_PM_SUMS_CRC)) return 0;
    const uint8_t *at = pm->data + footer->offset;
    footer->parquet_footer_offset = pqx_load64(at + PQX_PM_FOOTER_PARQUET_FOOTER_OFFSET);
    footer->parquet_footer_length = pqx_load32(at + PQX_PM_FOOTER_PARQUET_FOOTER_LENGTH);
    footer->features = pqx_load64(at + PQX_PM_FOOTER_FEATURES);
    if (footer->features & PQX_PM_REQUIRED_MASK
        || pqx_load32(at + PQX_PM_FOOTER_ROW_GROUP_COUNT) != footer->row_group_count)
        return 0;
    return pqx_pm_check_blocks(pm, footer, NULL) == PQX_OK;
}

/* Read a column's descriptor, its chunks, and their out-of-line values. Return 1 if the checksum
 * matches. */
static int read_column(int fd, uint32_t column, uint64_t fixed, pqx_plan_sidecar *opened)
{
    const pqx_pm *pm = &opened->pm;
    const pqx_pm_footer *footer = &opened->footer;
    uint64_t descriptor = PQX_PM_HEADER_BYTES + (uint64_t)column * PQX_PM_COLUMN_BYTES;
    uint32_t sum;
    if (column >= pm->column_count) return 0;
    if (descriptor + PQX_PM_COLUMN_BYTES > PAGE
        && !fetch(fd, &opened->bytes, descriptor, PQX_PM_COLUMN_BYTES))
        return 0;
    for (uint32_t i = 0; i < footer->row_group_count; i++) {
        uint64_t chunk = pqx_pm_chunk_at(pm, footer, i, column), offsets[2];
        uint32_t lengths[2];
        uint8_t has;
        if (!fetch(fd, &opened->bytes, chunk, PQX_PM_CHUNK_BYTES)) return 0;
        if (pqx_pm_get_bounds(pm, footer, column, i, 1, &has, &offsets[0], &lengths[0], &offsets[1],
                              &lengths[1], NULL)
            != PQX_OK)
            return 0;
        for (int side = 0; side < 2; side++)
            if (pqx_pm_is_out_of_line(chunk, offsets[side], lengths[side])
                && !fetch(fd, &opened->bytes, offsets[side], lengths[side]))
                return 0;
    }
    const uint8_t *sums = pm->data + fixed - 4 * (uint64_t)pm->column_count;
    return pqx_pm_sum_column(pm, footer, column, &sum, NULL) == PQX_OK
           && sum == pqx_load32(sums + 4 * (size_t)column);
}

int pqx_plan_read_parts(const pqx_plan *plan, int fd, pqx_plan_sidecar *opened)
{
    uint64_t fixed = read_header(plan, fd, opened) ? read_tail(fd, opened) : 0;
    opened->is_partial = 1;
    if (!fixed || !read_footer(fd, fixed, opened)) return PQX_PLAN_UNUSED;
    const uint8_t *said = opened->pm.data + fixed;
    if (pqx_load64(said + PQX_PM_SUMS_SCHEMA_HASH) != plan->schema_hash
        || pqx_load32(said + PQX_PM_SUMS_SCHEMA_LENGTH) != plan->schema.size)
        return PQX_PLAN_OTHER;
    uint64_t reads = READS + (uint64_t)plan->column_count * opened->footer.row_group_count;
    if (reads > opened->pm.size / PAGE) return PQX_PLAN_UNUSED;
    for (uint32_t i = 0; i < plan->column_count; i++)
        if (!read_column(fd, plan->columns[i].leaf, fixed, opened)) return PQX_PLAN_UNUSED;
    return PQX_PLANNED;
}
