/* Which statistics can be trusted as bounds. */
#include "base/internal.h"

static int is_floating(const pqx_element *leaf)
{
    return leaf->type == PQX_PHYSICAL_FLOAT || leaf->type == PQX_PHYSICAL_DOUBLE
           || (leaf->type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY
               && leaf->sort_order == PQX_ORDER_FLOAT16);
}

/* Does min_value/max_value count? Otherwise the deprecated pair might. */
static int order_is_defined(const pqx_element *leaf)
{
    switch (leaf->column_order) {
    case PQX_ORDER_TYPE_ORDER: return leaf->sort_order != PQX_ORDER_UNDEFINED;
    case PQX_ORDER_IEEE_754_TOTAL_ORDER: return is_floating(leaf);
    case PQX_ORDER_INT96_TIMESTAMP_ORDER: return leaf->type == PQX_PHYSICAL_INT96;
    default: return 0;
    }
}

static int deprecated_pair_counts(const pqx_element *leaf)
{
    return leaf->sort_order == PQX_ORDER_SIGNED
           && (leaf->type == PQX_PHYSICAL_BOOLEAN || leaf->type == PQX_PHYSICAL_INT32
               || leaf->type == PQX_PHYSICAL_INT64 || leaf->type == PQX_PHYSICAL_FLOAT
               || leaf->type == PQX_PHYSICAL_DOUBLE);
}

static int has_right_length(const pqx_element *leaf, uint32_t length)
{
    static const uint8_t LENGTHS[] = PQX_WIDTHS_OF_TYPE;
    if (leaf->type == PQX_PHYSICAL_BYTE_ARRAY) return 1;
    if (leaf->type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        return leaf->type_length >= 0 && length == (uint32_t)leaf->type_length
               && (leaf->sort_order != PQX_ORDER_FLOAT16 || length == 2);
    return leaf->type >= 0 && leaf->type <= PQX_PHYSICAL_DOUBLE && length == LENGTHS[leaf->type];
}

/* A floating-point value's bits at the top of 64: sign first, so that one code serves all three
 * widths. */
static uint64_t floating_bits(const uint8_t *value, const pqx_element *leaf)
{
    if (leaf->type == PQX_PHYSICAL_FLOAT) return (uint64_t)pqx_load32(value) << 32;
    return leaf->type == PQX_PHYSICAL_DOUBLE ? pqx_load64(value)
                                             : (uint64_t)pqx_load16(value) << 48;
}

static int is_nan(const uint8_t *value, const pqx_element *leaf)
{
    if (!is_floating(leaf)) return 0;
    uint64_t infinity = leaf->type == PQX_PHYSICAL_FLOAT    ? 0x7f80000000000000u
                        : leaf->type == PQX_PHYSICAL_DOUBLE ? 0x7ff0000000000000u
                                                            : 0x7c00000000000000u;
    return (floating_bits(value, leaf) & INT64_MAX) > infinity;
}

/* Map a signed order onto the unsigned one. */
static uint64_t floating_rank(uint64_t bits) { return bits >> 63 ? ~bits : bits | 1ull << 63; }

static int floats_inverted(const uint8_t *min, const uint8_t *max, const pqx_element *leaf)
{
    uint64_t low = floating_bits(min, leaf), high = floating_bits(max, leaf);
    if (leaf->column_order != PQX_ORDER_IEEE_754_TOTAL_ORDER && !((low | high) << 1))
        return 0; /* zeros are equal */
    return floating_rank(low) > floating_rank(high);
}

/* Big-endian two's complement of any lengths, as decimals are stored. */
static int decimals_inverted(const uint8_t *min, uint32_t min_length, const uint8_t *max,
                             uint32_t max_length)
{
    uint8_t min_sign = min_length && min[0] & 0x80 ? 0xff : 0,
            max_sign = max_length && max[0] & 0x80 ? 0xff : 0;
    if (min_sign != max_sign) return max_sign;
    uint32_t longest = min_length > max_length ? min_length : max_length;
    for (uint32_t left = longest; left; left--) {
        uint8_t low = left > min_length ? min_sign : min[min_length - left];
        uint8_t high = left > max_length ? max_sign : max[max_length - left];
        if (low != high) return low > high;
    }
    return 0;
}

static int strings_inverted(const uint8_t *min, uint32_t min_length, const uint8_t *max,
                            uint32_t max_length)
{
    uint32_t shortest = min_length < max_length ? min_length : max_length;
    int order = shortest ? memcmp(min, max, shortest) : 0;
    return order ? order > 0 : min_length > max_length;
}

static int inverted(const uint8_t *bytes, const pqx_element *leaf, pqx_range min, pqx_range max)
{
    const uint8_t *low = bytes + min.offset, *high = bytes + max.offset;
    int is_signed = leaf->sort_order != PQX_ORDER_UNSIGNED;
    if (is_floating(leaf)) return floats_inverted(low, high, leaf);
    switch (leaf->type) {
    case PQX_PHYSICAL_BOOLEAN: return (low[0] & 1) > (high[0] & 1);
    case PQX_PHYSICAL_INT32:
        return is_signed ? (int32_t)pqx_load32(low) > (int32_t)pqx_load32(high)
                         : pqx_load32(low) > pqx_load32(high);
    case PQX_PHYSICAL_INT64:
        return is_signed ? (int64_t)pqx_load64(low) > (int64_t)pqx_load64(high)
                         : pqx_load64(low) > pqx_load64(high);
    case PQX_PHYSICAL_INT96: return 0;
    default: break;
    }
    return is_signed ? decimals_inverted(low, min.length, high, max.length)
                     : strings_inverted(low, min.length, high, max.length);
}

void pqx_usable_bounds(const uint8_t *bytes, const pqx_chunk *chunk, const pqx_element *leaf,
                       pqx_range *min, pqx_range *max, int *has)
{
    int is_defined = order_is_defined(leaf);
    uint32_t low = is_defined ? PQX_PRESENT_MIN_VALUE : PQX_PRESENT_MIN,
             high = is_defined ? PQX_PRESENT_MAX_VALUE : PQX_PRESENT_MAX;
    *min = *max = (pqx_range){0, 0};
    *has = 0;
    if (!is_defined && !deprecated_pair_counts(leaf)) return;
    *min = is_defined ? chunk->min_value : chunk->min;
    *max = is_defined ? chunk->max_value : chunk->max;
    if (chunk->present & low && has_right_length(leaf, min->length)
        && !is_nan(bytes + min->offset, leaf))
        *has |= 1;
    if (chunk->present & high && has_right_length(leaf, max->length)
        && !is_nan(bytes + max->offset, leaf))
        *has |= 2;
    if (*has == 3 && inverted(bytes, leaf, *min, *max)) *has = 0;
    if (!(*has & 1)) *min = (pqx_range){0, 0};
    if (!(*has & 2)) *max = (pqx_range){0, 0};
}
