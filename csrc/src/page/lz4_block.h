/* Blocks of LZ4 (lz4, doc/lz4_Block_format.md), decompressed. */
#ifndef PQX_LZ4_BLOCK_H
#define PQX_LZ4_BLOCK_H

#include "page/lz.h"

enum { PQX_LZ4_SPARE = 64 }; /* bytes after the output that may be overwritten */

/* Decompress a block into `out`, which has room for `out_size` bytes and PQX_LZ4_SPARE more. Return
 * 1 if the block decompresses to exactly `out_size` bytes and ends as the format requires;
 * otherwise `out` is undefined. */
int pqx_lz4_block(const uint8_t *data, size_t size, uint8_t *out, size_t out_size);

/* Continue a block whose available bytes are in b->in, at least to `stop` in the output. Return 0
 * if b->in ends first, before a sequence that is incomplete or damaged. */
int pqx_lz4_until(pqx_lz *b, const uint8_t *stop);

#endif
