/* Encode byte arrays: PLAIN, DELTA_LENGTH_BYTE_ARRAY, DELTA_BYTE_ARRAY. */
#include "encoding/encode.h"

uint8_t *pqx_encode_plain_strings(const pqx_strings *strings, uint8_t *out)
{
    const int32_t *offsets = strings->offsets;
    for (size_t i = 0; i < strings->count; i++) {
        size_t start = (size_t)offsets[i], length = (size_t)offsets[i + 1] - start;
        pqx_store32(out, (uint32_t)length);
        out = pqx_put_bytes(out + 4, strings->data + start, length, strings->size - start);
    }
    return out;
}

/* Encode the lengths from offsets[0] on as deltas. */
uint8_t *pqx_encode_delta_length(const pqx_strings *strings, uint8_t *out)
{
    const int32_t *offsets = strings->offsets;
    size_t count = strings->count, bytes = pqx_strings_bytes(strings);
    pqx_delta_writer lengths;
    pqx_delta_writer_begin(&lengths, count, count ? (uint32_t)(offsets[1] - offsets[0]) : 0, out);
    for (size_t i = 1; i < count; i++)
        pqx_delta_writer_put(&lengths, (uint32_t)(offsets[i + 1] - offsets[i]));
    pqx_delta_writer_flush(&lengths);
    if (bytes) memcpy(lengths.out, strings->data + offsets[0], bytes);
    return lengths.out + bytes;
}

/* Return the length of the common prefix of two values. */
static inline size_t common_prefix(const uint8_t *a, const uint8_t *b, size_t most)
{
    size_t at = 0;
    for (; most - at >= 8; at += 8) {
        uint64_t differs = pqx_load64(a + at) ^ pqx_load64(b + at);
        if (differs) return at + (size_t)__builtin_ctzll(differs) / 8;
    }
    while (at < most && a[at] == b[at]) at++;
    return at;
}

/* Values of any lengths, or of one width if there are no offsets. */
typedef struct piece {
    const uint8_t *bytes;
    size_t length;
} piece;

static inline piece piece_at(const pqx_strings *strings, uint32_t width, size_t i)
{
    if (width) return (piece){strings->data + i * width, width};
    size_t start = (size_t)strings->offsets[i];
    return (piece){strings->data + start, (size_t)strings->offsets[i + 1] - start};
}

/* Write the prefix lengths, which are also kept before `behind`, the suffix lengths, then the
 * suffixes. */
static uint8_t *encode(const pqx_strings *strings, uint32_t width, uint8_t *behind, uint8_t *out)
{
    size_t count = strings->count;
    uint8_t *scratch = behind - 4 * count;
    pqx_delta_writer lengths;
    pqx_delta_writer_begin(&lengths, count, 0, out);
    piece before = count ? piece_at(strings, width, 0) : (piece){NULL, 0};
    if (count) pqx_store32(scratch, 0);
    size_t first = before.length;
    for (size_t i = 1; i < count; i++) {
        piece now = piece_at(strings, width, i);
        size_t most = now.length < before.length ? now.length : before.length;
        uint32_t prefix = (uint32_t)common_prefix(before.bytes, now.bytes, most);
        pqx_store32(scratch + i * 4, prefix);
        pqx_delta_writer_put(&lengths, prefix);
        before = now;
    }
    pqx_delta_writer_flush(&lengths);
    pqx_delta_writer_begin(&lengths, count, (uint32_t)first, lengths.out);
    for (size_t i = 1; i < count; i++)
        pqx_delta_writer_put(&lengths, (uint32_t)piece_at(strings, width, i).length
                                           - pqx_load32(scratch + i * 4));
    pqx_delta_writer_flush(&lengths);
    out = lengths.out;
    const uint8_t *end = strings->data + strings->size;
    for (size_t i = 0; i < count; i++) {
        piece now = piece_at(strings, width, i);
        size_t prefix = pqx_load32(scratch + i * 4);
        const uint8_t *suffix = now.bytes + prefix;
        out = pqx_put_bytes(out, suffix, now.length - prefix, (size_t)(end - suffix));
    }
    return out;
}

uint8_t *pqx_encode_delta_strings(const pqx_strings *strings, uint8_t *behind, uint8_t *out)
{ return encode(strings, 0, behind, out); }

uint8_t *pqx_encode_delta_fixed(const uint8_t *values, size_t count, uint32_t width,
                                uint8_t *behind, uint8_t *out)
{
    pqx_strings strings = {values, count * width, NULL, count};
    return encode(&strings, width, behind, out);
}
