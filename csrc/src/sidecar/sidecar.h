/* Declarations shared by the files of the sidecar: offsets of chunks, and the note with checksums
 * of parts. */
#ifndef PQX_SIDECAR_H
#define PQX_SIDECAR_H

#include "base/internal.h"

enum {
    PQX_PM_SCRATCH_HEAD = 8, /* a scratchpad entry's code and length */
    /* After the bytes that the note's checksum covers: this checksum, and the footer's checksum and
     * trailer. */
    PQX_PM_SUMS_BEHIND = PQX_PM_SUMS_BYTES - PQX_PM_SUMS_CRC + PQX_PM_CHECKSUM_BYTES
        + PQX_PM_TRAILER_BYTES,
};

static inline const uint8_t *pqx_pm_descriptor(const pqx_pm *pm, uint32_t column)
{ return pm->data + PQX_PM_HEADER_BYTES + (size_t)column * PQX_PM_COLUMN_BYTES; }

/* Return a column's descriptor without its name, whose position only pqx_pm_open has checked. */
static inline pqx_pm_column pqx_pm_column_without_name(const pqx_pm *pm, uint32_t column)
{
    const uint8_t *at = pqx_pm_descriptor(pm, column);
    return (pqx_pm_column){
        .id = (int32_t)pqx_load32(at + PQX_PM_COLUMN_ID),
        .type = (int32_t)pqx_load32(at + PQX_PM_COLUMN_TYPE),
        .flags = (int32_t)pqx_load32(at + PQX_PM_COLUMN_FLAGS),
        .fixed_byte_len = (int32_t)pqx_load32(at + PQX_PM_COLUMN_FIXED_BYTE_LEN),
        .physical_type = at[PQX_PM_COLUMN_PHYSICAL_TYPE],
        .max_repetition = at[PQX_PM_COLUMN_MAX_REPETITION],
        .max_definition = at[PQX_PM_COLUMN_MAX_DEFINITION],
    };
}

/* Return the block of a row group; pqx_pm_get_footer has checked its offset. */
static inline uint64_t pqx_pm_block_at(const pqx_pm *pm, const pqx_pm_footer *footer,
                                       uint32_t row_group)
{
    return (uint64_t)pqx_load32(pm->data + footer->entries
                                + (uint64_t)row_group * PQX_PM_ENTRY_BYTES)
           << PQX_PM_ALIGNMENT_SHIFT;
}

static inline uint64_t pqx_pm_chunk_at(const pqx_pm *pm, const pqx_pm_footer *footer,
                                       uint32_t row_group, uint32_t column)
{
    return pqx_pm_block_at(pm, footer, row_group) + PQX_PM_BLOCK_BYTES
           + (uint64_t)column * PQX_PM_CHUNK_BYTES;
}

/* Return 1 if a statistic at `offset` is not in its chunk's slot. */
static inline int pqx_pm_is_out_of_line(uint64_t chunk, uint64_t offset, uint32_t length)
{ return length && (offset < chunk || offset >= chunk + PQX_PM_CHUNK_BYTES); }

/* Return the size of a sidecar's end: the note that identifies its file, the note with checksums,
 * checksum and trailer. */
static inline uint64_t pqx_pm_sums_tail(uint32_t column_count)
{
    return 2 * PQX_PM_SCRATCH_HEAD + PQX_PM_ORIGIN_BYTES + 4 * (uint64_t)column_count
           + PQX_PM_SUMS_BYTES + PQX_PM_CHECKSUM_BYTES + PQX_PM_TRAILER_BYTES;
}

/* Return a chunk's beginning by QuestDB's rule, which differs from pqx_chunk_begin: the dictionary
 * page if the footer gives its offset. */
static inline int64_t pqx_pm_range_start(const pqx_chunk *chunk)
{
    return chunk->present & PQX_PRESENT_DICTIONARY_PAGE_OFFSET ? chunk->dictionary_page_offset
                                                               : chunk->data_page_offset;
}

int pqx_pm_check_chunks(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column,
                        uint32_t first, uint32_t count, pqx_error *error);
/* Check that every block is between the header and the footer. */
int pqx_pm_check_blocks(const pqx_pm *pm, const pqx_pm_footer *footer, pqx_error *error);
/* Compute the checksum of a column: of its descriptor, then, chunk by chunk, of the chunk and its
 * out-of-line values. O(row groups). */
int pqx_pm_sum_column(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t column, uint32_t *sum,
                      pqx_error *error);
/* Compute the checksum of the parts that locate the columns: the header's fixed part without the
 * size, the footer's fixed part and entries, the tail. */
uint32_t pqx_pm_sum_lead(const pqx_pm *pm, const pqx_pm_footer *footer);
/* Append the note after the others of a new sidecar's footer, which begins at `start`. */
int pqx_pm_put_sums(pqx_buffer *out, uint32_t column_count, uint32_t row_group_count, size_t start,
                    const pqx_pm_end *end, pqx_error *error);

#endif
