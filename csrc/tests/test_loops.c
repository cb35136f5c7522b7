/* Compare every loop of this CPU with the portable one: all widths and lengths, at any address,
 * in memory that ends at a protected page. */
#include "system.h"

#include "encoding/encode.h"
#include "encoding/loops.h"
#include "encoding/split.h"
#include "encoding/sums.h"

enum { LONGEST = 300, WIDEST_VALUE = 20, ROOM = 16384 };

/* Memory that ends at a guarded page. */
typedef struct room {
    uint8_t *end;
} room;

static room make_room(void)
{
    uint8_t *start = map_before_guard(ROOM);
    uint64_t state = 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < ROOM; i++, state = state * 6364136223846793005u + 1442695040888963407u)
        start[i] = (uint8_t)(state >> 56);
    return (room){start + ROOM};
}

static room given, expected, found;

/* Return the begin of `size` bytes that end `before` bytes before the guarded page. */
static uint8_t *bytes_of(room where, size_t size, size_t before)
{ return where.end - before - size; }

static int alike(size_t size, size_t before)
{ return !memcmp(bytes_of(expected, size, before), bytes_of(found, size, before), size); }

/* Values of `bytes` bytes: integers must be aligned, so only lengths change their begin. */
static void unpack_alike(const pqx_loops *loops, uint32_t width, size_t count, uint64_t bit)
{
    const pqx_loops *plain = &pqx_portable_loops;
    size_t size = (size_t)((bit + (uint64_t)count * width + 7) / 8);
    const uint8_t *data = bytes_of(given, size, 0);
    uint8_t *one = bytes_of(expected, 8 * count, 0), *other = bytes_of(found, 8 * count, 0);
    plain->unpack64(data, size, bit, width, count, (uint64_t *)one);
    loops->unpack64(data, size, bit, width, count, (uint64_t *)other);
    CHECK(alike(8 * count, 0));
    if (width > 32) return;

    one = bytes_of(expected, 4 * count, 0), other = bytes_of(found, 4 * count, 0);
    uint32_t highest = plain->unpack32(data, size, bit, width, count, (uint32_t *)one);
    CHECK(loops->unpack32(data, size, bit, width, count, (uint32_t *)other) == highest);
    CHECK(alike(4 * count, 0));
    if (width > 16) return;

    one = bytes_of(expected, 2 * count, 0), other = bytes_of(found, 2 * count, 0);
    highest = plain->unpack16(data, size, bit, width, count, (uint16_t *)one);
    CHECK(loops->unpack16(data, size, bit, width, count, (uint16_t *)other) == highest);
    CHECK(alike(2 * count, 0));
}

static void unpacking_is_alike(void)
{
    for (const pqx_loops *const *loops = pqx_cpu_loops(); *loops; loops++)
        for (uint32_t width = 1; width <= 64; width++)
            for (size_t count = 1; count <= LONGEST; count++)
                unpack_alike(*loops, width, count, (7 * count + width) % 24);
}

static void joining_is_alike(void)
{
    for (const pqx_loops *const *loops = pqx_cpu_loops(); *loops; loops++)
        for (size_t width = 1; width <= WIDEST_VALUE; width++)
            for (size_t count = 0; count <= LONGEST; count++) {
                size_t size = width * count, before = (count + width) % 16;
                const uint8_t *streams = bytes_of(given, size, 0);
                pqx_join_portable(streams, count, width, count, bytes_of(expected, size, before));
                (*loops)->join(streams, count, width, count, bytes_of(found, size, before));
                CHECK(alike(size, before));
            }
}

static void sums_are_alike(void)
{
    const uint64_t least = (uint64_t)-77, last = 0xfedcba9876543210u;
    for (const pqx_loops *const *loops = pqx_cpu_loops(); *loops; loops++)
        for (size_t count = 0; count <= LONGEST; count++)
            for (size_t before = 0; before < 16; before++) {
                const uint32_t *narrow = (const uint32_t *)bytes_of(given, 4 * count, 0);
                const uint64_t *wide = (const uint64_t *)bytes_of(given, 8 * count, 0);
                uint8_t *one = bytes_of(expected, 4 * count, before);
                uint8_t *other = bytes_of(found, 4 * count, before);
                uint32_t end = pqx_sum32_portable(narrow, count, (uint32_t)least, 5, one);
                CHECK((*loops)->sum32(narrow, count, (uint32_t)least, 5, other) == end);
                CHECK(alike(4 * count, before));
                one = bytes_of(expected, 8 * count, before);
                other = bytes_of(found, 8 * count, before);
                uint64_t wide_end = pqx_sum64_portable(wide, count, least, last, one);
                CHECK((*loops)->sum64(wide, count, least, last, other) == wide_end);
                CHECK(alike(8 * count, before));
            }
}

static void split_alike(pqx_split_function split, pqx_split_function portable, size_t width,
                        size_t count, size_t before)
{
    size_t size = width * count;
    const uint8_t *values = bytes_of(given, size, before);
    portable(values, count, count, bytes_of(expected, size, before));
    split(values, count, count, bytes_of(found, size, before));
    CHECK(alike(size, before));
}

static void splitting_is_alike(void)
{
    for (const pqx_encode_choice *const *choice = pqx_encode_choices(); *choice; choice++)
        for (size_t count = 0; count <= 1024; count += 64)
            for (size_t before = 0; before < 16; before++) {
                split_alike((*choice)->split4, pqx_split4_portable, 4, count, before);
                split_alike((*choice)->split8, pqx_split8_portable, 8, count, before);
            }
}

static void the_portable_ones_come_last(void)
{
    const pqx_loops *const *loops = pqx_cpu_loops();
    const pqx_encode_choice *const *choice = pqx_encode_choices();
    CHECK(*loops == pqx_best_loops() && *choice == pqx_encode_best());
    for (; *loops; loops++) printf("loops %s\n", (*loops)->name);
    for (; *choice; choice++) printf("encode %s\n", (*choice)->name);
    CHECK(loops[-1] == &pqx_portable_loops && choice[-1] == &pqx_encode_portable);
}

int main(void)
{
    given = make_room(), expected = make_room(), found = make_room();
    RUN(the_portable_ones_come_last);
    RUN(unpacking_is_alike);
    RUN(joining_is_alike);
    RUN(sums_are_alike);
    RUN(splitting_is_alike);
    return 0;
}
