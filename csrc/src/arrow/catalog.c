/* The bounds of all chunks as columns: bytes, numbers, text and timestamps, each if the bound is of
 * that kind. */
#include <math.h>

#include "base/internal.h"

enum { STORED, INTEGER, DOUBLE, TEXT, MOMENT }; /* the bitmaps of pqx_bound_column.valid */
static const int64_t MICROSECONDS_PER_DAY = INT64_C(86400000000);

int pqx_bound_bytes(const uint8_t *data, const pqx_scan *scan, uint64_t *minima, uint64_t *maxima,
                    pqx_error *error)
{
    *minima = *maxima = 0;
    for (uint32_t i = 0; i < scan->row_group_count; i++) {
        const pqx_row_group *group = &scan->row_groups[i];
        if (group->chunk_count != scan->leaf_count)
            return pqx_fail(error, PQX_IRREGULAR, group->columns.offset, scan->leaf_count,
                            group->chunk_count);
    }
    for (uint64_t i = 0; i < scan->chunk_count; i++) {
        pqx_range low, high;
        int has;
        pqx_usable_bounds(data, &scan->chunks[i],
                          &scan->elements[scan->leaves[i % scan->leaf_count]], &low, &high, &has);
        *minima += low.length;
        *maxima += high.length;
    }
    uint64_t most = *minima > *maxima ? *minima : *maxima;
    return most > INT32_MAX ? pqx_fail(error, PQX_TOO_LARGE, 0, INT32_MAX, most) : PQX_OK;
}

/* Read big-endian two's complement of any length; fail if it does not fit in 64 bits. */
static int read_decimal(const uint8_t *value, uint32_t length, int64_t *number)
{
    if (!length) return 0;
    uint8_t sign = value[0] & 0x80 ? 0xff : 0;
    for (; length > 8; value++, length--)
        if (value[0] != sign) return 0;
    uint64_t bits = sign ? UINT64_MAX : 0;
    if ((value[0] ^ sign) & 0x80 && length == 8) return 0;
    for (uint32_t i = 0; i < length; i++) bits = bits << 8 | value[i];
    memcpy(number, &bits, sizeof bits);
    return 1;
}

static int read_integer(int reading, const uint8_t *value, uint32_t length, int64_t *number)
{
    switch (reading) {
    case PQX_READING_SIGNED:
        if (length == 12) return !pqx_wide_timestamps(value, length, 1, number, NULL);
        if (length != 4 && length != 8) return 0;
        *number = length == 4 ? (int32_t)pqx_load32(value) : (int64_t)pqx_load64(value);
        return 1;
    case PQX_READING_UNSIGNED:
        if (length != 4 && length != 8) return 0;
        *number = length == 4 ? (int64_t)pqx_load32(value) : (int64_t)pqx_load64(value);
        return *number >= 0;
    case PQX_READING_BOOLEAN: *number = length && value[0] & 1; return length == 1;
    case PQX_READING_DECIMAL: return read_decimal(value, length, number);
    default: return 0;
    }
}

static double half(uint16_t bits)
{
    int exponent = bits >> 10 & 0x1f;
    double fraction = bits & 0x3ff, size;
    if (exponent == 0x1f) size = (double)(fraction ? NAN : INFINITY);
    else
        size = exponent ? (1024 + fraction) * (double)(1u << exponent) / (1u << 25)
                        : fraction / (1u << 24);
    return bits & 0x8000 ? -size : size;
}

static int read_double(const uint8_t *value, uint32_t length, int64_t *bits)
{
    double number;
    float single;
    if (length == 8) memcpy(&number, value, 8);
    else if (length == 4) memcpy(&single, value, 4), number = (double)single;
    else if (length == 2) number = half(pqx_load16(value));
    else return 0;
    memcpy(bits, &number, 8);
    return 1;
}

/* Convert a count since 1970 to microseconds, rounded down, or up if `up` is set. */
static int read_moment(int unit, int64_t count, int up, int64_t *moment)
{
    int64_t factor = unit == PQX_READING_DAYS           ? MICROSECONDS_PER_DAY
                     : unit == PQX_READING_MILLISECONDS ? 1000
                                                        : 1;
    if (unit == PQX_READING_NANOSECONDS) {
        int64_t left = count % 1000;
        *moment = count / 1000 + (left > 0 && up) - (left < 0 && !up);
        return 1;
    }
    if (!unit || count > INT64_MAX / factor || count < INT64_MIN / factor) return 0;
    *moment = count * factor;
    return 1;
}

static void put(pqx_bound_column *column, uint64_t index, uint64_t count, const uint8_t *value,
                uint32_t length, int reading, int up)
{
    size_t bitmap = (size_t)((count + 7) / 8), byte = (size_t)(index / 8);
    uint8_t bit = (uint8_t)(1u << index % 8), *valid = column->valid + byte;
    int64_t *number = &column->numbers[index];
    int what = reading & (int)PQX_READING_VALUE;
    if (length) memcpy(column->bytes + column->offsets[index], value, length);
    valid[STORED * bitmap] |= bit;
    if (read_integer(what, value, length, number)) {
        valid[INTEGER * bitmap] |= bit;
        if (read_moment(reading & (int)PQX_READING_UNIT, *number, up, &column->moments[index]))
            valid[MOMENT * bitmap] |= bit;
    } else if (what == PQX_READING_FLOAT && read_double(value, length, number)) {
        valid[DOUBLE * bitmap] |= bit;
    } else {
        *number = 0;
        if (what == PQX_READING_TEXT && pqx_is_text(value, length)) valid[TEXT * bitmap] |= bit;
    }
}

static void clear(pqx_bound_column *column, uint64_t count)
{
    memset(column->numbers, 0, (size_t)count * sizeof *column->numbers);
    memset(column->moments, 0, (size_t)count * sizeof *column->moments);
    memset(column->valid, 0, PQX_BOUND_BITMAPS * (size_t)((count + 7) / 8));
    column->offsets[0] = 0;
}

void pqx_bound_columns(const uint8_t *data, const pqx_scan *scan, const uint8_t *readings,
                       pqx_bound_column *minima, pqx_bound_column *maxima)
{
    uint64_t count = scan->chunk_count;
    clear(minima, count);
    clear(maxima, count);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t leaf = (uint32_t)(i % scan->leaf_count);
        pqx_range low, high;
        int has;
        pqx_usable_bounds(data, &scan->chunks[i], &scan->elements[scan->leaves[leaf]], &low, &high,
                          &has);
        minima->offsets[i + 1] = minima->offsets[i] + (int32_t)low.length;
        maxima->offsets[i + 1] = maxima->offsets[i] + (int32_t)high.length;
        if (has & 1) put(minima, i, count, data + low.offset, low.length, readings[leaf], 0);
        if (has & 2) put(maxima, i, count, data + high.offset, high.length, readings[leaf], 1);
    }
}
