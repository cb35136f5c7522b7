/* DELTA_BINARY_PACKED: blocks of 128 differences, in four miniblocks of 32.
 *
 * Differences wrap at the type's width, so that none takes more bits than a value. */
#include "encoding/encode.h"

#define MINIBLOCKS (PQX_DELTA_BLOCK / PQX_DELTA_MINIBLOCK)
#define MOST_HEADER (2 + 1 + 5 + 10)

uint64_t pqx_deltas_bound(uint64_t count, uint32_t width)
{
    uint64_t blocks = count ? (count - 1 + PQX_DELTA_BLOCK - 1) / PQX_DELTA_BLOCK : 0;
    return MOST_HEADER + blocks * (10 + MINIBLOCKS + PQX_DELTA_BLOCK * width);
}

static uint64_t zigzag32(uint32_t value) { return (uint32_t)(value << 1) ^ -(value >> 31); }
static uint64_t zigzag64(uint64_t value) { return value << 1 ^ -(value >> 63); }

static uint8_t *put_header(uint8_t *out, size_t count, uint64_t zigzag_first)
{
    out += pqx_varint_put(out, PQX_DELTA_BLOCK);
    out += pqx_varint_put(out, MINIBLOCKS);
    out += pqx_varint_put(out, count);
    return out + pqx_varint_put(out, zigzag_first);
}

/* Write the bytes before the miniblocks of a block. */
static uint8_t *put_block_header(uint8_t *out, uint64_t zigzag_minimum, const uint8_t *widths)
{
    out += pqx_varint_put(out, zigzag_minimum);
    memcpy(out, widths, MINIBLOCKS);
    return out + MINIBLOCKS;
}

/* Write one block of at most 128 values; missing values are packed as zeros. */
static uint8_t *put_block32(const pqx_encode_choice *best, const uint8_t *values, size_t count,
                            uint32_t before, uint8_t *out)
{
    uint32_t deltas[PQX_DELTA_BLOCK];
    uint8_t widths[MINIBLOCKS];
    uint32_t minimum = best->deltas32(values, count, before, deltas, widths);
    out = put_block_header(out, zigzag32(minimum), widths);
    for (size_t m = 0; m < MINIBLOCKS; m++)
        out = pqx_pack32(deltas + m * PQX_DELTA_MINIBLOCK, PQX_DELTA_MINIBLOCK / 8, widths[m], out);
    return out;
}

static uint8_t *put_block64(const pqx_encode_choice *best, const uint8_t *values, size_t count,
                            uint64_t before, uint8_t *out)
{
    uint64_t deltas[PQX_DELTA_BLOCK];
    uint8_t widths[MINIBLOCKS];
    uint64_t minimum = best->deltas64(values, count, before, deltas, widths);
    out = put_block_header(out, zigzag64(minimum), widths);
    for (size_t m = 0; m < MINIBLOCKS; m++)
        out = pqx_pack64(deltas + m * PQX_DELTA_MINIBLOCK, PQX_DELTA_MINIBLOCK / 8, widths[m], out);
    return out;
}

static inline size_t block_of(size_t left)
{ return left < PQX_DELTA_BLOCK ? left : PQX_DELTA_BLOCK; }

uint8_t *pqx_encode_deltas32(const uint8_t *values, size_t count, uint8_t *out)
{
    const pqx_encode_choice *best = pqx_encode_best();
    uint32_t before = count ? pqx_load32(values) : 0;
    out = put_header(out, count, zigzag32(before));
    for (size_t at = 1; at < count; at += PQX_DELTA_BLOCK) {
        size_t now = block_of(count - at);
        out = put_block32(best, values + at * 4, now, before, out);
        before = pqx_load32(values + (at + now - 1) * 4);
    }
    return out;
}

uint8_t *pqx_encode_deltas64(const uint8_t *values, size_t count, uint8_t *out)
{
    const pqx_encode_choice *best = pqx_encode_best();
    uint64_t before = count ? pqx_load64(values) : 0;
    out = put_header(out, count, zigzag64(before));
    for (size_t at = 1; at < count; at += PQX_DELTA_BLOCK) {
        size_t now = block_of(count - at);
        out = put_block64(best, values + at * 8, now, before, out);
        before = pqx_load64(values + (at + now - 1) * 8);
    }
    return out;
}

void pqx_delta_writer_begin(pqx_delta_writer *writer, size_t count, uint32_t first, uint8_t *out)
{
    writer->out = put_header(out, count, zigzag32(first));
    writer->last = first;
    writer->waiting = 0;
}

void pqx_delta_writer_flush(pqx_delta_writer *writer)
{
    if (!writer->waiting) return;
    writer->out = put_block32(pqx_encode_best(), (const uint8_t *)writer->values, writer->waiting,
                              writer->last, writer->out);
    writer->last = writer->values[writer->waiting - 1];
    writer->waiting = 0;
}
