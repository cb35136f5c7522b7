/* What the flat footer's writer and reader share. */
#ifndef PQX_FLAT_H
#define PQX_FLAT_H

#include "internal.h"

/* The tail block's flags. */
enum { PQX_FLAT_HAS_CREATED_BY = 1, PQX_FLAT_HAS_KEY_VALUES = 2, PQX_FLAT_HAS_COLUMN_ORDERS = 4, PQX_FLAT_VERBATIM = 8, PQX_FLAT_COMPACT = 16, PQX_FLAT_ALL_FLAGS = 31 };
/* Logical types that have geospatial statistics, by their tags in the flat schema. */
enum { PQX_FLAT_GEOMETRY = 16, PQX_FLAT_GEOGRAPHY = 17 };
/* Where the ROOT cell has created_by, and the lists of parts and of ROW_GROUPS begin. */
enum { PQX_FLAT_CREATED_BY = 32, PQX_FLAT_LIST = 28 };

/* flat_names.c: hashes of paths and field ids, for writer and reader. Makes each NUL of the path a '.'. */
uint64_t pqx_flat_hash_path(uint8_t *path, size_t size);
uint64_t pqx_flat_hash_field_id(int32_t field_id);
/* Put `count` entries of 8 bytes into BUCKET pages whose headers are there; `homes` are the high halves of their hashes. */
void pqx_flat_fill_buckets(uint8_t *pages, uint32_t buckets, const uint32_t *homes, const uint8_t *entries, size_t count);

#endif
