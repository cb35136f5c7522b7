/* Write the packed form of a footer, change some of its bytes, correct all checksums, and read
 * everything: all other checks follow the checksums. */
#include "asking.h"
#include "packed/packed.h"

static void edit(uint8_t *payload, size_t size)
{
    static const uint32_t widths[] = {1, 1, 1, 2, 4};
    for (uint32_t edits = draw(5); edits--;) {
        uint32_t width = widths[draw(5)], at = draw((uint32_t)(size - 4)),
                 value = draw(2) ? draw(300) : draw(UINT32_MAX);
        if (draw(4) == 0) at = (uint32_t)size - 4 - draw(size < 512 ? (uint32_t)size - 4 : 500);
        memcpy(payload + at, &value, width);
    }
}

/* Correct the checksums of the cells of an area whose entry is at `entry`. */
static void sign_area(uint8_t *payload, uint32_t tail, const uint8_t *entry)
{
    uint32_t kind = pqx_load32(entry), cells = pqx_load32(entry + 4), begin = pqx_load32(entry + 8),
             directory = pqx_load32(entry + 12);
    for (uint32_t i = 0; i < cells && directory <= tail && i < (tail - directory) / 4; i++) {
        uint32_t end = kind == PQX_CELLS_NAMES ? begin + PQX_FLAT_PAGE_BYTES
                                               : pqx_load32(payload + directory + 4 * (size_t)i);
        if (begin > end || end > tail || end - begin < PQX_PACKED_CRC_BYTES) return;
        uint32_t seed = kind == PQX_CELLS_NAMES ? 0 : pqx_packed_seed((int)kind, i);
        pqx_store32(payload + begin, pqx_crc32(seed, payload + begin + PQX_PACKED_CRC_BYTES,
                                               end - begin - PQX_PACKED_CRC_BYTES));
        begin = end;
    }
}

static void sign(uint8_t *payload, size_t size)
{
    uint32_t tail_size = pqx_load32(payload + size - 8);
    if (tail_size < PQX_PACKED_TAIL_BYTES + PQX_PACKED_RECORD_BYTES || tail_size > size) return;
    uint8_t *tail = payload + size - tail_size;
    for (uint32_t i = 0; i < tail[49]; i++) {
        size_t at = PQX_PACKED_TAIL_BYTES + i * (size_t)PQX_PACKED_AREA_BYTES;
        if (at + PQX_PACKED_AREA_BYTES > tail_size) break;
        sign_area(payload, (uint32_t)(size - tail_size), tail + at);
    }
    pqx_store32(payload + size - 4, pqx_crc32(0, tail, tail_size - 4));
}

/* Read chunks without their bounds. */
static void ask_for_placed(pqx_index *index)
{
    pqx_chunk placed[MOST];
    pqx_flat_facts facts;
    pqx_buffer arena = {0};
    pqx_index_get_facts(index, &facts);
    uint32_t leaf = draw(facts.leaf_count + 1), first = draw(facts.row_group_count + 1),
             count = draw(MOST);
    if (pqx_packed_get_placed(index, leaf, first, count, placed, NULL, &arena, NULL, NULL)
        == PQX_OK)
        for (uint32_t i = 0; i < count; i++)
            CLAIM(!placed[i].min_value.length && !placed[i].max_value.length
                  && !placed[i].min.length && !placed[i].max.length);
    pqx_buffer_free(&arena);
}

static void read_payload(const uint8_t *payload, size_t size)
{
    uint8_t *file = exact(payload, size);
    size_t known = draw((uint32_t)size + 1);
    uint8_t *tail = exact(file + size - known, known);
    pqx_bytes bytes = {file, size};
    pqx_source source = {read_memory, &bytes, size};
    pqx_buffer thrift = {0};
    pqx_index *index;
    if (pqx_packed_open(&source, 0, size, tail, known, size, &index, NULL) == PQX_OK) {
        if (draw(2)) (void)pqx_index_hold(index, NULL);
        ask_for_placed(index);
        ask_for_everything(index);
        (void)pqx_packed_verify(index, NULL);
        if (pqx_packed_to_thrift(index, &thrift, NULL) == PQX_OK) {
            pqx_scan scan;
            CLAIM(pqx_scan_footer(thrift.data, thrift.size, &scan, NULL) == PQX_OK);
            pqx_scan_free(&scan);
        }
        pqx_buffer_free(&thrift);
        pqx_index_close(index);
    }
    free(tail);
    free(file);
}

/* Compare a bound with that of the Thrift footer. */
static void compare_bound(const uint8_t *footer, pqx_range known, const pqx_buffer *arena,
                          pqx_range found)
{
    CLAIM(found.length == known.length && found.length <= arena->size
          && found.offset <= arena->size - found.length
          && !memcmp(arena->data + found.offset, footer + known.offset, found.length));
}

/* Compare chunks with those of the Thrift footer. */
static void compare_chunks(pqx_index *index, const uint8_t *footer, const pqx_scan *scan)
{
    pqx_chunk chunks[MOST];
    pqx_buffer arena = {0};
    uint32_t row_groups = scan->row_group_count < MOST ? scan->row_group_count : MOST;
    for (uint32_t leaf = 0; leaf < scan->leaf_count && leaf < MOST; leaf++) {
        arena.size = 0;
        if (pqx_index_get_chunks(index, leaf, 0, row_groups, chunks, NULL, &arena, NULL, NULL)
            != PQX_OK)
            continue;
        for (uint32_t i = 0; i < row_groups; i++) {
            const pqx_chunk *known = &scan->chunks[scan->first_chunk[i] + leaf];
            CLAIM(chunks[i].num_values == known->num_values
                  && chunks[i].null_count == known->null_count
                  && chunks[i].data_page_offset == known->data_page_offset
                  && chunks[i].total_compressed_size == known->total_compressed_size);
            compare_bound(footer, known->min_value, &arena, chunks[i].min_value);
            compare_bound(footer, known->max_value, &arena, chunks[i].max_value);
            compare_bound(footer, known->min, &arena, chunks[i].min);
            compare_bound(footer, known->max, &arena, chunks[i].max);
        }
    }
    pqx_buffer_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    state = take_steering(input, &size) * 2 + 1;
    uint8_t *footer = exact(input, size);
    pqx_scan scan;
    pqx_buffer payload = {0}, thrift = {0};
    if (pqx_scan_footer(footer, size, &scan, NULL) == PQX_OK) {
        if (pqx_packed_write(footer, size, &scan, NULL, NULL, 0, &payload, NULL) == PQX_OK) {
            pqx_bytes bytes = {payload.data, payload.size};
            pqx_source source = {read_memory, &bytes, payload.size};
            pqx_index *index;
            if (pqx_packed_open(&source, 0, payload.size, NULL, 0, 0, &index, NULL) == PQX_OK) {
                CLAIM(pqx_packed_to_thrift(index, &thrift, NULL) == PQX_OK);
                CLAIM(scan.has_extension
                      || (thrift.size == scan.end && !memcmp(thrift.data, footer, scan.end)));
                CLAIM(pqx_packed_verify(index, NULL) == PQX_OK);
                compare_chunks(index, footer, &scan);
                pqx_index_close(index);
            }
            edit(payload.data, payload.size);
            sign(payload.data, payload.size);
            read_payload(payload.data, payload.size);
        }
        pqx_scan_free(&scan);
    }
    pqx_buffer_free(&payload);
    pqx_buffer_free(&thrift);
    free(footer);
    return 0;
}
