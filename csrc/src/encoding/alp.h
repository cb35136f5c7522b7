/* ALP (parquet-format, Encodings.md, ALP = 10): FLOAT and DOUBLE as integers and powers of ten.
 *
 * A page is a header of 7 bytes (mode, how integers are stored, the vectors' size as a power of
 * two, the number of values), the offset of each vector from the first offset on, and the vectors
 * without gaps. A vector is exponent, factor, number of exceptions, frame of reference, bit width;
 * the packed differences to the frame; positions of exceptions; exceptions as they are stored.
 *
 * What is damaged, and how it is told (error: offset, expected, found):
 *   PQX_TRUNCATED: the page, 7, bytes that are left; the offsets, their bytes, what is left; a
 *     vector, the bytes of its numbers, what is left; its differences, the bytes of all behind its
 *     numbers, what is left;
 *   PQX_ALP_MODE: the byte, 0, what it says: another mode, or other integers;
 *   PQX_ALP_NUMBER: the byte, the limit, what it says: a vector's size that is no power of 3 to 15;
 *     an exponent above 18 (FLOAT: 10); a factor above the exponent; more exceptions than values; a
 *     position behind the last value;
 *   PQX_ALP_COUNT: the number of values, the page's, what it says;
 *   PQX_ALP_OFFSET: the offset, where its vector begins, what it says; behind a skip only whether
 *     it leads among the vectors, the limit that it passes being expected;
 *   PQX_BIT_WIDTH: the bit width, 64 (FLOAT: 32), what it says.
 * Exceptions may stand in any order; of two for one value the last one counts. A page without
 * values may be empty, header and all.
 */
#ifndef PQX_ALP_H
#define PQX_ALP_H

#include "encoding/values.h"

/* Begin with `count` values, the page's without its nulls, in data[at..size). */
int pqx_alp_begin(pqx_alp *alp, int is_double, const uint8_t *data, size_t size, size_t at,
                  uint64_t count, pqx_error *error);
/* The next `count` values, at most those that are left, of 4 or 8 bytes. */
int pqx_alp_take(pqx_alp *alp, size_t count, uint8_t *out, pqx_error *error);
/* Pass over the next `count` values, at most those that are left; vectors between are not read. */
int pqx_alp_skip(pqx_alp *alp, size_t count, pqx_error *error);
/* Where they end, once all have been taken or passed over. */
static inline size_t pqx_alp_end(const pqx_alp *alp) { return alp->at; }

#endif
