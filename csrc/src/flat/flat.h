/* What the flat footer's writer and reader share. */
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
/* Where the ROOT cell has created_by, and the list of ROW_GROUPS begins. */
enum { PQX_FLAT_CREATED_BY = 32, PQX_FLAT_LIST = 28 };
/* Where COLUMN and NODE cells have the place of their heads, and their tables begin; the same in
 * parts above 0. */
enum {
    PQX_FLAT_HEADS = 16,
    PQX_FLAT_TABLES_AT = 20,
    PQX_FLAT_PART_LIST = 20,
    PQX_FLAT_PART_TABLES = 24
};

/* Leaves of a COLUMN cell: several where there are few row groups. */
static inline uint32_t pqx_flat_cell_leaves(uint32_t row_groups)
{
    return row_groups > PQX_FLAT_CELL_LEAVES ? 1
                                             : PQX_FLAT_CELL_LEAVES / (row_groups ? row_groups : 1);
}

/* flat_limit.c: how large a payload may be for a footer of `size` bytes (and extensions), whatever
 * the footer claims. */
uint64_t pqx_flat_limit(uint64_t size);
/* Refuse a schema whose paths alone are longer: a nested one of n elements has paths of n × n.
 * Reserves 8 bytes per element. */
int pqx_flat_check_paths(const pqx_scan *scan, uint64_t limit, pqx_error *error);

/* flat_names.c: hashes of paths and field ids, for writer and reader. Makes each NUL of the path a
 * '.'. */
uint64_t pqx_flat_hash_path(uint8_t *path, size_t size);
uint64_t pqx_flat_hash_field_id(int32_t field_id);
/* Put `count` entries of 8 bytes into BUCKET pages whose headers are there; `homes` are the high
 * halves of their hashes. */
void pqx_flat_fill_buckets(uint8_t *pages, uint32_t buckets, const uint32_t *homes,
                           const uint8_t *entries, size_t count);

#endif
