/* Heads of a flat footer's leaves and groups (docs/formats.md, 3.3). */
#ifndef PQX_FLAT_HEAD_H
#define PQX_FLAT_HEAD_H

#include "flat/flat_read.h"

/* Read the head of `id`, which follows `step_count` others in its cell, into flat->leaf and
 * flat->chunks, or flat->group. */
int pqx_flat_read_head(pqx_flat *flat, const pqx_cell *cell, uint32_t id, uint32_t step_count,
                       pqx_error *error);
/* Find the end of the `count` heads of a cell that begin with `first`. */
int pqx_flat_heads_end(pqx_flat *flat, const pqx_cell *cell, uint32_t first, uint32_t count,
                       uint32_t *end, pqx_error *error);
/* Read the list of a part above 0 into flat->part_chunks; *end is the offset after it. */
int pqx_flat_read_list(pqx_flat *flat, const pqx_cell *cell, uint32_t count, uint32_t *end,
                       pqx_error *error);
/* Join the element's Thrift bytes and its path; they are valid until the next call. */
int pqx_flat_join(pqx_flat *flat, const pqx_head *head, pqx_bytes *thrift, pqx_bytes *path,
                  pqx_error *error);

#endif
