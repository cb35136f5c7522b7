/* A page's values, levels or indices at once: the cursors for those who embed the library. */
#include "encoding/runs.h"

int pqx_decode(int encoding, int type, int32_t type_length, const uint8_t *data, size_t size,
               size_t at, size_t count, const pqx_value_array *dictionary, uint8_t *out,
               size_t *end, pqx_error *error)
{
    pqx_values values;
    pqx_dictionary known = {.width = pqx_fixed_width(type, type_length)};
    if (type == PQX_PHYSICAL_BYTE_ARRAY)
        return pqx_fail(error, PQX_ENCODING, at, (uint32_t)type, (uint32_t)encoding);
    if (dictionary) {
        if (dictionary->count > UINT32_MAX
            || (known.width && dictionary->size / known.width < dictionary->count))
            return pqx_fail(error, PQX_BAD_ARGUMENT, at,
                            known.width ? dictionary->size / known.width : UINT32_MAX,
                            dictionary->count);
        known.fixed = dictionary->data;
        known.count = (uint32_t)dictionary->count;
    }
    PQX_TRY(pqx_values_begin(&values, encoding, type, type_length, data, size, at, count,
                             dictionary ? &known : NULL, error));
    if (values.width) {
        PQX_TRY(pqx_values_take_fixed(&values, count, out, error));
    } else if (count) {
        out[(count - 1) / 8] = 0;
        PQX_TRY(pqx_values_take_bits(&values, count, out, 0, error));
    }
    if (end) *end = pqx_values_end(&values);
    return PQX_OK;
}

int pqx_decode_levels(int encoding, uint32_t max_level, const uint8_t *data, size_t size, size_t at,
                      size_t count, uint16_t *out, size_t *end, pqx_error *error)
{
    pqx_runs runs;
    PQX_TRY(pqx_levels_begin(&runs, encoding, max_level, data, size, at, error));
    PQX_TRY(pqx_levels_take(&runs, max_level, count, out, error));
    if (end) *end = pqx_runs_end(&runs);
    return PQX_OK;
}

int pqx_decode_indices(const uint8_t *data, size_t size, size_t at, size_t count,
                       uint32_t dictionary_count, uint32_t *out, size_t *end, pqx_error *error)
{
    pqx_runs runs = {.at = at};
    if (at > size) return pqx_fail(error, PQX_TRUNCATED, at, 1, 0);
    if (count) {
        PQX_TRY(pqx_indices_begin(&runs, data, size, at, error));
        PQX_TRY(pqx_indices_take(&runs, dictionary_count, count, out, error));
    }
    if (end) *end = pqx_runs_end(&runs);
    return PQX_OK;
}
