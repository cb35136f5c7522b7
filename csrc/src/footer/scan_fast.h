/* Column chunks and schema elements as writers write them, by straight compares: ahead of the
 * decoders that take any. */
#ifndef PQX_SCAN_FAST_H
#define PQX_SCAN_FAST_H

#include "footer/scan.h"

/* What there is to read behind every place where fast decoders check what is left: all that stands
 * between two parts that are of any length (names, bounds, lists of counts), read without another
 * check. */
enum { PQX_SLACK = 224 };

/* Take up to `most` chunks from the cursor on into scan->chunks, for which there is room, as long
 * as their fields come in the order in which writers write them, hold what they usually hold, and
 * the input goes on well behind them. Stops at the start of the first one that surprises, which the
 * decoder for any order then takes, with every check. Returns how many. */
uint32_t pqx_fast_chunks(pqx_scanning *s, uint32_t most);
/* The same for schema elements, into scan->elements. */
uint32_t pqx_fast_elements(pqx_scanning *s, uint32_t most);
/* Step over the value at the cursor, of field `field` of a struct that rules are about (wire.toml):
 * whether it lacks nothing that readers require. Chunks that the fast decoder takes lack nothing.
 */
int pqx_lacks_nothing(pqx_cursor *c, uint32_t structure, uint32_t field, int around);

#endif
