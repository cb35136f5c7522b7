/* The reference to blocks that are stored aside, before the Thrift footer (docs/formats.md, section
 * 8). */
#include "base/internal.h"

#define SMALLEST (PQX_REFERENCE_HEAD_BYTES + PQX_REFERENCE_BLOCK_BYTES + 4)

static int wrong(pqx_error *error, size_t at, uint64_t expected, uint64_t found)
{ return pqx_fail(error, PQX_REFERENCE, at, expected, found); }

void pqx_reference_get_block(const pqx_reference *reference, uint32_t index, pqx_aside_block *block)
{
    const uint8_t *entry = reference->blocks + (size_t)index * PQX_REFERENCE_BLOCK_BYTES;
    memcpy(block->uuid, entry, 16);
    block->payload = pqx_load64(entry + 16);
    block->length = pqx_load32(entry + 24);
    block->trailer_crc = pqx_load32(entry + 28);
}

/* Check that the blocks follow each other from the first multiple of 8 after `start` to the Thrift
 * footer. */
static int check_blocks(const pqx_reference *reference, uint64_t footer, pqx_error *error)
{
    uint64_t expected = (reference->start + 7) & ~(uint64_t)7;
    pqx_aside_block block;
    for (uint32_t i = 0; i < reference->block_count; i++) {
        size_t at = PQX_REFERENCE_HEAD_BYTES + (size_t)i * PQX_REFERENCE_BLOCK_BYTES;
        pqx_reference_get_block(reference, i, &block);
        if (block.payload != expected) return wrong(error, at + 16, expected, block.payload);
        int is_last = i + 1 == reference->block_count;
        uint64_t room = footer > expected ? footer - expected : 0,
                 most = room > PQX_BLOCK_TRAILER_BYTES ? room - PQX_BLOCK_TRAILER_BYTES : 0;
        if (room < PQX_BLOCK_TRAILER_BYTES || block.length > most
            || (is_last && block.length != most))
            return wrong(error, at + 24, most, block.length);
        expected += (uint64_t)block.length + PQX_BLOCK_TRAILER_BYTES;
    }
    return PQX_OK;
}

int pqx_reference_parse(const uint8_t *payload, size_t size, uint64_t footer,
                        pqx_reference *reference, pqx_error *error)
{
    if (size < SMALLEST) return wrong(error, 0, SMALLEST, size);
    if (pqx_load16(payload) != PQX_REFERENCE_VERSION)
        return pqx_fail(error, PQX_UNKNOWN_LAYOUT, 0, PQX_REFERENCE_VERSION, pqx_load16(payload));
    if (pqx_load16(payload + 2)) return wrong(error, 2, 0, pqx_load16(payload + 2));
    uint32_t count = pqx_load32(payload + 4);
    size_t most = (size - PQX_REFERENCE_HEAD_BYTES - 4) / PQX_REFERENCE_BLOCK_BYTES;
    if (count < 1 || count > most) return wrong(error, 4, most, count);
    *reference = (pqx_reference){
        .start = pqx_load64(payload + 8),
        .struct_length = pqx_load32(payload + 16),
        .struct_crc = pqx_load32(payload + 20),
        .block_count = count,
        .blocks = payload + PQX_REFERENCE_HEAD_BYTES,
    };
    if (reference->start > footer) return wrong(error, 8, footer, reference->start);
    if (!reference->struct_length) return wrong(error, 16, 1, 0);
    PQX_TRY(check_blocks(reference, footer, error));
    size_t at = PQX_REFERENCE_HEAD_BYTES + (size_t)count * PQX_REFERENCE_BLOCK_BYTES,
           left = size - at - 4;
    uint32_t copied = pqx_load32(payload + at), last = pqx_load32(payload + at - 8);
    if (copied > left || copied > last) return wrong(error, at, left < last ? left : last, copied);
    reference->tail_block = (pqx_bytes){payload + at + 4, copied};
    return PQX_OK;
}
