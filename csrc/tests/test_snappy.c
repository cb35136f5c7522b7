/* Blocks of Snappy: literals and copies of every kind, and damage, of which none reads or writes
 * outside. */
#include "page/snappy.h"

#include "harness.h"
#include "parts.h"

enum { ROOM = 512 };

static const block_format format = {PQX_SNAPPY_SPARE, pqx_snappy, pqx_snappy_begin,
                                    pqx_snappy_until};

/* Return 1 if a block decompresses to `expected`. */
static int stands_for(const uint8_t *block, size_t size, const char *expected, size_t length)
{ return block_is(&format, block, size, expected, length, 0, 0); }

/* Return 1 if it does so in parts of `step` bytes. */
static int stands_in_parts(const uint8_t *block, size_t size, const uint8_t *expected,
                           size_t length, size_t step)
{ return block_is(&format, block, size, expected, length, size < 5 ? size : 5, step); }

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

/* Literals and copies of all lengths and distances at random, short as in practice. */
static void blocks_of_any_elements_are_decompressed(void)
{
    enum { ROUNDS = 3000, MOST = 4096 };
    static uint8_t block[3 * MOST], wanted[MOST];
    uint32_t state = 1;
    for (int round = 0; round < ROUNDS; round++) {
        size_t size = 0, at = 2, end = 200 + round % (MOST - 300);
        while (size < end) {
            state = state * 1664525 + 1013904223;
            uint32_t some = state >> 8, length = 1 + some % (round % 3 ? 9 : 60);
            if (!size || some >> 12 & 1) {
                block[at++] = (uint8_t)((length - 1) << 2);
                for (uint32_t i = 0; i < length; i++)
                    block[at++] = wanted[size++] = (uint8_t)(state >> (i & 7));
                continue;
            }
            size_t distance = 1 + (some >> 13) % (size < 40 || round % 2 ? size : 40);
            if (length >= 4 && length < 12 && distance < 2048) {
                block[at++] = (uint8_t)(1 | (length - 4) << 2 | distance >> 8 << 5);
                block[at++] = (uint8_t)distance;
            } else {
                block[at++] = (uint8_t)(2 | (length - 1) << 2);
                block[at++] = (uint8_t)distance;
                block[at++] = (uint8_t)(distance >> 8);
            }
            for (uint32_t i = 0; i < length; i++, size++) wanted[size] = wanted[size - distance];
        }
        block[0] = (uint8_t)(size | 0x80);
        block[1] = (uint8_t)(size >> 7);
        CHECK(stands_for(block, at, (const char *)wanted, size));
        CHECK(!stands_for(block, at - 1, (const char *)wanted, size));
        CHECK(stands_in_parts(block, at, wanted, size, 1 + round % 90));
        CHECK(!stands_in_parts(block, at - 1, wanted, size, 1 + round % 90));
    }
}

static void a_long_literal_is_taken_by_parts(void)
{
    static uint8_t block[ROOM], wanted[ROOM];
    uint8_t out[ROOM + PQX_SNAPPY_SPARE];
    const uint8_t front[] = {0xac, 2, 61 << 2, 43, 1};
    memcpy(block, front, sizeof front);
    for (int i = 0; i < 300; i++) block[sizeof front + i] = wanted[i] = (uint8_t)(i * 7);
    pqx_lz b = pqx_lz_of(block, sizeof front + 100, out, 300);
    CHECK(pqx_snappy_begin(&b) && pqx_snappy_until(&b, out + 40) && b.out == out + 40);
    CHECK(!pqx_snappy_until(&b, out + 101) && b.out == out + 100);
    for (size_t step = 1; step < 300; step++)
        CHECK(stands_in_parts(block, sizeof front + 300, wanted, 300, step));
    /* The rest may look like an element, at every cut. */
    for (size_t stop = 1; stop < 300; stop++) {
        uint8_t before = wanted[stop];
        block[sizeof front + stop] = wanted[stop] = 15 << 2;
        b = pqx_lz_of(block, sizeof front + 300, out, 300);
        CHECK(pqx_snappy_begin(&b) && pqx_snappy_until(&b, out + stop) && b.out == out + stop);
        CHECK(pqx_snappy_until(&b, out + 300) && !memcmp(out, wanted, 300));
        block[sizeof front + stop] = wanted[stop] = before;
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
    EACH_CUT(sound, size, data) { CHECK(!pqx_snappy(data, size, out, 15)); }
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
    RUN(blocks_of_any_elements_are_decompressed);
    RUN(a_long_literal_is_taken_by_parts);
    RUN(damage_is_refused);
    return 0;
}
