/* Decode column chunks and schema elements in the format that writers use, with direct compares.
 * These decoders run before the general ones. */
#ifndef PQX_SCAN_FAST_H
#define PQX_SCAN_FAST_H

#include "footer/scan.h"

/* The number of bytes that must follow every position at which fast decoders check the remaining
 * input. It covers everything between two parts of variable length (names, bounds, lists of
 * counts), which is read without another check. */
enum { PQX_SLACK = 224 };

/* Read up to `most` chunks from the cursor into scan->chunks, which has room, as long as their
 * fields are in the usual order, have the usual contents, and enough input follows them. Stops at
 * the start of the first other chunk, for which the caller uses the decoder for any order, with
 * every check. Returns the number of chunks. */
uint32_t pqx_fast_chunks(pqx_scanning *s, uint32_t most);
/* Read schema elements into scan->elements; otherwise like pqx_fast_chunks. */
uint32_t pqx_fast_elements(pqx_scanning *s, uint32_t most);
/* Skip the value at the cursor, of field `field` of a struct that has rules (wire.toml); return 1
 * if it lacks nothing that readers require. Chunks that the fast decoder takes lack nothing.
 */
int pqx_lacks_nothing(pqx_cursor *c, uint32_t structure, uint32_t field, int around);

#endif
