/* Repetition and definition levels. */
#include "encoding/bitmap.h"
#include "encoding/bits.h"
#include "encoding/runs.h"

enum {
    SOME_LEVELS = 1024, /* that are processed together */
    SOME_BITS = 8192,
    LONG_RUN = 32 /* levels that justify a separate step */
};

static uint32_t bits_of(uint32_t max_level)
{
    uint32_t width = 0;
    for (; max_level; max_level >>= 1) width++;
    return width;
}

int pqx_levels_begin(pqx_runs *runs, int encoding, uint32_t max_level, const uint8_t *data,
                     size_t size, size_t at, pqx_error *error)
{
    if (max_level > UINT16_MAX) return pqx_fail(error, PQX_BAD_ARGUMENT, at, UINT16_MAX, max_level);
    if (encoding != PQX_ENCODING_RLE && encoding != PQX_ENCODING_BIT_PACKED)
        return pqx_fail(error, PQX_LEVEL_ENCODING, at, PQX_ENCODING_RLE, (uint32_t)encoding);
    if (at > size) return pqx_fail(error, PQX_TRUNCATED, at, 1, 0);
    pqx_runs_begin(runs, bits_of(max_level), data, size, at);
    if (encoding == PQX_ENCODING_BIT_PACKED) {
        runs->packed = (uint64_t)at << 3;
        runs->is_msb_first = 1;
        runs->is_packed = max_level > 0;
        runs->left = UINT64_MAX;
    }
    return PQX_OK;
}

static inline uint32_t unpack(const pqx_runs *runs, size_t count, uint16_t *out)
{
    return runs->is_msb_first
               ? pqx_unpack16_msb(runs->data, runs->size, runs->packed, runs->width, count, out)
               : pqx_unpack16(runs->data, runs->size, runs->packed, runs->width, count, out);
}

static int fail_at_first_above(const pqx_runs *runs, uint32_t max_level, const uint16_t *levels,
                               pqx_error *error)
{
    while (*levels <= max_level) levels++;
    return pqx_fail(error, PQX_LEVEL, runs->header, max_level, *levels);
}

int pqx_levels_take(pqx_runs *runs, uint32_t max_level, size_t count, uint16_t *out,
                    pqx_error *error)
{
    for (size_t some; count; count -= some, out += some) {
        PQX_TRY(pqx_runs_next(runs, count, &some, error));
        if (runs->is_packed) {
            if (PQX_UNLIKELY(unpack(runs, some, out) > max_level))
                return fail_at_first_above(runs, max_level, out, error);
        } else {
            if (PQX_UNLIKELY(runs->value > max_level))
                return pqx_fail(error, PQX_LEVEL, runs->header, max_level, runs->value);
            for (size_t i = 0; i < some; i++) out[i] = (uint16_t)runs->value;
        }
        pqx_runs_pass(runs, some);
    }
    return PQX_OK;
}

int pqx_levels_take_bits(pqx_runs *runs, size_t count, uint8_t *out, uint64_t bit, size_t *ones,
                         pqx_error *error)
{
    if (!runs->is_msb_first)
        return pqx_runs_take_bits(runs, count, out, bit, ones, PQX_LEVEL, error);
    *ones = 0;
    for (size_t some; count; count -= some) {
        uint16_t levels[256];
        some = count < 256 ? count : 256;
        PQX_TRY(pqx_levels_take(runs, 1, some, levels, error));
        for (size_t i = 0; i < some; i++, bit++) {
            pqx_bitmap_fill(out, bit, 1, levels[i]);
            *ones += levels[i];
        }
    }
    return PQX_OK;
}

int pqx_levels_run(pqx_runs *runs, uint32_t max_level, uint64_t most, uint16_t *level,
                   uint64_t *length, pqx_error *error)
{
    size_t some = 0, alike = 0;
    *length = 0;
    if (!most) return PQX_OK;
    PQX_TRY(pqx_runs_next(runs, most < SIZE_MAX ? (size_t)most : SIZE_MAX, &some, error));
    uint32_t value = runs->value;
    if (runs->is_packed) {
        uint16_t next[16];
        next[0] = 0; /* for compilers, which do not see that a run has a value */
        if (runs->width == 1 && !runs->is_msb_first) {
            alike = pqx_bitmap_alike(runs->data, runs->size, runs->packed, some);
            unpack(runs, 1, next);
        } else {
            if (some > 16) some = 16;
            unpack(runs, some, next);
            while (alike < some && next[alike] == next[0]) alike++;
        }
        value = next[0];
        some = alike;
    }
    if (PQX_UNLIKELY(value > max_level))
        return pqx_fail(error, PQX_LEVEL, runs->header, max_level, value);
    pqx_runs_pass(runs, some);
    *level = (uint16_t)value;
    *length = some;
    return PQX_OK;
}

int pqx_levels_count(pqx_runs runs, uint32_t max_level, uint32_t wanted, uint64_t entries,
                     uint64_t *count, pqx_error *error)
{
    *count = 0;
    while (entries) {
        uint16_t level;
        uint64_t length;
        PQX_TRY(pqx_levels_run(&runs, max_level, entries, &level, &length, error));
        if (level == wanted) *count += length;
        entries -= length;
        if (length >= LONG_RUN || !entries) continue;
        if (max_level == 1) {
            uint8_t bits[SOME_BITS / 8];
            size_t some = entries < SOME_BITS ? (size_t)entries : SOME_BITS, ones;
            PQX_TRY(pqx_levels_take_bits(&runs, some, bits, 0, &ones, error));
            *count += wanted ? ones : some - ones;
            entries -= some;
        } else {
            uint16_t levels[SOME_LEVELS];
            size_t some = entries < SOME_LEVELS ? (size_t)entries : SOME_LEVELS, alike = 0;
            PQX_TRY(pqx_levels_take(&runs, max_level, some, levels, error));
            for (size_t i = 0; i < some; i++) alike += levels[i] == wanted;
            *count += alike;
            entries -= some;
        }
    }
    return PQX_OK;
}
