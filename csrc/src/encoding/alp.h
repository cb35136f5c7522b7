/* ALP (parquet-format, Encodings.md, ALP = 10): FLOAT and DOUBLE as integers and powers of ten.
 *
 * A page is a header of 7 bytes (mode, the integers' encoding, the vectors' size as a power of two,
 * the number of values), the offset of each vector relative to the first offset, and the vectors
 * without gaps. A vector is exponent, factor, number of exceptions, frame of reference, bit width;
 * the packed differences from the frame; positions of exceptions; the exceptions as stored values.
 *
 * Errors (offset, expected, found):
 *   PQX_TRUNCATED: the page, 7, remaining bytes; the offsets, their bytes, remaining bytes; a
 *     vector, the bytes of its numbers, remaining bytes; its differences, the bytes of everything
 *     after its numbers, remaining bytes;
 *   PQX_ALP_MODE: the byte, 0, its value: another mode, or another encoding of the integers;
 *   PQX_ALP_NUMBER: the byte, the limit, its value: a vector size that is not a power of 3 to 15;
 *     an exponent above 18 (FLOAT: 10); a factor above the exponent; more exceptions than values; a
 *     position after the last value;
 *   PQX_ALP_COUNT: the number of values, the page's number, its value;
 *   PQX_ALP_OFFSET: the offset, the beginning of its vector, its value. After a skip, the offset
 *     only has to be within the vectors; `expected` is then the limit that it exceeds;
 *   PQX_BIT_WIDTH: the bit width, 64 (FLOAT: 32), its value.
 * Exceptions may be in any order; if a value has two, the last one counts. A page without values
 * may be empty, without a header.
 */
#ifndef PQX_ALP_H
#define PQX_ALP_H

#include "encoding/values.h"

/* Begin with `count` values, the page's values without nulls, in data[at..size). */
int pqx_alp_begin(pqx_alp *alp, int is_double, const uint8_t *data, size_t size, size_t at,
                  uint64_t count, pqx_error *error);
/* Take the next `count` values of 4 or 8 bytes, at most the remaining ones. */
int pqx_alp_take(pqx_alp *alp, size_t count, uint8_t *out, pqx_error *error);
/* Skip the next `count` values, at most the remaining ones; vectors in between are not read. */
int pqx_alp_skip(pqx_alp *alp, size_t count, pqx_error *error);
/* Return the end of the values, after all have been taken or skipped. */
static inline size_t pqx_alp_end(const pqx_alp *alp) { return alp->at; }

#endif
