/* Slices of footers that have nothing to slice: no columns, no row groups, row groups without
 * chunks. */
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

int main(void)
{
    RUN(a_row_group_without_columns_is_sliced);
    RUN(columns_without_row_groups_are_sliced);
    return 0;
}
