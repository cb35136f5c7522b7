/* BYTE_STREAM_SPLIT: the first byte of every value, then the second one of every value, and so on.
 */
#ifndef PQX_SPLIT_H
#define PQX_SPLIT_H

#include "base/internal.h"

/* Join `count` values of `width` bytes: byte k of value i is streams[k * stride + i]. */
void pqx_split_join(const uint8_t *streams, size_t stride, size_t width, size_t count,
                    uint8_t *out);

/* The portable version, and that with NEON. */
void pqx_join_portable(const uint8_t *streams, size_t stride, size_t width, size_t count,
                       uint8_t *out);
void pqx_join_neon(const uint8_t *streams, size_t stride, size_t width, size_t count, uint8_t *out);

#endif
