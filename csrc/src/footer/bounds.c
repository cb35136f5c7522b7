/* Decide which statistics can be trusted as bounds. */
#include "footer/scan.h"

static int is_floating(const pqx_element *leaf)
{
    return leaf->type == PQX_PHYSICAL_FLOAT || leaf->type == PQX_PHYSICAL_DOUBLE
           || (leaf->type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY
               && leaf->sort_order == PQX_ORDER_FLOAT16);
}

static int is_annotated(const pqx_element *leaf)
{ return leaf->logical_type.length || leaf->converted_type != -1; }

/* Return 1 if min_value/max_value are valid: the combination of physical type, annotation and
 * column order is a known one. */
static int order_is_defined(const pqx_element *leaf)
{
    switch (leaf->column_order) {
    case PQX_ORDER_TYPE_ORDER: return leaf->sort_order != PQX_ORDER_UNDEFINED;
    case PQX_ORDER_IEEE_754_TOTAL_ORDER:
        return is_floating(leaf) && leaf->sort_order != PQX_ORDER_UNDEFINED;
    case PQX_ORDER_INT96_TIMESTAMP_ORDER:
        return leaf->type == PQX_PHYSICAL_INT96 && !is_annotated(leaf);
    default: return 0;
    }
}

/* Return 1 if min/max are valid. Their order is the signed one, and a column order contradicts it.
 */
static int deprecated_pair_counts(const pqx_element *leaf)
{
    return !leaf->column_order && leaf->sort_order == PQX_ORDER_SIGNED
           && (leaf->type == PQX_PHYSICAL_BOOLEAN || leaf->type == PQX_PHYSICAL_INT32
               || leaf->type == PQX_PHYSICAL_INT64 || leaf->type == PQX_PHYSICAL_FLOAT
               || leaf->type == PQX_PHYSICAL_DOUBLE);
}

/* Return 1 for big-endian two's complement numbers: signed byte arrays, which are decimals. */
static int is_big_endian(const pqx_element *leaf)
{
    return (leaf->type == PQX_PHYSICAL_BYTE_ARRAY
            || leaf->type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
           && leaf->sort_order == PQX_ORDER_SIGNED;
}

/* Test whether bytes can be a value of the leaf's type. A number without bytes is not a value:
 * arithmetic would read it as 0. */
static int is_value(const pqx_element *leaf, pqx_bytes value)
{
    static const uint8_t LENGTHS[] = PQX_WIDTHS_OF_TYPE;
    if (is_big_endian(leaf) && !value.size) return 0;
    if (leaf->type == PQX_PHYSICAL_BYTE_ARRAY) return 1;
    if (leaf->type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        return leaf->type_length >= 0 && value.size == (uint32_t)leaf->type_length
               && (leaf->sort_order != PQX_ORDER_FLOAT16 || value.size == 2);
    if (leaf->type < 0 || leaf->type > PQX_PHYSICAL_DOUBLE || value.size != LENGTHS[leaf->type])
        return 0;
    return leaf->type != PQX_PHYSICAL_BOOLEAN || value.data[0] <= 1;
}

/* Move a floating-point value's bits to the top of 64, sign first, so that one function serves all
 * three widths. */
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

/* Map the signed order to the unsigned order. */
static uint64_t floating_rank(uint64_t bits) { return bits >> 63 ? ~bits : bits | 1ull << 63; }

static int floats_inverted(const uint8_t *min, const uint8_t *max, const pqx_element *leaf)
{
    uint64_t low = floating_bits(min, leaf), high = floating_bits(max, leaf);
    if (leaf->column_order != PQX_ORDER_IEEE_754_TOTAL_ORDER && !((low | high) << 1))
        return 0; /* zeros are equal */
    return floating_rank(low) > floating_rank(high);
}

/* Compare big-endian two's complement numbers of any lengths, the format of decimals. */
static int decimals_inverted(pqx_bytes min, pqx_bytes max)
{
    uint8_t min_sign = min.data[0] & 0x80 ? 0xff : 0, max_sign = max.data[0] & 0x80 ? 0xff : 0;
    if (min_sign != max_sign) return max_sign;
    for (size_t left = min.size > max.size ? min.size : max.size; left; left--) {
        uint8_t low = left > min.size ? min_sign : min.data[min.size - left];
        uint8_t high = left > max.size ? max_sign : max.data[max.size - left];
        if (low != high) return low > high;
    }
    return 0;
}

/* Compare little-endian two's complement numbers of one length, the format of 12-byte timestamps.
 */
static int little_endian_inverted(pqx_bytes min, pqx_bytes max)
{
    for (size_t i = min.size; i-- > 0;) {
        uint8_t flip = i + 1 == min.size ? 0x80 : 0, low = min.data[i] ^ flip,
                high = max.data[i] ^ flip;
        if (low != high) return low > high;
    }
    return 0;
}

static int strings_inverted(pqx_bytes min, pqx_bytes max)
{
    size_t shortest = min.size < max.size ? min.size : max.size;
    int order = shortest ? memcmp(min.data, max.data, shortest) : 0;
    return order ? order > 0 : min.size > max.size;
}

static int inverted(const pqx_element *leaf, pqx_bytes min, pqx_bytes max)
{
    const uint8_t *low = min.data, *high = max.data;
    int is_signed = leaf->sort_order != PQX_ORDER_UNSIGNED;
    if (is_floating(leaf)) return floats_inverted(low, high, leaf);
    if (leaf->sort_order == PQX_ORDER_LITTLE_ENDIAN) return little_endian_inverted(min, max);
    switch (leaf->type) {
    case PQX_PHYSICAL_BOOLEAN: return low[0] > high[0];
    case PQX_PHYSICAL_INT32:
        return is_signed ? (int32_t)pqx_load32(low) > (int32_t)pqx_load32(high)
                         : pqx_load32(low) > pqx_load32(high);
    case PQX_PHYSICAL_INT64:
        return is_signed ? (int64_t)pqx_load64(low) > (int64_t)pqx_load64(high)
                         : pqx_load64(low) > pqx_load64(high);
    case PQX_PHYSICAL_INT96: return 0;
    default: break;
    }
    return is_big_endian(leaf) ? decimals_inverted(min, max) : strings_inverted(min, max);
}

/* Check one bound: return `bit` if it can be trusted, else the reason. */
static uint32_t judge(const pqx_element *leaf, pqx_bytes value, uint32_t bit)
{
    if (!value.data) return 0;
    if (!is_value(leaf, value)) return PQX_BOUND_NO_VALUE;
    return is_nan(value.data, leaf) ? PQX_BOUND_NAN : bit;
}

uint32_t pqx_judge_bounds(const pqx_element *leaf, pqx_bytes min, pqx_bytes max)
{
    static const uint32_t BOTH = PQX_BOUND_MIN | PQX_BOUND_MAX;
    if (!order_is_defined(leaf)) return PQX_BOUND_UNORDERED;
    uint32_t found = judge(leaf, min, PQX_BOUND_MIN) | judge(leaf, max, PQX_BOUND_MAX);
    return found == BOTH && inverted(leaf, min, max) ? PQX_BOUND_INVERTED : found;
}

int pqx_read_leaf(const uint8_t *thrift, size_t size, uint8_t column_order, pqx_element *leaf,
                  pqx_error *error)
{
    pqx_cursor c = {thrift, size, 0, error};
    PQX_TRY(pqx_scan_element(&c, leaf));
    leaf->column_order = column_order;
    leaf->sort_order = (uint8_t)pqx_sort_order(thrift, leaf);
    return PQX_OK;
}

void pqx_usable_bounds(const uint8_t *bytes, const pqx_chunk *chunk, const pqx_element *leaf,
                       pqx_range *min, pqx_range *max, int *has)
{
    static const pqx_range NONE = {0, 0};
    pqx_element judging = *leaf;
    int is_defined = order_is_defined(leaf);
    uint32_t low = is_defined ? PQX_PRESENT_MIN_VALUE : PQX_PRESENT_MIN,
             high = is_defined ? PQX_PRESENT_MAX_VALUE : PQX_PRESENT_MAX;
    *min = *max = NONE;
    *has = 0;
    if (!is_defined && !deprecated_pair_counts(leaf)) return;
    judging.column_order = is_defined ? leaf->column_order : PQX_ORDER_TYPE_ORDER;
    *min = is_defined ? chunk->min_value : chunk->min;
    *max = is_defined ? chunk->max_value : chunk->max;
    uint32_t found = pqx_judge_bounds(
        &judging, (pqx_bytes){chunk->present & low ? bytes + min->offset : NULL, min->length},
        (pqx_bytes){chunk->present & high ? bytes + max->offset : NULL, max->length});
    *has = (int)(found & (PQX_BOUND_MIN | PQX_BOUND_MAX));
    if (!(*has & 1)) *min = NONE;
    if (!(*has & 2)) *max = NONE;
}
