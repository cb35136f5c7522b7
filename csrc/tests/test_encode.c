/* The encoders: memory of the exact bound for every length, equal results of the portable and
 * the fast routine, and their output decoded by independent code. */
#include "harness.h"
#include "encoding/encode.h"

enum { MOST = 700 };

static uint64_t state;
static uint64_t next_random(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 11 ^ state << 40;
}

/* Encode in a room of exactly the bound, from an exact copy; the size is checked against it. */
static uint8_t *encoded(int encoding, int type, int32_t type_length, const void *data, size_t bytes,
                        const int32_t *offsets, size_t count, size_t *size)
{
    size_t all = offsets ? (size_t)(offsets[count] - offsets[0]) : bytes;
    size_t bound = pqx_encode_bound(encoding, type, type_length, count, all);
    uint8_t *copy = exact(data, bytes), *out = malloc(bound ? bound : 1);
    pqx_value_array values = {copy, bytes, offsets, count};
    pqx_error error = {0};
    CHECK(out && bound != SIZE_MAX);
    CHECK(pqx_encode(encoding, type, type_length, &values, out, bound, size, &error) == PQX_OK);
    CHECK(*size <= bound);
    if (bound) {
        CHECK(pqx_encode(encoding, type, type_length, &values, out, bound - 1, size, &error)
              == PQX_BAD_ARGUMENT);
        CHECK(error.expected == bound && error.found == bound - 1);
        CHECK(pqx_encode(encoding, type, type_length, &values, out, bound, size, NULL) == PQX_OK);
    }
    free(copy);
    return out;
}

static uint64_t bits_at(const uint8_t *data, uint64_t bit, uint32_t width)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; i++, bit++)
        value |= (uint64_t)(data[bit / 8] >> bit % 8 & 1) << i;
    return value;
}

/* Runs taken apart, as Encodings.md describes them; they fill the bytes. */
static void take_runs(const uint8_t *data, size_t size, uint32_t width, uint32_t *out, size_t count)
{
    size_t at = 0, taken = 0;
    while (taken < count) {
        uint64_t header;
        CHECK(pqx_varint_get64(data, size, at, &header, &at, NULL) == PQX_OK);
        size_t length = (size_t)(header >> 1),
               bytes = header & 1 ? length * width : (width + 7) / 8;
        CHECK(length && bytes <= size - at);
        if (header & 1) length *= 8;
        CHECK(header & 1 || length >= 8);
        for (size_t i = 0; i < length; i++) {
            uint32_t value = (uint32_t)(header & 1 ? bits_at(data + at, (uint64_t)i * width, width)
                                                   : bits_at(data + at, 0, (width + 7) / 8 * 8));
            if (taken < count) out[taken++] = value;
            else CHECK(header & 1 && value == 0);
        }
        at += bytes;
    }
    CHECK(at == size);
}

/* Decode deltas; returns their end. */
static size_t take_deltas(const uint8_t *data, size_t size, uint64_t *out, size_t count)
{
    uint64_t block, miniblocks, found, value;
    size_t at = 0;
    CHECK(pqx_varint_get64(data, size, at, &block, &at, NULL) == PQX_OK && block == 128);
    CHECK(pqx_varint_get64(data, size, at, &miniblocks, &at, NULL) == PQX_OK && miniblocks == 4);
    CHECK(pqx_varint_get64(data, size, at, &found, &at, NULL) == PQX_OK && found == count);
    CHECK(pqx_varint_get64(data, size, at, &value, &at, NULL) == PQX_OK);
    value = value >> 1 ^ -(value & 1);
    if (count) out[0] = value;
    for (size_t taken = 1; taken < count;) {
        uint64_t least;
        CHECK(pqx_varint_get64(data, size, at, &least, &at, NULL) == PQX_OK);
        least = least >> 1 ^ -(least & 1);
        const uint8_t *widths = data + at;
        at += 4;
        for (int m = 0; m < 4; m++) {
            CHECK((size_t)widths[m] * 4 <= size - at);
            if (taken == count) CHECK(widths[m] == 0);
            for (uint64_t i = 0; i < 32; i++) {
                uint64_t delta = bits_at(data + at, i * widths[m], widths[m]);
                if (taken < count) out[taken++] = value += least + delta;
                else CHECK(delta == 0);
            }
            at += (size_t)widths[m] * 4;
        }
    }
    return at;
}

static void runs_of_every_width_and_length(void)
{
    static const size_t counts[] = {0, 1, 7, 8, 9, 63, 64, 65, 200, MOST, 5000};
    static uint32_t values[5000], found[5000];
    for (uint32_t width = 0; width <= 32; width++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int habit = 0; habit < 4; habit++) {
                size_t count = counts[c], bound, size;
                uint32_t dictionary = width == 32 ? UINT32_MAX : 1u << width;
                for (size_t i = 0, left = 0; i < count; i++, left--) {
                    int anew = !left;
                    if (anew) left = habit ? 1 + next_random() % (habit * 20) : 1;
                    values[i] = i && !anew ? values[i - 1] : (uint32_t)next_random() % dictionary;
                }
                bound = pqx_encode_indices_bound(dictionary, count);
                uint8_t *out = malloc(bound), *copy = exact(values, count * 4);
                CHECK(pqx_encode_indices((const uint32_t *)copy, count, dictionary, out, bound,
                                         &size, NULL)
                      == PQX_OK);
                CHECK(out[0] == (width ? width : 1));
                take_runs(out + 1, size - 1, out[0], found, count);
                CHECK(!memcmp(values, found, count * 4));
                free(out);
                free(copy);
            }
}

static void levels_of_every_width(void)
{
    uint16_t levels[MOST];
    uint32_t found[MOST];
    for (uint32_t width = 1; width <= 16; width++)
        for (size_t count = 0; count < MOST; count += count < 70 ? 1 : 89) {
            uint32_t most = (1u << width) - 1;
            for (size_t i = 0; i < count; i++)
                levels[i] =
                    i && next_random() % 16 ? levels[i - 1] : (uint16_t)(next_random() & most);
            size_t bound = pqx_encode_levels_bound(most, count), size;
            uint8_t *out = malloc(bound), *copy = exact(levels, count * 2);
            CHECK(pqx_encode_levels(PQX_ENCODING_RLE, (uint16_t *)copy, count, most, out, bound,
                                    &size, NULL)
                  == PQX_OK);
            take_runs(out, size, width, found, count);
            for (size_t i = 0; i < count; i++) CHECK(found[i] == levels[i]);
            CHECK(pqx_encode_levels(PQX_ENCODING_BIT_PACKED, (uint16_t *)copy, count, most, out,
                                    bound, &size, NULL)
                  == PQX_OK);
            CHECK(size == (count * width + 7) / 8);
            for (size_t i = 0; i < count; i++)
                for (uint32_t b = 0; b < width; b++) {
                    size_t bit = i * width + b;
                    CHECK((out[bit / 8] >> (7 - bit % 8) & 1)
                          == (levels[i] >> (width - 1 - b) & 1));
                }
            free(out);
            free(copy);
        }
}

static void booleans_of_every_length(void)
{
    uint8_t bits[MOST / 8 + 1];
    uint32_t found[MOST];
    for (size_t count = 0; count < MOST; count += count < 100 ? 1 : 31)
        for (int habit = 0; habit < 3; habit++) {
            for (size_t i = 0; i < sizeof bits; i++)
                bits[i] = habit == 2 || next_random() % 8 == 0 ? (uint8_t)next_random()
                          : habit == 1 && i                    ? bits[i - 1]
                                                               : 0xff;
            size_t size, bytes = (count + 7) / 8;
            uint8_t *out =
                encoded(PQX_ENCODING_RLE, PQX_PHYSICAL_BOOLEAN, 0, bits, bytes, NULL, count, &size);
            CHECK(pqx_load32(out) == size - 4);
            take_runs(out + 4, size - 4, 1, found, count);
            for (size_t i = 0; i < count; i++) CHECK(found[i] == bits_at(bits, i, 1));
            free(out);
            out = encoded(PQX_ENCODING_PLAIN, PQX_PHYSICAL_BOOLEAN, 0, bits, bytes, NULL, count,
                          &size);
            CHECK(size == bytes);
            for (size_t i = 0; i < bytes * 8; i++)
                CHECK(bits_at(out, i, 1) == (i < count ? bits_at(bits, i, 1) : 0));
            free(out);
        }
}

static void deltas_of_every_length_and_width(void)
{
    uint64_t found[MOST];
    uint8_t values[MOST * 8];
    for (int is_64 = 0; is_64 < 2; is_64++)
        for (size_t count = 0; count < MOST; count += count < 140 ? 1 : 53)
            for (uint32_t shift = 0; shift < 64; shift += 9) {
                size_t width = is_64 ? 8 : 4, size;
                for (size_t i = 0; i < count; i++) {
                    uint64_t value = next_random() >> shift;
                    memcpy(values + i * width, &value, width);
                }
                uint8_t *out = encoded(PQX_ENCODING_DELTA_BINARY_PACKED,
                                       is_64 ? PQX_PHYSICAL_INT64 : PQX_PHYSICAL_INT32, 0, values,
                                       count * width, NULL, count, &size);
                CHECK(take_deltas(out, size, found, count) == size);
                for (size_t i = 0; i < count; i++)
                    CHECK(!memcmp(values + i * width, &found[i], width));
                free(out);
            }
}

static void byte_arrays_of_every_length(void)
{
    uint8_t bytes[8192], before[256];
    int32_t offsets[MOST + 1];
    uint64_t prefixes[MOST], suffixes[MOST];
    for (size_t count = 0; count < 300; count += count < 40 ? 1 : 43) {
        offsets[0] = 3;
        for (size_t i = 0; i < count; i++)
            offsets[i + 1] = offsets[i] + (int32_t)(next_random() % (i % 7 ? 9 : 70));
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = "ab"[next_random() % 9 == 0];
        size_t end = (size_t)offsets[count], size, at, total = 0;
        CHECK(end <= sizeof bytes);
        uint8_t *out = encoded(PQX_ENCODING_PLAIN, PQX_PHYSICAL_BYTE_ARRAY, 0, bytes, end, offsets,
                               count, &size);
        for (size_t i = at = 0; i < count; i++) {
            size_t length = pqx_load32(out + at);
            CHECK(length == (size_t)(offsets[i + 1] - offsets[i]));
            CHECK(!memcmp(out + at + 4, bytes + offsets[i], length));
            at += 4 + length;
        }
        CHECK(at == size);
        free(out);
        out = encoded(PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY, PQX_PHYSICAL_BYTE_ARRAY, 0, bytes, end,
                      offsets, count, &size);
        at = take_deltas(out, size, prefixes, count);
        for (size_t i = 0; i < count; i++)
            CHECK(prefixes[i] == (uint64_t)(offsets[i + 1] - offsets[i]));
        CHECK(size - at == end - 3 && !memcmp(out + at, bytes + 3, end - 3));
        free(out);
        out = encoded(PQX_ENCODING_DELTA_BYTE_ARRAY, PQX_PHYSICAL_BYTE_ARRAY, 0, bytes, end,
                      offsets, count, &size);
        at = take_deltas(out, size, prefixes, count);
        at += take_deltas(out + at, size - at, suffixes, count);
        for (size_t i = 0; i < count; i++) {
            size_t length = (size_t)(prefixes[i] + suffixes[i]);
            CHECK(length == (size_t)(offsets[i + 1] - offsets[i]) && length < sizeof before);
            memcpy(before + prefixes[i], out + at, suffixes[i]);
            CHECK(!memcmp(before, bytes + offsets[i], length));
            at += suffixes[i], total += suffixes[i];
        }
        CHECK(at == size && total <= end);
        free(out);
    }
}

static void split_streams_of_every_width(void)
{
    uint8_t values[MOST * 17];
    for (size_t i = 0; i < sizeof values; i++) values[i] = (uint8_t)next_random();
    for (int32_t width = 1; width <= 17; width++)
        for (size_t count = 0; count < MOST; count += count < 140 ? 1 : 47) {
            size_t size;
            uint8_t *out =
                encoded(PQX_ENCODING_BYTE_STREAM_SPLIT, PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, width,
                        values, count * (size_t)width, NULL, count, &size);
            CHECK(size == count * (size_t)width);
            for (size_t i = 0; i < size; i++)
                CHECK(out[i % (size_t)width * count + i / (size_t)width] == values[i]);
            free(out);
        }
}

static void fast_routines_agree_with_the_portable_ones(void)
{
    const pqx_encode_choice *best = pqx_encode_best(), *plain = &pqx_encode_portable;
    uint8_t values[1024 * 8], one[1024 * 8], other[1024 * 8], widths[2][4];
    uint64_t deltas[2][PQX_DELTA_BLOCK];
    printf("encoding by %s\n", best->name);
    for (int round = 0; round < 2000; round++) {
        for (size_t i = 0; i < sizeof values; i += 8)
            pqx_store64(values + i, next_random() >> (round % 64));
        size_t count = 64 * (1 + (size_t)round % 16);
        best->split4(values, count, count, one), plain->split4(values, count, count, other);
        CHECK(!memcmp(one, other, count * 4));
        best->split8(values, count, count, one), plain->split8(values, count, count, other);
        CHECK(!memcmp(one, other, count * 8));
        count = 1 + (size_t)round % PQX_DELTA_BLOCK;
        for (int at = 0; at < 2; at++) {
            const uint8_t *from = values + at;
            uint64_t before = next_random();
            uint32_t (*small)[PQX_DELTA_BLOCK] = (uint32_t (*)[PQX_DELTA_BLOCK])(void *)deltas;
            CHECK(best->deltas64(from, count, before, deltas[0], widths[0])
                  == plain->deltas64(from, count, before, deltas[1], widths[1]));
            CHECK(!memcmp(deltas[0], deltas[1], sizeof *deltas)
                  && !memcmp(widths[0], widths[1], 4));
            CHECK(best->deltas32(from, count, (uint32_t)before, small[0], widths[0])
                  == plain->deltas32(from, count, (uint32_t)before, small[1], widths[1]));
            CHECK(!memcmp(small[0], small[1], sizeof *small) && !memcmp(widths[0], widths[1], 4));
        }
    }
}

static void dictionaries_of_every_width(void)
{
    static uint8_t values[MOST * 17];
    uint32_t indices[MOST];
    for (uint32_t width = 1; width <= 17; width++) {
        size_t distinct = width == 1 ? 200 : 300;
        for (size_t i = 0; i < MOST; i++) {
            uint64_t number = next_random() % distinct;
            memset(values + i * width, 0, width);
            memcpy(values + i * width, &number, width < 8 ? width : 8);
        }
        uint8_t *copy = exact(values, MOST * width), *entries = malloc(MOST * width);
        pqx_value_array given = {copy, MOST * width, NULL, MOST};
        pqx_dictionary_room room = {indices, entries, NULL, 0, 0};
        int fits;
        CHECK(pqx_dictionary_of(PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, (int32_t)width, &given, MOST,
                                SIZE_MAX, &room, &fits, NULL)
              == PQX_OK);
        CHECK(fits && room.count <= distinct && room.size == room.count * width);
        uint32_t seen = 0;
        for (size_t i = 0; i < MOST; i++) {
            CHECK(indices[i] <= seen && indices[i] < room.count);
            if (indices[i] == seen) seen++;
            CHECK(!memcmp(entries + indices[i] * width, values + i * width, width));
        }
        CHECK(seen == room.count);
        CHECK(pqx_dictionary_of(PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, (int32_t)width, &given, seen - 1,
                                SIZE_MAX, &room, &fits, NULL)
                  == PQX_OK
              && !fits);
        free(copy);
        free(entries);
    }
}

static void claims_reserve_nothing(void)
{
    pqx_error error = {0};
    size_t size;
    int fits;
    uint8_t out[256];
    int32_t offsets[] = {0, 5, 3};
    pqx_value_array none = {NULL, 0, offsets, 0}, many = {out, 8, NULL, (uint64_t)1 << 40},
                    few = {out, 8, NULL, INT32_MAX}, descending = {out, 8, offsets, 2};
    CHECK(pqx_encode_bound(PQX_ENCODING_PLAIN, PQX_PHYSICAL_INT32, 0, UINT64_MAX, 0) == SIZE_MAX);
    CHECK(pqx_encode_bound(PQX_ENCODING_PLAIN, PQX_PHYSICAL_BYTE_ARRAY, 0, 1, SIZE_MAX)
          == SIZE_MAX);
    CHECK(pqx_encode_levels_bound(1, UINT64_MAX) == SIZE_MAX);
    CHECK(pqx_encode_indices_bound(1, UINT64_MAX) == SIZE_MAX);
    CHECK(pqx_encode_bound(PQX_ENCODING_ALP, PQX_PHYSICAL_INT64, 0, 1, 0) == 0);
    CHECK(pqx_encode(PQX_ENCODING_PLAIN, PQX_PHYSICAL_INT32, 0, &many, out, 256, &size, &error)
          == PQX_TOO_MANY);
    CHECK(pqx_encode(PQX_ENCODING_PLAIN, PQX_PHYSICAL_INT32, 0, &few, out, 256, &size, &error)
          == PQX_VALUES_SIZE);
    CHECK(error.expected == 4 * (uint64_t)INT32_MAX && error.found == 8);
    CHECK(pqx_encode(PQX_ENCODING_PLAIN, PQX_PHYSICAL_BYTE_ARRAY, 0, &descending, out, 256, &size,
                     &error)
          == PQX_VALUE_OFFSET);
    CHECK(error.offset == 8 && error.found == 3);
    CHECK(pqx_encode(PQX_ENCODING_DELTA_BYTE_ARRAY, PQX_PHYSICAL_BYTE_ARRAY, 0, &none, out, 256,
                     &size, &error)
          == PQX_OK);
    pqx_dictionary_room room = {NULL, NULL, NULL, 0, 0};
    CHECK(pqx_dictionary_of(PQX_PHYSICAL_INT32, 0, &few, 9, 9, &room, &fits, &error)
          == PQX_VALUES_SIZE);
    CHECK(pqx_dictionary_of(PQX_PHYSICAL_BOOLEAN, 0, &few, 9, 9, &room, &fits, &error)
          == PQX_UNWRITTEN_ENCODING);
}

int main(void)
{
    RUN(runs_of_every_width_and_length);
    RUN(levels_of_every_width);
    RUN(booleans_of_every_length);
    RUN(deltas_of_every_length_and_width);
    RUN(byte_arrays_of_every_length);
    RUN(split_streams_of_every_width);
    RUN(fast_routines_agree_with_the_portable_ones);
    RUN(dictionaries_of_every_width);
    RUN(claims_reserve_nothing);
    return 0;
}
