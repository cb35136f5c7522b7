#include "encoding/binary.h"
#include "deltas.h"

/* Values of a page, one behind the other, and the lengths that DELTA_BYTE_ARRAY writes. */
enum { MOST = 3000, MOST_BYTES = 1 << 17 };

typedef struct column {
    size_t count;
    int32_t offsets[MOST + 1];
    uint8_t bytes[MOST_BYTES];
} column;

static column written, found;
static uint8_t page[MOST_DELTA_BYTES];

static const int encodings[] = {PQX_ENCODING_PLAIN, PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY,
                                PQX_ENCODING_DELTA_BYTE_ARRAY};

/* Values of up to `longest` bytes, each beginning like the one before. */
static void make(size_t count, size_t longest, uint64_t seed)
{
    written.count = count;
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)written.offsets[i], length = next_number(&seed) % (longest + 1);
        size_t before = i ? at - (size_t)written.offsets[i - 1] : 0;
        size_t shared = next_number(&seed) % (before + 1);
        if (shared > length) shared = length;
        for (size_t k = 0; k < shared; k++) written.bytes[at + k] = written.bytes[at - before + k];
        for (size_t k = shared; k < length; k++)
            written.bytes[at + k] = (uint8_t)('a' + next_number(&seed) % 3);
        CHECK(at + length <= MOST_BYTES);
        written.offsets[i + 1] = (int32_t)(at + length);
    }
}

static size_t put_plain(void)
{
    size_t size = 0;
    for (size_t i = 0; i < written.count; i++) {
        uint32_t length = (uint32_t)(written.offsets[i + 1] - written.offsets[i]);
        pqx_store32(page + size, length);
        memcpy(page + size + 4, written.bytes + written.offsets[i], length);
        size += 4 + length;
    }
    return size;
}

static size_t put_lengths(int is_prefixed)
{
    static uint64_t prefixes[MOST], suffixes[MOST];
    for (size_t i = 0; i < written.count; i++) {
        const uint8_t *value = written.bytes + written.offsets[i];
        size_t length = (size_t)(written.offsets[i + 1] - written.offsets[i]), prefix = 0;
        size_t before = i ? (size_t)(written.offsets[i] - written.offsets[i - 1]) : 0;
        while (is_prefixed && prefix < length && prefix < before
               && value[prefix] == (value - before)[prefix])
            prefix++;
        prefixes[i] = prefix;
        suffixes[i] = length - prefix;
    }
    size_t size = is_prefixed ? put_deltas(page, 0, prefixes, written.count, 128, 4, 0) : 0;
    size += put_deltas(page + size, 0, suffixes, written.count, 128, 4, 0);
    for (size_t i = 0; i < written.count; i++) {
        memcpy(page + size, written.bytes + written.offsets[i] + prefixes[i], suffixes[i]);
        size += suffixes[i];
    }
    return size;
}

static size_t put(int encoding)
{
    return encoding == PQX_ENCODING_PLAIN ? put_plain()
                                          : put_lengths(encoding == PQX_ENCODING_DELTA_BYTE_ARRAY);
}

/* Take everything by at most `step` values in memory of `room` bytes or, for a value that is
 * longer, of exactly its size; skip each third piece if `skips`. */
static int take(pqx_values *values, size_t count, size_t step, size_t room, int skips,
                pqx_error *error)
{
    pqx_buffer previous = {0};
    int status = PQX_OK;
    values->previous = &previous;
    for (size_t at = 0, turn = 0; status == PQX_OK && at < count; turn++) {
        size_t some = count - at < step ? count - at : step, taken, needed;
        if (skips && turn % 3 == 1) {
            status = pqx_values_skip(values, some, error);
            for (size_t i = 0; i < some; i++, at++) found.offsets[at + 1] = found.offsets[at];
            continue;
        }
        int32_t *offsets = malloc((some + 1) * sizeof *offsets);
        uint8_t *bytes = malloc(room ? room : 1);
        offsets[0] = 0;
        status = pqx_values_take_binary(values, some, offsets, bytes, room, &taken, &needed, error);
        if (status == PQX_OK && !taken && needed > room) {
            bytes = realloc(bytes, needed);
            status = pqx_values_take_binary(values, some, offsets, bytes, needed, &taken, &needed,
                                            error);
            CHECK(status != PQX_OK || taken);
        }
        if (status == PQX_OK) {
            CHECK((taken < some) == (needed != 0));
            memcpy(found.bytes + found.offsets[at], bytes, (size_t)offsets[taken]);
            for (size_t i = 0; i < taken; i++)
                found.offsets[at + i + 1] = found.offsets[at] + offsets[i + 1];
            at += taken;
        }
        free(offsets);
        free(bytes);
    }
    pqx_buffer_free(&previous);
    return status;
}

static int take_page(int encoding, const uint8_t *data, size_t size, size_t count, size_t step,
                     size_t room, int skips, size_t *end, pqx_error *error)
{
    pqx_values values;
    int status = pqx_values_begin(&values, encoding, PQX_PHYSICAL_BYTE_ARRAY, 0, data, size, 0,
                                  count, NULL, error);
    if (status == PQX_OK) status = take(&values, count, step, room, skips, error);
    if (status == PQX_OK) *end = pqx_values_end(&values);
    return status;
}

/* Values that were not skipped are those that were written. */
static void check_found(size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = (size_t)(found.offsets[i + 1] - found.offsets[i]);
        size_t wanted = (size_t)(written.offsets[i + 1] - written.offsets[i]);
        CHECK(length == wanted);
        CHECK(!memcmp(found.bytes + found.offsets[i], written.bytes + written.offsets[i], length));
    }
}

static void values_of_every_length_come_back(void)
{
    const size_t longest[] = {0, 1, 12, 20, 31, 33, 64, 300}, steps[] = {MOST, 1, 100, 257};
    for (size_t e = 0; e < sizeof encodings / sizeof *encodings; e++)
        for (size_t l = 0; l < sizeof longest / sizeof *longest; l++) {
            make(longest[l] > 64 ? 400 : MOST, longest[l] > 40 ? longest[l] / 2 : longest[l], l);
            size_t size = put(encodings[e]), end = 0;
            uint8_t *data = exact(page, size);
            for (size_t s = 0; s < sizeof steps / sizeof *steps; s++) {
                for (size_t room = 0; room < 3; room++) {
                    size_t rooms[] = {MOST_BYTES, 50, 1000};
                    CHECK(take_page(encodings[e], data, size, written.count, steps[s], rooms[room],
                                    0, &end, NULL)
                          == PQX_OK);
                    CHECK(end == size);
                    check_found(written.count);
                }
                CHECK(take_page(encodings[e], data, size, written.count, steps[s], 1000, 1, &end,
                                NULL)
                      == PQX_OK);
                CHECK(end == size);
            }
            free(data);
        }
}

static void what_is_passed_over_changes_nothing_behind_it(void)
{
    for (size_t e = 0; e < sizeof encodings / sizeof *encodings; e++) {
        make(1000, 40, 7);
        size_t size = put(encodings[e]), taken, needed;
        uint8_t *data = exact(page, size);
        for (size_t over = 0; over < 1000; over += 83) {
            pqx_values values;
            pqx_buffer previous = {0};
            CHECK(pqx_values_begin(&values, encodings[e], PQX_PHYSICAL_BYTE_ARRAY, 0, data, size, 0,
                                   1000, NULL, NULL)
                  == PQX_OK);
            values.previous = &previous;
            CHECK(pqx_values_skip(&values, over, NULL) == PQX_OK && values.left == 1000 - over);
            found.offsets[over] = written.offsets[over];
            CHECK(pqx_values_take_binary(&values, 1000 - over, found.offsets + over, found.bytes,
                                         MOST_BYTES, &taken, &needed, NULL)
                  == PQX_OK);
            CHECK(taken == 1000 - over && needed == 0 && values.left == 0);
            CHECK(!memcmp(found.bytes + written.offsets[over],
                          written.bytes + written.offsets[over],
                          (size_t)(written.offsets[1000] - written.offsets[over])));
            pqx_buffer_free(&previous);
        }
        free(data);
    }
}

static void every_cut_is_told_whatever_the_batches(void)
{
    for (size_t e = 0; e < sizeof encodings / sizeof *encodings; e++) {
        make(70, 20, 11);
        size_t size = put(encodings[e]), end;
        for (size_t cut = 0; cut < size; cut++) {
            uint8_t *data = exact(page, cut);
            pqx_error error = {0}, other = {0};
            int status = take_page(encodings[e], data, cut, 70, 70, MOST_BYTES, 0, &end, &error);
            CHECK(status == PQX_TRUNCATED || status == PQX_BYTE_ARRAY_LENGTH);
            CHECK(status == take_page(encodings[e], data, cut, 70, 9, 30, 0, &end, &other));
            CHECK(!memcmp(&error, &other, sizeof error));
            CHECK(status == take_page(encodings[e], data, cut, 70, 9, 30, 1, &end, &other));
            CHECK(!memcmp(&error, &other, sizeof error));
            free(data);
        }
    }
}

#define REFUSED(encoding, bytes, count, code, at, wanted, is)                                \
    do {                                                                                     \
        pqx_error error = {0};                                                               \
        size_t end;                                                                          \
        uint8_t *data = exact(bytes, sizeof bytes - 1);                                      \
        CHECK(take_page(encoding, data, sizeof bytes - 1, count, count, 64, 0, &end, &error) \
              == code);                                                                      \
        CHECK(error.offset == at && error.expected == (wanted) && error.found == (is));      \
        free(data);                                                                          \
    } while (0)

static void lengths_that_lie_are_refused(void)
{
    REFUSED(PQX_ENCODING_PLAIN, "\x01\x00\x00\x00z\x02\x00\x00\x00y", 2, PQX_BYTE_ARRAY_LENGTH, 5,
            1, 2);
    REFUSED(PQX_ENCODING_PLAIN, "\xff\xff\xff\xffz", 1, PQX_BYTE_ARRAY_LENGTH, 0, 1, UINT32_MAX);
    REFUSED(PQX_ENCODING_PLAIN, "\x01\x00\x00\x00z\x02\x00", 2, PQX_TRUNCATED, 5, 4, 2);
    /* One length: -1, then 2 of 1 byte. */
    REFUSED(PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY, "\x80\x01\x04\x01\x01z", 1, PQX_BYTE_ARRAY_LENGTH,
            5, 1, UINT32_MAX);
    REFUSED(PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY, "\x80\x01\x04\x01\x04z", 1, PQX_BYTE_ARRAY_LENGTH,
            5, 1, 2);
    REFUSED(PQX_ENCODING_DELTA_BYTE_ARRAY, "\x80\x01\x04\x01\x02\x80\x01\x04\x01\x02z", 1,
            PQX_PREFIX_LENGTH, 10, 0, 1);
    REFUSED(PQX_ENCODING_DELTA_BYTE_ARRAY, "\x80\x01\x04\x01\x01\x80\x01\x04\x01\x02z", 1,
            PQX_PREFIX_LENGTH, 10, 0, UINT32_MAX);
    REFUSED(PQX_ENCODING_DELTA_BYTE_ARRAY, "\x80\x01\x04\x01\x00\x80\x01\x04\x01\x04z", 1,
            PQX_BYTE_ARRAY_LENGTH, 10, 1, 2);
}

static void values_of_a_fixed_width_have_that_width(void)
{
    enum { WIDTH = 5, COUNT = 900 };
    uint8_t out[WIDTH * COUNT];
    written.count = COUNT;
    for (size_t i = 0; i < COUNT; i++) {
        snprintf((char *)written.bytes + WIDTH * i, WIDTH + 1, "%05zu", i * 7);
        written.offsets[i + 1] = (int32_t)(WIDTH * (i + 1));
    }
    size_t size = put(PQX_ENCODING_DELTA_BYTE_ARRAY);
    uint8_t *data = exact(page, size);
    for (size_t step = 1; step < 1100; step += 61) {
        pqx_values values;
        pqx_buffer previous = {0};
        CHECK(pqx_values_begin(&values, PQX_ENCODING_DELTA_BYTE_ARRAY,
                               PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, WIDTH, data, size, 0, COUNT, NULL,
                               NULL)
              == PQX_OK);
        values.previous = &previous;
        for (size_t at = 0; at < COUNT; at += step) {
            size_t some = COUNT - at < step ? COUNT - at : step;
            uint8_t *bytes = malloc(some * WIDTH);
            CHECK(pqx_values_take_fixed(&values, some, bytes, NULL) == PQX_OK);
            memcpy(out + WIDTH * at, bytes, WIDTH * some);
            free(bytes);
        }
        CHECK(!memcmp(out, written.bytes, sizeof out) && pqx_values_end(&values) == size);
        pqx_buffer_free(&previous);
    }
    pqx_values values;
    pqx_buffer previous = {0};
    pqx_error error = {0};
    CHECK(pqx_values_begin(&values, PQX_ENCODING_DELTA_BYTE_ARRAY,
                           PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, WIDTH + 1, data, size, 0, COUNT, NULL,
                           NULL)
          == PQX_OK);
    CHECK(pqx_values_take_fixed(&values, COUNT, out, &error) == PQX_BAD_ARGUMENT);
    CHECK(pqx_values_begin(&values, PQX_ENCODING_DELTA_BYTE_ARRAY,
                           PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, WIDTH + 1, data, size, 0, COUNT, NULL,
                           NULL)
          == PQX_OK);
    values.previous = &previous;
    size_t suffixes = values.at;
    CHECK(pqx_values_skip(&values, COUNT, &error) == PQX_VALUE_LENGTH);
    CHECK(error.offset == suffixes && error.expected == WIDTH + 1 && error.found == WIDTH);
    pqx_buffer_free(&previous);
    free(data);
}

static void values_of_a_dictionary_come_back(void)
{
    enum { ENTRIES = 200, COUNT = 2000, BITS = 8 };
    make(ENTRIES, 45, 13);
    uint32_t places[ENTRIES + 1], indices[COUNT];
    uint64_t state = 17;
    for (size_t i = 0; i <= ENTRIES; i++) places[i] = (uint32_t)written.offsets[i];
    memset(page, 0, sizeof page);
    page[0] = BITS;
    size_t header = pqx_varint_put(page + 1, COUNT / 8 << 1 | 1) + 1;
    for (size_t i = 0; i < COUNT; i++)
        page[header + i] = (uint8_t)(indices[i] = (uint32_t)(next_number(&state) % ENTRIES));
    uint8_t *data = exact(page, header + COUNT);
    for (int is_padded = 0; is_padded < 2; is_padded++) {
        size_t all = places[ENTRIES], spare = is_padded ? PQX_AT_ONCE : 0;
        uint8_t *bytes = malloc(all + spare);
        memcpy(bytes, written.bytes, all);
        pqx_dictionary dictionary = {
            .bytes = bytes, .offsets = places, .count = ENTRIES, .readable = all + spare};
        for (size_t step = 1; step < 2500; step += 399)
            for (size_t room = 10; room < 3000; room += 900) {
                pqx_values values;
                CHECK(pqx_values_begin(&values, PQX_ENCODING_RLE_DICTIONARY,
                                       PQX_PHYSICAL_BYTE_ARRAY, 0, data, header + COUNT, 0, COUNT,
                                       &dictionary, NULL)
                      == PQX_OK);
                CHECK(take(&values, COUNT, step, room, 0, NULL) == PQX_OK);
                CHECK(pqx_values_end(&values) == header + COUNT);
                for (size_t i = 0; i < COUNT; i++) {
                    size_t length = places[indices[i] + 1] - places[indices[i]];
                    CHECK((size_t)(found.offsets[i + 1] - found.offsets[i]) == length);
                    CHECK(!memcmp(found.bytes + found.offsets[i], bytes + places[indices[i]],
                                  length));
                }
            }
        free(bytes);
    }
    free(data);
}

int main(void)
{
    RUN(values_of_every_length_come_back);
    RUN(what_is_passed_over_changes_nothing_behind_it);
    RUN(every_cut_is_told_whatever_the_batches);
    RUN(lengths_that_lie_are_refused);
    RUN(values_of_a_fixed_width_have_that_width);
    RUN(values_of_a_dictionary_come_back);
    return 0;
}
