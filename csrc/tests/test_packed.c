/* A packed footer: the facts of a scan and the Thrift bytes come back; then every single flipped
 * bit, in buffers of exact size. */
#include "small_column.h"

/* The packed form of the small footer. */
static pqx_buffer packed_footer(void)
{
    pqx_scan scan;
    pqx_buffer payload = {0};
    CHECK(pqx_scan_footer(small_footer, sizeof small_footer, &scan, NULL) == PQX_OK);
    CHECK(pqx_packed_write(small_footer, sizeof small_footer, &scan, NULL, NULL, 0, &payload, NULL)
          == PQX_OK);
    pqx_scan_free(&scan);
    return payload;
}

static int is_original(pqx_index *index)
{
    pqx_buffer thrift = {0};
    int status = pqx_packed_verify(index, NULL);
    if (status == PQX_OK) status = pqx_packed_to_thrift(index, &thrift, NULL);
    int same = status == PQX_OK && thrift.size == sizeof small_footer
               && !memcmp(thrift.data, small_footer, sizeof small_footer);
    pqx_buffer_free(&thrift);
    return same;
}

/* Open the payload and look up "a": PQX_OK, the error, or -1 for other facts than the footer's. */
static int look_up(const uint8_t *payload, size_t size, size_t tail_size)
{
    pqx_bytes bytes = {payload, size};
    pqx_source source = {read_memory, &bytes, size};
    pqx_index *index;
    uint8_t *tail = exact(payload + size - tail_size, tail_size);
    int status = pqx_packed_open(&source, 0, size, tail, tail_size, size, &index, NULL);
    if (status == PQX_OK) {
        status = look_up_a(index);
        if (status == PQX_OK && !is_original(index)) status = -2;
        pqx_index_close(index);
    }
    free(tail);
    return status;
}

static void the_facts_are_found_however_much_of_the_tail_is_given(void)
{
    pqx_buffer payload = packed_footer();
    for (size_t tail = 0; tail <= payload.size; tail++)
        CHECK(look_up(payload.data, payload.size, tail) == PQX_OK);
    pqx_buffer_free(&payload);
}

static void every_flipped_bit_is_noticed(void)
{
    pqx_buffer payload = packed_footer();
    for (size_t bit = 0; bit < 8 * payload.size; bit++) {
        payload.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        CHECK(look_up(payload.data, payload.size, payload.size) != PQX_OK);
        payload.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    pqx_buffer_free(&payload);
}

static void every_shorter_payload_is_refused(void)
{
    pqx_buffer payload = packed_footer();
    for (size_t size = 0; size < payload.size; size++)
        CHECK(look_up(payload.data, size, size) != PQX_OK);
    pqx_buffer_free(&payload);
}

int main(void)
{
    RUN(the_facts_are_found_however_much_of_the_tail_is_given);
    RUN(every_flipped_bit_is_noticed);
    RUN(every_shorter_payload_is_refused);
    return 0;
}
