/* DELTA_BINARY_PACKED (parquet-format, Encodings.md): INT32 and INT64 as differences, and the
 * lengths of byte arrays.
 *
 * A page has one header of four varints: values per block, miniblocks per block, number of values,
 * first value (zigzag). A block is its smallest difference (a zigzag varint), a byte of width for
 * each miniblock, and the bodies of the miniblocks that have values. Arithmetic wraps at the type's
 * width.
 *
 * Errors (offset, expected, found):
 *   the header ends early, or a varint is invalid: as in pqx_varint_get32 (the first value and
 *     each smallest difference: pqx_varint_get64), at the varint;
 *   PQX_DELTA_HEADER: the block size, 128, its value: not a multiple of 128, or 0;
 *   PQX_DELTA_HEADER: the number of miniblocks, the block size, its value: they do not divide the
 *     block evenly into multiples of 32 values;
 *   PQX_DELTA_COUNT: the number of values, the page's number, its value, if it is less. More values
 *     are ignored, unless their size determines the position of other data after them
 *     (pqx_deltas_find_end);
 *   PQX_TRUNCATED: the block's first width byte, widths of the block, remaining bytes;
 *   PQX_BIT_WIDTH: the width byte, 64, its value (of a miniblock that has values; also for INT32,
 *     because some writers compute differences in 64 bits);
 *   PQX_TRUNCATED: the miniblock's body, the bytes of its values, remaining bytes. The padding of
 *     the last miniblock may be missing at the end of the page.
 * A page without values may be empty, without a header.
 */
#ifndef PQX_DELTA_H
#define PQX_DELTA_H

#include "encoding/values.h"

/* Begin with `count` values, the page's values without nulls, in data[at..size). */
int pqx_deltas_begin(pqx_deltas *deltas, int is_64, const uint8_t *data, size_t size, size_t at,
                     uint64_t count, pqx_error *error);
/* Take the next `count` values, at most deltas->left, of 4 or 8 bytes. */
int pqx_deltas_take(pqx_deltas *deltas, size_t count, uint8_t *out, pqx_error *error);
/* Skip the next `count` values, at most deltas->left. */
int pqx_deltas_skip(pqx_deltas *deltas, size_t count, pqx_error *error);
/* Find the end of the encoded values, and check all of them as if they were taken; the cursor does
 * not move. PQX_DELTA_COUNT: the excess values in the header would end at another position. */
int pqx_deltas_find_end(const pqx_deltas *deltas, size_t *end, pqx_error *error);
/* Return the end of the values, after all have been taken. */
static inline size_t pqx_deltas_end(const pqx_deltas *deltas) { return deltas->at; }

#endif
