/* Frames of Zstandard by the system's library: blocks as they are and repeated bytes, sizes that
 * are not theirs, and damage. Without a library nothing is decompressed. */
#include "page/codec.h"

#include "system.h"
#include "page/zstd.h"

enum { ROOM = 256, LITERAL = 0, REPEATED = 1 };

/* A frame with its size, of one last block: raw bytes, or one byte repeated `size` times. */
static size_t frame(uint8_t *out, const char *bytes, unsigned size, unsigned kind)
{
    static const uint8_t magic[] = {0x28, 0xb5, 0x2f, 0xfd};
    unsigned block = 1 | kind << 1 | size << 3, stored = kind == REPEATED ? 1 : size;
    memcpy(out, magic, 4);
    out[4] = 0x20; /* a single segment, whose size takes one byte */
    out[5] = (uint8_t)size;
    for (int i = 0; i < 3; i++) out[6 + i] = (uint8_t)(block >> 8 * i);
    memcpy(out + 9, bytes, stored);
    return 9 + stored;
}

static int stands_for(const uint8_t *frames, size_t size, const char *expected, size_t length)
{
    void *context = NULL;
    uint8_t *data = exact(frames, size), *out = malloc(length + PQX_DECOMPRESS_SPARE);
    int is_it = pqx_decompress(PQX_CODEC_ZSTD, data, size, out, length, &context)
                && !memcmp(out, expected, length);
    pqx_zstd_free(context);
    free(data);
    free(out);
    return is_it;
}

/* Load the system's library; returns 1 if there is one. */
static int use_library(void)
{
    static const char *const names[] = {"ZSTD_createDCtx",     "ZSTD_freeDCtx",
                                        "ZSTD_decompressDCtx", "ZSTD_isError",
                                        "ZSTD_initDStream",    "ZSTD_decompressStream"};
    void *found[6];
    pqx_zstd_library library;
    if (!load_symbol(*names)) return 0;
    for (int i = 0; i < 6; i++) CHECK((found[i] = load_symbol(names[i])));
    memcpy(&library.create, found, sizeof *found);
    memcpy(&library.release, found + 1, sizeof *found);
    memcpy(&library.decompress, found + 2, sizeof *found);
    memcpy(&library.is_error, found + 3, sizeof *found);
    memcpy(&library.begin, found + 4, sizeof *found);
    memcpy(&library.go_on, found + 5, sizeof *found);
    pqx_zstd_use(&library);
    return 1;
}

static void without_a_library_nothing_is_decompressed(void)
{
    uint8_t data[ROOM];
    size_t size = frame(data, "some bytes", 10, LITERAL);
    CHECK(!pqx_zstd_is_there() && !pqx_codec_is_known(PQX_CODEC_ZSTD));
    CHECK(!stands_for(data, size, "some bytes", 10));
    pqx_zstd_free(NULL);
}

static void frames_are_decompressed(void)
{
    uint8_t data[ROOM];
    CHECK(pqx_zstd_is_there() && pqx_codec_is_known(PQX_CODEC_ZSTD));
    size_t size = frame(data, "some bytes", 10, LITERAL);
    CHECK(stands_for(data, size, "some bytes", 10));
    size += frame(data + size, "x", 7, REPEATED);
    CHECK(stands_for(data, size, "some bytesxxxxxxx", 17));
}

static void other_sizes_are_none(void)
{
    uint8_t data[ROOM];
    size_t size = frame(data, "some bytes", 10, LITERAL);
    CHECK(!stands_for(data, size, "some bytes", 9));
    CHECK(!stands_for(data, size, "some bytes\0", 11));
}

static void damage_is_refused(void)
{
    uint8_t data[ROOM];
    size_t size = frame(data, "some bytes", 10, LITERAL);
    for (size_t cut = 0; cut < size; cut++) CHECK(!stands_for(data, cut, "some bytes", 10));
    data[0] ^= 1;
    CHECK(!stands_for(data, size, "some bytes", 10));
}

static void a_context_serves_many_pages(void)
{
    void *context = NULL;
    uint8_t data[ROOM], out[ROOM];
    for (unsigned size = 1; size < 100; size++) {
        size_t stored = frame(data, "y", size, REPEATED);
        CHECK(pqx_zstd(&context, data, stored, out, size) && out[size - 1] == 'y');
        CHECK(!pqx_zstd(&context, data, stored - 1, out, size));
    }
    pqx_zstd_free(context);
}

static void frames_are_decompressed_by_parts(void)
{
    enum { SIZE = 200 };
    uint8_t data[2 * ROOM], bytes[SIZE], out[SIZE + PQX_DECOMPRESS_SPARE];
    for (int i = 0; i < SIZE; i++) bytes[i] = (uint8_t)(i * 7);
    size_t size = frame(data, (const char *)bytes, SIZE, LITERAL);
    void *context = NULL;
    for (size_t step = 1; step <= SIZE; step++) {
        size_t there = 6, stop = 0;
        pqx_lz b = pqx_lz_of(data, there, out, SIZE);
        CHECK(pqx_decompress_begin(PQX_CODEC_ZSTD, &b, &context));
        while (stop < SIZE) {
            stop = SIZE - stop < step ? SIZE : stop + step;
            while (!pqx_decompress_until(PQX_CODEC_ZSTD, &b, out + stop, context)) {
                CHECK(there < size);
                there = size - there < step ? size : there + step;
                b.in_end = data + there;
            }
            CHECK(b.out == out + stop);
        }
        CHECK(b.in == data + size && !memcmp(out, bytes, SIZE));
        memset(out, 0, SIZE);
    }
    pqx_zstd_free(context);
}

static void by_parts_damage_and_other_sizes_are_refused(void)
{
    uint8_t data[ROOM], out[ROOM];
    void *context = NULL;
    size_t size = frame(data, "some bytes", 10, LITERAL);
    for (size_t other = 0; other < 20; other++) {
        pqx_lz b = pqx_lz_of(data, size, out, other);
        CHECK(pqx_decompress_begin(PQX_CODEC_ZSTD, &b, &context) == (other == 10));
    }
    for (size_t cut = 0; cut < 6; cut++) {
        pqx_lz b = pqx_lz_of(data, cut, out, 10);
        CHECK(!pqx_decompress_begin(PQX_CODEC_ZSTD, &b, &context));
    }
    size_t both = size + frame(data + size, "x", 0, LITERAL);
    pqx_lz two = pqx_lz_of(data, both, out, 10);
    CHECK(pqx_decompress_begin(PQX_CODEC_ZSTD, &two, &context));
    CHECK(pqx_decompress_until(PQX_CODEC_ZSTD, &two, out + 10, context) < 0);
    data[6] |= 3 << 1; /* a block of no kind that there is */
    pqx_lz b = pqx_lz_of(data, size, out, 10);
    CHECK(pqx_decompress_begin(PQX_CODEC_ZSTD, &b, &context));
    CHECK(pqx_decompress_until(PQX_CODEC_ZSTD, &b, out + 10, context) < 0);
    pqx_zstd_free(context);
}

static void sizes_are_believed_as_far_as_is_likely(void)
{
    CHECK(pqx_codec_believes(PQX_CODEC_ZSTD, 1, 1 << 20));
    CHECK(!pqx_codec_believes(PQX_CODEC_ZSTD, 1, (1 << 20) + 1));
    CHECK(pqx_codec_believes(PQX_CODEC_LZ4_RAW, 1 << 20, 1 << 26));
    CHECK(!pqx_codec_believes(PQX_CODEC_SNAPPY, 1, 44));
}

static void other_codecs_are_not_known(void)
{
    static const int codecs[] = {
        PQX_CODEC_GZIP, PQX_CODEC_LZO, PQX_CODEC_BROTLI, PQX_CODEC_LZ4, -1, 8};
    uint8_t data[] = {0}, out[ROOM];
    for (size_t i = 0; i < sizeof codecs / sizeof *codecs; i++) {
        CHECK(!pqx_codec_is_known(codecs[i]));
        CHECK(!pqx_decompress(codecs[i], data, 1, out, 0, NULL));
    }
}

int main(void)
{
    RUN(without_a_library_nothing_is_decompressed);
    RUN(sizes_are_believed_as_far_as_is_likely);
    RUN(other_codecs_are_not_known);
    if (!use_library()) return 0;
    RUN(frames_are_decompressed);
    RUN(other_sizes_are_none);
    RUN(damage_is_refused);
    RUN(a_context_serves_many_pages);
    RUN(frames_are_decompressed_by_parts);
    RUN(by_parts_damage_and_other_sizes_are_refused);
    return 0;
}
