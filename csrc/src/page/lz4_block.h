/* Blocks of LZ4 (lz4, doc/lz4_Block_format.md), decompressed. */
#ifndef PQX_LZ4_BLOCK_H
#define PQX_LZ4_BLOCK_H

#include "page/lz.h"

enum { PQX_LZ4_SPARE = 64 }; /* bytes behind the output that may be written */

/* Decompress a block into `out`, which has room for `out_size` bytes and PQX_LZ4_SPARE more.
 * Whether it is one that stands for exactly `out_size` bytes and ends as the format demands; if
 * not, `out` holds anything. */
int pqx_lz4_block(const uint8_t *data, size_t size, uint8_t *out, size_t out_size);

/* Go on with a block of which b->in has what is there, to `stop` in the output at least. 0: b->in
 * ends first, in front of a sequence that is not whole, or that is damaged. */
int pqx_lz4_until(pqx_lz *b, const uint8_t *stop);

#endif
