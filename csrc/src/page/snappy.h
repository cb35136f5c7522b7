/* Blocks of Snappy (google/snappy, format_description.txt), decompressed. */
#ifndef PQX_SNAPPY_H
#define PQX_SNAPPY_H

#include <stddef.h>
#include <stdint.h>

enum { PQX_SNAPPY_SPARE = 64 }; /* bytes behind the output that may be written */

/* Decompress a block into `out`, which has room for `out_size` bytes and PQX_SNAPPY_SPARE more.
 * Whether it is one that stands for exactly `out_size` bytes; if not, `out` holds anything. */
int pqx_snappy(const uint8_t *data, size_t size, uint8_t *out, size_t out_size);

#endif
