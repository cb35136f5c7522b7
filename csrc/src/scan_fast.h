/* The usual field order of ColumnMetaData and Statistics, by straight compares: ahead of the decoder that takes any. */
#ifndef PQX_SCAN_FAST_H
#define PQX_SCAN_FAST_H

#include "cursor.h"

/* Take fields from the cursor on, as long as they come in the order in which writers write them and the input goes on
 * well behind them; stop before the first one that surprises, which the decoder for any order then takes, with every
 * check. Returns the id of the last field taken. */
int32_t pqx_fast_metadata(pqx_cursor *c, pqx_chunk *chunk);
/* Take a whole Statistics struct, or nothing, returning 0: what has then been written to `chunk` is to be reset. */
int pqx_fast_statistics(pqx_cursor *c, pqx_chunk *chunk);

#endif
