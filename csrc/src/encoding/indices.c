/* Dictionary indices, and the values that they refer to. */
#include "encoding/bits.h"
#include "encoding/runs.h"

enum { BATCH = 1024 }; /* indices that are unpacked before their values are gathered */

int pqx_indices_begin(pqx_runs *runs, const uint8_t *data, size_t size, size_t at, pqx_error *error)
{
    if (at >= size) return pqx_fail(error, PQX_TRUNCATED, at, 1, 0);
    uint32_t width = data[at];
    if (width > 32) return pqx_fail(error, PQX_BIT_WIDTH, at, 32, width);
    pqx_runs_begin(runs, width, data, size, at + 1);
    return PQX_OK;
}

/* Unpack and check the open run's next `count` indices, which are bit-packed. None is above
 * *highest. */
static int unpack(const pqx_runs *runs, uint32_t entries, size_t count, uint32_t *out,
                  uint32_t *highest, pqx_error *error)
{
    *highest = pqx_unpack32(runs->data, runs->size, runs->packed, runs->width, count, out);
    if (PQX_LIKELY(*highest < entries)) return PQX_OK;
    while (*out < entries) out++;
    return pqx_fail(error, PQX_DICTIONARY_INDEX, runs->header, entries, *out);
}

static inline int check_repeated(const pqx_runs *runs, uint32_t entries, pqx_error *error)
{
    if (PQX_LIKELY(runs->value < entries)) return PQX_OK;
    return pqx_fail(error, PQX_DICTIONARY_INDEX, runs->header, entries, runs->value);
}

int pqx_indices_take(pqx_runs *runs, uint32_t entries, size_t count, uint32_t *out,
                     pqx_error *error)
{
    uint32_t highest;
    for (size_t some; count; count -= some, out += some) {
        PQX_TRY(pqx_runs_next(runs, count, &some, error));
        if (runs->is_packed) {
            PQX_TRY(unpack(runs, entries, some, out, &highest, error));
        } else {
            PQX_TRY(check_repeated(runs, entries, error));
            for (size_t i = 0; i < some; i++) out[i] = runs->value;
        }
        pqx_runs_pass(runs, some);
    }
    return PQX_OK;
}

/* With a constant width, a value is moved through a register; the CPU's gather instructions are not
 * faster. */
PQX_INLINE void gather_width(const uint8_t *values, size_t width, const uint32_t *indices,
                             size_t count, uint8_t *out)
{
    for (size_t i = 0; i < count; i++) memcpy(out + i * width, values + indices[i] * width, width);
}

static void gather(const uint8_t *values, size_t width, const uint32_t *indices, size_t count,
                   uint8_t *out)
{
    switch (width) {
    case 4: gather_width(values, 4, indices, count, out); break;
    case 8: gather_width(values, 8, indices, count, out); break;
    case 12: gather_width(values, 12, indices, count, out); break;
    case 16: gather_width(values, 16, indices, count, out); break;
    default: gather_width(values, width, indices, count, out);
    }
}

PQX_INLINE void repeat_width(const uint8_t *value, size_t width, size_t count,
                             uint8_t *__restrict out)
{
    for (size_t i = 0; i < count; i++) memcpy(out + i * width, value, width);
}

static void repeat(const uint8_t *value, size_t width, size_t count, uint8_t *out)
{
    switch (width) {
    case 4: repeat_width(value, 4, count, out); break;
    case 8: repeat_width(value, 8, count, out); break;
    case 12: repeat_width(value, 12, count, out); break;
    case 16: repeat_width(value, 16, count, out); break;
    default: repeat_width(value, width, count, out);
    }
}

/* Make the values up to index `highest` available; no index of the run is above it. */
static inline int have_values(const pqx_dictionary *dictionary, uint32_t highest,
                              const pqx_runs *runs, pqx_error *error)
{
    pqx_late_values *late = dictionary->late;
    if (PQX_LIKELY(!late || highest < late->ready)) return PQX_OK;
    if (late->make(late, highest + 1)) return PQX_OK;
    return pqx_fail(error, PQX_DICTIONARY_INDEX, runs->header, late->ready, highest);
}

int pqx_indices_gather(pqx_runs *runs, const pqx_dictionary *dictionary, size_t count, uint8_t *out,
                       pqx_error *error)
{
    const size_t width = dictionary->width;
    for (size_t some; count; count -= some, out += some * width) {
        PQX_TRY(pqx_runs_next(runs, count, &some, error));
        if (runs->is_packed) {
            uint32_t indices[BATCH], highest;
            if (some > BATCH) some = BATCH;
            PQX_TRY(unpack(runs, dictionary->count, some, indices, &highest, error));
            PQX_TRY(have_values(dictionary, highest, runs, error));
            gather(dictionary->fixed, width, indices, some, out);
        } else {
            PQX_TRY(check_repeated(runs, dictionary->count, error));
            PQX_TRY(have_values(dictionary, runs->value, runs, error));
            repeat(dictionary->fixed + width * runs->value, width, some, out);
        }
        pqx_runs_pass(runs, some);
    }
    return PQX_OK;
}
