/* The decoder as programs that embed the library have it, by the public header alone. */
#include "harness.h"

static const pqx_page data_page = {.type = PQX_PAGE_DATA_PAGE,
                                   .num_nulls = -1,
                                   .num_rows = -1,
                                   .encoding = PQX_ENCODING_PLAIN,
                                   .definition_encoding = PQX_ENCODING_RLE,
                                   .repetition_encoding = PQX_ENCODING_RLE};

static const pqx_decoder_leaf list_of_int32 = {
    .type = PQX_PHYSICAL_INT32, .max_definition = 1, .max_repetition = 1, .repeated_definition = 1};

static pqx_decoder *opened(const pqx_decoder_leaf *leaf)
{
    pqx_decoder *decoder;
    pqx_error error;
    CHECK(!pqx_decoder_open(leaf, &decoder, &error));
    return decoder;
}

static void give(pqx_decoder *decoder, int32_t num_values, const uint8_t *body, size_t size)
{
    pqx_page header = data_page;
    pqx_error error;
    header.num_values = num_values;
    CHECK(!pqx_decoder_page(decoder, &header, (pqx_bytes){0}, (pqx_bytes){body, size}, &error));
}

static void nulls_leave_their_slot_empty(void)
{
    /* Levels 1 0 1, values 7 and 9; pages of three rows, one freed as soon as it is done. */
    static const uint8_t body[] = {2, 0, 0, 0, 3, 5, 7, 0, 0, 0, 9, 0, 0, 0};
    const pqx_decoder_leaf leaf = {.type = PQX_PHYSICAL_INT32, .max_definition = 1, .rows = 6};
    pqx_decoder *decoder = opened(&leaf);
    pqx_decoded out;
    pqx_error error;
    uint64_t begun;
    int state;
    CHECK(!pqx_decoder_begin(decoder, 6, 6, &error));
    for (int page = 0; page < 2; page++) {
        uint8_t *bytes = exact(body, sizeof body);
        give(decoder, 3, bytes, sizeof body);
        CHECK(!pqx_decoder_read(decoder, 2, &begun, &state, &error));
        CHECK(begun == 2 && state == PQX_DECODER_READY);
        CHECK(pqx_decoder_done(decoder) == (uint64_t)page);
        CHECK(!pqx_decoder_read(decoder, 2, &begun, &state, &error) && begun == 1);
        CHECK(pqx_decoder_done(decoder) == (uint64_t)page + 1);
        free(bytes);
    }
    CHECK(!pqx_decoder_take(decoder, &out, &error));
    pqx_decoder_close(decoder);
    CHECK(out.entries == 6 && out.rows == 6 && out.slots == 6 && out.nulls == 2 && out.size == 24);
    CHECK(out.valid[0] == 055 && !out.offsets && !out.definition && !out.repetition);
    CHECK(!memcmp(out.values, "\7\0\0\0\0\0\0\0\11\0\0\0\7\0\0\0\0\0\0\0\11\0\0\0", 24));
    pqx_decoded_free(&out);
    CHECK(!out.values && !out.slots);
    pqx_decoded_free(&out);
}

static void texts_of_a_dictionary_are_taken_where_no_more_fit(void)
{
    static const uint8_t texts[] = {2, 0, 0, 0, 'a', 'b', 1, 0, 0, 0, 'c'};
    static const uint8_t body[] = {1, 3, 2}; /* 0 1 0, bit-packed */
    const pqx_decoder_leaf leaf = {.type = PQX_PHYSICAL_BYTE_ARRAY, .most_bytes = 4};
    pqx_page header = data_page;
    pqx_decoder *decoder;
    pqx_decoded out;
    pqx_error error;
    uint64_t begun;
    int state;
    header.num_values = 3;
    header.encoding = PQX_ENCODING_RLE_DICTIONARY;
    CHECK(!pqx_decoder_open(&leaf, &decoder, &error));
    CHECK(!pqx_decoder_dictionary(decoder, texts, sizeof texts, 2, &error));
    CHECK(!pqx_decoder_page(decoder, &header, (pqx_bytes){0}, (pqx_bytes){body, sizeof body},
                            &error));
    CHECK(!pqx_decoder_read(decoder, 3, &begun, &state, &error));
    CHECK(begun == 2 && state == PQX_DECODER_FULL && !pqx_decoder_take(decoder, &out, &error));
    CHECK(out.slots == 2 && out.size == 3 && !memcmp(out.values, "abc", 3));
    CHECK(out.offsets[0] == 0 && out.offsets[1] == 2 && out.offsets[2] == 3 && !out.valid);
    pqx_decoded_free(&out);
    CHECK(!pqx_decoder_read(decoder, 1, &begun, &state, &error) && begun == 1);
    CHECK(!pqx_decoder_take(decoder, &out, &error) && out.slots == 1 && out.size == 2);
    pqx_decoded_free(&out);
    pqx_decoder_close(decoder);
}

static void a_row_goes_on_in_the_next_page(void)
{
    /* Repetition 0 1 | 1, definition 1 everywhere. */
    static const uint8_t first[] = {2, 0, 0, 0, 3, 2, 2, 0, 0, 0, 4, 1, 1, 0, 0, 0, 2, 0, 0, 0};
    static const uint8_t second[] = {2, 0, 0, 0, 2, 1, 2, 0, 0, 0, 2, 1, 3, 0, 0, 0};
    pqx_decoder *decoder = opened(&list_of_int32);
    pqx_decoded out;
    pqx_error error;
    uint64_t begun;
    int state;
    CHECK(!pqx_decoder_begin(decoder, 3, 1, &error));
    give(decoder, 2, first, sizeof first);
    CHECK(!pqx_decoder_read(decoder, 1, &begun, &state, &error));
    CHECK(begun == 1 && state == PQX_DECODER_OPEN);
    give(decoder, 1, second, sizeof second);
    CHECK(!pqx_decoder_read(decoder, 0, &begun, &state, &error));
    CHECK(begun == 0 && state == PQX_DECODER_READY && !pqx_decoder_take(decoder, &out, &error));
    CHECK(out.rows == 1 && out.entries == 3 && out.slots == 3);
    CHECK(out.repetition[0] == 0 && out.repetition[1] == 1 && out.repetition[2] == 1);
    CHECK(!memcmp(out.values, "\1\0\0\0\2\0\0\0\3\0\0\0", 12));
    pqx_decoded_free(&out);
    pqx_decoder_close(decoder);
}

static void a_row_that_ended_takes_nothing_of_the_next_page(void)
{
    /* Repetition 0 0, definition 1 1; then repetition 0, definition 0: an empty list. */
    static const uint8_t first[] = {2, 0, 0, 0, 4, 0, 2, 0, 0, 0, 4, 1, 1, 0, 0, 0, 2, 0, 0, 0};
    static const uint8_t second[] = {2, 0, 0, 0, 2, 0, 2, 0, 0, 0, 2, 0};
    pqx_decoder *decoder = opened(&list_of_int32);
    pqx_decoded out;
    pqx_error error;
    uint64_t begun;
    int state;
    give(decoder, 2, first, sizeof first);
    CHECK(!pqx_decoder_read(decoder, 2, &begun, &state, &error) && begun == 2);
    CHECK(state == PQX_DECODER_OPEN && !pqx_decoder_take(decoder, &out, &error) && out.rows == 2);
    pqx_decoded_free(&out);
    give(decoder, 1, second, sizeof second);
    CHECK(!pqx_decoder_read(decoder, 0, &begun, &state, &error));
    CHECK(!begun && state == PQX_DECODER_READY && !pqx_decoder_take(decoder, &out, &error));
    CHECK(!out.rows && !out.entries);
    CHECK(!pqx_decoder_read(decoder, 1, &begun, &state, &error) && begun == 1);
    CHECK(!pqx_decoder_take(decoder, &out, &error) && out.entries == 1 && !out.slots);
    pqx_decoded_free(&out);
    pqx_decoder_close(decoder);
}

static void after_an_error_only_its_place_is_told(void)
{
    static const uint8_t body[] = {1, 0, 0, 0, 2, 0, 0};
    const pqx_decoder_leaf leaf = {.type = PQX_PHYSICAL_INT32};
    const pqx_decoder_leaf none = {.type = 8};
    const pqx_decoder_leaf later = {.type = PQX_PHYSICAL_INT32, .reserved = 1};
    pqx_page header = data_page;
    pqx_decoder *decoder;
    pqx_decoded out;
    pqx_error error;
    uint64_t begun, page;
    int state, part;
    header.num_values = 1;
    CHECK(pqx_decoder_open(&none, &decoder, &error) == PQX_BAD_ARGUMENT && !decoder);
    CHECK(pqx_decoder_open(&later, &decoder, &error) == PQX_BAD_ARGUMENT && !decoder);
    CHECK(!pqx_decoder_open(&leaf, &decoder, &error));
    CHECK(!pqx_decoder_page(decoder, &header, (pqx_bytes){0}, (pqx_bytes){body, 4}, &error));
    CHECK(!pqx_decoder_page(decoder, &header, (pqx_bytes){0}, (pqx_bytes){body + 4, 3}, &error));
    CHECK(pqx_decoder_read(decoder, 2, &begun, &state, &error) == PQX_TRUNCATED);
    CHECK(error.offset == 0 && error.expected == 4 && error.found == 3);
    pqx_decoder_failure(decoder, &page, &part);
    CHECK(page == 1 && part == PQX_DECODER_VALUES);
    CHECK(pqx_decoder_read(decoder, 1, &begun, &state, &error) == PQX_BAD_ARGUMENT);
    CHECK(pqx_decoder_take(decoder, &out, &error) == PQX_BAD_ARGUMENT && !out.values);
    pqx_decoder_close(decoder);
    pqx_decoder_close(NULL);
}

static void byte_arrays_are_decoded_at_once(void)
{
    static const uint8_t plain[] = {2, 0, 0, 0, 'a', 'b', 0, 0, 0, 0, 1, 0, 0, 0, 'c'};
    static const uint8_t run[] = {2, 0xC0, 0x84, 0x3D, 2}; /* 500,000 times the third one */
    pqx_buffer offsets = {0}, bytes = {0}, more_offsets = {0}, more = {0};
    pqx_error error;
    size_t end;
    uint8_t *body = exact(plain, sizeof plain);
    CHECK(!pqx_decode_binary(PQX_ENCODING_PLAIN, body, sizeof plain, 0, 3, NULL, &offsets, &bytes,
                             &end, &error));
    const int32_t *ends = (const int32_t *)offsets.data;
    CHECK(end == sizeof plain && offsets.size == 16 && bytes.size == 3);
    CHECK(!memcmp(bytes.data, "abc", 3) && ends[1] == 2 && ends[2] == 2 && ends[3] == 3);
    for (size_t cut = 0; cut < sizeof plain; cut++) {
        uint8_t *part = exact(plain, cut);
        CHECK(pqx_decode_binary(PQX_ENCODING_PLAIN, part, cut, 0, 3, NULL, &more_offsets, &more,
                                NULL, &error));
        free(part);
    }
    pqx_value_array known = {bytes.data, bytes.size, ends, 3};
    CHECK(!pqx_decode_binary(PQX_ENCODING_RLE_DICTIONARY, run, sizeof run, 0, 500000, &known,
                             &more_offsets, &more, NULL, &error));
    CHECK(more.size == 500000 && more_offsets.size == 4 * 500001 && more.data[499999] == 'c');
    CHECK(pqx_decode_binary(PQX_ENCODING_RLE_DICTIONARY, run, sizeof run, 0, 500001, &known,
                            &more_offsets, &more, NULL, &error)
          == PQX_TRUNCATED);
    const int32_t wrong[] = {0, 2, 1, 3};
    known.offsets = wrong;
    CHECK(pqx_decode_binary(PQX_ENCODING_RLE_DICTIONARY, run, sizeof run, 0, 1, &known,
                            &more_offsets, &more, NULL, &error)
              == PQX_VALUE_OFFSET
          && error.offset == 8);
    CHECK(pqx_decode_binary(PQX_ENCODING_PLAIN, body, sizeof plain, sizeof plain + 1, 0, NULL,
                            &more_offsets, &more, NULL, &error));
    CHECK(pqx_decode_binary(PQX_ENCODING_PLAIN, body, sizeof plain, 0, SIZE_MAX / 8, NULL,
                            &more_offsets, &more, NULL, &error)
          == PQX_TRUNCATED);
    free(body);
    pqx_buffer_free(&offsets);
    pqx_buffer_free(&bytes);
    pqx_buffer_free(&more_offsets);
    pqx_buffer_free(&more);
}

int main(void)
{
    RUN(nulls_leave_their_slot_empty);
    RUN(texts_of_a_dictionary_are_taken_where_no_more_fit);
    RUN(a_row_goes_on_in_the_next_page);
    RUN(a_row_that_ended_takes_nothing_of_the_next_page);
    RUN(after_an_error_only_its_place_is_told);
    RUN(byte_arrays_are_decoded_at_once);
    return 0;
}
