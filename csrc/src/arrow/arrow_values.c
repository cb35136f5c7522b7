/* Convert the stored values of one leaf to the buffers of an Arrow array. */
#include "base/internal.h"

enum { LIMBS = 8 };
static const int64_t NANOSECONDS_PER_DAY = INT64_C(86400000000000);
static const int64_t JULIAN_EPOCH = 2440588;

/* An integer of 256 bits in two's complement, the lowest 32 bits first. */
typedef struct wide {
    uint32_t limb[LIMBS];
} wide;

static int is_number(const pqx_arrow_type *type)
{ return type->reading == PQX_READING_SIGNED || type->reading == PQX_READING_UNSIGNED; }
static int is_decimal(const pqx_arrow_type *type)
{
    return type->reading == PQX_READING_DECIMAL
           || (type->reading == PQX_READING_SIGNED && type->precision);
}
/* Return 1 for a timestamp of FIXED_LEN_BYTE_ARRAY(12). */
static int is_long(const pqx_arrow_type *type)
{ return type->reading == PQX_READING_SIGNED && !type->precision && type->stored == 12; }
static int is_of_any_length(const pqx_arrow_type *type)
{ return !type->width && type->reading != PQX_READING_BOOLEAN; }

static int is_known(const pqx_arrow_type *type)
{
    uint32_t stored = type->stored, width = type->width;
    if (is_decimal(type))
        return type->precision - 1 < (width == 16 ? 38u : 76u) && (width == 16 || width == 32)
               && (type->reading == PQX_READING_DECIMAL || stored == 4 || stored == 8);
    if (is_long(type)) return width == 8;
    if (is_number(type))
        return (stored == 4 || stored == 8) && width <= stored
               && (width == 1 || width == 2 || width == 4 || width == 8);
    switch (type->reading) {
    case PQX_READING_BOOLEAN: return stored == 1 && !width;
    case PQX_READING_INT96: return stored == 12 && width == 8;
    case PQX_READING_TEXT: return !stored && !width;
    case PQX_READING_FLOAT: return stored && stored == width;
    default: return !type->reading && stored == width;
    }
}

int pqx_arrow_values_size(const pqx_arrow_type *type, const pqx_bytes *stored, uint64_t count,
                          uint64_t *size, pqx_error *error)
{
    if (!is_known(type))
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, PQX_READING_INT96, type->reading);
    if (count >= INT32_MAX) return pqx_fail(error, PQX_TOO_LARGE, 0, INT32_MAX, count);
    *size = type->reading == PQX_READING_BOOLEAN ? (count + 7) / 8 : count * type->width;
    for (uint64_t i = 0; is_of_any_length(type) && i < count && *size <= INT32_MAX; i++)
        *size += stored[i].data ? stored[i].size : 0;
    return *size > INT32_MAX ? pqx_fail(error, PQX_TOO_LARGE, 0, INT32_MAX, *size) : PQX_OK;
}

/* ---- decimals ---- */

static wide power_of_ten(uint32_t exponent)
{
    wide power = {{1}};
    for (; exponent; exponent--) {
        uint64_t carry = 0;
        for (int i = 0; i < LIMBS; i++) {
            carry += (uint64_t)power.limb[i] * 10;
            power.limb[i] = (uint32_t)carry;
            carry >>= 32;
        }
    }
    return power;
}

/* Read two's complement of any length; fail if it has no bytes or does not fit in 256 bits. */
static int read_wide(pqx_bytes value, int is_big_endian, wide *number)
{
    uint8_t bytes[sizeof *number], sign = 0;
    if (!value.size) return 0;
    if (value.data[is_big_endian ? 0 : value.size - 1] & 0x80) sign = 0xff;
    memset(bytes, sign, sizeof bytes);
    for (size_t i = 0; i < value.size; i++) {
        uint8_t byte = value.data[is_big_endian ? value.size - 1 - i : i];
        if (i < sizeof bytes) bytes[i] = byte;
        else if (byte != sign) return 0;
    }
    memcpy(number, bytes, sizeof bytes);
    return !((bytes[sizeof bytes - 1] ^ sign) & 0x80);
}

/* Return 1 if the absolute value is below the limit. */
static int is_below(const wide *number, const wide *limit)
{
    int is_negative = number->limb[LIMBS - 1] >> 31, order = 0;
    uint64_t carry = 1;
    for (int i = 0; i < LIMBS; i++) {
        uint32_t limb = number->limb[i];
        if (is_negative) {
            carry += (uint32_t)~limb;
            limb = (uint32_t)carry;
            carry >>= 32;
        }
        if (limb != limit->limb[i]) order = limb < limit->limb[i] ? -1 : 1;
    }
    return order < 0;
}

/* ---- values ---- */

/* Write an integer if it fits in `width` bytes. */
static int narrow(const pqx_arrow_type *type, const uint8_t *value, uint8_t *to)
{
    int64_t number = type->stored == 4 ? (int32_t)pqx_load32(value) : (int64_t)pqx_load64(value);
    if (type->width < type->stored) {
        int64_t half = INT64_C(1) << (8 * type->width - 1);
        int64_t low = type->reading == PQX_READING_SIGNED ? -half : 0,
                high = low + (half - 1) + half;
        if (number < low || number > high) return 0;
    }
    memcpy(to, &number, type->width);
    return 1;
}

/* Convert nanoseconds of a day, of any number, and a Julian day to nanoseconds since 1970. */
static int read_instant(const uint8_t *value, uint8_t *to)
{
    int64_t day = (int64_t)(int32_t)pqx_load32(value + 8) - JULIAN_EPOCH,
            time = (int64_t)pqx_load64(value);
    day += time / NANOSECONDS_PER_DAY;
    time %= NANOSECONDS_PER_DAY;
    if (day > 0 && time < 0) day--, time += NANOSECONDS_PER_DAY;
    if (day < 0 && time > 0) day++, time -= NANOSECONDS_PER_DAY;
    if (day > (INT64_MAX - (time > 0 ? time : 0)) / NANOSECONDS_PER_DAY
        || day < (INT64_MIN - (time < 0 ? time : 0)) / NANOSECONDS_PER_DAY)
        return 0;
    time += day * NANOSECONDS_PER_DAY;
    memcpy(to, &time, sizeof time);
    return 1;
}

static int convert(const pqx_arrow_type *type, const wide *limit, pqx_bytes value, uint8_t *to)
{
    wide number;
    if (is_decimal(type)) {
        if (!read_wide(value, type->reading == PQX_READING_DECIMAL, &number)
            || !is_below(&number, limit))
            return 0;
        memcpy(to, &number, type->width);
        return 1;
    }
    if (is_long(type)) {
        int64_t count;
        if (pqx_wide_timestamps(value.data, value.size, 1, &count, NULL)) return 0;
        memcpy(to, &count, sizeof count);
        return 1;
    }
    if (is_number(type)) return narrow(type, value.data, to);
    if (type->reading == PQX_READING_INT96) return read_instant(value.data, to);
    if (type->width) memcpy(to, value.data, type->width);
    return 1;
}

/* Append bytes of any length; text only if it is valid. */
static int append(const pqx_arrow_type *type, pqx_bytes value, pqx_arrow_values *out)
{
    if (type->reading == PQX_READING_TEXT && !pqx_is_text(value.data, (uint32_t)value.size))
        return 0;
    if (value.size) memcpy(out->values + out->size, value.data, value.size);
    out->size += value.size;
    return 1;
}

void pqx_arrow_values_fill(const pqx_arrow_type *type, const pqx_bytes *stored, uint64_t count,
                           pqx_arrow_values *out)
{
    int has_offsets = is_of_any_length(type), is_boolean = type->reading == PQX_READING_BOOLEAN;
    wide limit = power_of_ten(is_decimal(type) ? type->precision : 0);
    out->nulls = 0;
    out->size = has_offsets ? 0 : is_boolean ? (count + 7) / 8 : count * type->width;
    for (uint64_t i = 0; i < count; i++) {
        pqx_bytes value = stored[i];
        uint8_t bit = (uint8_t)(1u << i % 8);
        int there = value.data && (!type->stored || value.size == type->stored);
        if (!there)
            ;
        else if (has_offsets) there = append(type, value, out);
        else if (is_boolean) out->values[i / 8] |= value.data[0] ? bit : 0;
        else there = convert(type, &limit, value, out->values + i * type->width);
        if (has_offsets) out->offsets[i + 1] = (int32_t)out->size;
        if (there) out->valid[i / 8] |= bit;
        else out->nulls++;
    }
}
