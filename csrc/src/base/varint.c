#include "base/internal.h"

/* Decode byte by byte, with every check; `bits` is 32 or 64. */
static int get_checked(const uint8_t *data, size_t size, size_t at, unsigned bits, uint64_t *value,
                       size_t *next, pqx_error *error)
{
    size_t left = at < size ? size - at : 0, longest = bits == 32 ? 5 : 10;
    uint64_t sum = 0;
    for (size_t i = 0; i < longest; i++) {
        if (i >= left) return pqx_fail(error, PQX_TRUNCATED, at, left + 1, left);
        uint64_t byte = data[at + i];
        if (i + 1 == longest) {
            if (byte & 0x80) return pqx_fail(error, PQX_VARINT_TOO_LONG, at, longest, 0);
            if (byte >> (bits - 7 * i)) return pqx_fail(error, PQX_VARINT_OVERFLOW, at, bits, byte);
        }
        sum |= (byte & 0x7f) << (7 * i);
        if (!(byte & 0x80)) {
            *value = sum;
            *next = at + i + 1;
            return PQX_OK;
        }
    }
    return PQX_OK;
}

/* Decode one to three bytes if three remain: one branch for each length, so that a predicted length
 * breaks the chain of loads. */
static inline int get(const uint8_t *data, size_t size, size_t at, unsigned bits, uint64_t *value,
                      size_t *next, pqx_error *error)
{
    if (PQX_UNLIKELY(at >= size || size - at < 3))
        return get_checked(data, size, at, bits, value, next, error);
    const uint8_t *p = data + at;
    if (!(p[0] & 0x80)) {
        *value = p[0];
        *next = at + 1;
    } else if (!(p[1] & 0x80)) {
        *value = (p[0] & 0x7fu) | (uint64_t)p[1] << 7;
        *next = at + 2;
    } else if (!(p[2] & 0x80)) {
        *value = (p[0] & 0x7fu) | (p[1] & 0x7fu) << 7 | (uint64_t)p[2] << 14;
        *next = at + 3;
    } else {
        return get_checked(data, size, at, bits, value, next, error);
    }
    return PQX_OK;
}

int pqx_varint_get32(const uint8_t *data, size_t size, size_t at, uint32_t *value, size_t *next,
                     pqx_error *error)
{
    uint64_t wide = 0;
    int status = get(data, size, at, 32, &wide, next, error);
    if (status == PQX_OK) *value = (uint32_t)wide;
    return status;
}

int pqx_varint_get64(const uint8_t *data, size_t size, size_t at, uint64_t *value, size_t *next,
                     pqx_error *error)
{ return get(data, size, at, 64, value, next, error); }

size_t pqx_varint_put(uint8_t *out, uint64_t value)
{
    size_t size = 0;
    for (; value >= 0x80; value >>= 7) out[size++] = (uint8_t)(value | 0x80);
    out[size++] = (uint8_t)value;
    return size;
}

size_t pqx_varint_size(uint64_t value)
{
    size_t size = 1;
    while (value >>= 7) size++;
    return size;
}

static inline uint64_t unzigzag(uint64_t value) { return value >> 1 ^ -(value & 1); }

/* Values of 32 or of 64 bits; inlined, because the loop is then compiled for each width. */
PQX_INLINE int get_many(const uint8_t *data, size_t size, size_t at, int bits, int zigzag,
                        void *values, size_t count, size_t *next, pqx_error *error)
{
    size_t left = at < size ? size - at : 0;
    if (count > left) return pqx_fail(error, PQX_COUNT_TOO_LARGE, at, count, left);
    for (size_t i = 0; i < count; i++) {
        uint64_t value = 0;
        PQX_TRY(get(data, size, at, bits, &value, &at, error));
        if (zigzag) value = unzigzag(value);
        if (bits == 64) ((uint64_t *)values)[i] = value;
        else ((uint32_t *)values)[i] = (uint32_t)value;
    }
    *next = at;
    return PQX_OK;
}

int pqx_varint_get_many64(const uint8_t *data, size_t size, size_t at, int zigzag, uint64_t *values,
                          size_t count, size_t *next, pqx_error *error)
{ return get_many(data, size, at, 64, zigzag, values, count, next, error); }

int pqx_varint_get_many32(const uint8_t *data, size_t size, size_t at, int zigzag, uint32_t *values,
                          size_t count, size_t *next, pqx_error *error)
{ return get_many(data, size, at, 32, zigzag, values, count, next, error); }

size_t pqx_varint_put_many(const uint64_t *values, size_t count, int zigzag, uint8_t *out)
{
    uint8_t *end = out;
    for (size_t i = 0; i < count; i++) {
        uint64_t value = values[i];
        end += pqx_varint_put(end, zigzag ? value << 1 ^ -(value >> 63) : value);
    }
    return (size_t)(end - out);
}
