/* Indices into a dictionary, and the values that they lead to. */
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

/* The open run's next `count` indices, which are bit-packed; checked. */
static int unpack(const pqx_runs *runs, uint32_t entries, size_t count, uint32_t *out,
                  pqx_error *error)
{
    uint32_t highest = pqx_unpack32(runs->data, runs->size, runs->packed, runs->width, count, out);
    if (PQX_LIKELY(highest < entries)) return PQX_OK;
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
    for (size_t some; count; count -= some, out += some) {
        PQX_TRY(pqx_runs_next(runs, count, &some, error));
        if (runs->is_packed) {
            PQX_TRY(unpack(runs, entries, some, out, error));
        } else {
            PQX_TRY(check_repeated(runs, entries, error));
            for (size_t i = 0; i < some; i++) out[i] = runs->value;
        }
        pqx_runs_pass(runs, some);
    }
    return PQX_OK;
}

static void gather(const uint8_t *values, size_t width, const uint32_t *indices, size_t count,
                   uint8_t *out)
{
    if (width == 4)
        for (size_t i = 0; i < count; i++)
            pqx_store32(out + 4 * i, pqx_load32(values + 4 * (size_t)indices[i]));
    else if (width == 8)
        for (size_t i = 0; i < count; i++)
            pqx_store64(out + 8 * i, pqx_load64(values + 8 * (size_t)indices[i]));
    else if (width == 12)
        for (size_t i = 0; i < count; i++)
            memcpy(out + 12 * i, values + 12 * (size_t)indices[i], 12);
    else
        for (size_t i = 0; i < count; i++)
            memcpy(out + width * i, values + width * indices[i], width);
}

static void repeat(const uint8_t *value, size_t width, size_t count, uint8_t *out)
{
    if (width == 4)
        for (size_t i = 0; i < count; i++) pqx_store32(out + 4 * i, pqx_load32(value));
    else if (width == 8)
        for (size_t i = 0; i < count; i++) pqx_store64(out + 8 * i, pqx_load64(value));
    else
        for (size_t i = 0; i < count; i++) memcpy(out + width * i, value, width);
}

int pqx_indices_gather(pqx_runs *runs, const pqx_dictionary *dictionary, size_t count, uint8_t *out,
                       pqx_error *error)
{
    const size_t width = dictionary->width;
    for (size_t some; count; count -= some, out += some * width) {
        PQX_TRY(pqx_runs_next(runs, count, &some, error));
        if (runs->is_packed) {
            uint32_t indices[BATCH];
            if (some > BATCH) some = BATCH;
            PQX_TRY(unpack(runs, dictionary->count, some, indices, error));
            gather(dictionary->fixed, width, indices, some, out);
        } else {
            PQX_TRY(check_repeated(runs, dictionary->count, error));
            repeat(dictionary->fixed + width * runs->value, width, some, out);
        }
        pqx_runs_pass(runs, some);
    }
    return PQX_OK;
}
