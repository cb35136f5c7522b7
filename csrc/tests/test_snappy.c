/* Blocks of Snappy: literals and copies of every kind, and damage, of which none reads or writes
 * outside. */
#include "page/snappy.h"

#include "harness.h"

enum { ROOM = 512 };

/* Whether a block stands for `expected`. */
static int stands_for(const uint8_t *block, size_t size, const char *expected, size_t length)
{
    uint8_t *data = exact(block, size), *out = malloc(length + PQX_SNAPPY_SPARE);
    int is_it = pqx_snappy(data, size, out, length) && !memcmp(out, expected, length);
    free(data);
    free(out);
    return is_it;
}

static void blocks_are_decompressed(void)
{
    static const uint8_t nothing[] = {0};
    static const uint8_t literal[] = {3, 2 << 2, 'a', 'b', 'c'};
    static const uint8_t long_literal[] = {4, 60 << 2, 3, 'a', 'b', 'c', 'd'};
    static const uint8_t near[] = {9, 2 << 2, 'a', 'b', 'c', 2 << 2 | 1, 3};
    static const uint8_t one[] = {12, 0, 'x', 10 << 2 | 2, 1, 0};
    static const uint8_t far[] = {8, 3 << 2, 'a', 'b', 'c', 'd', 3 << 2 | 3, 4, 0, 0, 0};
    CHECK(stands_for(nothing, sizeof nothing, "", 0));
    CHECK(stands_for(literal, sizeof literal, "abc", 3));
    CHECK(stands_for(long_literal, sizeof long_literal, "abcd", 4));
    CHECK(stands_for(near, sizeof near, "abcabcabc", 9));
    CHECK(stands_for(one, sizeof one, "xxxxxxxxxxxx", 12));
    CHECK(stands_for(far, sizeof far, "abcdabcd", 8));
}

static void copies_repeat_what_they_overlap(void)
{
    for (unsigned distance = 1; distance <= 40; distance++)
        for (unsigned length = 1; length <= 64; length++) {
            uint8_t block[ROOM], expected[ROOM];
            size_t size = 0, total = distance + length;
            block[size++] = (uint8_t)total;
            block[size++] = (uint8_t)((distance - 1) << 2);
            for (unsigned i = 0; i < distance; i++) block[size++] = expected[i] = (uint8_t)(i + 1);
            block[size++] = (uint8_t)((length - 1) << 2 | 2);
            block[size++] = (uint8_t)distance;
            block[size++] = 0;
            for (size_t i = distance; i < total; i++) expected[i] = expected[i - distance];
            CHECK(stands_for(block, size, (const char *)expected, total));
        }
}

static void damage_is_refused(void)
{
    static const uint8_t sound[] = {15, 2 << 2, 'a', 'b', 'c', 11 << 2 | 2, 3, 0};
    static const uint8_t zero[] = {5, 0, 'a', 1, 0};
    static const uint8_t before[] = {6, 0, 'a', 4 << 2 | 2, 2, 0};
    static const uint8_t huge[] = {4, 63 << 2, 0xff, 0xff, 0xff, 0xff, 'a'};
    static const uint8_t endless[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    uint8_t out[ROOM];
    for (size_t size = 0; size < sizeof sound; size++) {
        uint8_t *data = exact(sound, size);
        CHECK(!pqx_snappy(data, size, out, 15));
        free(data);
    }
    CHECK(stands_for(sound, sizeof sound, "abcabcabcabcabc", 15));
    CHECK(!pqx_snappy(sound, sizeof sound, out, 14) && !pqx_snappy(sound, sizeof sound, out, 16));
    CHECK(!pqx_snappy(zero, sizeof zero, out, 5) && !pqx_snappy(before, sizeof before, out, 6));
    CHECK(!pqx_snappy(huge, sizeof huge, out, 4) && !pqx_snappy(endless, sizeof endless, out, 4));
    for (size_t at = 0; at < sizeof sound; at++)
        for (unsigned byte = 0; byte < 256; byte++) {
            uint8_t *data = exact(sound, sizeof sound), *room = malloc(15 + PQX_SNAPPY_SPARE);
            data[at] = (uint8_t)byte;
            pqx_snappy(data, sizeof sound, room, 15);
            free(data);
            free(room);
        }
}

int main(void)
{
    RUN(blocks_are_decompressed);
    RUN(copies_repeat_what_they_overlap);
    RUN(damage_is_refused);
    return 0;
}
