/* Fields that readers require, found missing in any bytes; and path_in_schema, which the schema
 * tells, put into a slice. */
#include "footer.h"
#include "harness.h"

/* The small footer without the path of its chunk. */
static const uint8_t
    without_path[] =
        {
            0x15, 0x02, 0x19, 0x2c, 0x48, 0x06, 's',  'c',  'h',  'e',  'm',
            'a',  0x15, 0x02, 0x00, 0x15, 0x04, 0x25, 0x00, 0x18, 0x01, 'a',
            0x00, 0x16, 0x06, 0x19, 0x1c, 0x19, 0x1c, /* num_rows 3, one row group of one chunk */
            0x26, 0x08, 0x1c,                         /* file_offset 4, meta_data */
            0x15, 0x04, 0x19, 0x15, 0x00, 0x25, 0x00, /* INT64, [PLAIN], UNCOMPRESSED */
            0x16, 0x06, 0x16, 0x60, 0x16, 0x60, 0x26, 0x08, 0x00, 0x00, /* 3 values, 48 bytes, 48
                                                                           bytes, page at 4 */
            0x16, 0x60, 0x16, 0x06, 0x00, 0x00, /* total_byte_size 48, num_rows 3 */
};

static void a_whole_footer_lacks_nothing(void)
{
    uint8_t *data = exact(small_footer, sizeof small_footer);
    pqx_missing missing;
    CHECK(pqx_find_missing(data, sizeof small_footer, &missing, NULL) == PQX_OK);
    CHECK(missing.field == 0 && missing.without_path == 0);
    free(data);
}

static void a_cut_footer_is_an_error(void)
{
    EACH_CUT(small_footer, size, data)
    {
        pqx_missing missing;
        pqx_error error = {0};
        CHECK_FAILS(pqx_find_missing(data, size, &missing, &error), error, size);
    }
}

static void of_flipped_bits_nothing_is_read_outside(void)
{
    unsigned lacking = 0;
    for (size_t bit = 0; bit < 8 * sizeof small_footer; bit++) {
        uint8_t *data = exact(small_footer, sizeof small_footer);
        data[bit >> 3] ^= (uint8_t)(1 << (bit & 7));
        pqx_missing missing;
        int status = pqx_find_missing(data, sizeof small_footer, &missing, NULL);
        if (status == PQX_OK && missing.field) {
            CHECK(missing.offset < sizeof small_footer);
            lacking++;
        }
        free(data);
    }
    CHECK(lacking > 100);
}

static void a_slice_has_the_path_that_its_chunk_leaves_out(void)
{
    static const uint32_t first = 0;
    uint8_t *data = exact(without_path, sizeof without_path);
    pqx_missing missing;
    pqx_scan scan, again;
    pqx_buffer out = {0};
    CHECK(pqx_find_missing(data, sizeof without_path, &missing, NULL) == PQX_OK && !missing.field
          && missing.without_path == 1);
    CHECK(pqx_scan_footer(data, sizeof without_path, &scan, NULL) == PQX_OK);
    CHECK(!(scan.chunks[0].present & PQX_PRESENT_PATH_IN_SCHEMA));
    CHECK(pqx_slice_footer(data, sizeof without_path, &scan, &first, 1, &first, 1, 0, 0, &out, NULL)
          == PQX_OK);
    CHECK(pqx_find_missing(out.data, out.size, &missing, NULL) == PQX_OK && !missing.field
          && !missing.without_path);
    CHECK(pqx_scan_footer(out.data, out.size, &again, NULL) == PQX_OK);
    CHECK(again.chunks[0].present & PQX_PRESENT_PATH_IN_SCHEMA
          && again.chunks[0].data_page_offset == 4);
    CHECK(again.chunks[0].chunk.length == scan.chunks[0].chunk.length + 4);
    pqx_scan_free(&again);
    pqx_scan_free(&scan);
    pqx_buffer_free(&out);
    free(data);
}

int main(void)
{
    RUN(a_whole_footer_lacks_nothing);
    RUN(a_cut_footer_is_an_error);
    RUN(of_flipped_bits_nothing_is_read_outside);
    RUN(a_slice_has_the_path_that_its_chunk_leaves_out);
    return 0;
}
