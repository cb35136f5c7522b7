/* Compare two scans of one footer. */
#ifndef PQX_TEST_SCANS_H
#define PQX_TEST_SCANS_H

#include <string.h>

#include "parquetext_internal.h"

static inline int same_bytes(const void *a, const void *b, size_t size)
{ return size == 0 || (a && b && memcmp(a, b, size) == 0); }

static inline int same_error(const pqx_error *a, const pqx_error *b)
{
    return a->code == b->code
           && (a->code == PQX_OK
               || (a->offset == b->offset && a->expected == b->expected && a->found == b->found));
}

static inline int same_scan(const pqx_scan *a, const pqx_scan *b)
{
    return a->version == b->version && a->num_rows == b->num_rows && a->end == b->end
           && a->regular == b->regular && a->encrypted == b->encrypted
           && a->element_count == b->element_count && a->leaf_count == b->leaf_count
           && a->row_group_count == b->row_group_count && a->chunk_count == b->chunk_count
           && !a->places == !b->places && same_error(&a->problem, &b->problem)
           && same_bytes(a->elements, b->elements, a->element_count * sizeof *a->elements)
           && same_bytes(a->leaves, b->leaves, a->leaf_count * sizeof *a->leaves)
           && same_bytes(a->row_groups, b->row_groups, a->row_group_count * sizeof *a->row_groups)
           && same_bytes(a->chunks, b->chunks, (size_t)a->chunk_count * sizeof *a->chunks)
           && (!a->places
               || same_bytes(a->places, b->places, (size_t)a->chunk_count * sizeof *a->places));
}

/* Scan by both decoders; returns 1 if they agree on acceptance, error and values. The caller frees
 * `scan` if *accepted is set. */
static inline int both_decoders(const uint8_t *data, size_t size, pqx_scan *scan, pqx_error *error,
                                int *accepted)
{
    pqx_scan plain;
    pqx_error plain_error = {0};
    int status = pqx_scan_loosely(data, size, scan, error),
        plain_status = pqx_scan_plainly(data, size, &plain, &plain_error);
    *accepted = status == PQX_OK;
    if (plain_status != PQX_OK) return status == plain_status && same_error(error, &plain_error);
    int same = status == PQX_OK && same_scan(scan, &plain);
    pqx_scan_free(&plain);
    return same;
}

#endif
