/* The page codecs that the library decompresses. */
#ifndef PQX_CODEC_H
#define PQX_CODEC_H

#include "page/lz.h"

enum { PQX_DECOMPRESS_SPARE = 64 }; /* bytes after the output that may be overwritten */

/* Return 1 for a supported codec: none, Snappy, LZ4_RAW, and ZSTD if zstd.h was given the library.
 */
int pqx_codec_is_known(int codec);

/* Return 1 if `size` bytes may decompress to `out_size` bytes. Sizes that are impossible, or too
 * unlikely to reserve memory for, are rejected. */
int pqx_codec_believes(int codec, size_t size, size_t out_size);

/* Decompress `size` bytes into `out`, which has room for `out_size` bytes and PQX_DECOMPRESS_SPARE
 * more. Return 1 if the result has exactly `out_size` bytes; otherwise `out` is undefined. `*zstd`
 * is the context of pqx_zstd. */
int pqx_decompress(int codec, const uint8_t *data, size_t size, uint8_t *out, size_t out_size,
                   void **zstd);

/* Begin to decompress the data in parts; lz->in contains its first bytes. Return 1 if the codec and
 * the data allow it. */
int pqx_decompress_begin(int codec, pqx_lz *lz, void **zstd);
/* Continue until the output reaches `stop`. Return 0 if lz->in ends first or is damaged, -1 if it
 * is damaged. */
int pqx_decompress_until(int codec, pqx_lz *lz, const uint8_t *stop, void *zstd);

#endif
