/* Move values of 4 or 8 bytes to the slots that have one. */
#ifndef PQX_EXPAND_H
#define PQX_EXPAND_H

#include "base/internal.h"

enum { PQX_EXPAND_SPARE = 64 }; /* bytes after the values that may be read */

/* Fill `slots` slots of `width` bytes, 4 or 8, one for each bit from bit `bit` on (least
 * significant first, followed by 8 bytes that may be read): the next value if the bit is set, else
 * zeros. */
void pqx_expand(const uint8_t *values, size_t width, const uint8_t *bits, uint64_t bit,
                size_t slots, uint8_t *out);

/* The portable version. */
void pqx_expand_portable(const uint8_t *values, size_t width, const uint8_t *bits, uint64_t bit,
                         size_t slots, uint8_t *out);
void pqx_expand_avx512(const uint8_t *values, size_t width, const uint8_t *bits, uint64_t bit,
                       size_t slots, uint8_t *out);

#endif
