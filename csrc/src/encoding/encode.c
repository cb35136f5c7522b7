/* Check the arguments, then call the encoder, which cannot fail. */
#include "encoding/encode.h"
#include "encoding/values.h"

#define MOST_VALUES INT32_MAX
#define MOST_ALP_VALUES ((uint32_t)1 << 28) /* offsets of vectors have 32 bits */

static int is_served(int encoding, int type)
{
    switch (encoding) {
    case PQX_ENCODING_PLAIN:
        return type >= PQX_PHYSICAL_BOOLEAN && type <= PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    case PQX_ENCODING_RLE: return type == PQX_PHYSICAL_BOOLEAN;
    case PQX_ENCODING_DELTA_BINARY_PACKED:
        return type == PQX_PHYSICAL_INT32 || type == PQX_PHYSICAL_INT64;
    case PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY: return type == PQX_PHYSICAL_BYTE_ARRAY;
    case PQX_ENCODING_DELTA_BYTE_ARRAY:
        return type == PQX_PHYSICAL_BYTE_ARRAY || type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    case PQX_ENCODING_BYTE_STREAM_SPLIT:
        return type == PQX_PHYSICAL_INT32 || type == PQX_PHYSICAL_INT64
               || type == PQX_PHYSICAL_FLOAT || type == PQX_PHYSICAL_DOUBLE
               || type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY;
    case PQX_ENCODING_ALP: return type == PQX_PHYSICAL_FLOAT || type == PQX_PHYSICAL_DOUBLE;
    default: return 0;
    }
}

/* Return the number of bytes, or SIZE_MAX if it exceeds the address space. */
static size_t room_of(uint64_t bytes) { return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX; }

size_t pqx_encode_bound(int encoding, int type, int32_t type_length, uint64_t count, size_t bytes)
{
    if (!is_served(encoding, type)) return 0;
    if (count > MOST_VALUES || bytes > SIZE_MAX / 4) return SIZE_MAX;
    uint32_t width = pqx_fixed_width(type, type_length);
    uint64_t body = width ? count * width : bytes;
    switch (encoding) {
    case PQX_ENCODING_RLE: return room_of(4 + pqx_runs_bound(count, 1));
    case PQX_ENCODING_DELTA_BINARY_PACKED:
        return room_of(pqx_deltas_bound(count, width) + PQX_ENCODE_SLACK);
    case PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY:
        return room_of(pqx_deltas_bound(count, 4) + body + PQX_ENCODE_SLACK);
    case PQX_ENCODING_DELTA_BYTE_ARRAY:
        return room_of(2 * pqx_deltas_bound(count, 4) + body + PQX_ENCODE_SLACK + 4 * count);
    case PQX_ENCODING_ALP: return pqx_encode_alp_bound(type, count, PQX_ALP_USUAL_BITS);
    default:
        if (type == PQX_PHYSICAL_BOOLEAN) return room_of((count + 7) / 8);
        return room_of(width ? body : body + 4 * count + PQX_ENCODE_SLACK);
    }
}

/* Check that offsets ascend and stay within the bytes. */
static int check_offsets(const pqx_value_array *values, pqx_error *error)
{
    const int32_t *offsets = values->offsets;
    size_t count = (size_t)values->count;
    int descends = offsets[0] < 0;
    for (size_t i = 0; i < count; i++) descends |= offsets[i + 1] < offsets[i];
    if (PQX_LIKELY(!descends && (size_t)offsets[count] <= values->size)) return PQX_OK;
    int32_t before = 0;
    for (size_t i = 0; i <= count; before = offsets[i++])
        if (offsets[i] < before || (size_t)offsets[i] > values->size)
            return pqx_fail(error, PQX_VALUE_OFFSET, i * 4, values->size,
                            (uint64_t)(int64_t)offsets[i]);
    return PQX_OK;
}

int pqx_check_values(int type, int32_t type_length, const pqx_value_array *values, pqx_error *error)
{
    uint64_t count = values->count;
    if (type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY && type_length < 1)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, INT32_MAX, (uint64_t)(int64_t)type_length);
    if (count > MOST_VALUES) return pqx_fail(error, PQX_TOO_MANY, 0, MOST_VALUES, count);
    if (type == PQX_PHYSICAL_BYTE_ARRAY) return check_offsets(values, error);
    uint64_t needed =
        type == PQX_PHYSICAL_BOOLEAN ? (count + 7) / 8 : count * pqx_fixed_width(type, type_length);
    if (needed > values->size) return pqx_fail(error, PQX_VALUES_SIZE, 0, needed, values->size);
    return PQX_OK;
}

static int check_room(size_t bound, size_t capacity, pqx_error *error)
{ return bound <= capacity ? PQX_OK : pqx_fail(error, PQX_BAD_ARGUMENT, 0, bound, capacity); }

static uint8_t *plain_bits(const uint8_t *bits, size_t count, uint8_t *out)
{
    if (count / 8) memcpy(out, bits, count / 8);
    out += count / 8;
    if (count % 8) *out++ = bits[count / 8] & ((1u << count % 8) - 1);
    return out;
}

static uint8_t *encode_strings(int encoding, const pqx_strings *strings, uint8_t *behind,
                               uint8_t *out)
{
    switch (encoding) {
    case PQX_ENCODING_DELTA_LENGTH_BYTE_ARRAY: return pqx_encode_delta_length(strings, out);
    case PQX_ENCODING_DELTA_BYTE_ARRAY: return pqx_encode_delta_strings(strings, behind, out);
    default: return pqx_encode_plain_strings(strings, out);
    }
}

static uint8_t *encode_fixed(int encoding, const uint8_t *data, size_t count, uint32_t width,
                             uint8_t *behind, uint8_t *out)
{
    switch (encoding) {
    case PQX_ENCODING_DELTA_BINARY_PACKED:
        return width == 4 ? pqx_encode_deltas32(data, count, out)
                          : pqx_encode_deltas64(data, count, out);
    case PQX_ENCODING_DELTA_BYTE_ARRAY:
        return pqx_encode_delta_fixed(data, count, width, behind, out);
    case PQX_ENCODING_BYTE_STREAM_SPLIT: return pqx_encode_split(data, count, width, out);
    default:
        if (count) memcpy(out, data, count * width);
        return out + count * width;
    }
}

size_t pqx_encode_alp_bound(int type, uint64_t count, uint32_t vector_bits)
{
    if (!is_served(PQX_ENCODING_ALP, type)) return 0;
    if (vector_bits < PQX_ALP_LEAST_BITS || vector_bits > PQX_ALP_MOST_BITS) return 0;
    if (count > MOST_ALP_VALUES) return SIZE_MAX;
    return room_of(pqx_alp_bound(count, pqx_fixed_width(type, 0), vector_bits) + PQX_ENCODE_SLACK);
}

int pqx_encode_alp(int type, const pqx_value_array *values, uint32_t vector_bits, uint8_t *out,
                   size_t capacity, size_t *size, pqx_error *error)
{
    if (!is_served(PQX_ENCODING_ALP, type))
        return pqx_fail(error, PQX_UNWRITTEN_ENCODING, 0, (uint64_t)(int64_t)type,
                        PQX_ENCODING_ALP);
    if (vector_bits < PQX_ALP_LEAST_BITS || vector_bits > PQX_ALP_MOST_BITS)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, PQX_ALP_MOST_BITS, vector_bits);
    if (values->count > MOST_ALP_VALUES)
        return pqx_fail(error, PQX_TOO_MANY, 0, MOST_ALP_VALUES, values->count);
    PQX_TRY(pqx_check_values(type, 0, values, error));
    size_t count = (size_t)values->count;
    PQX_TRY(check_room(pqx_encode_alp_bound(type, count, vector_bits), capacity, error));
    const uint8_t *data = values->data ? values->data : out; /* no bytes are read from it */
    uint8_t *end = pqx_encode_alp_values(data, count, pqx_fixed_width(type, 0), vector_bits, out);
    *size = (size_t)(end - out);
    return PQX_OK;
}

int pqx_encode(int encoding, int type, int32_t type_length, const pqx_value_array *values,
               uint8_t *out, size_t capacity, size_t *size, pqx_error *error)
{
    if (!is_served(encoding, type))
        return pqx_fail(error, PQX_UNWRITTEN_ENCODING, 0, (uint64_t)(int64_t)type,
                        (uint64_t)(int64_t)encoding);
    if (encoding == PQX_ENCODING_ALP)
        return pqx_encode_alp(type, values, PQX_ALP_USUAL_BITS, out, capacity, size, error);
    PQX_TRY(pqx_check_values(type, type_length, values, error));
    size_t count = (size_t)values->count;
    uint32_t width = pqx_fixed_width(type, type_length);
    const uint8_t *data = values->data ? values->data : out; /* no bytes are read from it */
    pqx_strings strings = {data, values->size, values->offsets, count};
    size_t bytes = type == PQX_PHYSICAL_BYTE_ARRAY ? pqx_strings_bytes(&strings) : 0;
    size_t bound = pqx_encode_bound(encoding, type, type_length, count, bytes);
    PQX_TRY(check_room(bound, capacity, error));
    uint8_t *end, *behind = out + bound;
    if (type == PQX_PHYSICAL_BYTE_ARRAY) end = encode_strings(encoding, &strings, behind, out);
    else if (width) end = encode_fixed(encoding, data, count, width, behind, out);
    else if (encoding == PQX_ENCODING_PLAIN) end = plain_bits(data, count, out);
    else {
        end = pqx_encode_bit_runs(data, count, out + 4);
        pqx_store32(out, (uint32_t)(end - out - 4));
    }
    *size = (size_t)(end - out);
    return PQX_OK;
}

static uint32_t bits_of(uint32_t value)
{
    uint32_t bits = 0;
    for (; value; value >>= 1) bits++;
    return bits;
}

size_t pqx_encode_levels_bound(uint32_t max_level, uint64_t count)
{
    if (count > MOST_VALUES) return SIZE_MAX;
    return room_of(pqx_runs_bound(count, bits_of(max_level)) + PQX_ENCODE_SLACK);
}

int pqx_encode_levels(int encoding, const uint16_t *levels, uint64_t count, uint32_t max_level,
                      uint8_t *out, size_t capacity, size_t *size, pqx_error *error)
{
    if (encoding != PQX_ENCODING_RLE && encoding != PQX_ENCODING_BIT_PACKED)
        return pqx_fail(error, PQX_UNWRITTEN_ENCODING, 0, PQX_PHYSICAL_INT32,
                        (uint64_t)(int64_t)encoding);
    if (max_level > UINT16_MAX) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, UINT16_MAX, max_level);
    if (count > MOST_VALUES) return pqx_fail(error, PQX_TOO_MANY, 0, MOST_VALUES, count);
    PQX_TRY(check_room(pqx_encode_levels_bound(max_level, count), capacity, error));
    int above = 0;
    for (size_t i = 0; i < count; i++) above |= levels[i] > max_level;
    for (size_t i = 0; above && i < count; i++)
        if (levels[i] > max_level) return pqx_fail(error, PQX_LEVEL, i * 2, max_level, levels[i]);
    uint32_t width = bits_of(max_level);
    uint8_t *end = out;
    if (width && encoding == PQX_ENCODING_RLE)
        end = pqx_encode_runs16(levels, (size_t)count, width, out);
    else if (width) end = pqx_encode_msb_first(levels, (size_t)count, width, out);
    *size = (size_t)(end - out);
    return PQX_OK;
}

/* Return the bits of an index. A single value has indices of one bit, because some readers reject a
 * width of 0. */
static uint32_t index_width(uint32_t dictionary_count)
{ return dictionary_count < 2 ? dictionary_count : bits_of(dictionary_count - 1); }

size_t pqx_encode_indices_bound(uint32_t dictionary_count, uint64_t count)
{
    if (count > MOST_VALUES) return SIZE_MAX;
    return room_of(1 + pqx_runs_bound(count, index_width(dictionary_count)) + PQX_ENCODE_SLACK);
}

int pqx_encode_indices(const uint32_t *indices, uint64_t count, uint32_t dictionary_count,
                       uint8_t *out, size_t capacity, size_t *size, pqx_error *error)
{
    if (count > MOST_VALUES) return pqx_fail(error, PQX_TOO_MANY, 0, MOST_VALUES, count);
    PQX_TRY(check_room(pqx_encode_indices_bound(dictionary_count, count), capacity, error));
    int beyond = 0;
    for (size_t i = 0; i < count; i++) beyond |= indices[i] >= dictionary_count;
    for (size_t i = 0; beyond && i < count; i++)
        if (indices[i] >= dictionary_count)
            return pqx_fail(error, PQX_DICTIONARY_INDEX, i * 4, dictionary_count, indices[i]);
    out[0] = (uint8_t)index_width(dictionary_count);
    *size = (size_t)(pqx_encode_runs32(indices, (size_t)count, out[0], out + 1) - out);
    return PQX_OK;
}

int pqx_check_dictionary_values(int type, int32_t type_length, const pqx_value_array *values,
                                uint32_t *width, pqx_error *error)
{
    if (type <= PQX_PHYSICAL_BOOLEAN || type > PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        return pqx_fail(error, PQX_UNWRITTEN_ENCODING, 0, (uint64_t)(int64_t)type,
                        PQX_ENCODING_RLE_DICTIONARY);
    *width = pqx_fixed_width(type, type_length);
    return pqx_check_values(type, type_length, values, error);
}
