/* Encode any bytes as values of any type in any encoding, in memory of exactly the bound:
 * decoders return the input. The same for levels, and for indices into a dictionary of the
 * values. */
#include "encoding/values.h"
#include "input.h"

/* The values again, by their decoder; `dictionary` may be NULL. */
static void take_back_fixed(int encoding, int type, int32_t type_length, const uint8_t *page,
                            size_t size, const pqx_dictionary *dictionary, const uint8_t *data,
                            size_t count)
{
    pqx_values values;
    pqx_error error = {0};
    pqx_buffer previous = {0};
    uint32_t width = pqx_fixed_width(type, type_length);
    uint8_t *found = exact(data, 0);
    CLAIM(pqx_values_begin(&values, encoding, type, type_length, page, size, 0, count, dictionary,
                           &error)
          == PQX_OK);
    values.previous = &previous;
    if (type == PQX_PHYSICAL_BOOLEAN) {
        found = realloc(found, count / 8 + 1);
        CLAIM(found && pqx_values_take_bits(&values, count, found, 0, &error) == PQX_OK);
        for (size_t i = 0; i < count; i++) CLAIM(!((found[i / 8] ^ data[i / 8]) >> i % 8 & 1));
    } else {
        found = realloc(found, count * width + 1);
        CLAIM(found && pqx_values_take_fixed(&values, count, found, &error) == PQX_OK);
        CLAIM(!count || !memcmp(found, data, count * width));
    }
    if (!dictionary && encoding != PQX_ENCODING_RLE) CLAIM(pqx_values_end(&values) == size);
    pqx_buffer_free(&previous);
    free(found);
}

static void take_back_strings(int encoding, const uint8_t *page, size_t size,
                              const pqx_dictionary *dictionary, const pqx_value_array *given)
{
    pqx_values values;
    pqx_error error = {0};
    pqx_buffer previous = {0};
    size_t count = (size_t)given->count, taken = 0, needed = 0;
    int32_t first = given->offsets[0], *offsets = calloc(count + 1, sizeof *offsets);
    size_t bytes = (size_t)(given->offsets[count] - first);
    uint8_t *found = malloc(bytes + 1);
    CLAIM(pqx_values_begin(&values, encoding, PQX_PHYSICAL_BYTE_ARRAY, 0, page, size, 0, count,
                           dictionary, &error)
          == PQX_OK);
    values.previous = &previous;
    CLAIM(pqx_values_take_binary(&values, count, offsets, found, bytes, &taken, &needed, &error)
          == PQX_OK);
    CLAIM(taken == count);
    for (size_t i = 0; i <= count; i++) CLAIM(offsets[i] == given->offsets[i] - first);
    CLAIM(!bytes || !memcmp(found, given->data + first, bytes));
    free(offsets);
    pqx_buffer_free(&previous);
    free(found);
}

static void in_a_dictionary(int type, int32_t type_length, const pqx_value_array *given,
                            size_t bytes)
{
    size_t count = (size_t)given->count, bound, size;
    pqx_dictionary_room room = {malloc(4 * count + 1), malloc(bytes + 1), malloc(4 * count + 4), 0,
                                0};
    pqx_error error = {0};
    int fits;
    CLAIM(pqx_dictionary_of(type, type_length, given, UINT32_MAX, SIZE_MAX, &room, &fits, &error)
          == PQX_OK);
    CLAIM(fits && room.count <= count && room.size <= bytes);
    bound = pqx_encode_indices_bound(room.count, count);
    uint8_t *page = malloc(bound);
    CLAIM(pqx_encode_indices(room.indices, count, room.count, page, bound, &size, &error)
          == PQX_OK);
    page = realloc(page, size);
    pqx_dictionary dictionary = {.fixed = room.values,
                                 .bytes = room.values,
                                 .offsets = (const uint32_t *)room.offsets,
                                 .count = room.count,
                                 .width = pqx_fixed_width(type, type_length)};
    if (type == PQX_PHYSICAL_BYTE_ARRAY)
        take_back_strings(PQX_ENCODING_RLE_DICTIONARY, page, size, &dictionary, given);
    else
        take_back_fixed(PQX_ENCODING_RLE_DICTIONARY, type, type_length, page, size, &dictionary,
                        given->data, count);
    free(page);
    free(room.indices);
    free(room.values);
    free(room.offsets);
}

static void as_levels(const uint8_t *data, size_t size, uint32_t max_level)
{
    size_t count = size / 2, written;
    uint16_t *levels = calloc(count + 1, 2), *found = calloc(count + 1, 2);
    memcpy(levels, data, count * 2);
    for (size_t i = 0; i < count; i++) levels[i] %= max_level + 1;
    static const int encodings[] = {PQX_ENCODING_RLE, PQX_ENCODING_BIT_PACKED};
    for (int e = 0; e < 2; e++) {
        size_t bound = pqx_encode_levels_bound(max_level, count);
        uint8_t *page = malloc(bound);
        pqx_runs runs;
        CLAIM(pqx_encode_levels(encodings[e], levels, count, max_level, page, bound, &written, NULL)
              == PQX_OK);
        page = realloc(page, written + 1);
        CLAIM(pqx_levels_begin(&runs, encodings[e], max_level, page, written, 0, NULL) == PQX_OK);
        CLAIM(pqx_levels_take(&runs, max_level, count, found, NULL) == PQX_OK);
        CLAIM(!memcmp(levels, found, count * 2));
        free(page);
    }
    free(levels);
    free(found);
}

/* Lengths are taken from the bytes themselves; offsets begin after the first of them. */
static size_t cut(const uint8_t *data, size_t size, int32_t *offsets)
{
    size_t count = 0, at = size ? data[0] % 4 % size : 0;
    for (offsets[0] = (int32_t)at; at < size && count < 2048; offsets[++count] = (int32_t)at) {
        size_t length = data[at] % 32;
        at += length < size - at ? length : size - at;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    static int32_t offsets[2049];
    uint64_t steering = take_steering(input, &size);
    int encoding = steering & 15, type = steering >> 8 & 7;
    int32_t type_length = (int32_t)(steering >> 16 & 31);
    uint8_t *data = exact(input, size);
    uint32_t width = pqx_fixed_width(type, type_length);
    pqx_value_array given = {data, size, offsets, 0};
    given.count = type == PQX_PHYSICAL_BYTE_ARRAY ? cut(data, size, offsets)
                  : width                         ? size / width
                                                  : size * 8 - (size && steering >> 24 & 7);
    size_t bytes =
        type == PQX_PHYSICAL_BYTE_ARRAY ? (size_t)(offsets[given.count] - offsets[0]) : size;
    size_t bound = pqx_encode_bound(encoding, type, type_length, given.count, bytes), written = 0;
    uint8_t *page = malloc(bound ? bound : 1);
    pqx_error error = {0};
    int status = pqx_encode(encoding, type, type_length, &given, page, bound, &written, &error);
    CLAIM(status == PQX_OK || error.code == PQX_UNWRITTEN_ENCODING || !type_length);
    if (status == PQX_OK) {
        CLAIM(written <= bound);
        page = realloc(page, written ? written : 1);
        if (type == PQX_PHYSICAL_BYTE_ARRAY)
            take_back_strings(encoding, page, written, NULL, &given);
        else take_back_fixed(encoding, type, type_length, page, written, NULL, data, given.count);
    }
    if (type == PQX_PHYSICAL_BYTE_ARRAY || width) in_a_dictionary(type, type_length, &given, bytes);
    as_levels(data, size, (uint32_t)(steering >> 32 & 0xffff));
    free(page);
    free(data);
    return 0;
}
