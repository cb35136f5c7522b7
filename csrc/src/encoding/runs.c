#include "encoding/bitmap.h"
#include "encoding/runs.h"

#define LONGEST_RUN 0x7fffffffu /* parquet-format, Encodings.md */

void pqx_runs_begin(pqx_runs *runs, uint32_t width, const uint8_t *data, size_t size, size_t at)
{
    *runs = (pqx_runs){.data = data, .size = size, .at = at, .header = at, .width = width};
    if (width == 0) runs->left = UINT64_MAX;
}

/* Return the value of a run, of `bytes` bytes, 0 to 4; at least so many are `left`. */
static inline uint32_t load_value(const uint8_t *at, size_t bytes, size_t left)
{
    if (PQX_LIKELY(left >= 4)) return (uint32_t)(pqx_load32(at) & ((UINT64_C(1) << 8 * bytes) - 1));
    uint32_t value = 0;
    for (size_t i = 0; i < bytes; i++) value |= (uint32_t)at[i] << 8 * i;
    return value;
}

/* Read the header at runs->at, and the value of a repeated run. */
static int open_run(pqx_runs *runs, pqx_error *error)
{
    uint32_t header;
    size_t body, left;
    if (PQX_LIKELY(runs->at < runs->size && runs->data[runs->at] < 0x80))
        header = runs->data[runs->at], body = runs->at + 1;
    else PQX_TRY(pqx_varint_get32(runs->data, runs->size, runs->at, &header, &body, error));
    left = runs->size - body;
    runs->header = runs->at;
    uint64_t length = header & 1 ? (uint64_t)(header >> 1) * 8 : header >> 1;
    if (PQX_UNLIKELY(length == 0 || length > LONGEST_RUN))
        return pqx_fail(error, PQX_RUN_LENGTH, runs->at, LONGEST_RUN, length);
    if (header & 1) {
        uint64_t bytes = (uint64_t)(header >> 1) * runs->width;
        if (PQX_UNLIKELY(bytes > left && runs->is_strict))
            return pqx_fail(error, PQX_TRUNCATED, body, bytes, left);
        runs->packed = (uint64_t)body << 3;
        runs->at = bytes < left ? body + (size_t)bytes : runs->size;
    } else {
        size_t bytes = (runs->width + 7) / 8;
        if (PQX_UNLIKELY(bytes > left)) return pqx_fail(error, PQX_TRUNCATED, body, bytes, left);
        runs->value = load_value(runs->data + body, bytes, left);
        runs->at = body + bytes;
    }
    runs->is_packed = header & 1;
    runs->left = length;
    return PQX_OK;
}

int pqx_runs_next(pqx_runs *runs, size_t count, size_t *some, pqx_error *error)
{
    if (!runs->left) PQX_TRY(open_run(runs, error));
    *some = count < runs->left ? count : (size_t)runs->left;
    if (!runs->is_packed) return PQX_OK;
    uint64_t there = (uint64_t)runs->size * 8 - runs->packed;
    if (PQX_LIKELY(*some <= there / 32 || *some <= there / runs->width)) return PQX_OK;
    *some = (size_t)(there / runs->width);
    if (*some) return PQX_OK;
    size_t at = (size_t)(runs->packed >> 3);
    return pqx_fail(error, PQX_TRUNCATED, at, ((runs->packed & 7) + runs->width + 7) / 8,
                    runs->size - at);
}

int pqx_runs_skip(pqx_runs *runs, size_t count, pqx_error *error)
{
    for (size_t some; count; count -= some) {
        PQX_TRY(pqx_runs_next(runs, count, &some, error));
        pqx_runs_pass(runs, some);
    }
    return PQX_OK;
}

size_t pqx_runs_end(const pqx_runs *runs)
{ return runs->is_msb_first ? (size_t)((runs->packed + 7) / 8) : runs->at; }

int pqx_runs_take_bits(pqx_runs *runs, size_t count, uint8_t *out, uint64_t bit, size_t *ones,
                       int code, pqx_error *error)
{
    *ones = 0;
    for (size_t some; count; count -= some, bit += some) {
        PQX_TRY(pqx_runs_next(runs, count, &some, error));
        if (runs->is_packed) {
            *ones += pqx_bitmap_copy(runs->data, runs->size, runs->packed, some, out, bit);
        } else {
            if (PQX_UNLIKELY(runs->value > 1))
                return pqx_fail(error, code, runs->header, 1, runs->value);
            pqx_bitmap_fill(out, bit, some, (int)runs->value);
            *ones += runs->value * some;
        }
        pqx_runs_pass(runs, some);
    }
    return PQX_OK;
}
