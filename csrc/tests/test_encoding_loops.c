/* Unpacking and joining: compare the routines of all CPU kinds with a loop over single bits, at
 * every width and every bit of a byte, in buffers of their exact size. */
#include "harness.h"

#include "encoding/bitmap.h"
#include "encoding/bits.h"
#include "encoding/expand.h"
#include "encoding/level_bits.h"
#include "encoding/loops.h"
#include "encoding/split.h"

enum { MOST = 77 };
static const size_t counts[] = {1, 2, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, MOST};
#define COUNTS (sizeof counts / sizeof *counts)

static uint8_t byte_of(size_t i) { return (uint8_t)((i + 1) * 0x9e3779b97f4a7c15u >> 37); }

static uint64_t plainly(const uint8_t *data, uint64_t bit, uint32_t width)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < width; i++, bit++)
        value |= (uint64_t)(data[bit / 8] >> bit % 8 & 1) << i;
    return value;
}

/* All values from bit `bit` of a buffer that ends with the last of them. */
static void unpack_at(const pqx_loops *loops, uint64_t bit, uint32_t width, size_t count)
{
    size_t size = (size_t)((bit + (uint64_t)count * width + 7) / 8);
    uint8_t *data = malloc(size);
    for (size_t i = 0; i < size; i++) data[i] = byte_of(i);
    uint16_t *two = malloc(2 * count);
    uint32_t *four = malloc(4 * count), highest = 0;
    uint64_t *eight = malloc(8 * count);
    loops->unpack64(data, size, bit, width, count, eight);
    for (size_t i = 0; i < count; i++) {
        CHECK(eight[i] == plainly(data, bit + i * width, width));
        if (eight[i] > highest) highest = (uint32_t)eight[i];
    }
    if (width <= 32) {
        CHECK(loops->unpack32(data, size, bit, width, count, four) == highest);
        for (size_t i = 0; i < count; i++) CHECK(four[i] == eight[i]);
    }
    if (width <= 16) {
        CHECK(loops->unpack16(data, size, bit, width, count, two) == highest);
        for (size_t i = 0; i < count; i++) CHECK(two[i] == eight[i]);
    }
    free(data);
    free(two);
    free(four);
    free(eight);
}

static void unpacking_on_every_kind_of_cpu(void)
{
    for (const pqx_loops *const *loops = pqx_cpu_loops(); *loops; loops++)
        for (uint32_t width = 1; width <= 64; width++)
            for (uint64_t bit = 0; bit < 16; bit++)
                for (size_t i = 0; i < COUNTS; i++) unpack_at(*loops, bit, width, counts[i]);
}

static void the_portable_loops_come_last(void)
{
    const pqx_loops *const *loops = pqx_cpu_loops();
    CHECK(pqx_best_loops() == *loops);
    while (loops[1]) loops++;
    CHECK(*loops == &pqx_portable_loops);
}

static void values_of_no_bits(void)
{
    uint16_t two[3] = {1, 2, 3};
    uint32_t four[3] = {1, 2, 3};
    uint64_t eight[3] = {1, 2, 3};
    CHECK(pqx_unpack16(NULL, 0, 0, 0, 3, two) == 0 && !two[0] && !two[2]);
    CHECK(pqx_unpack32(NULL, 0, 0, 0, 3, four) == 0 && !four[0] && !four[2]);
    pqx_unpack64(NULL, 0, 0, 0, 3, eight);
    CHECK(!eight[0] && !eight[2]);
}

static void joining_on_every_kind_of_cpu(void)
{
    for (const pqx_loops *const *loops = pqx_cpu_loops(); *loops; loops++)
        for (size_t width = 1; width <= 20; width++)
            for (size_t count = 0; count <= MOST; count++) {
                size_t stride = count + 3, size = stride * width - 3;
                uint8_t *streams = malloc(size), *out = malloc(count ? count * width : 1);
                for (size_t i = 0; i < size; i++) streams[i] = byte_of(i);
                (*loops)->join(streams, stride, width, count, out);
                for (size_t i = 0; i < count * width; i++)
                    CHECK(out[i] == streams[i % width * stride + i / width]);
                free(streams);
                free(out);
            }
}

/* Buffers end with the bytes that may be read. */
static void expand_at(const pqx_loops *loops, size_t width, uint64_t bit, size_t slots)
{
    size_t size = (size_t)(bit + slots) / 8 + 8, ones = 0;
    uint8_t *bits = malloc(size), *out = malloc(slots * width + 1);
    for (size_t i = 0; i < size; i++) bits[i] = i % 5 == 4 ? 0xff : byte_of(i);
    for (size_t i = 0; i < slots; i++) ones += bits[(bit + i) / 8] >> (bit + i) % 8 & 1;
    uint8_t *values = malloc(ones * width + PQX_EXPAND_SPARE);
    for (size_t i = 0; i < ones * width; i++) values[i] = byte_of(i);
    out[slots * width] = 0x5a;
    loops->expand(values, width, bits, bit, slots, out);
    CHECK(out[slots * width] == 0x5a);
    size_t taken = 0;
    for (size_t i = 0; i < slots; i++) {
        int is_set = bits[(bit + i) / 8] >> (bit + i) % 8 & 1;
        for (size_t k = 0; k < width; k++)
            CHECK(out[i * width + k] == (is_set ? values[taken * width + k] : 0));
        taken += (size_t)is_set;
    }
    free(bits);
    free(out);
    free(values);
}

static void expanding_on_every_kind_of_cpu(void)
{
    for (const pqx_loops *const *loops = pqx_cpu_loops(); *loops; loops++)
        for (size_t width = 4; width <= 8; width += 4)
            for (uint64_t bit = 0; bit < 9; bit++)
                for (size_t slots = 0; slots < 150; slots++) expand_at(*loops, width, bit, slots);
}

/* Against one level after the other. */
static void bits_of_levels_are_chosen(void)
{
    for (size_t count = 0; count < 300; count++) {
        uint16_t *levels = malloc(2 * count + 1);
        uint8_t *out = malloc((count + 7) / 8 + 1);
        for (size_t i = 0; i < count; i++) levels[i] = byte_of(i * count) % 5;
        for (uint32_t least = 0; least < 6; least++) {
            pqx_bits made = {.out = out};
            size_t slots = 0, ones = 0;
            for (size_t i = 0, some; i < count; i += some) {
                some = count - i < 64 ? count - i : 64;
                pqx_bits_append(&made, pqx_bits_at_least(levels + i, some, 3),
                                pqx_bits_at_least(levels + i, some, least));
            }
            pqx_bits_finish(&made);
            for (size_t i = 0; i < count; i++) {
                if (levels[i] < least) continue;
                CHECK((out[slots / 8] >> slots % 8 & 1) == (levels[i] >= 3));
                slots++, ones += levels[i] >= 3;
            }
            CHECK(made.count == slots && made.ones == ones);
            if (slots % 8) CHECK(out[slots / 8] >> slots % 8 == 0);
        }
        free(levels);
        free(out);
    }
    uint16_t highest[2] = {UINT16_MAX, 0};
    CHECK(pqx_bits_at_least(highest, 2, UINT16_MAX) == 1);
    CHECK(pqx_bits_at_least(highest, 2, UINT16_MAX + 1u) == 0);
}

static void bitmaps_are_copied_from_any_bit_to_any_bit(void)
{
    for (uint64_t from = 0; from < 9; from++)
        for (uint64_t to = 0; to < 9; to++)
            for (size_t count = 0; count < 150; count++) {
                size_t size = (size_t)((from + count + 7) / 8), ones = 0;
                uint8_t *data = malloc(size ? size : 1), out[21], filled[21];
                for (size_t i = 0; i < size; i++) data[i] = byte_of(i);
                memset(out, 0x5a, sizeof out);
                memset(filled, 0x5a, sizeof filled);
                size_t found = pqx_bitmap_copy(data, size, from, count, out, to);
                pqx_bitmap_fill(filled, to, count, count & 1);
                for (size_t i = 0; i < 8 * sizeof out; i++) {
                    int inside = i >= to && i < to + count;
                    int kept = 0x5a >> i % 8 & 1;
                    int bit = inside ? (int)plainly(data, from + i - to, 1) : kept;
                    CHECK((out[i / 8] >> i % 8 & 1) == bit);
                    CHECK((filled[i / 8] >> i % 8 & 1) == (inside ? (int)(count & 1) : kept));
                    ones += inside && bit;
                }
                CHECK(found == ones);
                free(data);
            }
}

static void stretches_of_equal_bits(void)
{
    for (size_t bits = 1; bits < 200; bits++)
        for (uint64_t from = 0; from < 9; from++) {
            size_t size = (size_t)(from + bits + 7) / 8 + 1;
            uint8_t *data = exact((uint8_t[40]){0}, size);
            pqx_bitmap_fill(data, from, bits, 1);
            CHECK(pqx_bitmap_alike(data, size, from, bits) == bits);
            CHECK(pqx_bitmap_alike(data, size, from, bits + 8) == bits);
            CHECK(pqx_bitmap_alike(data, size, from, bits / 2) == bits / 2);
            free(data);
        }
}

int main(void)
{
    RUN(unpacking_on_every_kind_of_cpu);
    RUN(the_portable_loops_come_last);
    RUN(values_of_no_bits);
    RUN(joining_on_every_kind_of_cpu);
    RUN(expanding_on_every_kind_of_cpu);
    RUN(bits_of_levels_are_chosen);
    RUN(bitmaps_are_copied_from_any_bit_to_any_bit);
    RUN(stretches_of_equal_bits);
    return 0;
}
