/* BYTE_STREAM_SPLIT: all first bytes, all second bytes, and so on. */
#include "encoding/encode.h"

enum { AT_ONCE = 64 };

/* Transpose eight bytes of eight values by exchanging halves, quarters and eighths. */
static inline void transpose8(uint64_t rows[8])
{
    for (int i = 0; i < 4; i++) {
        uint64_t a = rows[i], b = rows[i + 4];
        rows[i] = (a & 0xffffffffu) | b << 32;
        rows[i + 4] = a >> 32 | (b & ~(uint64_t)0xffffffffu);
    }
    for (int i = 0; i < 8; i += (i & 1) ? 3 : 1) {
        const uint64_t low = 0x0000ffff0000ffffu;
        uint64_t a = rows[i], b = rows[i + 2];
        rows[i] = (a & low) | (b & low) << 16;
        rows[i + 2] = (a >> 16 & low) | (b & ~low);
    }
    for (int i = 0; i < 8; i += 2) {
        const uint64_t low = 0x00ff00ff00ff00ffu;
        uint64_t a = rows[i], b = rows[i + 1];
        rows[i] = (a & low) | (b & low) << 8;
        rows[i + 1] = (a >> 8 & low) | (b & ~low);
    }
}

void pqx_split8_portable(const uint8_t *values, size_t count, size_t stride, uint8_t *out)
{
    for (size_t i = 0; i < count; i += 8) {
        uint64_t rows[8];
        for (int k = 0; k < 8; k++) rows[k] = pqx_load64(values + (i + k) * 8);
        transpose8(rows);
        for (int k = 0; k < 8; k++) pqx_store64(out + k * stride + i, rows[k]);
    }
}

void pqx_split4_portable(const uint8_t *values, size_t count, size_t stride, uint8_t *out)
{
    for (size_t i = 0; i < count; i += 8)
        for (int k = 0; k < 4; k++) {
            uint64_t bytes = 0;
            for (int j = 0; j < 8; j++) bytes |= (uint64_t)values[(i + j) * 4 + k] << 8 * j;
            pqx_store64(out + k * stride + i, bytes);
        }
}

static void split_rest(const uint8_t *values, size_t from, size_t count, uint32_t width,
                       uint8_t *out)
{
    for (size_t i = from; i < count; i++)
        for (uint32_t k = 0; k < width; k++) out[k * count + i] = values[i * width + k];
}

/* Split values of any width in blocks that stay in the cache while each of their bytes is
 * extracted. */
static void split_wide(const uint8_t *values, size_t count, uint32_t width, uint8_t *out)
{
    for (size_t from = 0; from < count; from += AT_ONCE) {
        size_t now = count - from < AT_ONCE ? count - from : AT_ONCE;
        for (uint32_t k = 0; k < width; k++)
            for (size_t i = from; i < from + now; i++)
                out[(size_t)k * count + i] = values[i * width + k];
    }
}

uint8_t *pqx_encode_split(const uint8_t *values, size_t count, uint32_t width, uint8_t *out)
{
    size_t whole = count / AT_ONCE * AT_ONCE;
    if (width == 4) pqx_encode_best()->split4(values, whole, count, out);
    else if (width == 8) pqx_encode_best()->split8(values, whole, count, out);
    else {
        split_wide(values, count, width, out);
        whole = count;
    }
    split_rest(values, whole, count, width, out);
    return out + count * width;
}
