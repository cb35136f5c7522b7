#include "encoding/fsst.h"

enum { PIECE = 256, HEADER = 2, CODE_BITS = 8 };

/* Read the symbols of a page; *next is the offset of its deltas. */
static int read_symbols(pqx_fsst_symbols *symbols, const uint8_t *data, size_t size, size_t *next,
                        pqx_error *error)
{
    if (size < HEADER) return pqx_fail(error, PQX_TRUNCATED, 0, HEADER, size);
    if (data[0] != CODE_BITS) return pqx_fail(error, PQX_CODE_BITS, 0, CODE_BITS, data[0]);
    size_t at = HEADER, count = data[1], bytes = 0;
    if (count > size - at) return pqx_fail(error, PQX_TRUNCATED, at, count, size - at);
    memset(symbols, 0, sizeof *symbols);
    symbols->count = (uint32_t)count;
    for (size_t i = 0; i < count; i++) {
        uint8_t length = data[at + i];
        if (!length || length > PQX_FSST_LONGEST)
            return pqx_fail(error, PQX_SYMBOL_LENGTH, at + i, PQX_FSST_LONGEST, length);
        symbols->lengths[i] = length;
        bytes += length;
    }
    at += count;
    if (bytes > size - at) return pqx_fail(error, PQX_TRUNCATED, at, bytes, size - at);
    for (size_t i = 0; i < count; at += symbols->lengths[i++])
        memcpy(&symbols->bytes[i], data + at, symbols->lengths[i]);
    *next = at;
    return PQX_OK;
}

int pqx_fsst_count(const uint8_t *data, size_t size, uint64_t *count, pqx_error *error)
{
    pqx_fsst_symbols symbols;
    uint32_t number;
    size_t at;
    PQX_TRY(read_symbols(&symbols, data, size, &at, error));
    for (int i = 0; i < 3; i++) PQX_TRY(pqx_varint_get32(data, size, at, &number, &at, error));
    *count = number;
    return PQX_OK;
}

int pqx_fsst_begin(pqx_fsst *fsst, uint32_t width, const uint8_t *data, size_t size, uint64_t count,
                   pqx_error *error)
{
    size_t at = 0;
    fsst->data = data, fsst->size = size;
    fsst->codes = 0, fsst->end = 0, fsst->width = width;
    if (count || size) PQX_TRY(read_symbols(&fsst->symbols, data, size, &at, error));
    PQX_TRY(pqx_deltas_begin(&fsst->ends, 0, data, size, at, count, error));
    if (fsst->ends.total != count)
        return pqx_fail(error, PQX_DELTA_COUNT, fsst->ends.total_at, count, fsst->ends.total);
    return pqx_deltas_find_end(&fsst->ends, &fsst->codes, error);
}

static size_t room_for(size_t codes)
{
    uint64_t most = (uint64_t)codes * PQX_FSST_LONGEST;
    return most < INT32_MAX ? (size_t)most : INT32_MAX;
}

size_t pqx_fsst_room(const pqx_fsst *fsst) { return room_for(fsst->size - fsst->codes); }

/* Check that the value's codes exist; *length is their number. */
static int check_end(const pqx_fsst *fsst, uint32_t start, uint32_t end, size_t *length,
                     pqx_error *error)
{
    size_t left = fsst->size - fsst->codes - start;
    *length = (uint32_t)(end - start);
    if (left > INT32_MAX) left = INT32_MAX;
    if (*length > left)
        return pqx_fail(error, PQX_BYTE_ARRAY_LENGTH, fsst->codes + start, left, *length);
    return PQX_OK;
}

/* Check a code that is not a symbol: an escape followed by a byte, or an error. */
static int check_escape(const pqx_fsst *fsst, const uint8_t *code, const uint8_t *end,
                        pqx_error *error)
{
    size_t at = (size_t)(code - fsst->data);
    if (*code != PQX_FSST_ESCAPE)
        return pqx_fail(error, PQX_SYMBOL_CODE, at, fsst->symbols.count, *code);
    return code + 1 < end ? PQX_OK : pqx_fail(error, PQX_TRUNCATED, at + 1, 1, 0);
}

/* Decode if 8 bytes for each code may be written; *out advances over the value. */
static int decode(const pqx_fsst *fsst, const uint8_t *code, const uint8_t *end, uint8_t **out,
                  pqx_error *error)
{
    const pqx_fsst_symbols *symbols = &fsst->symbols;
    uint8_t *to = *out;
    while (code < end) {
        uint32_t number = *code;
        if (PQX_LIKELY(number < symbols->count)) {
            pqx_store64(to, symbols->bytes[number]);
            to += symbols->lengths[number];
            code++;
        } else {
            PQX_TRY(check_escape(fsst, code, end, error));
            *to++ = code[1];
            code += 2;
        }
    }
    *out = to;
    return PQX_OK;
}

/* Compute the length of the value. */
static int measure(const pqx_fsst *fsst, const uint8_t *code, const uint8_t *end, uint64_t *length,
                   pqx_error *error)
{
    for (*length = 0; code < end; code++) {
        if (*code < fsst->symbols.count) {
            *length += fsst->symbols.lengths[*code];
        } else {
            PQX_TRY(check_escape(fsst, code++, end, error));
            *length += 1;
        }
    }
    return PQX_OK;
}

/* Decode a measured value without writing after it. */
static void decode_within(const pqx_fsst *fsst, const uint8_t *code, const uint8_t *end,
                          uint8_t *out)
{
    const pqx_fsst_symbols *symbols = &fsst->symbols;
    for (; code < end; code++) {
        if (*code == PQX_FSST_ESCAPE) {
            *out++ = *++code;
        } else {
            memcpy(out, &symbols->bytes[*code], symbols->lengths[*code]);
            out += symbols->lengths[*code];
        }
    }
}

/* Take the next value, whose codes end at `end`, into bytes[*filled..room). */
static int take_one(pqx_fsst *fsst, uint32_t end, uint8_t *bytes, size_t *filled, size_t room,
                    pqx_error *error)
{
    const uint8_t *code = fsst->data + fsst->codes + fsst->end;
    size_t at = (size_t)(code - fsst->data), codes;
    uint64_t length;
    PQX_TRY(check_end(fsst, fsst->end, end, &codes, error));
    const int has_room = (uint64_t)codes * PQX_FSST_LONGEST <= room - *filled;
    if (PQX_LIKELY(has_room)) {
        uint8_t *out = bytes + *filled;
        PQX_TRY(decode(fsst, code, code + codes, &out, error));
        length = (uint64_t)(out - bytes) - *filled;
    } else {
        PQX_TRY(measure(fsst, code, code + codes, &length, error));
    }
    if (fsst->width && length != fsst->width)
        return pqx_fail(error, PQX_VALUE_LENGTH, at, fsst->width, length);
    if (length > room - *filled) return pqx_fail(error, PQX_TOO_LARGE, at, room, *filled + length);
    if (!has_room) decode_within(fsst, code, code + codes, bytes + *filled);
    fsst->end = end;
    *filled += (size_t)length;
    return PQX_OK;
}

int pqx_fsst_take(pqx_fsst *fsst, size_t count, int32_t *offsets, uint8_t *bytes, size_t *filled,
                  size_t room, pqx_error *error)
{
    uint32_t ends[PIECE];
    for (size_t some; count; count -= some) {
        some = count < PIECE ? count : PIECE;
        PQX_TRY(pqx_deltas_take(&fsst->ends, some, (uint8_t *)ends, error));
        for (size_t i = 0; i < some; i++) {
            PQX_TRY(take_one(fsst, ends[i], bytes, filled, room, error));
            if (offsets) *offsets++ = (int32_t)*filled;
        }
    }
    return PQX_OK;
}

int pqx_fsst_skip(pqx_fsst *fsst, size_t count, pqx_error *error)
{
    uint32_t last;
    size_t length;
    if (!count) return PQX_OK;
    PQX_TRY(pqx_deltas_skip(&fsst->ends, count - 1, error));
    PQX_TRY(pqx_deltas_take(&fsst->ends, 1, (uint8_t *)&last, error));
    fsst->end = 0;
    PQX_TRY(check_end(fsst, 0, last, &length, error));
    fsst->end = last;
    return PQX_OK;
}

int pqx_fsst_next_room(const pqx_fsst *fsst, size_t *room, pqx_error *error)
{
    pqx_deltas ends = fsst->ends;
    uint32_t end;
    size_t codes;
    PQX_TRY(pqx_deltas_take(&ends, 1, (uint8_t *)&end, error));
    PQX_TRY(check_end(fsst, fsst->end, end, &codes, error));
    *room = room_for(codes);
    return PQX_OK;
}
