/* Convert numbers that Parquet stores as bytes to Arrow's format: decimals, and timestamps of 12
 * bytes. */
#include "base/internal.h"

static const uint64_t NANOSECONDS_PER_DAY = UINT64_C(86400000000000);
static const uint64_t JULIAN_EPOCH = 2440588;

/* Convert a big-endian integer to a little-endian one of `width` bytes. Return 0 if it has no bytes
 * or does not fit. */
static int widen(const uint8_t *from, size_t size, uint32_t width, uint8_t *to)
{
    if (!size) return 0;
    uint8_t sign = from[0] & 0x80 ? 0xFF : 0;
    for (; size > width; from++, size--)
        if (from[0] != sign || (from[1] & 0x80) != (sign & 0x80)) return 0;
    for (size_t i = 0; i < size; i++) to[i] = from[size - 1 - i];
    memset(to + size, sign, width - size);
    return 1;
}

/* Convert a little-endian integer of 12 bytes to 64 bits. Return 0 if it does not fit. */
static int shorten(const uint8_t *from, int64_t *to)
{
    *to = (int64_t)pqx_load64(from);
    return pqx_load32(from + 8) == (*to < 0 ? UINT32_MAX : 0);
}

static int is_null(const uint8_t *valid, uint64_t i)
{ return valid && !(valid[i >> 3] >> (i & 7) & 1); }

int pqx_wide_integers(const uint8_t *values, size_t size, const int32_t *offsets, uint64_t count,
                      uint32_t stored, const uint8_t *valid, uint32_t width, uint8_t *out,
                      pqx_error *error)
{
    if (!width || width > 32) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, 32, width);
    if (!offsets && (!stored || size / stored < count))
        return pqx_fail(error, PQX_TRUNCATED, 0, count * stored, size);
    for (uint64_t i = 0; i < count; i++, out += width) {
        uint64_t begin = i * stored, length = stored;
        if (offsets) {
            if (offsets[i] < 0 || offsets[i + 1] < offsets[i] || (size_t)offsets[i + 1] > size)
                return pqx_fail(error, PQX_TRUNCATED, i, (uint64_t)offsets[i + 1], size);
            begin = (uint64_t)offsets[i], length = (uint64_t)(offsets[i + 1] - offsets[i]);
        }
        if (is_null(valid, i)) memset(out, 0, width);
        else if (!widen(values + begin, length, width, out))
            return pqx_fail(error, PQX_TOO_WIDE, i, width, length);
    }
    return PQX_OK;
}

int pqx_wide_instants(const uint8_t *values, size_t size, uint64_t count, uint64_t unit,
                      int64_t *out, pqx_error *error)
{
    if (!unit || NANOSECONDS_PER_DAY % unit)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, NANOSECONDS_PER_DAY, unit);
    if (size / 12 < count) return pqx_fail(error, PQX_TRUNCATED, 0, count * 12, size);
    for (uint64_t i = 0; i < count; i++, values += 12) {
        uint64_t nanoseconds = pqx_load64(values), day = pqx_load32(values + 8);
        uint64_t midnight = (day - JULIAN_EPOCH) * (NANOSECONDS_PER_DAY / unit);
        out[i] = day ? (int64_t)(midnight + nanoseconds / unit) : 0;
    }
    return PQX_OK;
}

int pqx_wide_timestamps(const uint8_t *values, size_t size, uint64_t count, int64_t *out,
                        pqx_error *error)
{
    if (size / 12 < count) return pqx_fail(error, PQX_TRUNCATED, 0, count * 12, size);
    for (uint64_t i = 0; i < count; i++, values += 12)
        if (!shorten(values, out + i)) return pqx_fail(error, PQX_TOO_WIDE, i, 8, 12);
    return PQX_OK;
}
