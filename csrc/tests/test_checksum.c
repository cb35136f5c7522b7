/* Every CRC-32 routine that this CPU can run, against the definition, byte by byte. Also run under
 * qemu for other CPUs. */
#include "harness.h"

#define LONGEST 4200
#define SHORT 600
#define ALIGNMENTS 64
#define LONG 16384 /* from here on the widest routine aligns its loads */
#define BEYOND 700

static uint8_t bytes[ALIGNMENTS + LONG + BEYOND];
static uint32_t remainders[256]; /* of each byte, by the definition */

static uint32_t one_byte_more(uint32_t crc, uint8_t byte)
{
    crc = ~crc;
    return ~(crc >> 8 ^ remainders[(crc ^ byte) & 0xff]);
}

static void fill(void)
{
    for (uint32_t byte = 0; byte < 256; byte++) {
        remainders[byte] = byte;
        for (int bit = 0; bit < 8; bit++)
            remainders[byte] = remainders[byte] >> 1 ^ (remainders[byte] & 1 ? 0xedb88320u : 0);
    }
    uint64_t state = 42;
    for (size_t i = 0; i < sizeof bytes; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(state >> 56);
    }
}

static void every_routine_at_every_length_and_alignment(void)
{
    for (size_t start = 0; start < ALIGNMENTS; start++) {
        uint32_t crc = (uint32_t)start * 0x01234567u;
        const uint32_t first = crc;
        for (size_t size = 0; size <= LONGEST; size++) {
            /* Check every eighth pair of long ones: emulators are slow. */
            for (size_t i = 0;
                 (size <= SHORT || (start + size) % 8 == 0) && pqx_crc32_implementation(i); i++)
                CHECK(pqx_crc32_with(i, first, bytes + start, size) == crc);
            if (size < LONGEST) crc = one_byte_more(crc, bytes[start + size]);
        }
    }
}

static void every_routine_at_every_alignment_of_what_is_long(void)
{
    for (size_t start = 0; start < ALIGNMENTS; start++) {
        uint32_t crc = (uint32_t)start;
        const uint32_t first = crc;
        for (size_t size = 0; size <= LONG + BEYOND; size++) {
            int is_checked =
                size == LONG - 1 || size == LONG || size == LONG + start || size == LONG + BEYOND;
            for (size_t i = 0; is_checked && pqx_crc32_implementation(i); i++)
                CHECK(pqx_crc32_with(i, first, bytes + start, size) == crc);
            if (size < LONG + BEYOND) crc = one_byte_more(crc, bytes[start + size]);
        }
    }
}

static void no_routine_reads_beyond_the_end(void)
{
    for (size_t size = 0; size <= LONGEST; size += size < SHORT ? 1 : 61) {
        uint8_t *data = exact(bytes, size);
        uint32_t crc = pqx_crc32(0, data, size);
        for (size_t i = 0; pqx_crc32_implementation(i); i++)
            CHECK(pqx_crc32_with(i, 0, data, size) == crc);
        (void)pqx_xxh64(data, size, 0);
        free(data);
    }
    for (size_t size = LONG; size < LONG + ALIGNMENTS; size++) {
        uint8_t *data = exact(bytes, size);
        for (size_t i = 0; pqx_crc32_implementation(i); i++)
            CHECK(pqx_crc32_with(i, 0, data, size) == pqx_crc32(0, data, size));
        free(data);
    }
}

static void known_values(void)
{
    CHECK(pqx_crc32(0, (const uint8_t *)"123456789", 9) == 0xcbf43926u);
    CHECK(pqx_crc32(0, NULL, 0) == 0);
    CHECK(pqx_xxh64(NULL, 0, 0) == 0xef46db3751d8e999u);
    CHECK(pqx_xxh64((const uint8_t *)"abc", 3, 0) == 0x44bc2cf5ad770999u);
    CHECK(pqx_xxh64((const uint8_t *)"Nobody inspects the spammish repetition", 39, 0)
          == 0xfbcea83c8a378bf1u);
}

static void parts_combine_at_every_cut(void)
{
    uint32_t whole = pqx_crc32(0, bytes, LONGEST);
    for (size_t cut = 0; cut <= LONGEST; cut += 7) {
        uint32_t a = pqx_crc32(0, bytes, cut), b = pqx_crc32(0, bytes + cut, LONGEST - cut);
        CHECK(pqx_crc32_combine(a, b, LONGEST - cut) == whole);
        CHECK(pqx_crc32(a, bytes + cut, LONGEST - cut) == whole);
    }
    CHECK(pqx_crc32_combine(whole, 0, UINT64_MAX) == whole);
}

int main(void)
{
    fill();
    for (size_t i = 0; pqx_crc32_implementation(i); i++)
        printf("routine %s\n", pqx_crc32_implementation(i));
    RUN(known_values);
    RUN(every_routine_at_every_length_and_alignment);
    RUN(every_routine_at_every_alignment_of_what_is_long);
    RUN(no_routine_reads_beyond_the_end);
    RUN(parts_combine_at_every_cut);
    return 0;
}
