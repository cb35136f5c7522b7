/* Blocks of Snappy (google/snappy, format_description.txt), decompressed. */
#ifndef PQX_SNAPPY_H
#define PQX_SNAPPY_H

#include "page/lz.h"

enum { PQX_SNAPPY_SPARE = 64 }; /* bytes behind the output that may be written */

/* Decompress a block into `out`, which has room for `out_size` bytes and PQX_SNAPPY_SPARE more.
 * Whether it is one that stands for exactly `out_size` bytes; if not, `out` holds anything. */
int pqx_snappy(const uint8_t *data, size_t size, uint8_t *out, size_t out_size);

/* The same by parts. Begin with a block of which b->in has what is there: whether it stands for as
 * many bytes as the output has. */
int pqx_snappy_begin(pqx_lz *b);
/* Go on, to `stop` in the output at least. 0: b->in ends first, in front of an element that is not
 * whole, or that is damaged. */
int pqx_snappy_until(pqx_lz *b, const uint8_t *stop);

#endif
