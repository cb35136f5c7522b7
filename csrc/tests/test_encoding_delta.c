#include "encoding/delta.h"
#include "encoding/loops.h"
#include "deltas.h"

enum { MOST = 1500 };

static uint8_t page[MOST_DELTA_BYTES];

/* Take everything in pieces of `step`, skipping each third piece if `skips`. */
static int take(int is_64, const uint8_t *data, size_t size, size_t count, size_t step, int skips,
                uint64_t *out, size_t *end, pqx_error *error)
{
    pqx_deltas deltas;
    int status = pqx_deltas_begin(&deltas, is_64, data, size, 0, count, error);
    for (size_t at = 0, turn = 0; status == PQX_OK && at < count; at += step, turn++) {
        size_t some = count - at < step ? count - at : step, width = is_64 ? 8 : 4;
        if (skips && turn % 3 == 1) {
            status = pqx_deltas_skip(&deltas, some, error);
            memset(out + at, 0, 8 * some);
            continue;
        }
        uint8_t *bytes = malloc(some * width); /* exactly as much as may be written */
        status = pqx_deltas_take(&deltas, some, bytes, error);
        for (size_t i = 0; status == PQX_OK && i < some; i++) {
            out[at + i] = 0;
            memcpy(out + at + i, bytes + i * width, width);
        }
        free(bytes);
    }
    if (status == PQX_OK) *end = pqx_deltas_end(&deltas);
    return status;
}

static void check_page(int is_64, const uint64_t *values, size_t count, size_t size)
{
    uint64_t mask = is_64 ? UINT64_MAX : UINT32_MAX, found[MOST];
    size_t end, ahead, steps[] = {MOST, 1, 7, 33, 256, 300};
    uint8_t *data = exact(page, size);
    pqx_deltas deltas;
    CHECK(pqx_deltas_begin(&deltas, is_64, data, size, 0, count, NULL) == PQX_OK);
    CHECK(pqx_deltas_find_end(&deltas, &ahead, NULL) == PQX_OK && ahead == size);
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        for (int skips = 0; skips < 2; skips++) {
            CHECK(take(is_64, data, size, count, steps[s], skips, found, &end, NULL) == PQX_OK);
            CHECK(end == size);
            for (size_t i = 0; i < count; i++)
                CHECK((skips && i / steps[s] % 3 == 1) || found[i] == (values[i] & mask));
        }
    free(data);
}

static void values_of_every_width_come_back(void)
{
    uint64_t values[MOST], state = 1;
    const size_t counts[] = {1, 2, 33, 129, 130, 1283};
    for (int is_64 = 0; is_64 < 2; is_64++)
        for (uint32_t width = 0; width <= (is_64 ? 64 : 32); width++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                uint64_t mask = width == 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1, last = 5;
                for (size_t i = 0; i < counts[c]; i++)
                    values[i] = last += (next_number(&state) & mask) - width;
                size_t size = put_deltas(page, is_64, values, counts[c], 128, 4, 0);
                check_page(is_64, values, counts[c], size);
            }
}

static void blocks_of_other_sizes_come_back(void)
{
    const size_t shapes[][2] = {{128, 1}, {128, 2}, {256, 8}, {1024, 4}, {12800, 1}};
    uint64_t values[MOST], state = 2;
    for (size_t i = 0; i < MOST; i++) values[i] = next_number(&state) >> (i / 100 * 4);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (uint32_t spare = 0; spare < 70; spare += 23) {
            size_t size = put_deltas(page, 1, values, MOST, shapes[s][0], shapes[s][1], spare);
            check_page(1, values, MOST, size);
            size = put_deltas(page, 0, values, MOST, shapes[s][0], shapes[s][1], spare);
            check_page(0, values, MOST, size);
        }
}

static void no_values_take_a_header_or_nothing(void)
{
    pqx_deltas deltas;
    size_t end, size = put_deltas(page, 0, NULL, 0, 128, 4, 0);
    CHECK(pqx_deltas_begin(&deltas, 0, page, size, 0, 0, NULL) == PQX_OK);
    CHECK(pqx_deltas_find_end(&deltas, &end, NULL) == PQX_OK && end == size);
    CHECK(pqx_deltas_begin(&deltas, 0, page, 0, 0, 0, NULL) == PQX_OK);
    CHECK(pqx_deltas_end(&deltas) == 0);
}

static void every_cut_is_told(void)
{
    uint64_t values[MOST], found[MOST], state = 3;
    size_t end;
    for (size_t i = 0; i < 300; i++) values[i] = next_number(&state) & 0xfff;
    size_t size = put_deltas(page, 0, values, 300, 128, 4, 0);
    /* Values of 13 bits; the last ones are 11 of a miniblock of 32, which may end behind them. */
    size_t padding = 32 * 13 / 8 - (11 * 13 + 7) / 8;
    for (size_t cut = 0; cut < size; cut++) {
        uint8_t *data = exact(page, cut);
        pqx_error error = {0}, other = {0};
        int status = take(0, data, cut, 300, 300, 0, found, &end, &error);
        CHECK(status == take(0, data, cut, 300, 11, 0, found, &end, &other));
        CHECK(memcmp(&error, &other, sizeof error) == 0);
        CHECK(status == (cut < size - padding ? PQX_TRUNCATED : PQX_OK));
        if (status == PQX_OK) CHECK(end == cut && found[299] == values[299]);
        free(data);
    }
}

static int begin(const uint8_t *bytes, size_t size, uint64_t count, pqx_error *error)
{
    pqx_deltas deltas;
    uint8_t *data = exact(bytes, size);
    size_t end;
    int status = pqx_deltas_begin(&deltas, 1, data, size, 0, count, error);
    if (status == PQX_OK) status = pqx_deltas_find_end(&deltas, &end, error);
    free(data);
    return status;
}

#define REFUSED(bytes, count, code, at, wanted, is)                                     \
    do {                                                                                \
        pqx_error error = {0};                                                          \
        CHECK(begin((const uint8_t *)bytes, sizeof bytes - 1, count, &error) == code);  \
        CHECK(error.offset == at && error.expected == (wanted) && error.found == (is)); \
    } while (0)

static void headers_that_lie_are_refused(void)
{
    REFUSED("\x00\x04\x01\x00", 1, PQX_DELTA_HEADER, 0, 128, 0);
    REFUSED("\x81\x01\x01\x01\x00", 1, PQX_DELTA_HEADER, 0, 128, 129);
    REFUSED("\x80\x01\x00\x01\x00", 1, PQX_DELTA_HEADER, 2, 128, 0);
    REFUSED("\x80\x01\x08\x01\x00", 1, PQX_DELTA_HEADER, 2, 128, 8);
    REFUSED("\x80\x01\x03\x01\x00", 1, PQX_DELTA_HEADER, 2, 128, 3);
    REFUSED("\x80\x01\x04\x02\x00", 1, PQX_DELTA_COUNT, 3, 1, 2);
    REFUSED("\x80\x01\x04\x02\x00", 3, PQX_DELTA_COUNT, 3, 3, 2);
    REFUSED("\x80\x01\x04\x02\x00\x00\x01\x01", 2, PQX_TRUNCATED, 6, 4, 2);
    REFUSED("\x80\x01\x04\x02\x00\x00\x41\x01\x01\x01", 2, PQX_BIT_WIDTH, 6, 64, 65);
    REFUSED("\x80\x80\x80\x80\x10\x01\x02\x00", 2, PQX_VARINT_OVERFLOW, 0, 32, 0x10);
    /* 2^31 values in one miniblock, of which 2 are there: no body is needed but theirs. */
    REFUSED("\x80\x80\x80\x80\x08\x01\x02\x00\x00\x40", 2, PQX_TRUNCATED, 10, 8, 0);
    /* 2^26 miniblocks need as many bytes of width. */
    REFUSED("\x80\x80\x80\x80\x08\x80\x80\x80\x20\x02\x00\x00\x40", 2, PQX_TRUNCATED, 12, 1 << 26,
            1);
}

static void a_claimed_count_reserves_nothing(void)
{
    /* 2^32 - 1 equal values in 16 bytes: decoded in pieces of the requested size. */
    const char bytes[] = "\x80\x80\x80\x80\x08\x01\xff\xff\xff\xff\x0f\x06\x00\x00\x00\x00";
    pqx_deltas deltas;
    uint32_t found[1000];
    CHECK(
        pqx_deltas_begin(&deltas, 0, (const uint8_t *)bytes, sizeof bytes - 1, 0, UINT32_MAX, NULL)
        == PQX_OK);
    CHECK(pqx_deltas_take(&deltas, 1000, (uint8_t *)found, NULL) == PQX_OK);
    CHECK(found[0] == 3 && found[999] == 3 && deltas.left == UINT32_MAX - 1000u);
}

/* Each loop of this CPU against plain additions: any count, in place, and at an odd address. */
static void sums_on_every_kind_of_cpu(void)
{
    enum { SUMS = 77 };
    uint64_t deltas[SUMS], state = 4, last = 0xfedcba9876543210u, least = (uint64_t)-5;
    uint32_t narrow[SUMS];
    for (const pqx_loops *const *loops = pqx_cpu_loops(); *loops; loops++)
        for (size_t count = 0; count <= SUMS; count++) {
            uint8_t out32[4 * SUMS + 1], out64[8 * SUMS + 1];
            for (size_t i = 0; i < SUMS; i++)
                narrow[i] = (uint32_t)(deltas[i] = next_number(&state));
            uint32_t end32 =
                (*loops)->sum32(narrow, count, (uint32_t)least, (uint32_t)last, out32 + 1);
            uint64_t end64 = (*loops)->sum64(deltas, count, least, last, out64 + 1), sum = last;
            for (size_t i = 0; i < count; i++) {
                sum += least + deltas[i];
                CHECK(pqx_load64(out64 + 1 + 8 * i) == sum);
                CHECK(pqx_load32(out32 + 1 + 4 * i) == (uint32_t)sum);
            }
            CHECK(end64 == sum && end32 == (uint32_t)sum);
            CHECK((*loops)->sum32(narrow, count, (uint32_t)least, (uint32_t)last, narrow) == end32);
            CHECK(!count || narrow[count - 1] == end32);
        }
}

int main(void)
{
    RUN(values_of_every_width_come_back);
    RUN(blocks_of_other_sizes_come_back);
    RUN(no_values_take_a_header_or_nothing);
    RUN(every_cut_is_told);
    RUN(headers_that_lie_are_refused);
    RUN(a_claimed_count_reserves_nothing);
    RUN(sums_on_every_kind_of_cpu);
    return 0;
}
