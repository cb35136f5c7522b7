/* PFOR and FSST: pages of docs/formats.md, cut short at every byte, and taken in memory of exactly
 * their size. */
#include "encoding/fsst.h"
#include "encoding/pfor.h"
#include "harness.h"

static const uint8_t pfor_page[] = {0,    3,    4,    10, 0,   0, 0, 8, 0, 0,    0, 23, 0,
                                    0,    0,    100,  0,  0,   0, 2, 1, 0, 0x34, 6, 7,  0,
                                    0x40, 0x42, 0x0f, 0,  100, 0, 0, 0, 3, 0,    0, 4};
static const int32_t numbers[] = {100, 101, 103, 100, 102, 101, 100, 1000000, 104, 100};
static const uint8_t fsst_page[] = "\x08\x03\x08\x05\x01https://.org/a"
                                   "\x80\x01\x04\x03\x0a\x00\x04\x00\x00\x00\x08"
                                   "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
                                   "\x00\x02\x01\xff\x31\x00\xff\x62\x01\xff\x32\xff\x32";
static const char text[] = "https://a.org/1https://b.org/22";
enum { FSST_SIZE = sizeof fsst_page - 1, TEXT_SIZE = sizeof text - 1 };

static int take_pfor(size_t size, int32_t *out, pqx_error *error)
{
    uint8_t *data = exact(pfor_page, size);
    pqx_pfor pfor;
    size_t taken = 0, more = 0;
    int status = pqx_pfor_begin(&pfor, 4, data, size, 10, error);
    if (status == PQX_OK) status = pqx_pfor_take(&pfor, 9, (uint8_t *)out, &taken, error);
    if (status == PQX_OK) {
        CHECK(taken == 8); /* whole vectors */
        status = pqx_pfor_take(&pfor, 2, (uint8_t *)(out + 8), &more, error);
    }
    CHECK(status != PQX_OK || (more == 2 && !pfor.left && pfor.at == size));
    free(data);
    return status;
}

static void test_pfor_stays_within_its_bytes(void)
{
    int32_t *out = malloc(sizeof numbers);
    pqx_error error;
    CHECK(take_pfor(sizeof pfor_page, out, &error) == PQX_OK);
    CHECK(!memcmp(out, numbers, sizeof numbers));
    for (size_t size = 0; size < sizeof pfor_page; size++)
        CHECK(take_pfor(size, out, &error) == PQX_TRUNCATED && error.offset <= size);
    free(out);
}

static int take_fsst(size_t size, size_t room, pqx_error *error)
{
    uint8_t *data = exact(fsst_page, size), *bytes = malloc(room ? room : 1);
    int32_t ends[3];
    size_t filled = 0;
    pqx_fsst fsst;
    int status = pqx_fsst_begin(&fsst, 0, data, size, 3, error);
    if (status == PQX_OK) status = pqx_fsst_take(&fsst, 3, ends, bytes, &filled, room, error);
    if (status == PQX_OK) {
        CHECK(filled == TEXT_SIZE && !memcmp(bytes, text, filled));
        CHECK(ends[0] == 15 && ends[1] == 31 && ends[2] == 31);
    }
    free(data);
    free(bytes);
    return status;
}

static void test_fsst_stays_within_its_bytes(void)
{
    pqx_error error;
    CHECK(take_fsst(FSST_SIZE, 200, &error) == PQX_OK);
    for (size_t size = 0; size < FSST_SIZE; size++)
        CHECK(take_fsst(size, 200, &error) != PQX_OK && error.offset <= size);
}

static void test_fsst_stays_within_its_room(void)
{
    pqx_error error;
    for (size_t room = 0; room < 120; room++) {
        int status = take_fsst(FSST_SIZE, room, &error);
        CHECK(status == (room < TEXT_SIZE ? PQX_TOO_LARGE : PQX_OK));
        CHECK(status == PQX_OK || error.expected == room);
    }
}

int main(void)
{
    RUN(test_pfor_stays_within_its_bytes);
    RUN(test_fsst_stays_within_its_bytes);
    RUN(test_fsst_stays_within_its_room);
    return 0;
}
