/* Open any bytes as the footer of a file that ends in PAR1, PAR3 or PARX, and read everything
 * through the public functions. */
#include "base/wire.h"
#include "input.h"

#define MOST 32

static void read_leaf(pqx_footer *footer, uint32_t leaf, const pqx_footer_info *info)
{
    pqx_decoder_leaf described;
    pqx_chunk chunks[MOST];
    pqx_buffer bounds = {0}, slice = {0};
    const uint32_t first = 0;
    if (pqx_footer_get_leaf(footer, leaf, &described, NULL) == PQX_OK)
        CLAIM(described.repeated_definition <= described.max_definition);
    if (pqx_footer_get_chunks(footer, leaf, chunks, &bounds, NULL) == PQX_OK)
        for (uint32_t i = 0; i < info->row_group_count; i++) {
            CLAIM((uint64_t)chunks[i].min_value.offset + chunks[i].min_value.length <= bounds.size);
            CLAIM((uint64_t)chunks[i].max_value.offset + chunks[i].max_value.length <= bounds.size);
        }
    pqx_slice_request request = {&leaf, &first, 1, info->row_group_count > 0, 1, 1};
    if (pqx_footer_slice(footer, &request, &slice, NULL) == PQX_OK) {
        pqx_scan scan;
        CLAIM(pqx_scan_footer(slice.data, slice.size, &scan, NULL) == PQX_OK);
        pqx_scan_free(&scan);
    }
    pqx_buffer_free(&bounds);
    pqx_buffer_free(&slice);
}

/* Write the end of a file after the footer's bytes, and return its size. A PARX file gets a valid
 * checksum. */
static size_t write_end(uint8_t *end, size_t size, uint32_t length, uint64_t steering)
{
    memcpy(end, &length, 4);
    if (!(steering & 8)) {
        memcpy(end + 4, steering & 4 ? "PAR3" : "PAR1", 4);
        return 8;
    }
    uint32_t flags = steering >> 4 & (PQX_PARX_PATHS_OMITTED | PQX_PARX_PREVIEW);
    memcpy(end + 4, &flags, 4);
    size_t covered = length <= size ? length : size;
    uint32_t sum = pqx_crc32(0, end - covered, covered + PQX_PARX_CHECKED_BYTES);
    memcpy(end + PQX_PARX_CHECKED_BYTES, &sum, 4);
    memcpy(end + PQX_PARX_CHECKED_BYTES + 4, "PARX", 4);
    return PQX_PARX_TAIL_BYTES;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    uint8_t *file = calloc(size + 4 + PQX_PARX_TAIL_BYTES, 1);
    uint32_t length = steering & 2 ? (uint32_t)(steering >> 32) : (uint32_t)size;
    if (!file) abort();
    if (size) memcpy(file + 4, input, size);
    size_t file_size = 4 + size + write_end(file + 4 + size, size, length, steering);
    pqx_bytes bytes = {file, file_size};
    pqx_source source = {read_memory, &bytes, file_size};
    pqx_footer *footer;
    pqx_error error;
    if (pqx_footer_open(&source, steering & 1, &footer, &error) == PQX_OK) {
        pqx_footer_info info;
        int64_t rows[MOST];
        uint32_t leaf;
        size_t count;
        pqx_footer_get_info(footer, &info);
        (void)pqx_footer_find_leaf(footer, "a", &leaf, &count, NULL);
        if (info.row_group_count <= MOST) {
            (void)pqx_footer_get_rows(footer, rows, NULL);
            for (uint32_t i = 0; i < info.leaf_count && i < MOST; i++) read_leaf(footer, i, &info);
        }
    } else {
        char text[64];
        CLAIM(!footer && error.code != PQX_OK && pqx_error_format(&error, text, sizeof text) > 0);
    }
    pqx_footer_close(footer);
    free(file);
    return 0;
}
