/* A footer read by its index: the facts of a scan; then every single flipped bit of the index and
 * of the Thrift bytes, in buffers of exact size. */
#include "small_column.h"

/* The small footer with its index behind it. */
static pqx_buffer indexed_footer(void)
{
    pqx_scan scan;
    pqx_buffer file = {malloc(sizeof small_footer), sizeof small_footer, sizeof small_footer};
    CHECK(file.data);
    memcpy(file.data, small_footer, sizeof small_footer);
    CHECK(pqx_scan_footer(small_footer, sizeof small_footer, &scan, NULL) == PQX_OK);
    CHECK(pqx_index_write(small_footer, sizeof small_footer, &scan, &file, NULL) == PQX_OK);
    pqx_scan_free(&scan);
    return file;
}

/* Open the index and look up "a": PQX_OK, the error, or -1 for facts that are not those of the
 * footer. */
static int look_up(const uint8_t *file, size_t size, size_t tail_size)
{
    pqx_bytes bytes = {file, size};
    pqx_source source = {read_memory, &bytes, size};
    pqx_index *index;
    uint8_t *tail = exact(file + size - tail_size, tail_size);
    int status = pqx_index_open(&source, 0, sizeof small_footer, sizeof small_footer,
                                size - sizeof small_footer, tail, tail_size, size, &index, NULL);
    if (status == PQX_OK) {
        status = look_up_a(index);
        pqx_index_close(index);
    }
    free(tail);
    return status;
}

static void the_facts_are_found_however_much_of_the_tail_is_given(void)
{
    pqx_buffer file = indexed_footer();
    for (size_t tail = 0; tail <= file.size; tail++)
        CHECK(look_up(file.data, file.size, tail) == PQX_OK);
    pqx_buffer_free(&file);
}

static void slices_are_those_of_the_scan(void)
{
    pqx_buffer file = indexed_footer(), ours = {0}, theirs = {0};
    pqx_bytes bytes = {file.data, file.size};
    pqx_source source = {read_memory, &bytes, file.size};
    pqx_index *index;
    pqx_scan scan;
    const uint32_t first = 0;
    CHECK(pqx_index_open(&source, 0, sizeof small_footer, sizeof small_footer,
                         file.size - sizeof small_footer, NULL, 0, 0, &index, NULL)
          == PQX_OK);
    CHECK(pqx_index_slice(index, &first, 1, &first, 1, 1, 1, &ours, NULL) == PQX_OK);
    CHECK(pqx_scan_footer(small_footer, sizeof small_footer, &scan, NULL) == PQX_OK);
    CHECK(pqx_slice_footer(small_footer, sizeof small_footer, &scan, &first, 1, &first, 1, 1, 1,
                           &theirs, NULL)
          == PQX_OK);
    CHECK(ours.size == theirs.size && memcmp(ours.data, theirs.data, ours.size) == 0);
    pqx_index_close(index);
    pqx_scan_free(&scan);
    pqx_buffer_free(&ours);
    pqx_buffer_free(&theirs);
    pqx_buffer_free(&file);
}

static void no_flipped_bit_gives_other_facts(void)
{
    pqx_buffer file = indexed_footer();
    for (size_t bit = 0; bit < file.size * 8; bit++) {
        uint8_t *data = exact(file.data, file.size);
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        int status = look_up(data, file.size, bit % 100);
        CHECK(status >= PQX_OK);
        if (bit / 8 < sizeof small_footer) CHECK(status == PQX_OK || status == PQX_THRIFT_CHECKSUM);
        else CHECK(status != PQX_THRIFT_CHECKSUM);
        free(data);
    }
    pqx_buffer_free(&file);
}

int main(void)
{
    RUN(the_facts_are_found_however_much_of_the_tail_is_given);
    RUN(slices_are_those_of_the_scan);
    RUN(no_flipped_bit_gives_other_facts);
    return 0;
}
