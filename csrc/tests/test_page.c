/* Page headers, walks over them, and the parts of a page's body. */
#include "base/wire.h"
#include "harness.h"

/* A V1 data page: 20 bytes, 10 of them stored, a CRC, 7 values, statistics of minimum "ab". */
static const uint8_t v1[] = {
    0x15, 0x00, 0x15, 0x28, 0x15, 0x14, 0x15, 0x03,             /* type, sizes, crc -2 */
    0x1c, 0x15, 0x0e, 0x15, 0x00, 0x15, 0x06, 0x15, 0x06,       /* 7 values, PLAIN, RLE, RLE */
    0x1c, 0x36, 0x04, 0x38, 0x02, 'a',  'b',  0x00, 0x00, 0x00, /* 2 nulls, min_value */
};
/* A V2 data page of 10 bytes: 7 values, 1 null, 5 rows, 3 and 2 bytes of levels, not compressed. */
static const uint8_t v2[] = {
    0x15, 0x06, 0x15, 0x14, 0x15, 0x14, 0x5c, 0x15, 0x0e, 0x15, 0x02,
    0x15, 0x0a, 0x15, 0x00, 0x15, 0x06, 0x15, 0x04, 0x12, 0x00, 0x00,
};

static void a_header_is_read(void)
{
    uint8_t *data = exact(v1, sizeof v1);
    pqx_page page;
    CHECK(pqx_page_header(data, sizeof v1, 0, &page, NULL) == PQX_OK);
    CHECK(page.offset == 0 && page.header_size == sizeof v1 && page.type == PQX_PAGE_DATA_PAGE);
    CHECK(page.compressed_size == 10 && page.uncompressed_size == 20 && page.num_values == 7);
    CHECK(page.has_crc && page.crc == 0xfffffffe && page.is_compressed && page.num_rows == -1);
    CHECK(page.null_count == 2 && page.present & PQX_PRESENT_MIN_VALUE);
    CHECK(page.min_value.length == 2 && !memcmp(data + page.min_value.offset, "ab", 2));
    free(data);
    data = exact(v2, sizeof v2);
    CHECK(pqx_page_header(data, sizeof v2, 0, &page, NULL) == PQX_OK);
    CHECK(page.type == PQX_PAGE_DATA_PAGE_V2 && page.num_nulls == 1 && page.num_rows == 5);
    CHECK(page.definition_size == 3 && page.repetition_size == 2 && !page.is_compressed);
    CHECK(!page.has_crc && page.definition_encoding == -1 && !page.present);
    free(data);
}

static void a_cut_header_is_truncated(void)
{
    EACH_CUT(v1, size, data)
    {
        pqx_page page;
        pqx_error error = {0};
        CHECK(pqx_page_header(data, size, 0, &page, &error) == PQX_TRUNCATED);
        CHECK(error.offset <= size);
    }
}

static void flipped_bits_are_read_inside_only(void)
{
    for (size_t bit = 0; bit < 8 * (sizeof v1 + sizeof v2); bit++) {
        uint8_t bytes[sizeof v1 + sizeof v2];
        memcpy(bytes, v1, sizeof v1);
        memcpy(bytes + sizeof v1, v2, sizeof v2);
        bytes[bit >> 3] ^= (uint8_t)(1 << (bit & 7));
        uint8_t *data = exact(bytes, sizeof bytes);
        for (size_t at = 0; at < sizeof bytes; at += sizeof v1) {
            pqx_page page;
            pqx_error error = {0};
            if (pqx_page_header(data, sizeof bytes, at, &page, &error) != PQX_OK) {
                CHECK(error.offset >= at && error.offset <= sizeof bytes);
                continue;
            }
            CHECK(page.header_size <= sizeof bytes - at);
            CHECK(page.min_value.offset + page.min_value.length <= page.header_size);
            CHECK(page.compressed_size >= 0 && page.uncompressed_size >= 0);
        }
        free(data);
    }
}

static void a_walk_goes_on_where_it_stopped(void)
{
    enum { PAGE = sizeof v1 + 10, COUNT = 5 };
    uint8_t bytes[PAGE * COUNT] = {0};
    for (size_t i = 0; i < COUNT; i++) memcpy(bytes + i * PAGE, v1, sizeof v1);
    uint8_t *data = exact(bytes, sizeof bytes);
    pqx_page pages[2];
    size_t count, seen = 0;
    uint64_t next = 0;
    while (next < sizeof bytes) {
        CHECK(pqx_page_walk(&(pqx_page_span){data, sizeof bytes, next, sizeof bytes}, pages, 2,
                            &count, &next, NULL)
              == PQX_OK);
        for (size_t i = 0; i < count; i++) CHECK(pages[i].offset == PAGE * seen++);
    }
    CHECK(seen == COUNT && next == sizeof bytes);
    /* The third header is cut; the chunk goes on behind the bytes. */
    CHECK(pqx_page_walk(&(pqx_page_span){data, 2 * PAGE + 7, 0, sizeof bytes}, pages, 2, &count,
                        &next, NULL)
              == PQX_OK
          && count == 2 && next == 2 * PAGE);
    CHECK(pqx_page_walk(&(pqx_page_span){data, 2 * PAGE + 7, next, sizeof bytes}, pages, 2, &count,
                        &next, NULL)
              == PQX_OK
          && count == 0 && next == 2 * PAGE);
    /* The last body is after the bytes, and inside of the chunk. */
    CHECK(pqx_page_walk(&(pqx_page_span){data, sizeof v1, 0, PAGE}, pages, 2, &count, &next, NULL)
          == PQX_OK);
    CHECK(count == 1 && next == PAGE);
    free(data);
}

static void a_page_that_leaves_its_chunk_is_an_error(void)
{
    uint8_t *data = exact(v1, sizeof v1);
    pqx_page page;
    pqx_error error;
    size_t count;
    uint64_t next;
    CHECK(pqx_page_walk(&(pqx_page_span){data, sizeof v1, 0, sizeof v1 + 9}, &page, 1, &count,
                        &next, &error)
          == PQX_PAGE_SIZE);
    CHECK(count == 0 && next == 0 && error.expected == sizeof v1 + 9
          && error.found == sizeof v1 + 10);
    CHECK(pqx_page_walk(&(pqx_page_span){data, sizeof v1, UINT64_MAX, UINT64_MAX}, &page, 1, &count,
                        &next, &error)
              == PQX_OK
          && count == 0);
    free(data);
}

static void levels_count_rows_and_values(void)
{
    /* Repetition 0 1 0 0, definition 1 1 0 1. */
    static const uint8_t levels[] = {3, 0x02, 4, 1, 2, 0, 2, 1};
    pqx_page page = {.type = PQX_PAGE_DATA_PAGE_V2,
                     .num_values = 4,
                     .repetition_size = 2,
                     .definition_size = 6,
                     .num_rows = -1};
    pqx_error error;
    uint64_t rows, values;
    uint8_t *data = exact(levels, sizeof levels);
    CHECK(pqx_page_counts(&page, data, sizeof levels, 1, 1, &rows, &values, &error) == PQX_OK);
    CHECK(rows == 3 && values == 3);
    page.num_values = 5;
    CHECK(pqx_page_counts(&page, data, sizeof levels, 1, 1, &rows, &values, &error) == PQX_TRUNCATED
          && error.offset == sizeof levels);
    free(data);
}

static void bodies_are_divided(void)
{
    static const uint8_t body[] = {2, 0, 0, 0, 'r', 'r', 3, 0, 0, 0, 'd', 'd', 'd', 'v'};
    pqx_page page;
    pqx_page_parts parts;
    pqx_error error;
    CHECK(pqx_page_header(v1, sizeof v1, 0, &page, NULL) == PQX_OK);
    uint8_t *data = exact(body, sizeof body);
    CHECK(pqx_page_levels(&page, data, sizeof body, 1, 1, &parts, NULL) == PQX_OK);
    CHECK(parts.repetition == 4 && parts.repetition_end == 6 && parts.definition == 10
          && parts.definition_end == 13 && parts.values == 13);
    free(data);
    for (size_t size = 0; size < 13; size++) {
        data = exact(body, size);
        CHECK(pqx_page_levels(&page, data, size, 1, 1, &parts, &error) != PQX_OK
              && error.offset <= size);
        free(data);
    }
    CHECK(pqx_page_header(v2, sizeof v2, 0, &page, NULL) == PQX_OK);
    data = exact(body, 5);
    CHECK(pqx_page_levels(&page, data, 5, 1, 1, &parts, NULL) == PQX_OK && parts.values == 5);
    CHECK(pqx_page_levels(&page, data, 4, 1, 1, &parts, &error) == PQX_PAGE_LEVELS);
    CHECK(pqx_page_levels(&page, data, 5, 65536, 1, &parts, &error) == PQX_BAD_ARGUMENT);
    free(data);
}

static void lz4_blocks_are_measured(void)
{
    /* "abcd", then 19 + 4 bytes from 4 back, then "e". */
    static const uint8_t block[] = {0x4f, 'a', 'b', 'c', 'd', 4, 0, 4, 0x10, 'e'};
    uint64_t size;
    pqx_error error;
    uint8_t *data = exact(block, sizeof block);
    CHECK(pqx_lz4_size(data, sizeof block, &size, NULL) == PQX_OK && size == 4 + 23 + 1);
    CHECK(pqx_lz4_size(data, 0, &size, NULL) == PQX_OK && size == 0);
    free(data);
    for (size_t cut = 1; cut < sizeof block; cut++) {
        if (cut == 5) continue; /* literals alone are a block */
        data = exact(block, cut);
        CHECK(pqx_lz4_size(data, cut, &size, &error) != PQX_OK && error.offset <= cut);
        free(data);
    }
    data = exact(block, sizeof block);
    data[5] = 5;
    CHECK(pqx_lz4_size(data, sizeof block, &size, &error) == PQX_LZ4_BLOCK && error.offset == 5);
    free(data);
}

int main(void)
{
    RUN(lz4_blocks_are_measured);
    RUN(a_header_is_read);
    RUN(a_cut_header_is_truncated);
    RUN(flipped_bits_are_read_inside_only);
    RUN(a_walk_goes_on_where_it_stopped);
    RUN(a_page_that_leaves_its_chunk_is_an_error);
    RUN(levels_count_rows_and_values);
    RUN(bodies_are_divided);
    return 0;
}
