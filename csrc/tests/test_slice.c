/* Slices of footers that have nothing to slice: no columns, no row groups, row groups without
 * chunks. */
#include "footer/midpoint.h"
#include "harness.h"

static const uint8_t no_columns[] = {
    0x15, 0x02, 0x19, 0x1c, 0x48, 0x01,
    'r',  0x15, 0x00, 0x00, /* version, a root without children */
    0x16, 0x06, 0x19, 0x1c, 0x19, 0x0c,
    0x16, 0x00, 0x16, 0x06, 0x00, /* num_rows, one row group of no chunks */
    0x00,
};
static const uint8_t no_row_groups[] = {
    0x15, 0x02, 0x19, 0x2c, 0x48, 0x01, 'r',  0x15, 0x02, 0x00, 0x15, 0x04,
    0x25, 0x02, 0x18, 0x01, 'a',  0x00, 0x16, 0x00, 0x19, 0x0c, 0x00, /* num_rows, an empty list of
                                                                         row groups */
};

static void check_slice(const uint8_t *bytes, size_t size, uint32_t leaf_count,
                        uint32_t row_group_count)
{
    static const uint32_t first = 0;
    uint8_t *data = exact(bytes, size);
    pqx_scan scan, again;
    pqx_buffer out = {0};
    CHECK(pqx_scan_footer(data, size, &scan, NULL) == PQX_OK);
    CHECK(scan.leaf_count == leaf_count && scan.row_group_count == row_group_count
          && scan.chunk_count == 0);
    CHECK(pqx_slice_footer(data, size, &scan, &first, leaf_count, &first, row_group_count, 1, 1,
                           &out, NULL)
          == PQX_OK);
    CHECK(pqx_scan_footer(out.data, out.size, &again, NULL) == PQX_OK);
    CHECK(again.leaf_count == leaf_count && again.row_group_count == row_group_count
          && again.chunk_count == 0);
    pqx_scan_free(&again);
    pqx_scan_free(&scan);
    pqx_buffer_free(&out);
    free(data);
}

static void a_row_group_without_columns_is_sliced(void)
{ check_slice(no_columns, sizeof no_columns, 0, 1); }
static void columns_without_row_groups_are_sliced(void)
{ check_slice(no_row_groups, sizeof no_row_groups, 1, 0); }

#define PLACED PQX_PRESENT_DATA_PAGE_OFFSET
#define DICTIONARY (PLACED | PQX_PRESENT_DICTIONARY_PAGE_OFFSET)

static void sizes_give_way_where_half_of_them_leads_behind_the_chunks(void)
{
    static const struct {
        pqx_chunk chunks[2];
        int64_t file_offset, size, begin;
    } cases[] = {
        {{{.data_page_offset = 4, .total_compressed_size = 10, .present = PLACED},
          {.data_page_offset = 14, .total_compressed_size = 90, .present = PLACED}},
         4,
         100,
         4},
        {{{.data_page_offset = 94, .total_compressed_size = 10, .present = PLACED},
          {.data_page_offset = 4, .total_compressed_size = 90, .present = PLACED}},
         100,
         10,
         94},
        {{{.data_page_offset = 96,
           .dictionary_page_offset = 94,
           .total_compressed_size = 10,
           .present = DICTIONARY},
          {.data_page_offset = 4, .total_compressed_size = 90, .present = PLACED}},
         -1,
         10,
         -1},
        {{{.data_page_offset = INT64_MAX, .total_compressed_size = INT64_MAX, .present = PLACED},
          {.data_page_offset = 4, .total_compressed_size = INT64_MAX, .present = PLACED}},
         INT64_MAX,
         INT64_MAX,
         INT64_MAX},
        {{{.data_page_offset = INT64_MIN, .total_compressed_size = INT64_MIN, .present = PLACED},
          {.data_page_offset = INT64_MIN, .total_compressed_size = 8, .present = PLACED}},
         INT64_MIN,
         8,
         INT64_MIN},
        {{{.total_compressed_size = 10}, {.total_compressed_size = 90}}, 1000, 100, 1000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pqx_midpoint midpoint = PQX_NO_CHUNKS;
        int64_t file_offset = cases[i].file_offset;
        for (int chunk = 0; chunk < 2; chunk++)
            pqx_midpoint_add(&midpoint, &cases[i].chunks[chunk]);
        CHECK(pqx_midpoint_size(&midpoint, &file_offset) == cases[i].size);
        CHECK(file_offset == cases[i].begin);
    }
    pqx_midpoint none = PQX_NO_CHUNKS;
    int64_t file_offset = 7;
    CHECK(pqx_midpoint_size(&none, &file_offset) == 0 && file_offset == 7);
}

int main(void)
{
    RUN(a_row_group_without_columns_is_sliced);
    RUN(columns_without_row_groups_are_sliced);
    RUN(sizes_give_way_where_half_of_them_leads_behind_the_chunks);
    return 0;
}
