#include "encoding/alp.h"
#include "encoding/binary.h"
#include "encoding/bitmap.h"
#include "encoding/delta.h"
#include "encoding/runs.h"
#include "encoding/split.h"

enum { LENGTH_PREFIX = 4 };

uint32_t pqx_fixed_width(int type, int32_t type_length)
{
    switch (type) {
    case PQX_PHYSICAL_INT32:
    case PQX_PHYSICAL_FLOAT: return 4;
    case PQX_PHYSICAL_INT64:
    case PQX_PHYSICAL_DOUBLE: return 8;
    case PQX_PHYSICAL_INT96: return 12;
    case PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY: return type_length > 0 ? (uint32_t)type_length : 0;
    default: return 0;
    }
}

static int is_dictionary(int encoding)
{ return encoding == PQX_ENCODING_PLAIN_DICTIONARY || encoding == PQX_ENCODING_RLE_DICTIONARY; }

/* Return 1 for the encodings that binary.c implements. */
static int serves_binary(int encoding, int type)
{
    int is_binary = type == PQX_PHYSICAL_BYTE_ARRAY;
    switch (encoding) {
    case PQX_ENCODING_PLAIN:
    case PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY: return is_binary;
    case PQX_ENCODING_DELTA_BYTE_ARRAY:
        return is_binary || type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    default: return 0;
    }
}

/* Return the remaining bytes. */
static size_t left_of(const pqx_values *values) { return values->size - values->at; }

static int begin_indices(pqx_values *values, pqx_error *error)
{
    const pqx_dictionary *dictionary = values->dictionary;
    size_t at = values->at;
    if (!dictionary) return pqx_fail(error, PQX_NO_DICTIONARY, at, 0, 0);
    if (dictionary->width != values->width)
        return pqx_fail(error, PQX_BAD_ARGUMENT, at, values->width, dictionary->width);
    return pqx_indices_begin(&values->runs, values->data, values->size, at, error);
}

/* Read the length of the runs, and begin with the runs after it. */
static int begin_boolean_runs(pqx_values *values, pqx_error *error)
{
    size_t at = values->at, left = left_of(values);
    if (left < LENGTH_PREFIX) return pqx_fail(error, PQX_TRUNCATED, at, LENGTH_PREFIX, left);
    uint32_t length = pqx_load32(values->data + at);
    if (length > left - LENGTH_PREFIX)
        return pqx_fail(error, PQX_TRUNCATED, at, length, left - LENGTH_PREFIX);
    at += LENGTH_PREFIX;
    pqx_runs_begin(&values->runs, 1, values->data, at + length, at);
    return PQX_OK;
}

int pqx_values_begin(pqx_values *values, int encoding, int type, int32_t type_length,
                     const uint8_t *data, size_t size, size_t at, uint64_t count,
                     const pqx_dictionary *dictionary, pqx_error *error)
{
    *values = (pqx_values){.encoding = encoding,
                           .type = type,
                           .width = pqx_fixed_width(type, type_length),
                           .left = count,
                           .data = data,
                           .size = size,
                           .at = at,
                           .dictionary = dictionary,
                           .count = count};
    if (at > size) return pqx_fail(error, PQX_TRUNCATED, at, 1, 0);
    if (type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY && !values->width)
        return pqx_fail(error, PQX_BAD_ARGUMENT, at, 1, (uint32_t)type_length);
    int is_boolean = type == PQX_PHYSICAL_BOOLEAN, is_fixed = values->width != 0;
    if (encoding == PQX_ENCODING_PLAIN && (is_boolean || is_fixed)) return PQX_OK;
    if (encoding == PQX_ENCODING_RLE && is_boolean)
        return count ? begin_boolean_runs(values, error) : PQX_OK;
    if (is_dictionary(encoding) && (is_fixed || type == PQX_PHYSICAL_BYTE_ARRAY))
        return count ? begin_indices(values, error) : PQX_OK;
    if (encoding == PQX_ENCODING_BYTE_STREAM_SPLIT && is_fixed && type != PQX_PHYSICAL_INT96) {
        values->count = left_of(values) / values->width;
        return left_of(values) % values->width == 0
                   ? PQX_OK
                   : pqx_fail(error, PQX_STREAM_SIZE, at, values->width, left_of(values));
    }
    if (encoding == PQX_ENCODING_DELTA_BINARY_PACKED
        && (type == PQX_PHYSICAL_INT32 || type == PQX_PHYSICAL_INT64))
        return pqx_deltas_begin(&values->deltas, type == PQX_PHYSICAL_INT64, data, size, at, count,
                                error);
    if (encoding == PQX_ENCODING_ALP && (type == PQX_PHYSICAL_FLOAT || type == PQX_PHYSICAL_DOUBLE))
        return pqx_alp_begin(&values->alp, type == PQX_PHYSICAL_DOUBLE, data, size, at, count,
                             error);
    if (serves_binary(encoding, type)) return pqx_binary_begin(values, error);
    return pqx_fail(error, PQX_ENCODING, at, (uint32_t)type, (uint32_t)encoding);
}

/* Skip the next `count` PLAIN values. */
static int pass_plain(pqx_values *values, size_t count, pqx_error *error)
{
    size_t there = left_of(values) / values->width;
    if (PQX_UNLIKELY(there < count)) {
        values->at += there * values->width;
        return pqx_fail(error, PQX_TRUNCATED, values->at, values->width, left_of(values));
    }
    values->at += count * values->width;
    return PQX_OK;
}

/* Skip the next `count` PLAIN booleans. */
static int pass_bits(pqx_values *values, size_t count, pqx_error *error)
{
    uint64_t there = (uint64_t)left_of(values) * 8 - values->taken;
    if (PQX_UNLIKELY(there < count)) return pqx_fail(error, PQX_TRUNCATED, values->size, 1, 0);
    values->taken += count;
    return PQX_OK;
}

/* Skip the next `count` values of the streams. */
static int pass_streams(pqx_values *values, size_t count, pqx_error *error)
{
    if (PQX_UNLIKELY(values->count - values->taken < count))
        return pqx_fail(error, PQX_TRUNCATED, values->size, values->width, 0);
    values->taken += count;
    return PQX_OK;
}

static int check_count(const pqx_values *values, size_t count, pqx_error *error)
{
    if (PQX_LIKELY(count <= values->left)) return PQX_OK;
    return pqx_fail(error, PQX_BAD_ARGUMENT, values->at, values->left, count);
}

int pqx_values_take_fixed(pqx_values *values, size_t count, uint8_t *out, pqx_error *error)
{
    PQX_TRY(check_count(values, count, error));
    if (!values->width) return pqx_fail(error, PQX_BAD_ARGUMENT, values->at, 0, values->width);
    values->left -= count;
    if (!count) return PQX_OK;
    const uint8_t *from = values->data + values->at;
    switch (values->encoding) {
    case PQX_ENCODING_PLAIN:
        PQX_TRY(pass_plain(values, count, error));
        memcpy(out, from, count * values->width);
        return PQX_OK;
    case PQX_ENCODING_BYTE_STREAM_SPLIT:
        from += values->taken;
        PQX_TRY(pass_streams(values, count, error));
        pqx_split_join(from, (size_t)values->count, values->width, count, out);
        return PQX_OK;
    case PQX_ENCODING_DELTA_BINARY_PACKED:
        return pqx_deltas_take(&values->deltas, count, out, error);
    case PQX_ENCODING_ALP: return pqx_alp_take(&values->alp, count, out, error);
    case PQX_ENCODING_DELTA_BYTE_ARRAY: return pqx_binary_take_fixed(values, count, out, error);
    default: return pqx_indices_gather(&values->runs, values->dictionary, count, out, error);
    }
}

const uint8_t *pqx_values_in_place(pqx_values *values, size_t count, size_t spare)
{
    size_t left = left_of(values), width = values->width;
    if (values->encoding != PQX_ENCODING_PLAIN || !width || count > values->left) return NULL;
    if (left < spare || (left - spare) / width < count) return NULL;
    const uint8_t *from = values->data + values->at;
    values->left -= count;
    values->at += count * width;
    return from;
}

int pqx_values_take_bits(pqx_values *values, size_t count, uint8_t *out, uint64_t bit,
                         pqx_error *error)
{
    size_t ones;
    PQX_TRY(check_count(values, count, error));
    if (values->type != PQX_PHYSICAL_BOOLEAN)
        return pqx_fail(error, PQX_BAD_ARGUMENT, values->at, PQX_PHYSICAL_BOOLEAN,
                        (uint32_t)values->type);
    values->left -= count;
    if (values->encoding == PQX_ENCODING_RLE)
        return pqx_runs_take_bits(&values->runs, count, out, bit, &ones, PQX_BOOLEAN, error);
    uint64_t from = (uint64_t)values->at * 8 + values->taken;
    PQX_TRY(pass_bits(values, count, error));
    pqx_bitmap_copy(values->data, values->size, from, count, out, bit);
    return PQX_OK;
}

int pqx_values_take_indices(pqx_values *values, size_t count, uint32_t *out, pqx_error *error)
{
    PQX_TRY(check_count(values, count, error));
    if (!is_dictionary(values->encoding))
        return pqx_fail(error, PQX_BAD_ARGUMENT, values->at, PQX_ENCODING_RLE_DICTIONARY,
                        (uint32_t)values->encoding);
    values->left -= count;
    return count ? pqx_indices_take(&values->runs, values->dictionary->count, count, out, error)
                 : PQX_OK;
}

int pqx_values_skip(pqx_values *values, size_t count, pqx_error *error)
{
    PQX_TRY(check_count(values, count, error));
    values->left -= count;
    if (!count) return PQX_OK;
    if (values->encoding == PQX_ENCODING_DELTA_BINARY_PACKED)
        return pqx_deltas_skip(&values->deltas, count, error);
    if (values->encoding == PQX_ENCODING_ALP) return pqx_alp_skip(&values->alp, count, error);
    if (serves_binary(values->encoding, values->type)) return pqx_binary_skip(values, count, error);
    if (is_dictionary(values->encoding) || values->encoding == PQX_ENCODING_RLE)
        return pqx_runs_skip(&values->runs, count, error);
    if (values->encoding == PQX_ENCODING_BYTE_STREAM_SPLIT)
        return pass_streams(values, count, error);
    return values->width ? pass_plain(values, count, error) : pass_bits(values, count, error);
}

size_t pqx_values_end(const pqx_values *values)
{
    if (values->encoding == PQX_ENCODING_DELTA_BINARY_PACKED)
        return pqx_deltas_end(&values->deltas);
    if (values->encoding == PQX_ENCODING_ALP) return pqx_alp_end(&values->alp);
    if (!values->runs.data && values->encoding != PQX_ENCODING_PLAIN
        && values->encoding != PQX_ENCODING_BYTE_STREAM_SPLIT)
        return values->at; /* no values, which need no bytes */
    if (is_dictionary(values->encoding)) return pqx_runs_end(&values->runs);
    if (values->encoding == PQX_ENCODING_RLE) return values->runs.size;
    if (values->encoding == PQX_ENCODING_BYTE_STREAM_SPLIT)
        return values->at + (size_t)values->count * values->width;
    return values->at + (size_t)((values->taken + 7) / 8);
}
