/* Declarations shared by the parts of a slice from the flat footer. */
#ifndef PQX_FLAT_SLICE_H
#define PQX_FLAT_SLICE_H

#include "flat/flat_read.h"

/* An element of the slice; offsets are relative to `bytes` of the slice, because the buffer may
 * move. */
typedef struct pqx_flat_part {
    uint32_t id;    /* leaf, or PQX_FLAT_GROUP | node */
    uint64_t place; /* offset of its head in the payload */
    uint32_t index, parent_node, position, leaf_count;
    uint32_t arrow;                 /* pool position of its Arrow field, 0 for none */
    uint32_t parent, end, children; /* in the sorted list: its parent, the end of its descendants;
                                       number of kept children */
    size_t thrift, thrift_size, path, path_size;
    uint8_t column_order;
} pqx_flat_part;

typedef struct pqx_flat_slicer {
    pqx_flat *flat;
    const uint32_t *leaves, *row_groups;
    uint32_t leaf_count, row_group_count;
    pqx_buffer parts, bytes, elements, paths, arrow_schema, pairs, key_values;
    uint32_t *known; /* node -> 1 if the slice has it */
    uint32_t *order; /* the requested row groups' indices, sorted by row group */
    pqx_chunk *chunks;
    pqx_places *places;
    pqx_slice_chunk *facts;
    pqx_row_group *groups;
    pqx_slice_row_group *slice_groups;
    pqx_error *error;
} pqx_flat_slicer;

static inline pqx_flat_part *pqx_flat_parts(const pqx_flat_slicer *s)
{ return (pqx_flat_part *)(void *)s->parts.data; }
static inline uint32_t pqx_flat_part_count(const pqx_flat_slicer *s)
{ return (uint32_t)(s->parts.size / sizeof(pqx_flat_part)); }

/* flat_slice.c: sort the numbers 0 to count - 1 by their keys into order[]; the sort is stable. */
int pqx_flat_order(const uint32_t *keys, uint32_t count, uint32_t *order, pqx_error *error);

/* flat_slice_arrow.c: write the ARROW:schema of the slice's top-level elements into
 * s->arrow_schema; nothing if one of them has no field. Fails only if the flat footer is damaged.
 */
int pqx_flat_slice_arrow(pqx_flat_slicer *s);

/* flat_chunks.c: like pqx_flat_get_chunks, within a call that has begun. */
int pqx_flat_read_chunks(pqx_flat *flat, uint32_t leaf, uint32_t first, uint32_t count,
                         pqx_chunk *chunks, pqx_places *places, pqx_buffer *arena,
                         pqx_error *error);

#endif
