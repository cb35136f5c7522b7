/* Blocks of LZ4: literals and copies of every kind, and damage, of which none reads or writes
 * outside. */
#include "page/lz4_block.h"

#include "harness.h"
#include "parts.h"

enum { ROOM = 4096, END = 12 };

static const char ending[] = "the last ones";

static const block_format format = {PQX_LZ4_SPARE, pqx_lz4_block, NULL, pqx_lz4_until};

/* Return 1 if a block decompresses to `expected`. */
static int stands_for(const uint8_t *block, size_t size, const uint8_t *expected, size_t length)
{
    int is_it = block_is(&format, block, size, expected, length, 0, 0);
    if (!is_it) return 0;
    uint8_t *data = exact(block, size);
    uint64_t told;
    pqx_error error;
    CHECK(!pqx_lz4_size(data, size, &told, &error) && told == length);
    free(data);
    return 1;
}

/* Return 1 if it does so in parts of `step` bytes. */
static int stands_in_parts(const uint8_t *block, size_t size, const uint8_t *expected,
                           size_t length, size_t step)
{ return block_is(&format, block, size, expected, length, size < step ? size : step, step); }

static size_t put_length(uint8_t *block, size_t size, size_t length)
{
    for (; length >= 255; length -= 255) block[size++] = 255;
    block[size++] = (uint8_t)length;
    return size;
}

/* Put a sequence of literals and a copy; without a distance literals alone. */
static size_t put(uint8_t *block, size_t size, const uint8_t *literals, size_t count,
                  size_t distance, size_t length)
{
    size_t copied = distance ? length - 4 : 0;
    block[size++] = (uint8_t)((count < 15 ? count : 15) << 4 | (copied < 15 ? copied : 15));
    if (count >= 15) size = put_length(block, size, count - 15);
    memcpy(block + size, literals, count);
    size += count;
    if (!distance) return size;
    block[size++] = (uint8_t)distance;
    block[size++] = (uint8_t)(distance >> 8);
    return copied < 15 ? size : put_length(block, size, copied - 15);
}

static void copies_repeat_what_they_overlap(void)
{
    for (size_t distance = 1; distance <= 40; distance++)
        for (size_t length = 4; length <= 300; length += length < 40 ? 1 : 13) {
            uint8_t block[ROOM], expected[ROOM];
            for (size_t i = 0; i < distance; i++) expected[i] = (uint8_t)(i + 1);
            size_t size = put(block, 0, expected, distance, distance, length);
            for (size_t i = distance; i < distance + length; i++)
                expected[i] = expected[i - distance];
            memcpy(expected + distance + length, ending, END);
            size = put(block, size, (const uint8_t *)ending, END, 0, 0);
            CHECK(stands_for(block, size, expected, distance + length + END));
        }
}

/* Literals and copies of all lengths and distances by chance. */
static void blocks_of_any_sequences_are_decompressed(void)
{
    enum { ROUNDS = 3000, MOST = 4096 };
    static uint8_t block[3 * MOST], wanted[2 * MOST];
    uint32_t state = 1;
    for (int round = 0; round < ROUNDS; round++) {
        size_t size = 0, at = 0, end = (size_t)round % MOST;
        while (at < end) {
            uint8_t literals[400];
            size_t count = (state = state * 1664525 + 1013904223) >> 8;
            count = state >> 28 ? count % 18 : count % sizeof literals;
            if (!at && !count) count = 1;
            for (size_t i = 0; i < count; i++)
                wanted[at++] = literals[i] =
                    (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
            size_t distance = 1 + ((state = state * 1664525 + 1013904223) >> 8) % at;
            size_t length = 4 + (state >> 29 ? state % 20 : state % 700);
            size = put(block, size, literals, count, distance, length);
            for (size_t i = 0; i < length; i++, at++) wanted[at] = wanted[at - distance];
        }
        memcpy(wanted + at, ending, END);
        size = put(block, size, (const uint8_t *)ending, END, 0, 0);
        CHECK(stands_for(block, size, wanted, at + END));
        CHECK(stands_in_parts(block, size, wanted, at + END, 1 + (size_t)round % 90));
        CHECK(!stands_in_parts(block, size - 1, wanted, at + END, 1 + (size_t)round % 90));
    }
}

static void nothing_is_a_block_of_one_byte(void)
{
    static const uint8_t nothing[] = {0};
    CHECK(stands_for(nothing, 1, (const uint8_t *)"", 0));
    CHECK(!stands_for(nothing, 0, (const uint8_t *)"", 0));
    uint8_t out[PQX_LZ4_SPARE];
    for (unsigned token = 1; token < 256; token++)
        CHECK(!pqx_lz4_block(&(uint8_t){(uint8_t)token}, 1, out, 0));
}

static void other_sizes_and_other_endings_are_none(void)
{
    const uint8_t *abc = (const uint8_t *)"abc", *last = (const uint8_t *)ending;
    uint8_t block[ROOM], out[ROOM + PQX_LZ4_SPARE];
    size_t first = put(block, 0, abc, 3, 3, 15), size = put(block, first, last, END, 0, 0);
    CHECK(pqx_lz4_block(block, size, out, 18 + END));
    CHECK(!pqx_lz4_block(block, size, out, 18 + END - 1));
    CHECK(!pqx_lz4_block(block, size, out, 18 + END + 1));
    CHECK(!pqx_lz4_block(block, first, out, 18)); /* it ends with a copy, */
    size = put(block, first, last, 4, 0, 0);
    CHECK(!pqx_lz4_block(block, size, out, 22)); /* with fewer than 5 literals behind one, */
    first = put(block, 0, abc, 3, 3, 4);
    size = put(block, first, last, 5, 0, 0);
    CHECK(!pqx_lz4_block(block, size, out, 12)); /* or one begins 9 bytes in front of the end */
    size = put(block, first, last, 8, 0, 0);
    CHECK(pqx_lz4_block(block, size, out, 15));
}

static void copies_from_before_the_beginning_are_none(void)
{
    uint8_t block[ROOM], out[ROOM + PQX_LZ4_SPARE];
    for (size_t distance = 1; distance < 40; distance++) {
        size_t size = put(block, 0, (const uint8_t *)"abcdefghijklmnopq", 16, distance, 20);
        size = put(block, size, (const uint8_t *)ending, END, 0, 0);
        CHECK(pqx_lz4_block(block, size, out, 36 + END) == (distance <= 16));
    }
    size_t size = put(block, 0, (const uint8_t *)"abc", 3, 1, 20);
    block[4] = 0; /* the distance */
    size = put(block, size, (const uint8_t *)ending, END, 0, 0);
    CHECK(!pqx_lz4_block(block, size, out, 23 + END));
}

static void damage_stays_within_the_block(void)
{
    uint8_t block[ROOM], literals[100];
    for (size_t i = 0; i < sizeof literals; i++) literals[i] = (uint8_t)(7 * i);
    size_t size = put(block, 0, literals, 100, 60, 300);
    size = put(block, size, literals, 3, 20, 18);
    size = put(block, size, (const uint8_t *)ending, END, 0, 0);
    for (size_t cut = 0; cut <= size; cut++) {
        uint8_t *data = exact(block, cut), *out = malloc(433 + PQX_LZ4_SPARE);
        CHECK(pqx_lz4_block(data, cut, out, 433) == (cut == size));
        for (size_t bit = 0; bit < 8 * cut; bit++) {
            data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            pqx_lz4_block(data, cut, out, 433);
            data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        free(data);
        free(out);
    }
}

static void lengths_without_an_end_are_none(void)
{
    static uint8_t block[ROOM];
    uint8_t out[64 + PQX_LZ4_SPARE];
    memset(block, 255, sizeof block);
    CHECK(!pqx_lz4_block(block, sizeof block, out, 64));
}

int main(void)
{
    RUN(copies_repeat_what_they_overlap);
    RUN(blocks_of_any_sequences_are_decompressed);
    RUN(nothing_is_a_block_of_one_byte);
    RUN(other_sizes_and_other_endings_are_none);
    RUN(copies_from_before_the_beginning_are_none);
    RUN(damage_stays_within_the_block);
    RUN(lengths_without_an_end_are_none);
    return 0;
}
