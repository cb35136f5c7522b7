/* The sidecar's footers: their positions, their contents, and the links to older ones. */
#include "sidecar/sidecar.h"

uint64_t pqx_pm_committed_size(const uint8_t *data)
{ return pqx_load64(data + PQX_PM_HEADER_FILE_SIZE); }

uint64_t pqx_pm_parquet_size(const pqx_pm_footer *footer, int *known)
{
    uint64_t behind = (uint64_t)footer->parquet_footer_length + PQX_PM_PARQUET_TRAILER_BYTES;
    *known = footer->parquet_footer_offset <= UINT64_MAX - behind;
    return footer->parquet_footer_offset + behind;
}

/* Find the beginning of the footer that ends at `committed`, using its trailer. */
static int place_footer(const pqx_pm *pm, uint64_t committed, pqx_pm_footer *footer,
                        pqx_error *error)
{
    if (committed > pm->size) return pqx_fail(error, PQX_PM_SIZE_BEYOND, 0, pm->size, committed);
    if (committed < PQX_PM_SMALLEST_BYTES)
        return pqx_fail(error, PQX_PM_SIZE_SMALL, 0, PQX_PM_SMALLEST_BYTES, committed);
    uint64_t trailer = committed - PQX_PM_TRAILER_BYTES;
    uint32_t length = pqx_load32(pm->data + trailer);
    if (length > trailer) return pqx_fail(error, PQX_PM_FOOTER_LENGTH, trailer, trailer, length);
    uint64_t offset = trailer - length;
    if (offset < pm->end) return pqx_fail(error, PQX_PM_FOOTER_PLACE, trailer, pm->end, offset);
    if (length < PQX_PM_FOOTER_BYTES + PQX_PM_CHECKSUM_BYTES)
        return pqx_fail(error, PQX_PM_FOOTER_SHORT, trailer,
                        PQX_PM_FOOTER_BYTES + PQX_PM_CHECKSUM_BYTES, length);
    footer->size = committed;
    footer->offset = offset;
    footer->length = length;
    footer->checksum = pqx_load32(pm->data + trailer - PQX_PM_CHECKSUM_BYTES);
    return PQX_OK;
}

/* Check the scratchpad [u32 count]([u32 code][u32 length][bytes])* between `at` and `limit`. */
static int check_scratchpad(const pqx_pm *pm, uint64_t at, uint64_t limit, pqx_pm_footer *footer,
                            uint64_t *end, pqx_error *error)
{
    uint64_t start = at;
    if (limit - at < 4)
        return pqx_fail(error, PQX_PM_FOOTER_SHORT, at, at + 4 - footer->offset,
                        limit - footer->offset);
    uint32_t count = pqx_load32(pm->data + at);
    if (count == 0) return pqx_fail(error, PQX_PM_SCRATCHPAD_EMPTY, at, 1, 0);
    at += 4;
    for (uint32_t i = 0; i < count; i++) {
        if (limit - at < 8)
            return pqx_fail(error, PQX_PM_FOOTER_SHORT, at, at + 8 - footer->offset,
                            limit - footer->offset);
        uint32_t length = pqx_load32(pm->data + at + 4);
        at += 8;
        if (limit - at < length)
            return pqx_fail(error, PQX_PM_FOOTER_SHORT, at, at + length - footer->offset,
                            limit - footer->offset);
        at += length;
    }
    if (at - start > PQX_PM_SCRATCHPAD_BYTES)
        return pqx_fail(error, PQX_PM_SCRATCHPAD_SIZE, start, PQX_PM_SCRATCHPAD_BYTES, at - start);
    footer->scratchpad = start + 4;
    footer->scratchpad_count = count;
    *end = at;
    return PQX_OK;
}

/* Read the parts after the fixed one, in order; the checksum is at `limit`. */
static int read_sections(const pqx_pm *pm, uint64_t limit, pqx_pm_footer *footer, pqx_error *error)
{
    uint64_t at = footer->entries, groups = footer->row_group_count;
    if ((limit - at) / PQX_PM_ENTRY_BYTES < groups)
        return pqx_fail(error, PQX_PM_FOOTER_SHORT, footer->offset + PQX_PM_FOOTER_ROW_GROUP_COUNT,
                        PQX_PM_FOOTER_BYTES + groups * PQX_PM_ENTRY_BYTES + PQX_PM_CHECKSUM_BYTES,
                        footer->length);
    at += groups * PQX_PM_ENTRY_BYTES;
    footer->blooms = at;
    uint64_t row =
        (uint64_t)pm->bloom_count
        * (pm->features & PQX_PM_FEATURE_BLOOM_FILTERS_EXTERNAL ? PQX_PM_EXTERNAL_BLOOM_BYTES
                                                                : PQX_PM_BLOOM_BYTES);
    if (row && (limit - at) / row < groups)
        return pqx_fail(error, PQX_PM_FOOTER_SHORT, at, row, limit - at);
    at += groups * row;
    if (footer->features & PQX_PM_REQUIRED_MASK)
        return pqx_fail(error, PQX_PM_REQUIRED_FEATURES, footer->offset + PQX_PM_FOOTER_FEATURES, 0,
                        footer->features & PQX_PM_REQUIRED_MASK);
    if (footer->features & PQX_PM_FOOTER_FEATURE_SEQ_TXN) {
        if (limit - at < 8)
            return pqx_fail(error, PQX_PM_FOOTER_SHORT, at, at + 8 - footer->offset,
                            limit - footer->offset);
        footer->seq_txn = (int64_t)pqx_load64(pm->data + at);
        at += 8;
    }
    if (footer->features & PQX_PM_FOOTER_FEATURE_SCRATCHPAD)
        PQX_TRY(check_scratchpad(pm, at, limit, footer, &at, error));
    int all_known = !(pm->features & ~(uint64_t)PQX_PM_KNOWN_FEATURES)
                    && !(footer->features & ~(uint64_t)PQX_PM_KNOWN_FOOTER_FEATURES);
    if (all_known && at != limit)
        return pqx_fail(error, PQX_PM_FOOTER_SPARE, at, at + PQX_PM_CHECKSUM_BYTES - footer->offset,
                        footer->length);
    return PQX_OK;
}

/* No checksum covers the trailer. The order in which parts are written distinguishes a footer from
 * bytes that a wrong length points to. */
static int check_place(const pqx_pm *pm, const pqx_pm_footer *footer, pqx_error *error)
{
    uint64_t previous = footer->previous;
    if (previous && (previous < PQX_PM_SMALLEST_BYTES || previous > footer->offset))
        return pqx_fail(error, PQX_PM_PREVIOUS, footer->offset + PQX_PM_FOOTER_PREVIOUS_SIZE,
                        footer->size, previous);
    int header_known = !(pm->features & ~(uint64_t)PQX_PM_KNOWN_FEATURES);
    if (header_known && !previous && !footer->row_group_count && footer->offset != pm->end)
        return pqx_fail(error, PQX_PM_FOOTER_PLACE, footer->size - PQX_PM_TRAILER_BYTES, pm->end,
                        footer->offset);
    return PQX_OK;
}

int pqx_pm_check_blocks(const pqx_pm *pm, const pqx_pm_footer *footer, pqx_error *error)
{
    uint64_t bytes = PQX_PM_BLOCK_BYTES + (uint64_t)pm->column_count * PQX_PM_CHUNK_BYTES;
    const uint8_t *entry = pm->data + footer->entries;
    for (uint32_t i = 0; i < footer->row_group_count; i++, entry += PQX_PM_ENTRY_BYTES) {
        uint64_t offset = (uint64_t)pqx_load32(entry) << PQX_PM_ALIGNMENT_SHIFT;
        if (PQX_UNLIKELY(offset < pm->end))
            return pqx_fail(error, PQX_PM_BLOCK, (uint64_t)(entry - pm->data), pm->end, offset);
        if (PQX_UNLIKELY(offset + bytes > footer->offset))
            return pqx_fail(error, PQX_PM_BLOCK, (uint64_t)(entry - pm->data), footer->offset,
                            offset + bytes);
    }
    return PQX_OK;
}

int pqx_pm_get_footer(const pqx_pm *pm, uint64_t committed, pqx_pm_footer *footer, pqx_error *error)
{
    *footer = (pqx_pm_footer){.seq_txn = -1};
    PQX_TRY(place_footer(pm, committed, footer, error));
    const uint8_t *at = pm->data + footer->offset;
    footer->parquet_footer_offset = pqx_load64(at + PQX_PM_FOOTER_PARQUET_FOOTER_OFFSET);
    footer->parquet_footer_length = pqx_load32(at + PQX_PM_FOOTER_PARQUET_FOOTER_LENGTH);
    footer->row_group_count = pqx_load32(at + PQX_PM_FOOTER_ROW_GROUP_COUNT);
    footer->unused_bytes = pqx_load64(at + PQX_PM_FOOTER_UNUSED_BYTES);
    footer->previous = pqx_load64(at + PQX_PM_FOOTER_PREVIOUS_SIZE);
    footer->features = pqx_load64(at + PQX_PM_FOOTER_FEATURES);
    footer->entries = footer->offset + PQX_PM_FOOTER_BYTES;
    PQX_TRY(
        read_sections(pm, footer->offset + footer->length - PQX_PM_CHECKSUM_BYTES, footer, error));
    PQX_TRY(check_place(pm, footer, error));
    return pqx_pm_check_blocks(pm, footer, error);
}

int pqx_pm_find_footer(const pqx_pm *pm, uint64_t committed, uint64_t parquet_size,
                       pqx_pm_footer *footer, pqx_error *error)
{
    for (;;) {
        PQX_TRY(pqx_pm_get_footer(pm, committed, footer, error));
        int known;
        if (pqx_pm_parquet_size(footer, &known) == parquet_size && known) return PQX_OK;
        if (footer->previous == 0)
            return pqx_fail(error, PQX_PM_CHAIN, footer->offset + PQX_PM_FOOTER_PREVIOUS_SIZE,
                            parquet_size, 0);
        committed = footer->previous; /* at most the footer's offset, so the loop ends */
    }
}

int pqx_pm_check(const pqx_pm *pm, const pqx_pm_footer *footer, pqx_error *error)
{
    uint64_t start = PQX_PM_HEADER_FEATURES, at;
    uint32_t found = 0, stored;
    if (footer->previous) {
        at = footer->previous - PQX_PM_TRAILER_BYTES - PQX_PM_CHECKSUM_BYTES;
        stored = pqx_load32(pm->data + at);
        found = pqx_crc32(0, pm->data + start, at - start);
        if (found != stored) return pqx_fail(error, PQX_CHECKSUM, at, stored, found);
        start = at;
    }
    at = footer->offset + footer->length - PQX_PM_CHECKSUM_BYTES;
    found = pqx_crc32(found, pm->data + start, at - start);
    return found == footer->checksum ? PQX_OK
                                     : pqx_fail(error, PQX_CHECKSUM, at, footer->checksum, found);
}

void pqx_pm_get_scratch(const pqx_pm *pm, uint64_t at, uint32_t *code, pqx_bytes *value,
                        uint64_t *next)
{
    *code = pqx_load32(pm->data + at);
    *value = (pqx_bytes){pm->data + at + 8, pqx_load32(pm->data + at + 4)};
    *next = at + 8 + value->size;
}

int pqx_pm_find_scratch(const pqx_pm *pm, const pqx_pm_footer *footer, uint32_t code,
                        pqx_bytes *value)
{
    uint64_t at = footer->scratchpad;
    for (uint32_t i = 0; i < footer->scratchpad_count; i++) {
        uint32_t there;
        pqx_pm_get_scratch(pm, at, &there, value, &at);
        if (there == code) return 1;
    }
    return 0;
}

int pqx_pm_is_of(const pqx_pm *pm, const pqx_pm_footer *footer, const pqx_pm_file *file)
{
    pqx_bytes note;
    int known;
    if (!pqx_pm_find_scratch(pm, footer, PQX_PM_ORIGIN_CODE, &note)
        || note.size < PQX_PM_ORIGIN_BYTES)
        return 0;
    int64_t modified = (int64_t)pqx_load64(note.data + PQX_PM_ORIGIN_MODIFIED);
    uint32_t layout = pqx_load32(note.data + PQX_PM_ORIGIN_LAYOUT);
    return layout >= PQX_PM_ORIGIN_FIRST_LAYOUT && layout <= PQX_PM_ORIGIN_KNOWN_LAYOUT
           && pqx_load32(note.data + PQX_PM_ORIGIN_FOOTER_LENGTH) == footer->parquet_footer_length
           && pqx_pm_parquet_size(footer, &known) == file->size && known && modified != -1
           && modified == file->modified
           && (int64_t)pqx_load64(note.data + PQX_PM_ORIGIN_CHANGED) == file->changed
           && pqx_load64(note.data + PQX_PM_ORIGIN_DEVICE) == file->device
           && pqx_load64(note.data + PQX_PM_ORIGIN_INODE) == file->inode;
}
