#include "base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Maps a character to its 6 bits, or to 255 if it is not in the alphabet. */
static const uint8_t sextets[256] = {
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 62,  255, 255, 255, 63,  52,  53,  54,  55,  56,  57,  58,  59,  60,
    61,  255, 255, 255, 255, 255, 255, 255, 0,   1,   2,   3,   4,   5,   6,   7,   8,   9,   10,
    11,  12,  13,  14,  15,  16,  17,  18,  19,  20,  21,  22,  23,  24,  25,  255, 255, 255, 255,
    255, 255, 26,  27,  28,  29,  30,  31,  32,  33,  34,  35,  36,  37,  38,  39,  40,  41,  42,
    43,  44,  45,  46,  47,  48,  49,  50,  51,  255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    255, 255, 255, 255, 255, 255, 255, 255, 255,
};

static uint32_t decode_group(const uint8_t *text, uint8_t *out)
{
    uint32_t a = sextets[text[0]], b = sextets[text[1]], c = sextets[text[2]], d = sextets[text[3]];
    uint32_t word = a << 18 | b << 12 | c << 6 | d;
    out[0] = (uint8_t)(word >> 16);
    out[1] = (uint8_t)(word >> 8);
    out[2] = (uint8_t)word;
    return (a | b | c | d) & 0x80;
}

size_t pqx_base64_decode(const uint8_t *text, size_t size, uint8_t *out)
{
    size_t groups = size / 4, left = size % 4;
    for (size_t i = pqx_base64_wide_groups(text, size, out); i < groups; i++)
        if (PQX_UNLIKELY(decode_group(text + 4 * i, out + 3 * i))) return i;
    if (left) {
        uint8_t last[4] = {'A', 'A', 'A', 'A'}, bytes[3];
        memcpy(last, text + 4 * groups, left);
        if (decode_group(last, bytes)) return groups;
        memcpy(out + 3 * groups, bytes, left * 3 / 4);
    }
    return SIZE_MAX;
}

int pqx_base64_append(const uint8_t *bytes, size_t size, pqx_buffer *out, pqx_error *error)
{
    if (!size) return PQX_OK;
    if (size > SIZE_MAX / 2) return pqx_fail(error, PQX_NO_MEMORY, 0, size, 0);
    int status = pqx_buffer_reserve(out, (size + 2) / 3 * 4, error);
    if (status != PQX_OK) return status;
    uint8_t *to = out->data + out->size;
    for (size_t i = 0; i < size; i += 3, to += 4) {
        size_t left = size - i;
        uint32_t word = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0)
                        | (left > 2 ? bytes[i + 2] : 0);
        to[0] = (uint8_t)alphabet[word >> 18];
        to[1] = (uint8_t)alphabet[word >> 12 & 63];
        to[2] = left > 1 ? (uint8_t)alphabet[word >> 6 & 63] : '=';
        to[3] = left > 2 ? (uint8_t)alphabet[word & 63] : '=';
    }
    out->size = (size_t)(to - out->data);
    return PQX_OK;
}
