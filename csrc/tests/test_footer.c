/* A footer's way through the whole library: Thrift, extension, scan, slice, flat footer and back;
 * then every truncation and every single flipped bit of it, in buffers of exact size. */
#include "footer.h"
#include "harness.h"

static const uint8_t uuid[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

static void the_thrift_walk_finds_a_nested_value(void)
{
    const int32_t steps[] = {4, 0, 1, 0, 3, 5};
    pqx_field field;
    int found;
    CHECK(pqx_thrift_path(small_footer, sizeof small_footer, 0, steps, 6, 64, &field, &found, NULL)
          == PQX_OK);
    CHECK(found && field.end - field.value == 1 && small_footer[field.value] == 6);
    size_t end;
    CHECK(pqx_thrift_skip(small_footer, sizeof small_footer, 0, 12, &end, NULL) == PQX_OK
          && end == sizeof small_footer);
}

static void a_block_is_found_from_both_ends(void)
{
    uint8_t extended[sizeof small_footer + 5 + 5 + 28];
    size_t at = sizeof small_footer - 1;
    memcpy(extended, small_footer, at);
    memcpy(extended + at, "\x08\xff\xff\x01\x21hello", 10);
    pqx_block_trailer(extended + at + 5, 5, uuid, extended + at + 10);
    extended[at + 38] = 0;
    size_t size = at + 39;

    uint8_t *data = exact(extended, size);
    pqx_extension place;
    pqx_block block;
    int found;
    CHECK(pqx_extension_find(data, size, 1, 64, &place, NULL) == PQX_OK);
    CHECK(place.marker == PQX_MARKER_SPEC && place.placement == PQX_IN_STRUCT
          && place.header == at);
    CHECK(place.payload == at + 5 && place.length == 33 && place.struct_end == size);
    CHECK(pqx_block_before(data, size - 1, 1, &block, &found) == PQX_OK && found);
    CHECK(block.payload == at + 5 && block.length == 5 && block.crc == 0x3610a686u
          && memcmp(block.uuid, uuid, 16) == 0);
    free(data);
}

static void check_facts(const pqx_chunk *chunk, const uint8_t *bytes)
{
    CHECK(chunk->num_values == 3 && chunk->total_compressed_size == 48
          && chunk->data_page_offset == 4);
    CHECK(chunk->dictionary_page_offset == -1 && chunk->null_count == 0 && chunk->codec == 0);
    CHECK(chunk->min_value.length == 8 && bytes[chunk->min_value.offset] == 7);
    CHECK(chunk->max_value.length == 8 && bytes[chunk->max_value.offset] == 9);
}

static void scan_and_slice_give_the_facts(void)
{
    pqx_scan scan, again;
    const uint32_t first = 0;
    pqx_buffer slice = {0};
    CHECK(pqx_scan_footer(small_footer, sizeof small_footer, &scan, NULL) == PQX_OK);
    CHECK(scan.regular && scan.leaf_count == 1 && scan.row_group_count == 1 && scan.num_rows == 3
          && scan.end == sizeof small_footer);
    check_facts(&scan.chunks[0], small_footer);
    CHECK(pqx_slice_footer(small_footer, sizeof small_footer, &scan, &first, 1, &first, 1, 1, 1,
                           &slice, NULL)
          == PQX_OK);
    CHECK(pqx_scan_footer(slice.data, slice.size, &again, NULL) == PQX_OK);
    CHECK(again.leaf_count == 1 && again.row_group_count == 1 && again.num_rows == 3
          && again.end == slice.size);
    check_facts(&again.chunks[0], slice.data);
    pqx_scan_free(&again);
    pqx_buffer_free(&slice);
    pqx_scan_free(&scan);
}

static void truncated_footers_are_refused(void)
{
    EACH_CUT(small_footer, size, data)
    {
        pqx_scan scan;
        pqx_error error = {0};
        CHECK_FAILS(pqx_scan_footer(data, size, &scan, &error), error, size);
        CHECK(*pqx_status_message(error.code) != 0);
    }
}

/* Open the payload and look up "a": 1 and its values, or 0 if any step failed. */
static int look_up(const uint8_t *payload, size_t size, pqx_chunk *chunk, pqx_buffer *bounds)
{
    pqx_bytes bytes = {payload, size};
    pqx_source source = {read_memory, &bytes, size};
    uint8_t *tail = exact(payload, size);
    pqx_flat *flat;
    int good = 0;
    if (pqx_flat_open(&source, 0, size - 28, tail, size, size, &flat, NULL) == PQX_OK) {
        uint32_t id;
        size_t count;
        good = pqx_flat_find_name(flat, (const uint8_t *)"a", 1, &id, 1, &count, NULL) == PQX_OK
               && count == 1
               && pqx_flat_get_chunks(flat, id, 0, 1, chunk, NULL, bounds, NULL) == PQX_OK;
        pqx_flat_close(flat);
    }
    free(tail);
    return good;
}

static pqx_buffer flat_footer(void)
{
    pqx_scan scan;
    pqx_buffer payload = {0};
    uint8_t trailer[28];
    CHECK(pqx_scan_footer(small_footer, sizeof small_footer, &scan, NULL) == PQX_OK);
    CHECK(pqx_flat_write(small_footer, sizeof small_footer, &scan, 0, NULL, 0, &payload, NULL)
          == PQX_OK);
    pqx_scan_free(&scan);
    CHECK(pqx_flat_verify(payload.data, payload.size, NULL) == PQX_OK);
    pqx_block_trailer(payload.data, payload.size, uuid, trailer);
    payload.data = realloc(payload.data, payload.size + 28);
    CHECK(payload.data);
    memcpy(payload.data + payload.size, trailer, 28);
    payload.size = payload.capacity = payload.size + 28;
    return payload;
}

static void a_flat_footer_gives_the_same_facts(void)
{
    pqx_buffer flat = flat_footer(), bounds = {0};
    pqx_chunk chunk;
    CHECK(look_up(flat.data, flat.size, &chunk, &bounds));
    check_facts(&chunk, bounds.data);
    pqx_buffer_free(&bounds);
    pqx_buffer_free(&flat);
}

static void a_flat_footer_gives_the_thrift_footer_back(void)
{
    pqx_buffer flat = flat_footer(), thrift = {0};
    CHECK(pqx_flat_to_thrift(flat.data, flat.size - 28, &thrift, NULL) == PQX_OK);
    CHECK(thrift.size == sizeof small_footer && !memcmp(thrift.data, small_footer, thrift.size));
    pqx_buffer_free(&thrift);
    pqx_buffer_free(&flat);
}

static void no_flipped_bit_of_a_flat_footer_gives_another_thrift_footer(void)
{
    pqx_buffer flat = flat_footer();
    size_t size = flat.size - 28;
    for (size_t bit = 0; bit < 8 * size; bit++) {
        pqx_buffer thrift = {0};
        flat.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (pqx_flat_to_thrift(flat.data, size, &thrift, NULL) == PQX_OK)
            CHECK(thrift.size == sizeof small_footer
                  && !memcmp(thrift.data, small_footer, thrift.size));
        flat.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        pqx_buffer_free(&thrift);
    }
    pqx_buffer_free(&flat);
}

static void no_flipped_bit_of_a_flat_footer_gives_other_facts(void)
{
    pqx_buffer flat = flat_footer();
    for (size_t bit = 0; bit < (flat.size - 28) * 8; bit++) {
        uint8_t *data = exact(flat.data, flat.size);
        data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        pqx_buffer bounds = {0};
        pqx_chunk chunk;
        if (look_up(data, flat.size, &chunk, &bounds)) check_facts(&chunk, bounds.data);
        pqx_buffer_free(&bounds);
        (void)pqx_flat_verify(data, flat.size - 28, NULL);
        free(data);
    }
    pqx_buffer_free(&flat);
}

static void extensions_come_back(void)
{
    const pqx_flat_extension given[2] = {{{1, 2}, {(const uint8_t *)"bytes", 5}},
                                         {{1, 3}, {NULL, 0}}};
    const pqx_flat_extension descending[2] = {given[1], given[0]};
    pqx_scan scan;
    pqx_buffer payload = {0};
    CHECK(pqx_scan_footer(small_footer, sizeof small_footer, &scan, NULL) == PQX_OK);
    CHECK(pqx_flat_write(small_footer, sizeof small_footer, &scan, 0, descending, 2, &payload, NULL)
          == PQX_BAD_ARGUMENT);
    CHECK(pqx_flat_write(small_footer, sizeof small_footer, &scan, 0, given, 2, &payload, NULL)
          == PQX_OK);
    pqx_scan_free(&scan);
    CHECK(pqx_flat_verify(payload.data, payload.size, NULL) == PQX_OK);
    pqx_bytes source_bytes = {payload.data, payload.size}, data;
    pqx_source source = {read_memory, &source_bytes, payload.size};
    pqx_flat *flat;
    uint32_t count, size;
    uint8_t name[16];
    CHECK(pqx_flat_open(&source, 0, payload.size, NULL, 0, 0, &flat, NULL) == PQX_OK);
    CHECK(pqx_flat_get_extension_count(flat, &count, NULL) == PQX_OK && count == 2);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(pqx_flat_get_extension_name(flat, i, name, &size, NULL) == PQX_OK
              && memcmp(name, given[i].uuid, 16) == 0);
        CHECK(pqx_flat_get_extension(flat, i, &data, NULL) == PQX_OK && data.size == size
              && size == given[i].data.size);
        CHECK(memcmp(data.data, "bytes", size) == 0);
    }
    CHECK(pqx_flat_get_extension(flat, 2, &data, NULL) == PQX_BAD_ARGUMENT);
    pqx_flat_close(flat);
    pqx_buffer_free(&payload);
}

int main(void)
{
    RUN(the_thrift_walk_finds_a_nested_value);
    RUN(a_block_is_found_from_both_ends);
    RUN(scan_and_slice_give_the_facts);
    RUN(truncated_footers_are_refused);
    RUN(a_flat_footer_gives_the_same_facts);
    RUN(a_flat_footer_gives_the_thrift_footer_back);
    RUN(extensions_come_back);
    RUN(no_flipped_bit_of_a_flat_footer_gives_another_thrift_footer);
    RUN(no_flipped_bit_of_a_flat_footer_gives_other_facts);
    return 0;
}
