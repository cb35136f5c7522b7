/* Base64 (RFC 4648, standard alphabet). */
#ifndef PQX_BASE64_H
#define PQX_BASE64_H

#include "base/internal.h"

/* Return the decoded size of text without padding. The text need not be valid base64. */
static inline size_t pqx_base64_size(size_t text_size)
{ return text_size / 4 * 3 + text_size % 4 * 3 / 4; }

/* Decode `size` characters without padding to `out`. Return the index of the first group of 4 that
 * has a character outside the alphabet, or SIZE_MAX if there is none. */
size_t pqx_base64_decode(const uint8_t *text, size_t size, uint8_t *out);
/* base64_x86.c: decode 16 characters at a time until one is not in the alphabet. Return the number
 * of whole groups decoded; 0 if the CPU cannot do this. The rest of `out`, up to its end, is
 * undefined. */
size_t pqx_base64_wide_groups(const uint8_t *text, size_t size, uint8_t *out);
/* Append the base64 text of `size` bytes, with padding. */
int pqx_base64_append(const uint8_t *bytes, size_t size, pqx_buffer *out, pqx_error *error);

#endif
