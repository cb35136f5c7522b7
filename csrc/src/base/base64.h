/* Base64 (RFC 4648, standard alphabet). */
#ifndef PQX_BASE64_H
#define PQX_BASE64_H

#include "base/internal.h"

/* Bytes of text without its padding; of text that is no base64, whatever the rest of it says. */
static inline size_t pqx_base64_size(size_t text_size)
{ return text_size / 4 * 3 + text_size % 4 * 3 / 4; }

/* Decode `size` characters, no padding among them, to `out`. Returns the index of the first group
 * of 4 that has a character outside of the alphabet, or SIZE_MAX. */
size_t pqx_base64_decode(const uint8_t *text, size_t size, uint8_t *out);
/* base64_x86.c: decode whole groups as far as all of 16 characters at a time are of the alphabet;
 * how many. What `out` holds behind them is left undefined, up to its end. 0 where the machine
 * cannot. */
size_t pqx_base64_wide_groups(const uint8_t *text, size_t size, uint8_t *out);
/* Append the text of `size` bytes, padded. */
int pqx_base64_append(const uint8_t *bytes, size_t size, pqx_buffer *out, pqx_error *error);

#endif
