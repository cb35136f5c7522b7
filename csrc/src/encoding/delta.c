#include "encoding/delta.h"

#include "encoding/bits.h"
#include "encoding/sums.h"

enum {
    PIECE = 256,     /* values that are unpacked together, so that they stay in the nearest cache */
    WIDEST_FAST = 25 /* widest values that pqx_unpack32 processes in registers */
};

static inline uint64_t unzigzag(uint64_t value) { return value >> 1 ^ -(value & 1); }

int pqx_deltas_begin(pqx_deltas *deltas, int is_64, const uint8_t *data, size_t size, size_t at,
                     uint64_t count, pqx_error *error)
{
    uint32_t block, miniblocks, total;
    uint64_t first;
    size_t next;
    *deltas = (pqx_deltas){.data = data, .size = size, .at = at, .is_64 = is_64 != 0};
    deltas->count = deltas->left = count;
    if (count == 0 && at >= size) return PQX_OK;

    PQX_TRY(pqx_varint_get32(data, size, at, &block, &next, error));
    if (!block || block % 128) return pqx_fail(error, PQX_DELTA_HEADER, at, 128, block);
    at = next;
    PQX_TRY(pqx_varint_get32(data, size, at, &miniblocks, &next, error));
    if (!miniblocks || block % miniblocks || block / miniblocks % 32)
        return pqx_fail(error, PQX_DELTA_HEADER, at, block, miniblocks);
    at = next;
    PQX_TRY(pqx_varint_get32(data, size, at, &total, &next, error));
    if (total < count) return pqx_fail(error, PQX_DELTA_COUNT, at, count, total);
    deltas->total = total;
    deltas->total_at = at;
    PQX_TRY(pqx_varint_get64(data, size, next, &first, &deltas->at, error));

    deltas->block_values = block;
    deltas->miniblock_values = block / miniblocks;
    deltas->miniblock = deltas->miniblocks = miniblocks;
    deltas->last = unzigzag(first);
    return PQX_OK;
}

static int open_block(pqx_deltas *deltas, pqx_error *error)
{
    uint64_t least;
    size_t widths;
    PQX_TRY(pqx_varint_get64(deltas->data, deltas->size, deltas->at, &least, &widths, error));
    size_t left = deltas->size - widths;
    if (deltas->miniblocks > left)
        return pqx_fail(error, PQX_TRUNCATED, widths, deltas->miniblocks, left);
    deltas->min_delta = unzigzag(least);
    deltas->widths = widths;
    deltas->at = widths + deltas->miniblocks;
    deltas->miniblock = 0;
    return PQX_OK;
}

/* Open the next miniblock; at least one value remains. Advances deltas->at over its body. */
static int open_miniblock(pqx_deltas *deltas, pqx_error *error)
{
    if (deltas->miniblock == deltas->miniblocks) PQX_TRY(open_block(deltas, error));
    size_t place = deltas->widths + deltas->miniblock++, left = deltas->size - deltas->at;
    uint8_t width = deltas->data[place];
    if (width > 64) return pqx_fail(error, PQX_BIT_WIDTH, place, 64, width);

    uint64_t values = deltas->miniblock_values;
    if (values > deltas->left) values = deltas->left;
    uint64_t needed = (values * width + 7) / 8, whole = deltas->miniblock_values / 8 * width;
    if (deltas->is_strict) needed = whole;
    if (needed > left) return pqx_fail(error, PQX_TRUNCATED, deltas->at, needed, left);
    deltas->width = width;
    deltas->packed = (uint64_t)deltas->at * 8;
    deltas->miniblock_left = values;
    deltas->at += whole < left ? whole : left;
    return PQX_OK;
}

/* Unpack the next differences of the open miniblock; those as wide as their integer are
 * byte-aligned. */
static void unpack(const pqx_deltas *deltas, size_t count, uint64_t *out)
{
    if (deltas->width == 64) memcpy(out, deltas->data + (deltas->packed >> 3), 8 * count);
    else pqx_unpack64(deltas->data, deltas->size, deltas->packed, deltas->width, count, out);
}

static void unpack_narrow(const pqx_deltas *deltas, size_t count, uint32_t *out)
{
    uint64_t wide[PIECE];
    if (deltas->width == 32) {
        memcpy(out, deltas->data + (deltas->packed >> 3), 4 * count);
    } else if (deltas->width <= WIDEST_FAST) {
        pqx_unpack32(deltas->data, deltas->size, deltas->packed, deltas->width, count, out);
    } else {
        unpack(deltas, count, wide);
        for (size_t i = 0; i < count; i++) out[i] = (uint32_t)wide[i];
    }
}

/* Take the next values of the open miniblock, at most PIECE. */
static void take_piece(pqx_deltas *deltas, size_t count, uint8_t *out)
{
    const uint64_t least = deltas->min_delta, last = deltas->last;
    if (deltas->is_64) {
        uint64_t packed[PIECE];
        unpack(deltas, count, packed);
        deltas->last = pqx_sum64(packed, count, least, last, out);
    } else {
        uint32_t packed[PIECE];
        unpack_narrow(deltas, count, packed);
        deltas->last = pqx_sum32(packed, count, (uint32_t)least, (uint32_t)last, out);
    }
    deltas->packed += (uint64_t)count * deltas->width;
    deltas->miniblock_left -= count;
    deltas->left -= count;
}

int pqx_deltas_take(pqx_deltas *deltas, size_t count, uint8_t *out, pqx_error *error)
{
    const size_t width = deltas->is_64 ? 8 : 4;
    if (count > deltas->left) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, deltas->left, count);
    if (count && !deltas->is_begun) {
        memcpy(out, &deltas->last, width);
        deltas->is_begun = 1;
        deltas->left--, count--, out += width;
    }
    while (count) {
        if (!deltas->miniblock_left) PQX_TRY(open_miniblock(deltas, error));
        size_t piece = count < PIECE ? count : PIECE;
        if (piece > deltas->miniblock_left) piece = (size_t)deltas->miniblock_left;
        take_piece(deltas, piece, out);
        count -= piece, out += piece * width;
    }
    return PQX_OK;
}

int pqx_deltas_skip(pqx_deltas *deltas, size_t count, pqx_error *error)
{
    uint8_t values[8 * PIECE];
    while (count) {
        size_t piece = count < PIECE ? count : PIECE;
        PQX_TRY(pqx_deltas_take(deltas, piece, values, error));
        count -= piece;
    }
    return PQX_OK;
}

/* Find the end of `ahead.left` values. */
static int find_end(pqx_deltas ahead, size_t *end, pqx_error *error)
{
    if (!ahead.is_begun && ahead.left) ahead.left--;
    for (ahead.left -= ahead.miniblock_left; ahead.left; ahead.left -= ahead.miniblock_left)
        PQX_TRY(open_miniblock(&ahead, error));
    *end = ahead.at;
    return PQX_OK;
}

int pqx_deltas_find_end(const pqx_deltas *deltas, size_t *end, pqx_error *error)
{
    size_t other = 0;
    PQX_TRY(find_end(*deltas, end, error));
    if (deltas->total <= deltas->count) return PQX_OK;
    pqx_deltas all = *deltas;
    all.left += deltas->total - deltas->count;
    if (find_end(all, &other, NULL) || other != *end)
        return pqx_fail(error, PQX_DELTA_COUNT, deltas->total_at, deltas->count, deltas->total);
    return PQX_OK;
}
