/* The codecs of pages that are decompressed here. */
#ifndef PQX_CODEC_H
#define PQX_CODEC_H

#include "page/lz.h"

enum { PQX_DECOMPRESS_SPARE = 64 }; /* bytes behind the output that may be written */

/* Whether pages of a codec are: of none, Snappy, LZ4_RAW, and ZSTD by the library that zstd.h was
 * given. */
int pqx_codec_is_known(int codec);

/* Whether so many bytes may stand for `out_size` ones: more than they can, or than is likely enough
 * to reserve memory for, are not believed. */
int pqx_codec_believes(int codec, size_t size, size_t out_size);

/* Decompress `size` bytes into `out`, which has room for `out_size` bytes and PQX_DECOMPRESS_SPARE
 * more. Whether they stand for exactly `out_size` bytes; if not, `out` holds anything. `*zstd`: as
 * pqx_zstd has its context. */
int pqx_decompress(int codec, const uint8_t *data, size_t size, uint8_t *out, size_t out_size,
                   void **zstd);

/* Begin to decompress by parts what lz->in has the first bytes of; whether that may be. */
int pqx_decompress_begin(int codec, pqx_lz *lz, void **zstd);
/* Go on, until the output reaches `stop`. 0: lz->in ends first, or is damaged; -1: it is damaged.
 */
int pqx_decompress_until(int codec, pqx_lz *lz, const uint8_t *stop, void *zstd);

#endif
