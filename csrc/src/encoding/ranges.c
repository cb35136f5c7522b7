#include "encoding/ranges.h"

enum {
    BLOCK = 1024,  /* values that are compared together */
    FEW_RANGES = 4 /* that are compared one after another, without branches */
};

/* ---- bounds ---- */

typedef struct bound {
    const uint8_t *data;
    size_t size;
} bound;

static bound bound_of(const pqx_ranges *ranges, size_t number)
{
    uint64_t begin = ranges->offsets[number], end = ranges->offsets[number + 1];
    return (bound){ranges->bytes + begin, (size_t)(end - begin)};
}

static int compare(bound a, bound b)
{
    size_t shared = a.size < b.size ? a.size : b.size;
    int order = shared ? memcmp(a.data, b.data, shared) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}

static int is_ascending(const pqx_ranges *ranges, size_t number)
{
    size_t last = 2 * ranges->count - 1;
    if (ranges->type != PQX_PHYSICAL_BYTE_ARRAY)
        return number % 2 ? ranges->keys[number - 1] <= ranges->keys[number]
                          : ranges->keys[number - 1] < ranges->keys[number];
    if (number == last && ranges->is_open) return 1;
    return compare(bound_of(ranges, number - 1), bound_of(ranges, number)) < 0;
}

static int is_known(const pqx_ranges *ranges)
{
    switch (ranges->type) {
    case PQX_PHYSICAL_INT32: return ranges->bits == 8 || ranges->bits == 16 || ranges->bits == 32;
    case PQX_PHYSICAL_BOOLEAN:
    case PQX_PHYSICAL_INT64:
    case PQX_PHYSICAL_FLOAT:
    case PQX_PHYSICAL_DOUBLE:
    case PQX_PHYSICAL_BYTE_ARRAY: return 1;
    default: return 0;
    }
}

/* Return the highest key of a type; 0 for byte arrays, which have none. */
static uint64_t highest_key(int type)
{
    switch (type) {
    case PQX_PHYSICAL_BYTE_ARRAY: return 0;
    case PQX_PHYSICAL_BOOLEAN: return 1;
    case PQX_PHYSICAL_INT32:
    case PQX_PHYSICAL_FLOAT: return UINT32_MAX;
    default: return UINT64_MAX;
    }
}

int pqx_ranges_check(const pqx_ranges *ranges, pqx_error *error)
{
    if (!is_known(ranges))
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, PQX_PHYSICAL_BYTE_ARRAY,
                        (uint64_t)ranges->type);
    for (size_t i = 1; i < 2 * ranges->count; i++)
        if (!is_ascending(ranges, i)) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, 0, i);
    uint64_t most = highest_key(ranges->type);
    if (most && ranges->count && ranges->keys[2 * ranges->count - 1] > most)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, most, ranges->keys[2 * ranges->count - 1]);
    return PQX_OK;
}

/* ---- numbers ---- */

/* Convert flags, a byte of 0 or 1 each, to bits; the flags after the last one may be read. */
static void pack(const uint8_t *flags, size_t count, uint8_t *bits)
{
    for (size_t i = 0; i < count; i += 8)
        bits[i / 8] = (uint8_t)((pqx_load64(flags + i) * UINT64_C(0x0102040810204080)) >> 56);
}

static void keys_of_int32(const pqx_ranges *ranges, const uint8_t *values, size_t count,
                          uint32_t *keys)
{
    uint32_t shift = 32u - ranges->bits, flip = ranges->is_unsigned ? 0 : UINT32_C(1) << 31;
    for (size_t i = 0; i < count; i++) {
        uint32_t high = pqx_load32(values + 4 * i) << shift;
        keys[i] = flip ? (uint32_t)((int32_t)high >> shift) ^ flip : high >> shift;
    }
}

static void keys_of_int64(const pqx_ranges *ranges, const uint8_t *values, size_t count,
                          uint64_t *keys)
{
    uint64_t flip = ranges->is_unsigned ? 0 : UINT64_C(1) << 63;
    for (size_t i = 0; i < count; i++) keys[i] = pqx_load64(values + 8 * i) ^ flip;
}

/* Floats of the same sign have the order of their bits, or the reverse one. */
static void keys_of_float(const uint8_t *values, size_t count, uint32_t *keys)
{
    const uint32_t sign = UINT32_C(1) << 31;
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = pqx_load32(values + 4 * i);
        bits = bits == sign ? 0 : bits;
        keys[i] = bits ^ ((0 - (bits >> 31)) | sign);
    }
}

static void keys_of_double(const uint8_t *values, size_t count, uint64_t *keys)
{
    const uint64_t sign = UINT64_C(1) << 63;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = pqx_load64(values + 8 * i);
        bits = bits == sign ? 0 : bits;
        keys[i] = bits ^ ((0 - (bits >> 63)) | sign);
    }
}

/* Return the number of the last range that begins at a key or below it, or 0. */
static size_t find(const uint64_t *bounds, size_t count, uint64_t key)
{
    size_t first = 0;
    for (size_t left = count, half; left > 1; left -= half) {
        half = left / 2;
        first += bounds[2 * (first + half)] <= key ? half : 0;
    }
    return first;
}

/* Compare keys of 32 or 64 bits with a few ranges. */
#define FLAG_FEW(name, key_type)                                                                   \
    static void name(const pqx_ranges *ranges, const key_type *keys, size_t count, uint8_t *flags) \
    {                                                                                              \
        memset(flags, 0, count);                                                                   \
        for (size_t range = 0; range < ranges->count; range++) {                                   \
            key_type low = (key_type)ranges->keys[2 * range];                                      \
            key_type width = (key_type)((key_type)ranges->keys[2 * range + 1] - low);              \
            for (size_t i = 0; i < count; i++) flags[i] |= (key_type)(keys[i] - low) <= width;     \
        }                                                                                          \
    }
FLAG_FEW(flag_few_32, uint32_t)
FLAG_FEW(flag_few_64, uint64_t)

static int contains(const pqx_ranges *ranges, uint64_t key)
{
    const uint64_t *range = ranges->keys + 2 * find(ranges->keys, ranges->count, key);
    return range[0] <= key && key <= range[1];
}

static void flag_32(const pqx_ranges *ranges, const uint32_t *keys, size_t count, uint8_t *flags)
{
    if (ranges->count <= FEW_RANGES) flag_few_32(ranges, keys, count, flags);
    else
        for (size_t i = 0; i < count; i++) flags[i] = (uint8_t)contains(ranges, keys[i]);
}

static void flag_64(const pqx_ranges *ranges, const uint64_t *keys, size_t count, uint8_t *flags)
{
    if (ranges->count <= FEW_RANGES) flag_few_64(ranges, keys, count, flags);
    else
        for (size_t i = 0; i < count; i++) flags[i] = (uint8_t)contains(ranges, keys[i]);
}

static void flag_nans(const pqx_ranges *ranges, const uint8_t *values, size_t count, uint8_t *flags)
{
    if (ranges->type == PQX_PHYSICAL_FLOAT)
        for (size_t i = 0; i < count; i++)
            flags[i] |= (pqx_load32(values + 4 * i) & 0x7fffffff) > 0x7f800000;
    else
        for (size_t i = 0; i < count; i++)
            flags[i] |= (pqx_load64(values + 8 * i) & UINT64_C(0x7fffffffffffffff))
                        > UINT64_C(0x7ff0000000000000);
}

static void flag_block(const pqx_ranges *ranges, const uint8_t *values, size_t count,
                       uint8_t *flags)
{
    union {
        uint32_t of_32[BLOCK];
        uint64_t of_64[BLOCK];
    } keys;
    int is_float = ranges->type == PQX_PHYSICAL_FLOAT || ranges->type == PQX_PHYSICAL_DOUBLE;
    if (ranges->type == PQX_PHYSICAL_INT32 || ranges->type == PQX_PHYSICAL_FLOAT) {
        if (is_float) keys_of_float(values, count, keys.of_32);
        else keys_of_int32(ranges, values, count, keys.of_32);
        flag_32(ranges, keys.of_32, count, flags);
    } else {
        if (is_float) keys_of_double(values, count, keys.of_64);
        else keys_of_int64(ranges, values, count, keys.of_64);
        flag_64(ranges, keys.of_64, count, flags);
    }
    if (is_float && ranges->has_nan) flag_nans(ranges, values, count, flags);
}

void pqx_ranges_find_fixed(const pqx_ranges *ranges, const uint8_t *values, size_t count,
                           uint8_t *bits)
{
    int is_short = ranges->type == PQX_PHYSICAL_INT32 || ranges->type == PQX_PHYSICAL_FLOAT;
    uint8_t flags[BLOCK + 8] = {0};
    for (size_t some; count; count -= some, bits += some / 8) {
        some = count < BLOCK ? count : BLOCK;
        if (!ranges->count && !ranges->has_nan) memset(flags, 0, some);
        else flag_block(ranges, values, some, flags);
        pack(flags, some, bits);
        values += some * (is_short ? 4 : 8);
    }
}

/* ---- byte arrays and booleans ---- */

/* Return 1 if a range contains one value: its end is the value and a zero byte. */
static int is_point(const pqx_ranges *ranges, size_t range)
{
    bound first = bound_of(ranges, 2 * range), end = bound_of(ranges, 2 * range + 1);
    return end.size == first.size + 1 && !end.data[first.size]
           && (!first.size || !memcmp(first.data, end.data, first.size));
}

static int contains_bytes(const pqx_ranges *ranges, bound value)
{
    size_t first = 0;
    for (size_t left = ranges->count, half; left > 1; left -= half) {
        half = left / 2;
        first += compare(bound_of(ranges, 2 * (first + half)), value) <= 0 ? half : 0;
    }
    if (compare(bound_of(ranges, 2 * first), value) > 0) return 0;
    return (ranges->is_open && first + 1 == ranges->count)
           || compare(value, bound_of(ranges, 2 * first + 1)) < 0;
}

static void flag_equal(bound wanted, const uint8_t *bytes, const int32_t *ends, size_t count,
                       uint8_t *flags)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = (size_t)(ends[i + 1] - ends[i]);
        flags[i] = size == wanted.size && (!size || !memcmp(bytes + ends[i], wanted.data, size));
    }
}

void pqx_ranges_find_binary(const pqx_ranges *ranges, const uint8_t *bytes, const int32_t *ends,
                            size_t count, uint8_t *bits)
{
    uint8_t flags[BLOCK + 8] = {0};
    int is_equality = ranges->count == 1 && !ranges->is_open && is_point(ranges, 0);
    for (size_t some; count; count -= some, bits += some / 8, ends += some) {
        some = count < BLOCK ? count : BLOCK;
        if (is_equality) flag_equal(bound_of(ranges, 0), bytes, ends, some, flags);
        else
            for (size_t i = 0; i < some; i++) {
                bound value = {bytes + ends[i], (size_t)(ends[i + 1] - ends[i])};
                flags[i] = ranges->count && contains_bytes(ranges, value);
            }
        pack(flags, some, bits);
    }
}

void pqx_ranges_find_bits(const pqx_ranges *ranges, size_t count, uint8_t *bits)
{
    int has_false = ranges->count && contains(ranges, 0);
    int has_true = ranges->count && contains(ranges, 1);
    for (size_t i = 0; i < (count + 7) / 8; i++)
        bits[i] = (uint8_t)((has_true ? bits[i] : 0) | (has_false ? ~bits[i] : 0));
}

void pqx_ranges_find_indices(const uint8_t *flags, const uint32_t *indices, size_t count,
                             uint8_t *bits)
{
    uint8_t found[BLOCK + 8] = {0};
    for (size_t some; count; count -= some, bits += some / 8, indices += some) {
        some = count < BLOCK ? count : BLOCK;
        for (size_t i = 0; i < some; i++) found[i] = flags[indices[i]];
        pack(found, some, bits);
    }
}
