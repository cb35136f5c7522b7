/* ALP: compare the results of all CPU kinds for integers and values, decode pages of any values
 * from memory of their exact size, and refuse pages that are cut anywhere. */
#include "harness.h"

#include "encoding/alp.h"
#include "encoding/encode.h"
#include "encoding/loops.h"
#include "encoding/scale.h"

enum { MOST = 3000 };

static uint64_t random_state = 7;
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static void scaling_on_every_kind_of_cpu(void)
{
    uint64_t wide[67];
    uint32_t narrow[67];
    for (int round = 0; round < 3000; round++) {
        size_t count = (size_t)round % 67 + 1;
        uint64_t frame = next_random() >> round % 64;
        for (size_t i = 0; i < count; i++) {
            uint64_t power = (uint64_t)1 << next_random() % 64, near = next_random() % 5 - 2;
            wide[i] =
                next_random() % 3 ? next_random() >> next_random() % 64 : power + near - frame;
            narrow[i] = (uint32_t)wide[i];
        }
        uint8_t *expected = malloc(8 * count), *found = malloc(8 * count + 1);
        for (const pqx_loops *const *loops = pqx_cpu_loops(); *loops; loops++) {
            pqx_scale64_portable(wide, count, frame, 1e7, 1e-9, expected);
            (*loops)->scale64(wide, count, frame, 1e7, 1e-9, found + 1); /* at an odd address */
            CHECK(!memcmp(expected, found + 1, 8 * count));
            pqx_scale32_portable(narrow, count, (uint32_t)frame, 1e3f, 1e-7f, expected);
            (*loops)->scale32(narrow, count, (uint32_t)frame, 1e3f, 1e-7f, found + 1);
            CHECK(!memcmp(expected, found + 1, 4 * count));
        }
        free(expected);
        free(found);
    }
}

/* Decimals, integers of any size, any bits. */
static void make_values(uint8_t *values, size_t count, uint32_t width)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = next_random();
        double number = (double)(int64_t)(bits >> bits % 64) / 1000;
        float narrow = (float)number;
        if (bits >> 32 & 1) memcpy(values + i * width, &bits, width);
        else if (width == 8) memcpy(values + 8 * i, &number, 8);
        else memcpy(values + 4 * i, &narrow, 4);
    }
}

static void rounding_on_every_kind_of_cpu(void)
{
    const pqx_encode_choice *plain = &pqx_encode_portable;
    CHECK(pqx_encode_best() == *pqx_encode_choices());
    static uint8_t values[200 * 8], one[264 * 8], other[264 * 8];
    for (int round = 0; round < 3000; round++) {
        size_t count = (size_t)round % 200 + 1;
        pqx_alp_fit fits[2];
        for (uint32_t width = 4; width <= 8; width += 4) {
            uint8_t exponent = (uint8_t)(next_random() % (width == 8 ? 19 : 11));
            pqx_alp_pair pair = {exponent, (uint8_t)(next_random() % (exponent + 1u))};
            make_values(values, count, width);
            uint8_t *given = exact(values, count * width);
            (width == 8 ? plain->alp_round64 : plain->alp_round32)(given, count, pair, one, fits);
            for (const pqx_encode_choice *const *next = pqx_encode_choices(); *next; next++) {
                ((width == 8 ? (*next)->alp_round64 : (*next)->alp_round32))(given, count, pair,
                                                                             other, fits + 1);
                CHECK(!memcmp(one, other, count * width) && !memcmp(fits, fits + 1, sizeof *fits));
            }
            free(given);
        }
    }
}

/* A page in a room of its exact size. */
static uint8_t *page_of(const uint8_t *values, size_t count, int type, uint32_t vector_bits,
                        size_t *size)
{
    uint32_t width = pqx_fixed_width(type, 0);
    uint8_t *given = exact(values, count * width);
    pqx_value_array array = {given, count * width, NULL, count};
    size_t bound = pqx_encode_alp_bound(type, count, vector_bits);
    uint8_t *page = malloc(bound);
    CHECK(pqx_encode_alp(type, &array, vector_bits, page, bound, size, NULL) == PQX_OK);
    CHECK(*size <= bound);
    uint8_t *copy = exact(page, *size);
    free(page);
    free(given);
    return copy;
}

static void values_come_back_from_vectors_of_every_size(void)
{
    static uint8_t values[MOST * 8];
    for (int type = PQX_PHYSICAL_FLOAT; type <= PQX_PHYSICAL_DOUBLE; type++)
        for (uint32_t bits = PQX_ALP_LEAST_BITS; bits <= PQX_ALP_MOST_BITS; bits++)
            for (size_t count = 0; count <= MOST; count += count < 40 ? 1 : 740) {
                size_t size, end;
                uint32_t width = pqx_fixed_width(type, 0);
                make_values(values, count, width);
                uint8_t *page = page_of(values, count, type, bits, &size);
                uint8_t *found = malloc(count * width + 1);
                CHECK(pqx_decode(PQX_ENCODING_ALP, type, 0, page, size, 0, count, NULL, found, &end,
                                 NULL)
                      == PQX_OK);
                CHECK(end == size && !memcmp(found, values, count * width));
                free(found);
                free(page);
            }
}

static void takes_and_skips_lead_to_the_same_values(void)
{
    static uint8_t values[MOST * 8];
    make_values(values, MOST, 8);
    size_t size;
    uint8_t *page = page_of(values, MOST, PQX_PHYSICAL_DOUBLE, 6, &size), piece[300 * 8];
    for (int round = 0; round < 300; round++) {
        pqx_alp alp;
        CHECK(pqx_alp_begin(&alp, 1, page, size, 0, MOST, NULL) == PQX_OK);
        for (size_t at = 0, some; at < MOST; at += some) {
            some = next_random() % 300;
            if (some > MOST - at) some = MOST - at;
            if (next_random() & 1) CHECK(pqx_alp_skip(&alp, some, NULL) == PQX_OK);
            else {
                CHECK(pqx_alp_take(&alp, some, piece, NULL) == PQX_OK);
                CHECK(!memcmp(piece, values + 8 * at, 8 * some));
            }
        }
        CHECK(pqx_alp_end(&alp) == size);
    }
    free(page);
}

static void pages_that_are_cut_anywhere_are_refused(void)
{
    uint8_t values[40 * 8], found[40 * 8];
    make_values(values, 40, 8);
    size_t size;
    uint8_t *page = page_of(values, 40, PQX_PHYSICAL_DOUBLE, 4, &size);
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *less = exact(page, cut);
        pqx_error error = {0};
        CHECK(pqx_decode(PQX_ENCODING_ALP, PQX_PHYSICAL_DOUBLE, 0, less, cut, 0, 40, NULL, found,
                         NULL, &error)
              == PQX_TRUNCATED);
        CHECK(error.offset <= cut && error.found < error.expected);
        free(less);
    }
    free(page);
}

static void offsets_that_lead_elsewhere_are_refused_behind_skips_too(void)
{
    uint8_t values[40 * 8] = {0}, found[8];
    size_t size;
    uint8_t *page = page_of(values, 40, PQX_PHYSICAL_DOUBLE, 3, &size);
    static const uint32_t wrong[] = {0, 19, UINT32_MAX, 86};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pqx_alp alp;
        pqx_error error = {0};
        pqx_store32(page + 7 + 3 * 4, wrong[i]);
        CHECK(pqx_alp_begin(&alp, 1, page, size, 0, 40, &error) == PQX_OK);
        CHECK(pqx_alp_skip(&alp, 24, &error) == PQX_OK);
        CHECK(pqx_alp_take(&alp, 1, found, &error) == PQX_ALP_OFFSET);
        CHECK(error.offset == 7 + 3 * 4 && error.expected == (wrong[i] < 20 ? 20 : size - 7)
              && error.found == wrong[i]);
    }
    free(page);
}

static void what_is_not_written_is_refused(void)
{
    uint8_t out[256];
    size_t size;
    pqx_error error = {0};
    pqx_value_array few = {out, 8, NULL, 1}, many = {out, 8, NULL, ((uint64_t)1 << 28) + 1};
    CHECK(pqx_encode_alp_bound(PQX_PHYSICAL_INT64, 1, 10) == 0);
    CHECK(pqx_encode_alp_bound(PQX_PHYSICAL_DOUBLE, 1, 2) == 0);
    CHECK(pqx_encode_alp_bound(PQX_PHYSICAL_DOUBLE, 1, 16) == 0);
    CHECK(pqx_encode_alp_bound(PQX_PHYSICAL_DOUBLE, UINT64_MAX, 10) == SIZE_MAX);
    CHECK(pqx_encode_alp(PQX_PHYSICAL_INT64, &few, 10, out, 256, &size, &error)
          == PQX_UNWRITTEN_ENCODING);
    CHECK(pqx_encode_alp(PQX_PHYSICAL_DOUBLE, &few, 2, out, 256, &size, &error)
          == PQX_BAD_ARGUMENT);
    CHECK(pqx_encode_alp(PQX_PHYSICAL_DOUBLE, &few, 10, out, 20, &size, &error)
          == PQX_BAD_ARGUMENT);
    CHECK(pqx_encode_alp(PQX_PHYSICAL_DOUBLE, &many, 10, out, 256, &size, &error) == PQX_TOO_MANY);
    few.count = 2;
    CHECK(pqx_encode(PQX_ENCODING_ALP, PQX_PHYSICAL_DOUBLE, 0, &few, out, 256, &size, &error)
          == PQX_VALUES_SIZE);
}

int main(void)
{
    RUN(scaling_on_every_kind_of_cpu);
    RUN(rounding_on_every_kind_of_cpu);
    RUN(values_come_back_from_vectors_of_every_size);
    RUN(takes_and_skips_lead_to_the_same_values);
    RUN(pages_that_are_cut_anywhere_are_refused);
    RUN(offsets_that_lead_elsewhere_are_refused_behind_skips_too);
    RUN(what_is_not_written_is_refused);
    return 0;
}
