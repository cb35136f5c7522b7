/* The footer index (docs/formats.md, section 7): declarations shared by its writer and reader. */
#ifndef PQX_INDEX_H
#define PQX_INDEX_H

#include "flat/flat.h"

/* Counts and widths, which determine the position of every cell. */
typedef struct pqx_index_shape {
    uint32_t leaves, nodes, row_groups, key_values, names;
    uint8_t offset_bytes, length_bytes, number_bytes;
} pqx_index_shape;

static inline uint32_t pqx_index_groups(uint32_t row_groups, uint32_t part)
{
    uint32_t left = row_groups - part * PQX_FLAT_PART_ROW_GROUPS;
    return left < PQX_FLAT_PART_ROW_GROUPS ? left : PQX_FLAT_PART_ROW_GROUPS;
}

static inline uint32_t pqx_index_parts(const pqx_index_shape *s)
{ return s->row_groups ? (s->row_groups - 1) / PQX_FLAT_PART_ROW_GROUPS + 1 : 0; }

/* Return the bytes of a COLUMN cell's schema part, or of a NODE cell up to its leaves. */
static inline uint32_t pqx_index_schema_bytes(const pqx_index_shape *s)
{ return 8u + s->offset_bytes + s->length_bytes + 3u * s->number_bytes + 3; }
static inline uint32_t pqx_index_node_bytes(const pqx_index_shape *s)
{ return pqx_index_schema_bytes(s) + 2u * s->number_bytes; }
static inline uint32_t pqx_index_chunk_bytes(const pqx_index_shape *s)
{ return (uint32_t)s->offset_bytes + s->length_bytes; }
static inline uint32_t pqx_index_row_group_bytes(const pqx_index_shape *s)
{ return 4u + 4u * s->offset_bytes; }
static inline uint32_t pqx_index_key_value_bytes(const pqx_index_shape *s)
{ return 8u + 2u * s->offset_bytes; }
static inline uint32_t pqx_index_buckets(const pqx_index_shape *s)
{ return s->names <= PQX_FLAT_LIST_ENTRIES ? 0 : (s->names - 1) / PQX_FLAT_BUCKET_FILL + 1; }
static inline uint32_t pqx_index_tail_bytes(const pqx_index_shape *s)
{
    return PQX_INDEX_TAIL_BYTES + (s->names <= PQX_FLAT_LIST_ENTRIES ? 8 * s->names : 0)
           + PQX_INDEX_RECORD_BYTES;
}

/* Return the bytes of a COLUMN cell: the schema part and the first part's chunks. */
static inline uint32_t pqx_index_column_bytes(const pqx_index_shape *s)
{
    return pqx_index_schema_bytes(s) + 4
           + pqx_index_groups(s->row_groups, 0) * pqx_index_chunk_bytes(s);
}

/* Return the bytes of a leaf's cells, which are adjacent. */
static inline uint64_t pqx_index_leaf_bytes(const pqx_index_shape *s)
{
    uint32_t parts = pqx_index_parts(s);
    return pqx_index_schema_bytes(s) + 4 + (uint64_t)s->row_groups * pqx_index_chunk_bytes(s)
           + 8 * (uint64_t)(parts ? parts - 1 : 0);
}

/* Return the size of the cell of a leaf's part. The function below returns its offset. */
static inline uint32_t pqx_index_part_bytes(const pqx_index_shape *s, uint32_t part)
{
    return part ? 8 + pqx_index_groups(s->row_groups, part) * pqx_index_chunk_bytes(s)
                : pqx_index_column_bytes(s);
}
static inline uint64_t pqx_index_part_place(const pqx_index_shape *s, uint32_t leaf, uint32_t part)
{
    uint64_t full = 8 + PQX_FLAT_PART_ROW_GROUPS * (uint64_t)pqx_index_chunk_bytes(s);
    return leaf * pqx_index_leaf_bytes(s)
           + (part ? pqx_index_column_bytes(s) + (part - 1) * full : 0);
}

/* The offsets of the cells after those of the leaves. Sums that exceed `limit` are UINT64_MAX. */
typedef struct pqx_index_areas {
    uint64_t nodes, row_groups, key_values, buckets, tail;
} pqx_index_areas;
pqx_index_areas pqx_index_lay_out(const pqx_index_shape *shape, uint64_t limit);

static inline uint32_t pqx_index_number(const uint8_t *bytes, uint32_t width)
{
    uint32_t value = 0;
    memcpy(&value, bytes, width);
    return value;
}

/* The numbers of a schema's elements, and the entries of their names. */
typedef struct pqx_index_names {
    uint32_t *id_of,
        *position; /* element -> leaf, or PQX_FLAT_GROUP | node; its index among its siblings */
    uint32_t *node_element; /* node -> element */
    uint32_t *homes, count; /* of the entries: upper halves of their hashes */
    uint8_t *entries;       /* tag and id, 8 bytes each */
} pqx_index_names;

/* Return the number of entries: one per path, one per field id. */
uint64_t pqx_index_names_count(const pqx_scan *scan);
/* Free the result with pqx_index_names_free, also after an error. */
int pqx_index_names_make(const uint8_t *footer, const pqx_scan *scan, pqx_index_names *names,
                         pqx_error *error);
void pqx_index_names_free(pqx_index_names *names);
/* Write the buckets of the names to `first`, which has room for them and is zero; nothing if the
 * tail block lists them. */
void pqx_index_names_put_buckets(const pqx_index_names *names, uint8_t *first);
/* Return 1 + the index of the first ARROW:schema that has a value; 0 if there is none. */
uint32_t pqx_index_arrow_schema(const uint8_t *footer, const pqx_scan *scan);

#endif
