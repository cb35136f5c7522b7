/* Declarations shared by the parts of the footer slice. */
#ifndef PQX_SLICE_H
#define PQX_SLICE_H

#include "thrift/cursor.h"

/* The values of an element that a scan of some elements does not know: its index among its
 * siblings, and its number of leaves. */
typedef struct pqx_real {
    uint32_t position, leaf_count;
} pqx_real;

typedef struct pqx_projection {
    const uint8_t *data; /* the footer */
    const pqx_scan *scan;
    const uint32_t *leaves; /* ascending */
    uint32_t leaf_count;
    const pqx_real *real; /* per element; NULL if the scan has all elements */
    uint32_t real_elements;
    const pqx_slice_row_group *groups; /* NULL if the scan has row groups and chunks; otherwise the
                                          requested row groups, */
    const pqx_slice_chunk *chunks;     /* with their chunks in row-group major order */
} pqx_projection;

static inline int pqx_is_arrow_schema(const uint8_t *data, const pqx_key_value *pair)
{
    static const char key[] = "ARROW:schema";
    return pair->key.length == sizeof key - 1
           && memcmp(data + pair->key.offset, key, sizeof key - 1) == 0;
}

/* Write a slice like pqx_slice_footer, also from a scan that contains only the elements of the
 * projection. */
int pqx_slice_projection(const pqx_projection *projection, size_t size, const uint32_t *row_groups,
                         uint32_t row_group_count, int arrow_schema, int key_values,
                         pqx_buffer *out, pqx_error *error);

/* Append the ARROW:schema of the projection. Append nothing if the footer has no valid one: it must
 * have as many top-level fields as the root has children, and the requested fields must have the
 * same names. */
int pqx_project_arrow_schema(const pqx_projection *projection, pqx_buffer *out);

#endif
