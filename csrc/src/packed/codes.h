/* Codes of the paths of fields in a ColumnChunk, as pqx_packed_code makes them. */
#ifndef PQX_PACKED_CODES_H
#define PQX_PACKED_CODES_H

#include "packed/structs.h"

#define PQX_CODE(id) ((uint64_t)PQX_COLUMN_CHUNK_##id)
#define PQX_CODE_META(id) (PQX_CODE(META_DATA) << 16 | PQX_COLUMN_META_DATA_##id)
#define PQX_CODE_STATISTIC(id) (PQX_CODE_META(STATISTICS) << 16 | PQX_STATISTICS_##id)

#endif
