/* Decode a page's values, levels or indices at once: the public interface of the cursors. */
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

/* Return the caller's dictionary of byte arrays after checking its offsets. */
static int known_binary(const pqx_value_array *given, pqx_dictionary *known, pqx_error *error)
{
    if (given->count > INT32_MAX)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, INT32_MAX, given->count);
    for (uint64_t i = 0, before = 0; given->count && i <= given->count; i++) {
        int64_t end = given->offsets[i];
        if (end < (int64_t)before || (uint64_t)end > given->size)
            return pqx_fail(error, PQX_VALUE_OFFSET, i * sizeof *given->offsets, before,
                            (uint64_t)end);
        before = (uint64_t)end;
    }
    known->bytes = given->data;
    known->offsets = (const uint32_t *)given->offsets;
    known->count = (uint32_t)given->count;
    return PQX_OK;
}

static int room_for(pqx_buffer *buffer, size_t size, pqx_error *error)
{ return size > buffer->size ? pqx_buffer_reserve(buffer, size - buffer->size, error) : PQX_OK; }

/* Take `count` byte arrays from `left` input bytes; both buffers grow with the decoded values. */
static int take_binary(pqx_values *values, size_t count, size_t left, pqx_buffer *offsets,
                       pqx_buffer *bytes, pqx_error *error)
{
    enum { SOME = 1 << 16, BYTES_OF_A_BYTE = 64, SPARE = 32 };
    size_t room = left > SIZE_MAX / BYTES_OF_A_BYTE ? SIZE_MAX / 4 : left * (BYTES_OF_A_BYTE / 4);
    size_t done = 0, taken, needed = left < INT32_MAX ? left : INT32_MAX;
    if (room < SOME) room = SOME;
    PQX_TRY(room_for(offsets, sizeof(int32_t), error));
    *(int32_t *)offsets->data = 0;
    PQX_TRY(room_for(bytes, needed + SPARE, error));
    while (done < count) {
        size_t some = count - done < room ? count - done : room;
        offsets->size = (done + 1) * sizeof(int32_t);
        PQX_TRY(room_for(offsets, (done + some + 1) * sizeof(int32_t), error));
        int32_t *ends = (int32_t *)offsets->data + done;
        size_t capacity = bytes->capacity < INT32_MAX ? bytes->capacity : INT32_MAX;
        PQX_TRY(pqx_values_take_binary(values, some, ends, bytes->data, capacity, &taken, &needed,
                                       error));
        done += taken;
        bytes->size = (size_t)ends[taken];
        if (taken == some) continue;
        if (needed > INT32_MAX)
            return pqx_fail(error, PQX_TOO_LARGE, values->at, INT32_MAX, needed);
        PQX_TRY(room_for(bytes, needed + SPARE, error));
    }
    offsets->size = (count + 1) * sizeof(int32_t);
    return PQX_OK;
}

int pqx_decode_binary(int encoding, const uint8_t *data, size_t size, size_t at, size_t count,
                      const pqx_value_array *dictionary, pqx_buffer *offsets, pqx_buffer *bytes,
                      size_t *end, pqx_error *error)
{
    pqx_values values;
    pqx_dictionary known = {0};
    pqx_buffer previous = {0};
    offsets->size = bytes->size = 0;
    if (dictionary) PQX_TRY(known_binary(dictionary, &known, error));
    PQX_TRY(pqx_values_begin(&values, encoding, PQX_PHYSICAL_BYTE_ARRAY, 0, data, size, at, count,
                             dictionary ? &known : NULL, error));
    values.previous = &previous;
    int status = take_binary(&values, count, size - at, offsets, bytes, error);
    pqx_buffer_free(&previous);
    if (!status && end) *end = pqx_values_end(&values);
    return status;
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
