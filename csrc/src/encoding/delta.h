/* DELTA_BINARY_PACKED (parquet-format, Encodings.md): INT32 and INT64 as differences, and the
 * lengths of byte arrays.
 *
 * A page has one header, four varints: values of a block, miniblocks of a block, values in all, the
 * first value (zigzag). A block is its least difference (a zigzag varint), a byte of width for each
 * miniblock, and the bodies of those that have values. Arithmetic wraps at the type's width.
 *
 * What is damaged, and how it is told (error: offset, expected, found):
 *   the header ends early, or a varint is none: as pqx_varint_get32 says it (the first value and
 *     each least difference: pqx_varint_get64), at the varint;
 *   PQX_DELTA_HEADER: the block's size, 128, what it says: no multiple of 128, or 0;
 *   PQX_DELTA_HEADER: the number of miniblocks, the block's size, what it says: they do not share
 *     the block evenly in multiples of 32 values;
 *   PQX_DELTA_COUNT: the number of values, the page's, what it says, if it is less. More values are
 *     ignored, unless something follows the values (pqx_deltas_find_end) whose place depends on
 *     them;
 *   PQX_TRUNCATED: the block's first width byte, widths of the block, bytes that are left;
 *   PQX_BIT_WIDTH: the width byte, 64, what it says (of a miniblock that has values; INT32 too, for
 *     some writers take differences in 64 bits);
 *   PQX_TRUNCATED: the miniblock's body, the bytes that its values take, bytes that are left. The
 *     last miniblock's padding may be missing at the end of the page.
 * A page without values may be empty, header and all.
 */
#ifndef PQX_DELTA_H
#define PQX_DELTA_H

#include "encoding/values.h"

/* Begin with `count` values, the page's without its nulls, in data[at..size). */
int pqx_deltas_begin(pqx_deltas *deltas, int is_64, const uint8_t *data, size_t size, size_t at,
                     uint64_t count, pqx_error *error);
/* The next `count` values, at most deltas->left, of 4 or 8 bytes. */
int pqx_deltas_take(pqx_deltas *deltas, size_t count, uint8_t *out, pqx_error *error);
/* Pass over the next `count` values, at most deltas->left. */
int pqx_deltas_skip(pqx_deltas *deltas, size_t count, pqx_error *error);
/* Where the encoded values end, all of them checked as taking them would; the cursor stays.
 * PQX_DELTA_COUNT: the values that the header has in excess end somewhere else. */
int pqx_deltas_find_end(const pqx_deltas *deltas, size_t *end, pqx_error *error);
/* Where they end, once all have been taken. */
static inline size_t pqx_deltas_end(const pqx_deltas *deltas) { return deltas->at; }

#endif
