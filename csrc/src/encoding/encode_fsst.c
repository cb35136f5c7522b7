/* Encode with FSST: the symbols of a page, the ends of each value's codes, and the codes. */
#include "encoding/encode.h"
#include "encoding/fsst_symbols.h"

#include "base/pages.h"

enum {
    CODE_BITS = 8,
    MOST_TABLE = 2 + PQX_FSST_MOST_SYMBOLS * (1 + PQX_FSST_LONGEST),
    MOST_OF_BYTE = 2 /* codes: an escaped byte */
};

/* Return the maximum number of bytes before the codes. */
static uint64_t most_before(uint64_t count) { return MOST_TABLE + pqx_deltas_bound(count, 4); }

size_t pqx_fsst_bound(uint64_t count, size_t bytes)
{
    if (count > INT32_MAX || bytes > SIZE_MAX / 4) return SIZE_MAX;
    uint64_t most = most_before(count) + (uint64_t)bytes * MOST_OF_BYTE + PQX_ENCODE_SLACK;
    return most < SIZE_MAX ? (size_t)most : SIZE_MAX;
}

static uint8_t *put_symbols(const pqx_fsst_symbols *symbols, uint8_t *out)
{
    *out++ = CODE_BITS;
    *out++ = (uint8_t)symbols->count;
    memcpy(out, symbols->lengths, symbols->count);
    out += symbols->count;
    for (uint32_t i = 0; i < symbols->count; out += symbols->lengths[i++])
        memcpy(out, &symbols->bytes[i], symbols->lengths[i]);
    return out;
}

/* Write the codes of one value, which ends before `readable`. */
static uint8_t *put_codes(const pqx_fsst_matcher *matcher, const uint8_t *at, const uint8_t *end,
                          const uint8_t *readable, uint8_t *out)
{
    while (at < end) {
        uint64_t word = 0;
        if (PQX_LIKELY(readable - at >= 8)) word = pqx_load64(at);
        else memcpy(&word, at, (size_t)(readable - at));
        uint32_t code = pqx_fsst_match(matcher, word, (size_t)(end - at));
        *out++ = (uint8_t)code;
        if (PQX_LIKELY(code != PQX_FSST_ESCAPE)) at += matcher->symbols.lengths[code];
        else *out++ = *at++;
    }
    return out;
}

/* Write the deltas to `ends` and the codes after the maximum size of the deltas, then close the
 * gap. */
static int encode(const pqx_fsst_matcher *matcher, const pqx_fsst_values *values, uint8_t *out,
                  size_t *size, pqx_error *error)
{
    uint8_t *ends = put_symbols(&matcher->symbols, out), *codes = out + most_before(values->count);
    const uint8_t *readable = values->data + pqx_fsst_start(values, values->count);
    uint8_t *at = codes;
    pqx_delta_writer writer;
    if (!values->count) pqx_delta_writer_begin(&writer, 0, 0, ends);
    for (size_t i = 0; i < values->count; i++) {
        const uint8_t *value = values->data + pqx_fsst_start(values, i);
        at = put_codes(matcher, value, values->data + pqx_fsst_start(values, i + 1), readable, at);
        uint32_t end = (uint32_t)(at - codes);
        if (i) pqx_delta_writer_put(&writer, end);
        else pqx_delta_writer_begin(&writer, values->count, end, ends);
    }
    size_t bytes = (size_t)(at - codes);
    if (bytes > INT32_MAX) return pqx_fail(error, PQX_TOO_LARGE, 0, INT32_MAX, bytes);
    pqx_delta_writer_flush(&writer);
    memmove(writer.out, codes, bytes);
    *size = (size_t)(writer.out - out) + bytes;
    return PQX_OK;
}

int pqx_fsst_encode(int type, int32_t type_length, const pqx_value_array *values, uint8_t *out,
                    size_t capacity, size_t *size, pqx_error *error)
{
    if (type != PQX_PHYSICAL_BYTE_ARRAY && type != PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        return pqx_fail(error, PQX_UNWRITTEN_ENCODING, 0, (uint64_t)(int64_t)type,
                        PQX_ENCODING_FSST);
    PQX_TRY(pqx_check_values(type, type_length, values, error));
    pqx_fsst_values given = {values->data ? values->data : out, NULL, (size_t)values->count, 0};
    if (type == PQX_PHYSICAL_BYTE_ARRAY) given.offsets = values->offsets;
    else given.width = (size_t)type_length;
    size_t bytes = pqx_fsst_start(&given, given.count) - pqx_fsst_start(&given, 0);
    size_t bound = pqx_fsst_bound(given.count, bytes);
    if (capacity < bound) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, bound, capacity);
    pqx_fsst_matcher *matcher = (pqx_fsst_matcher *)pqx_reserve(sizeof *matcher);
    if (!matcher) return pqx_fail(error, PQX_NO_MEMORY, 0, sizeof *matcher, 0);
    int status = pqx_fsst_find_symbols(&given, matcher, error);
    if (status == PQX_OK) status = encode(matcher, &given, out, size, error);
    pqx_release(matcher);
    return status;
}
