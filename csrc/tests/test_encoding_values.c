/* Levels, dictionary indices, plain values, booleans and split streams: values of known bytes, and
 * the error that each kind of damage gives. */
#include "harness.h"

#include "encoding/values.h"

#define FAILS(call, code_, offset_, expected_, found_)                                       \
    do {                                                                                     \
        pqx_error error = {0};                                                               \
        CHECK((call) == (code_));                                                            \
        CHECK(error.code == (code_) && error.offset == (uint64_t)(offset_));                 \
        CHECK(error.expected == (uint64_t)(expected_) && error.found == (uint64_t)(found_)); \
    } while (0)

/* Bytes of their exact size, which the sanitizers watch. */
typedef struct {
    uint8_t *data;
    size_t size;
} held;

#define HELD(...)                                                                          \
    ((held){exact((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})), \
            sizeof((const uint8_t[]){__VA_ARGS__})})

static void levels_of_a_real_page(void)
{
    /* parquet-testing's rle_boolean_encoding.parquet: 68 values, 6 of them null */
    held page = HELD(0x07, 0xfb, 0x7f, 0x7f, 0x1c, 0x01, 0x09, 0xfe, 0xfb, 0xbf, 0x3f);
    pqx_runs runs;
    uint16_t levels[70];
    size_t ones, present = 0;
    CHECK(pqx_levels_begin(&runs, PQX_ENCODING_RLE, 1, page.data, page.size, 0, NULL) == PQX_OK);
    CHECK(pqx_levels_take(&runs, 1, 68, levels, NULL) == PQX_OK);
    for (size_t i = 0; i < 68; i++) present += levels[i];
    CHECK(present == 62 && levels[2] == 0 && levels[15] == 0 && levels[23] == 0);
    CHECK(runs.at == page.size);
    for (size_t start = 0; start < 9; start++) {
        uint8_t bits[12];
        memset(bits, 0xaa, sizeof bits);
        CHECK(pqx_levels_begin(&runs, PQX_ENCODING_RLE, 1, page.data, page.size, 0, NULL)
              == PQX_OK);
        CHECK(pqx_levels_take_bits(&runs, 68, bits, start, &ones, NULL) == PQX_OK);
        CHECK(ones == 62);
        for (size_t i = 0; i < 8 * sizeof bits; i++) {
            int expected = i < start || i >= start + 68 ? 0xaa >> i % 8 & 1 : levels[i - start];
            CHECK((bits[i / 8] >> i % 8 & 1) == expected);
        }
    }
    free(page.data);
}

static void levels_most_significant_bit_first(void)
{
    /* parquet-format, Encodings.md: 0 to 7 in 3 bits each */
    held page = HELD(0x05, 0x39, 0x77);
    pqx_runs runs;
    uint16_t levels[8];
    CHECK(pqx_levels_begin(&runs, PQX_ENCODING_BIT_PACKED, 7, page.data, page.size, 0, NULL)
          == PQX_OK);
    CHECK(pqx_levels_take(&runs, 7, 8, levels, NULL) == PQX_OK);
    for (size_t i = 0; i < 8; i++) CHECK(levels[i] == i);
    FAILS(pqx_levels_take(&runs, 7, 1, levels, &error), PQX_TRUNCATED, 3, 1, 0);
    CHECK(pqx_levels_begin(&runs, PQX_ENCODING_BIT_PACKED, 1, page.data, page.size, 1, NULL)
          == PQX_OK);
    uint8_t bits[2] = {0};
    size_t ones;
    CHECK(pqx_levels_take_bits(&runs, 9, bits, 3, &ones, NULL) == PQX_OK);
    CHECK(ones == 4 && bits[0] == 0xe0 && bits[1] == 0x04);
    free(page.data);
}

static void stretches_of_one_level(void)
{
    held page = HELD(0x0c, 0x01, 0x03, 0x0f, 0x04, 0x02);
    pqx_runs runs;
    uint16_t level;
    uint64_t length;
    CHECK(pqx_levels_begin(&runs, PQX_ENCODING_RLE, 1, page.data, page.size, 0, NULL) == PQX_OK);
    const uint64_t expected[][3] = {{4, 1, 4}, {9, 1, 2}, {9, 1, 4}, {3, 0, 3}, {9, 0, 1}};
    for (size_t i = 0; i < 5; i++) {
        CHECK(pqx_levels_run(&runs, 1, expected[i][0], &level, &length, NULL) == PQX_OK);
        CHECK(level == expected[i][1] && length == expected[i][2]);
    }
    FAILS(pqx_levels_run(&runs, 1, 1, &level, &length, &error), PQX_LEVEL, 4, 1, 2);
    CHECK(pqx_levels_begin(&runs, PQX_ENCODING_RLE, 0, NULL, 0, 0, NULL) == PQX_OK);
    CHECK(pqx_levels_run(&runs, 0, 1u << 31, &level, &length, NULL) == PQX_OK);
    CHECK(level == 0 && length == 1u << 31);
    free(page.data);
}

static int levels_of(held page, uint32_t max_level, size_t count, pqx_error *error)
{
    pqx_runs runs;
    uint16_t levels[64];
    int status =
        pqx_levels_begin(&runs, PQX_ENCODING_RLE, max_level, page.data, page.size, 0, error);
    if (status == PQX_OK) status = pqx_levels_take(&runs, max_level, count, levels, error);
    free(page.data);
    return status;
}

static void damaged_levels(void)
{
    pqx_runs runs;
    FAILS(pqx_levels_begin(&runs, 9, 1, NULL, 0, 0, &error), PQX_LEVEL_ENCODING, 0, 3, 9);
    FAILS(pqx_levels_begin(&runs, 3, 1 << 16, NULL, 0, 0, &error), PQX_BAD_ARGUMENT, 0, 65535,
          65536);
    FAILS(pqx_levels_begin(&runs, 3, 1, NULL, 0, 1, &error), PQX_TRUNCATED, 1, 1, 0);
    FAILS(levels_of(HELD(2, 1), 1, 2, &error), PQX_TRUNCATED, 2, 1, 0);
    FAILS(levels_of(HELD(2), 1, 1, &error), PQX_TRUNCATED, 1, 1, 0);
    FAILS(levels_of(HELD(2, 1, 0x80), 1, 2, &error), PQX_TRUNCATED, 2, 2, 1);
    FAILS(levels_of(HELD(0, 1), 1, 1, &error), PQX_RUN_LENGTH, 0, 0x7fffffff, 0);
    FAILS(levels_of(HELD(1, 1), 1, 1, &error), PQX_RUN_LENGTH, 0, 0x7fffffff, 0);
    FAILS(levels_of(HELD(0x81, 0x80, 0x80, 0x80, 0x02), 1, 1, &error), PQX_RUN_LENGTH, 0,
          0x7fffffff, (uint64_t)1 << 31);
    FAILS(levels_of(HELD(2, 1, 4, 3), 2, 2, &error), PQX_LEVEL, 2, 2, 3);
    FAILS(levels_of(HELD(2, 1, 3, 0xda), 2, 9, &error), PQX_LEVEL, 2, 2, 3);
    CHECK(levels_of(HELD(2, 1, 3, 0xda), 2, 4, NULL) == PQX_OK);
    FAILS(levels_of(HELD(2, 1, 3, 0x1a), 2, 6, &error), PQX_TRUNCATED, 4, 1, 0);
}

static void values_through_a_dictionary(void)
{
    const uint32_t widths[] = {4, 8, 12, 7};
    const int types[] = {PQX_PHYSICAL_FLOAT, PQX_PHYSICAL_INT64, PQX_PHYSICAL_INT96,
                         PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY};
    held page = HELD(2, 0x08, 2, 0x03, 0xe4, 0x1b);
    const uint8_t indices[] = {2, 2, 2, 2, 0, 1, 2, 3, 3, 2, 1, 0};
    for (size_t k = 0; k < 4; k++) {
        uint32_t width = widths[k];
        uint8_t *entries = malloc(4 * width), *out = malloc(12 * width);
        for (size_t i = 0; i < 4 * width; i++) entries[i] = (uint8_t)(i * 37);
        pqx_dictionary dictionary = {.fixed = entries, .count = 4, .width = width};
        pqx_values values;
        CHECK(pqx_values_begin(&values, PQX_ENCODING_RLE_DICTIONARY, types[k], 7, page.data,
                               page.size, 0, 12, &dictionary, NULL)
              == PQX_OK);
        CHECK(values.width == width);
        CHECK(pqx_values_take_fixed(&values, 3, out, NULL) == PQX_OK);
        CHECK(pqx_values_skip(&values, 2, NULL) == PQX_OK);
        CHECK(pqx_values_take_fixed(&values, 7, out + 5 * width, NULL) == PQX_OK);
        for (size_t i = 0; i < 12; i++)
            if (i < 3 || i >= 5)
                CHECK(!memcmp(out + i * width, entries + indices[i] * width, width));
        CHECK(values.left == 0 && pqx_values_end(&values) == page.size);
        dictionary.count = 3;
        pqx_values_begin(&values, PQX_ENCODING_PLAIN_DICTIONARY, types[k], 7, page.data, page.size,
                         0, 12, &dictionary, NULL);
        FAILS(pqx_values_take_fixed(&values, 12, out, &error), PQX_DICTIONARY_INDEX, 3, 3, 3);
        dictionary.count = 2;
        pqx_values_begin(&values, PQX_ENCODING_PLAIN_DICTIONARY, types[k], 7, page.data, page.size,
                         0, 12, &dictionary, NULL);
        FAILS(pqx_values_take_fixed(&values, 1, out, &error), PQX_DICTIONARY_INDEX, 1, 2, 2);
        free(entries);
        free(out);
    }
    free(page.data);
}

static int begin(int encoding, int type, held page, uint64_t count,
                 const pqx_dictionary *dictionary, pqx_error *error)
{
    pqx_values values;
    int status = pqx_values_begin(&values, encoding, type, 0, page.data, page.size, 0, count,
                                  dictionary, error);
    free(page.data);
    return status;
}

static void values_that_cannot_begin(void)
{
    pqx_dictionary four = {.width = 4};
    FAILS(begin(8, PQX_PHYSICAL_INT32, HELD(1, 2, 1), 1, NULL, &error), PQX_NO_DICTIONARY, 0, 0, 0);
    FAILS(begin(8, PQX_PHYSICAL_INT64, HELD(1, 2, 1), 1, &four, &error), PQX_BAD_ARGUMENT, 0, 8, 4);
    FAILS(begin(8, PQX_PHYSICAL_INT32, HELD(33, 2, 1), 1, &four, &error), PQX_BIT_WIDTH, 0, 32, 33);
    FAILS(begin(8, PQX_PHYSICAL_BOOLEAN, HELD(1), 1, &four, &error), PQX_ENCODING, 0, 0, 8);
    FAILS(begin(3, PQX_PHYSICAL_INT32, HELD(1), 1, NULL, &error), PQX_ENCODING, 0, 1, 3);
    FAILS(begin(9, PQX_PHYSICAL_INT96, HELD(1), 1, NULL, &error), PQX_ENCODING, 0, 3, 9);
    FAILS(begin(77, PQX_PHYSICAL_INT32, HELD(1), 1, NULL, &error), PQX_ENCODING, 0, 1, 77);
    FAILS(begin(9, PQX_PHYSICAL_INT32, HELD(1, 2, 3, 4, 5), 1, NULL, &error), PQX_STREAM_SIZE, 0, 4,
          5);
    FAILS(begin(0, PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, HELD(1), 1, NULL, &error), PQX_BAD_ARGUMENT,
          0, 1, 0);
    FAILS(begin(3, PQX_PHYSICAL_BOOLEAN, HELD(1, 0, 0), 1, NULL, &error), PQX_TRUNCATED, 0, 4, 3);
    FAILS(begin(3, PQX_PHYSICAL_BOOLEAN, HELD(2, 0, 0, 0, 2), 1, NULL, &error), PQX_TRUNCATED, 0, 2,
          1);
    CHECK(begin(8, PQX_PHYSICAL_INT32, HELD(1), 0, NULL, NULL) == PQX_OK);
    CHECK(begin(3, PQX_PHYSICAL_BOOLEAN, HELD(1), 0, NULL, NULL) == PQX_OK);
}

static void plain_values(void)
{
    held page = HELD(0xff, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    pqx_values values;
    uint8_t out[12];
    CHECK(pqx_values_begin(&values, PQX_ENCODING_PLAIN, PQX_PHYSICAL_INT32, 0, page.data, page.size,
                           1, 3, NULL, NULL)
          == PQX_OK);
    CHECK(pqx_values_skip(&values, 1, NULL) == PQX_OK);
    CHECK(pqx_values_take_fixed(&values, 1, out, NULL) == PQX_OK && !memcmp(out, page.data + 5, 4));
    CHECK(pqx_values_end(&values) == 9);
    FAILS(pqx_values_take_fixed(&values, 1, out, &error), PQX_TRUNCATED, 9, 4, 1);
    FAILS(pqx_values_take_fixed(&values, 4, out, &error), PQX_BAD_ARGUMENT, 9, 0, 4);
    free(page.data);
}

static void booleans(void)
{
    held plain = HELD(0x35, 0x01), runs = HELD(4, 0, 0, 0, 0x03, 0x35, 0x02, 0x01, 0xff),
         none = HELD(2, 0, 0, 0, 0x02, 0x02);
    held pages[] = {plain, runs};
    const int encodings[] = {PQX_ENCODING_PLAIN, PQX_ENCODING_RLE};
    const size_t ends[] = {2, 8};
    for (size_t k = 0; k < 2; k++) {
        pqx_values values;
        uint8_t out[2] = {0xff, 0xff};
        CHECK(pqx_values_begin(&values, encodings[k], PQX_PHYSICAL_BOOLEAN, 0, pages[k].data,
                               pages[k].size, 0, 9, NULL, NULL)
              == PQX_OK);
        CHECK(pqx_values_take_bits(&values, 2, out, 2, NULL) == PQX_OK && out[0] == 0xf7);
        CHECK(pqx_values_skip(&values, 3, NULL) == PQX_OK);
        CHECK(pqx_values_take_bits(&values, 4, out, 0, NULL) == PQX_OK && out[0] == 0xf9);
        CHECK(out[1] == 0xff && pqx_values_end(&values) == ends[k]);
    }
    pqx_values values;
    uint8_t out[3];
    pqx_values_begin(&values, PQX_ENCODING_PLAIN, PQX_PHYSICAL_BOOLEAN, 0, plain.data, plain.size,
                     0, 17, NULL, NULL);
    FAILS(pqx_values_take_bits(&values, 17, out, 0, &error), PQX_TRUNCATED, 2, 1, 0);
    pqx_values_begin(&values, PQX_ENCODING_RLE, PQX_PHYSICAL_BOOLEAN, 0, none.data, none.size, 0, 1,
                     NULL, NULL);
    FAILS(pqx_values_take_bits(&values, 1, out, 0, &error), PQX_BOOLEAN, 4, 1, 2);
    free(plain.data);
    free(runs.data);
    free(none.data);
}

static void split_streams(void)
{
    enum { COUNT = 1000 };
    const int types[] = {PQX_PHYSICAL_FLOAT, PQX_PHYSICAL_DOUBLE, PQX_PHYSICAL_INT32,
                         PQX_PHYSICAL_INT64, PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY};
    for (size_t k = 0; k < 5; k++) {
        uint32_t width = pqx_fixed_width(types[k], 5);
        uint8_t *streams = malloc(COUNT * width), *out = malloc(COUNT * width);
        for (size_t i = 0; i < COUNT * width; i++) streams[i] = (uint8_t)(i * i >> 3);
        pqx_values values;
        CHECK(pqx_values_begin(&values, PQX_ENCODING_BYTE_STREAM_SPLIT, types[k], 5, streams,
                               COUNT * width, 0, COUNT + 1, NULL, NULL)
              == PQX_OK);
        const size_t parts[] = {1, 17, 300, 682};
        size_t at = 0;
        for (size_t i = 0; i < 4; at += parts[i++])
            CHECK(pqx_values_take_fixed(&values, parts[i], out + at * width, NULL) == PQX_OK);
        for (size_t i = 0; i < COUNT * width; i++)
            CHECK(out[i] == streams[i % width * COUNT + i / width]);
        CHECK(pqx_values_end(&values) == COUNT * width);
        FAILS(pqx_values_take_fixed(&values, 1, out, &error), PQX_TRUNCATED, COUNT * width, width,
              0);
        free(streams);
        free(out);
    }
}

static void whole_pages_at_once(void)
{
    held page = HELD(9, 2, 6, 2, 3, 0xe4, 0x1b), short_page = HELD(2, 1);
    uint8_t out[88], bits[2] = {0xff, 0xff};
    uint16_t levels[8];
    uint32_t indices[11];
    size_t end;
    const uint8_t entries[32] = {[16] = 7, [24] = 8};
    pqx_value_array dictionary = {.data = entries, .size = 32, .count = 4};
    CHECK(pqx_decode(PQX_ENCODING_RLE_DICTIONARY, PQX_PHYSICAL_INT64, 0, page.data, page.size, 1,
                     11, &dictionary, out, &end, NULL)
          == PQX_OK);
    CHECK(end == 7 && out[0] == 7 && out[24] == 0 && out[48] == 8 && out[80] == 0);
    dictionary.count = 5;
    FAILS(pqx_decode(PQX_ENCODING_RLE_DICTIONARY, PQX_PHYSICAL_INT64, 0, page.data, page.size, 1,
                     11, &dictionary, out, &end, &error),
          PQX_BAD_ARGUMENT, 1, 4, 5);
    FAILS(pqx_decode(PQX_ENCODING_RLE_DICTIONARY, PQX_PHYSICAL_INT64, 0, page.data, page.size, 1,
                     11, NULL, out, &end, &error),
          PQX_NO_DICTIONARY, 1, 0, 0);
    CHECK(pqx_decode(PQX_ENCODING_PLAIN, PQX_PHYSICAL_BOOLEAN, 0, page.data, page.size, 5, 11, NULL,
                     bits, NULL, NULL)
          == PQX_OK);
    CHECK(bits[0] == 0xe4 && bits[1] == 0x03);
    CHECK(pqx_decode_indices(page.data, page.size, 1, 11, 4, indices, &end, NULL) == PQX_OK);
    CHECK(end == 7 && indices[0] == 2 && indices[6] == 3 && indices[10] == 0);
    CHECK(pqx_decode_indices(NULL, 0, 0, 0, 0, NULL, &end, NULL) == PQX_OK && end == 0);
    CHECK(pqx_decode_levels(PQX_ENCODING_RLE, 1, short_page.data, 2, 0, 1, levels, &end, NULL)
          == PQX_OK);
    CHECK(end == 2 && levels[0] == 1);
    FAILS(pqx_decode_levels(PQX_ENCODING_RLE, 1, short_page.data, 2, 0, 2, levels, &end, &error),
          PQX_TRUNCATED, 2, 1, 0);
    free(page.data);
    free(short_page.data);
}

int main(void)
{
    RUN(whole_pages_at_once);
    RUN(levels_of_a_real_page);
    RUN(levels_most_significant_bit_first);
    RUN(stretches_of_one_level);
    RUN(damaged_levels);
    RUN(values_through_a_dictionary);
    RUN(values_that_cannot_begin);
    RUN(plain_values);
    RUN(booleans);
    RUN(split_streams);
    return 0;
}
