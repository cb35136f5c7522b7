/* Base64: every length in exact-size buffers, every character at every place, wide and narrow
 * alike. */
#include "harness.h"

#include "../src/base/base64.h"

static uint32_t state = 7;
static uint8_t draw(void) { return (uint8_t)((state = state * 1664525u + 1013904223u) >> 24); }

static void every_length_comes_back(void)
{
    for (size_t size = 0; size < 200; size++) {
        uint8_t bytes[200];
        for (size_t i = 0; i < size; i++) bytes[i] = draw();
        pqx_buffer text = {0};
        CHECK(pqx_base64_append(bytes, size, &text, NULL) == PQX_OK);
        size_t count = text.size;
        while (count && text.data[count - 1] == '=') count--;
        uint8_t *copy = exact(text.data, count), *out = malloc(size + 1);
        CHECK(pqx_base64_decode(copy, count, out) == SIZE_MAX);
        CHECK(memcmp(out, bytes, size) == 0);
        free(copy);
        free(out);
        pqx_buffer_free(&text);
    }
}

/* A character outside of the alphabet is reported with its group at every position; all others are
 * accepted. */
static void every_character_at_every_place(void)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    enum { SIZE = 64 };
    for (int character = 0; character < 256; character++) {
        for (size_t at = 0; at < SIZE; at++) {
            uint8_t text[SIZE], out[SIZE / 4 * 3];
            memset(text, 'A', SIZE);
            text[at] = (uint8_t)character;
            const char *found = character ? strchr(alphabet, character) : NULL;
            size_t status = pqx_base64_decode(text, SIZE, out);
            CHECK(status == (found ? SIZE_MAX : at / 4));
            if (!found) continue;
            uint32_t word = (uint32_t)out[at / 4 * 3] << 16 | (uint32_t)out[at / 4 * 3 + 1] << 8
                            | out[at / 4 * 3 + 2];
            CHECK(word >> (18 - 6 * (at % 4)) == (uint32_t)(found - alphabet));
        }
    }
}

int main(void)
{
    RUN(every_length_comes_back);
    RUN(every_character_at_every_place);
    return 0;
}
