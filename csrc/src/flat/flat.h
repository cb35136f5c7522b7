/* Declarations shared by the flat footer's writer and reader. */
#ifndef PQX_FLAT_H
#define PQX_FLAT_H

#include "base/internal.h"

/* The tail block's flags. */
enum {
    PQX_FLAT_HAS_CREATED_BY = 1,
    PQX_FLAT_HAS_KEY_VALUES = 2,
    PQX_FLAT_HAS_COLUMN_ORDERS = 4,
    PQX_FLAT_VERBATIM = 8,
    PQX_FLAT_COMPACT = 16,
    PQX_FLAT_ALL_FLAGS = 31
};
/* Offset of created_by in the ROOT cell, and of the list in ROW_GROUPS cells. */
enum { PQX_FLAT_CREATED_BY = 32, PQX_FLAT_LIST = 28 };
/* Offset of the word in COLUMN and NODE cells that locates the heads, and of the tables; the same
 * in parts above 0. */
enum {
    PQX_FLAT_HEADS = 16,
    PQX_FLAT_TABLES_AT = 20,
    PQX_FLAT_PART_LIST = 20,
    PQX_FLAT_PART_TABLES = 24
};

/* Return the number of leaves of a COLUMN cell: several if there are few row groups. */
static inline uint32_t pqx_flat_cell_leaves(uint32_t row_groups)
{
    return row_groups > PQX_FLAT_CELL_LEAVES ? 1
                                             : PQX_FLAT_CELL_LEAVES / (row_groups ? row_groups : 1);
}

/* flat_limit.c: return the maximum size of a payload for a footer of `size` bytes (and extensions),
 * whatever the footer claims. */
uint64_t pqx_flat_limit(uint64_t size);
/* Reject a schema whose paths alone exceed the limit: a nested schema of n elements has paths of n
 * × n. Reserves 8 bytes per element. */
int pqx_flat_check_paths(const pqx_scan *scan, uint64_t limit, pqx_error *error);

/* flat_names.c: hashes of paths and field ids, for writer and reader. Replaces each NUL of the path
 * with '.'. */
uint64_t pqx_flat_hash_path(uint8_t *path, size_t size);
uint64_t pqx_flat_hash_field_id(int32_t field_id);
/* Insert `count` entries of 8 bytes into BUCKET pages whose headers have been written; `homes` are
 * the high halves of their hashes. */
void pqx_flat_fill_buckets(uint8_t *pages, uint32_t buckets, const uint32_t *homes,
                           const uint8_t *entries, size_t count);

#endif
