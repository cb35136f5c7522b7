/* Encode RLE and bit-packed runs, and bits most significant first.
 *
 * At each group of 8 values, a repetition that saves bytes becomes a separate run, whatever its
 * length; all other groups are packed, at most MOST_GROUPS in one run, so that the values are still
 * in the cache when they are packed. */
#include "encoding/encode.h"

#define MOST_GROUPS 512 /* a header of two bytes, and at most 16 KiB of values */
#define ALWAYS_INLINE __attribute__((always_inline)) static inline

/* Return the number of equal groups from which on a run takes fewer bytes than packed groups. */
static inline size_t groups_worth(uint32_t width) { return width == 1 ? 4 : width == 2 ? 2 : 1; }

uint64_t pqx_runs_bound(uint64_t count, uint32_t width) { return (count + 7) / 8 * (1 + width); }

static uint8_t *put_repeated(uint8_t *out, size_t length, uint32_t value, uint32_t width)
{
    out += pqx_varint_put(out, (uint64_t)length << 1);
    for (uint32_t bits = 0; bits < width; bits += 8) *out++ = (uint8_t)(value >> bits);
    return out;
}

/* `size` is the constant 2 or 4. */
ALWAYS_INLINE uint32_t load(const void *values, size_t i, size_t size)
{ return size == 2 ? ((const uint16_t *)values)[i] : ((const uint32_t *)values)[i]; }

/* Return 1 if the 8 values from `at` on are equal. */
ALWAYS_INLINE int is_one_value(const void *values, size_t at, size_t size)
{
    uint32_t first = load(values, at, size), differs = 0;
    for (size_t i = 1; i < 8; i++) differs |= load(values, at + i, size) ^ first;
    return !differs;
}

/* Return how many values from `at` on are equal to the first, if there are at least 8; else 0. */
ALWAYS_INLINE size_t repeated(const void *values, size_t at, size_t count, size_t size)
{
    if (count - at < 8 || !is_one_value(values, at, size)) return 0;
    uint32_t value = load(values, at, size);
    size_t end = at + 8;
    while (count - end >= 32) {
        uint32_t differs = 0;
        for (size_t i = 0; i < 32; i++) differs |= load(values, end + i, size) ^ value;
        if (differs) break;
        end += 32;
    }
    while (end < count && load(values, end, size) == value) end++;
    return end - at;
}

/* Pack `count` values as one run; the last group is padded with zeros. */
ALWAYS_INLINE uint8_t *put_packed(const void *values, size_t at, size_t count, size_t size,
                                  uint32_t width, uint8_t *out)
{
    size_t whole = count / 8;
    out += pqx_varint_put(out, (count + 7) / 8 << 1 | 1);
    uint32_t group[64];
    if (size == 4) out = pqx_pack32((const uint32_t *)values + at, whole, width, out);
    else
        for (size_t done = 0; done < whole * 8;) {
            size_t now = whole * 8 - done < 64 ? whole * 8 - done : 64;
            for (size_t i = 0; i < now; i++) group[i] = load(values, at + done + i, size);
            out = pqx_pack32(group, now / 8, width, out);
            done += now;
        }
    if (count % 8 == 0) return out;
    for (size_t i = 0; i < 8; i++)
        group[i] = i < count % 8 ? load(values, at + whole * 8 + i, size) : 0;
    return pqx_pack32(group, 1, width, out);
}

ALWAYS_INLINE uint8_t *encode_runs(const void *values, size_t count, size_t size, uint32_t width,
                                   uint8_t *out)
{
    size_t worth = 8 * groups_worth(width);
    for (size_t begin = 0, at = 0; begin < count;) {
        size_t length = repeated(values, at, count, size);
        if (length >= worth) {
            if (at > begin) out = put_packed(values, begin, at - begin, size, width, out);
            out = put_repeated(out, length, load(values, at, size), width);
            begin = at = at + length;
        } else {
            at = count - at < 8 ? count : at + (length ? length / 8 * 8 : 8);
            if (at == count || at - begin >= 8 * MOST_GROUPS) {
                out = put_packed(values, begin, at - begin, size, width, out);
                begin = at;
            }
        }
    }
    return out;
}

uint8_t *pqx_encode_runs16(const uint16_t *values, size_t count, uint32_t width, uint8_t *out)
{ return encode_runs(values, count, 2, width, out); }

uint8_t *pqx_encode_runs32(const uint32_t *values, size_t count, uint32_t width, uint8_t *out)
{ return encode_runs(values, count, 4, width, out); }

/* Return how many bytes from `at` on are equal to this one, if its bits are equal; else 0. */
static size_t repeated_bytes(const uint8_t *bytes, size_t at, size_t size)
{
    uint8_t byte = bytes[at];
    if (byte != 0 && byte != 0xff) return 0;
    uint64_t eight = byte * 0x0101010101010101u;
    size_t end = at + 1;
    while (size - end >= 8 && pqx_load64(bytes + end) == eight) end += 8;
    while (end < size && bytes[end] == byte) end++;
    return end - at;
}

/* The bits are already packed: runs consist of whole bytes, except for the last one. */
uint8_t *pqx_encode_bit_runs(const uint8_t *bits, size_t count, uint8_t *out)
{
    size_t whole = count / 8, groups = (count + 7) / 8;
    for (size_t begin = 0, at = 0; begin < groups;) {
        size_t same = at < whole ? repeated_bytes(bits, at, whole) : 0;
        int is_run = same >= groups_worth(1);
        if (!is_run) at += same ? same : 1;
        if (at > begin && (is_run || at == groups || at - begin >= MOST_GROUPS)) {
            out += pqx_varint_put(out, (at - begin) << 1 | 1);
            memcpy(out, bits + begin, at - begin);
            out += at - begin;
            if (at > whole) out[-1] &= (uint8_t)((1u << count % 8) - 1);
            begin = at;
        }
        if (is_run) {
            out = put_repeated(out, same * 8, bits[at] & 1, 1);
            begin = at = at + same;
        }
    }
    return out;
}

uint8_t *pqx_encode_msb_first(const uint16_t *values, size_t count, uint32_t width, uint8_t *out)
{
    uint32_t word = 0, filled = 0;
    for (size_t i = 0; i < count; i++) {
        word = word << width | values[i];
        for (filled += width; filled >= 8; filled -= 8) *out++ = (uint8_t)(word >> (filled - 8));
    }
    if (filled) *out++ = (uint8_t)(word << (8 - filled));
    return out;
}
