/* Frames of Zstandard (RFC 8878), decompressed by the system's libzstd, where there is one. */
#ifndef PQX_ZSTD_H
#define PQX_ZSTD_H

#include <stddef.h>
#include <stdint.h>

/* Whether there is one; it is looked for once. */
int pqx_zstd_is_there(void);

/* Decompress frames into `out`, which has room for `out_size` bytes. Whether they stand for exactly
 * `out_size` bytes; if not, `out` holds anything. `*context` is NULL at first, serves one call at a
 * time, and is given back with pqx_zstd_free. */
int pqx_zstd(void **context, const uint8_t *data, size_t size, uint8_t *out, size_t out_size);
void pqx_zstd_free(void *context);

#endif
