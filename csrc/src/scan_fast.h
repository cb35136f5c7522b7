/* The usual field order of ColumnMetaData and Statistics, by straight compares: ahead of the decoder that takes any. */
#ifndef PQX_SCAN_FAST_H
#define PQX_SCAN_FAST_H

#include "cursor.h"

/* Each takes fields from the cursor on, as long as they come in the order in which writers write them and the input goes
 * on well behind them; it stops before the first one that surprises it, which the decoder for any order then takes, with
 * every check. They return the id of the last field taken. */
int32_t pqx_fast_metadata(pqx_cursor *c, pqx_chunk *chunk);
/* *stopped: the struct's stop byte has been taken too. */
int32_t pqx_fast_statistics(pqx_cursor *c, pqx_chunk *chunk, int *stopped);

#endif
