/* Blocks of Snappy (google/snappy, format_description.txt), decompressed. */
#ifndef PQX_SNAPPY_H
#define PQX_SNAPPY_H

#include "page/lz.h"

enum { PQX_SNAPPY_SPARE = 64 }; /* bytes after the output that may be overwritten */

/* Decompress a block into `out`, which has room for `out_size` bytes and PQX_SNAPPY_SPARE more.
 * Return 1 if the block decompresses to exactly `out_size` bytes; otherwise `out` is undefined. */
int pqx_snappy(const uint8_t *data, size_t size, uint8_t *out, size_t out_size);

/* Begin a block in parts; its available bytes are in b->in. Return 1 if its decompressed size is
 * that of the output. */
int pqx_snappy_begin(pqx_lz *b);
/* Continue at least to `stop` in the output. Return 0 if b->in ends first, before an element that
 * is incomplete or damaged. */
int pqx_snappy_until(pqx_lz *b, const uint8_t *stop);

#endif
