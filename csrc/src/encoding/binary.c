#include "encoding/binary.h"

#include "encoding/delta.h"
#include "encoding/runs.h"
#include "encoding/sums.h"

enum {
    LENGTHS = 1024, /* lengths that are decoded together, before their bytes are copied */
    INDICES = 512   /* dictionary indices that are decoded together */
};

/* ---- PLAIN ---- */

/* Return the length of the value at values->at; all of its bytes exist. */
static inline int plain_length(const pqx_values *values, size_t *length, pqx_error *error)
{
    size_t left = values->size - values->at;
    if (left < 4) return pqx_fail(error, PQX_TRUNCATED, values->at, 4, left);
    *length = pqx_load32(values->data + values->at);
    left = left - 4 < INT32_MAX ? left - 4 : INT32_MAX;
    if (*length > left) return pqx_fail(error, PQX_BYTE_ARRAY_LENGTH, values->at, left, *length);
    return PQX_OK;
}

/* Take short values with room around them until the first other value; the loop's condition is the
 * only check. */
static void take_short_plain(pqx_values *values, size_t count, pqx_binary_out *out)
{
    const uint8_t *from = values->data + values->at, *stop = values->data + values->size;
    size_t taken = out->taken, end = out->end;
    while (taken < count && stop - from >= 4) {
        size_t length = pqx_load32(from);
        if (!pqx_is_short(length, (size_t)(stop - from) - 4, out->capacity - end)) break;
        pqx_copy_short(out->bytes + end, from + 4, length);
        from += 4 + length;
        out->offsets[++taken] = (int32_t)(end += length);
    }
    values->at = (size_t)(from - values->data);
    out->taken = taken;
    out->end = end;
}

static int take_plain(pqx_values *values, size_t count, pqx_binary_out *out, pqx_error *error)
{
    for (;;) {
        size_t length;
        take_short_plain(values, count, out);
        if (out->taken == count) return PQX_OK;
        PQX_TRY(plain_length(values, &length, error));
        if (length > out->capacity - out->end) {
            out->needed = out->end + length;
            return PQX_OK;
        }
        memcpy(out->bytes + out->end, values->data + values->at + 4, length);
        values->at += 4 + length;
        out->end += length;
        out->offsets[++out->taken] = (int32_t)out->end;
    }
}

static int skip_plain(pqx_values *values, size_t count, pqx_error *error)
{
    for (; count; count--) {
        size_t length;
        PQX_TRY(plain_length(values, &length, error));
        values->at += 4 + length;
    }
    return PQX_OK;
}

/* ---- of a dictionary ---- */

/* Compute the ends of the values of `indices`. Return how many of them fit in the output. */
static size_t end_indexed(const pqx_dictionary *dictionary, const uint32_t *indices, size_t count,
                          pqx_binary_out *out)
{
    size_t end = out->end;
    int32_t *ends = out->offsets + out->taken + 1;
    for (size_t i = 0; i < count; i++) {
        const uint32_t *place = dictionary->offsets + indices[i];
        size_t length = place[1] - place[0];
        if (length > out->capacity - end) {
            out->needed = end + length;
            return i;
        }
        ends[i] = (int32_t)(end += length);
    }
    return count;
}

static void copy_indexed(const pqx_dictionary *dictionary, const uint32_t *indices, size_t count,
                         pqx_binary_out *out)
{
    const size_t all = dictionary->offsets[dictionary->count];
    const size_t readable = dictionary->readable > all ? dictionary->readable : all;
    const int32_t *ends = out->offsets + out->taken + 1;
    size_t at = out->end;
    for (size_t i = 0; i < count; i++) {
        size_t start = dictionary->offsets[indices[i]], end = (size_t)ends[i];
        if (PQX_LIKELY(pqx_is_short(end - at, readable - start, out->capacity - at)))
            pqx_copy_short(out->bytes + at, dictionary->bytes + start, end - at);
        else if (end > at) memcpy(out->bytes + at, dictionary->bytes + start, end - at);
        at = end;
    }
    out->taken += count;
    out->end = at;
}

static int take_indexed(pqx_values *values, size_t count, pqx_binary_out *out, pqx_error *error)
{
    uint32_t indices[INDICES];
    while (out->taken < count) {
        size_t some = count - out->taken < INDICES ? count - out->taken : INDICES;
        const pqx_runs before = values->runs;
        PQX_TRY(pqx_indices_take(&values->runs, values->dictionary->count, some, indices, error));
        size_t fit = end_indexed(values->dictionary, indices, some, out);
        copy_indexed(values->dictionary, indices, fit, out);
        if (fit == some) continue;
        values->runs = before;
        return pqx_runs_skip(&values->runs, fit, error);
    }
    return PQX_OK;
}

/* ---- lengths, then all bytes ---- */

/* Convert `count` lengths to ends, in place, if all of them fit; otherwise change nothing. */
static int end_all(const pqx_values *values, size_t count, pqx_binary_out *out)
{
    uint32_t *ends = (uint32_t *)out->offsets + out->taken + 1, bits = 0;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) sum += ends[i], bits |= ends[i];
    if (bits > INT32_MAX || sum > values->size - values->at || sum > out->capacity - out->end)
        return 0;
    pqx_sum32(ends, count, 0, (uint32_t)out->end, ends);
    return 1;
}

/* Convert lengths to ends, in place, until one does not fit. Return how many do. */
static int end_some(const pqx_values *values, size_t count, pqx_binary_out *out, size_t *some,
                    pqx_error *error)
{
    uint32_t *ends = (uint32_t *)out->offsets + out->taken + 1;
    pqx_values ahead = *values;
    size_t end = out->end;
    for (*some = 0; *some < count; ++*some) {
        size_t length = ends[*some], limit = pqx_length_limit(&ahead);
        if (length > limit) return pqx_fail(error, PQX_BYTE_ARRAY_LENGTH, ahead.at, limit, length);
        if (length > out->capacity - end) {
            out->needed = end + length;
            return PQX_OK;
        }
        ahead.at += length;
        ends[*some] = (uint32_t)(end += length);
    }
    return PQX_OK;
}

static int take_lengths(pqx_values *values, size_t count, pqx_binary_out *out, pqx_error *error)
{
    while (out->taken < count) {
        size_t tried = count - out->taken < LENGTHS ? count - out->taken : LENGTHS, some = tried;
        const pqx_deltas before = values->deltas;
        PQX_TRY(pqx_deltas_take(&values->deltas, tried, (uint8_t *)(out->offsets + out->taken + 1),
                                error));
        if (!end_all(values, tried, out)) PQX_TRY(end_some(values, tried, out, &some, error));
        out->taken += some;
        size_t size = (size_t)out->offsets[out->taken] - out->end;
        if (size) memcpy(out->bytes + out->end, values->data + values->at, size);
        values->at += size;
        out->end += size;
        if (some == tried) continue;
        values->deltas = before;
        return pqx_deltas_skip(&values->deltas, some, error);
    }
    return PQX_OK;
}

static int skip_lengths(pqx_values *values, size_t count, pqx_error *error)
{
    uint32_t lengths[LENGTHS];
    while (count) {
        size_t some = count < LENGTHS ? count : LENGTHS;
        PQX_TRY(pqx_deltas_take(&values->deltas, some, (uint8_t *)lengths, error));
        for (size_t i = 0; i < some; i++) {
            size_t limit = pqx_length_limit(values);
            if (lengths[i] > limit)
                return pqx_fail(error, PQX_BYTE_ARRAY_LENGTH, values->at, limit, lengths[i]);
            values->at += lengths[i];
        }
        count -= some;
    }
    return PQX_OK;
}

/* ---- whatever the encoding ---- */

int pqx_binary_begin(pqx_values *values, pqx_error *error)
{
    switch (values->encoding) {
    case PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY:
        PQX_TRY(pqx_deltas_begin(&values->deltas, 0, values->data, values->size, values->at,
                                 values->left, error));
        return pqx_deltas_find_end(&values->deltas, &values->at, error);
    case PQX_ENCODING_DELTA_BYTE_ARRAY: return pqx_prefixed_begin(values, error);
    default: return PQX_OK;
    }
}

static int take(pqx_values *values, size_t count, pqx_binary_out *out, pqx_error *error)
{
    switch (values->encoding) {
    case PQX_ENCODING_PLAIN: return take_plain(values, count, out, error);
    case PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY: return take_lengths(values, count, out, error);
    case PQX_ENCODING_DELTA_BYTE_ARRAY: return pqx_prefixed_take(values, count, out, error);
    default: return take_indexed(values, count, out, error);
    }
}

int pqx_values_take_binary(pqx_values *values, size_t count, int32_t *offsets, uint8_t *bytes,
                           size_t capacity, size_t *taken, size_t *needed, pqx_error *error)
{
    if (capacity > INT32_MAX) capacity = INT32_MAX;
    if (count > values->left || offsets[0] < 0 || (size_t)offsets[0] > capacity)
        return pqx_fail(error, PQX_BAD_ARGUMENT, values->at, values->left, count);
    pqx_binary_out out = {offsets, bytes, capacity, (size_t)offsets[0], 0, 0};
    int status = take(values, count, &out, error);
    values->left -= out.taken;
    *taken = out.taken;
    *needed = out.needed;
    return status;
}

int pqx_binary_take_fixed(pqx_values *values, size_t count, uint8_t *out, pqx_error *error)
{
    pqx_binary_out place = {NULL, out, count * (size_t)values->width, 0, 0, 0};
    return pqx_prefixed_take(values, count, &place, error);
}

int pqx_binary_skip(pqx_values *values, size_t count, pqx_error *error)
{
    switch (values->encoding) {
    case PQX_ENCODING_PLAIN: return skip_plain(values, count, error);
    case PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY: return skip_lengths(values, count, error);
    default: return pqx_prefixed_skip(values, count, error);
    }
}
