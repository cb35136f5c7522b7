/* What the parts of the footer slice share. */
#ifndef PQX_SLICE_H
#define PQX_SLICE_H

#include "thrift/cursor.h"

/* What a scan of some elements only does not tell of one of them: its number among its siblings,
 * the leaves below it. */
typedef struct pqx_real {
    uint32_t position, leaf_count;
} pqx_real;

typedef struct pqx_projection {
    const uint8_t *data; /* the footer */
    const pqx_scan *scan;
    const uint32_t *leaves; /* ascending */
    uint32_t leaf_count;
    const pqx_real *real; /* per element; NULL where the scan has them all */
    uint32_t real_elements;
    const pqx_slice_row_group
        *groups; /* NULL where the scan has row groups and chunks; otherwise those wanted, */
    const pqx_slice_chunk *chunks; /* with their chunks, row-group major */
} pqx_projection;

static inline int pqx_is_arrow_schema(const uint8_t *data, const pqx_key_value *pair)
{
    static const char key[] = "ARROW:schema";
    return pair->key.length == sizeof key - 1
           && memcmp(data + pair->key.offset, key, sizeof key - 1) == 0;
}

/* pqx_slice_footer, also of a scan that has only those elements which the projection needs. */
int pqx_slice_projection(const pqx_projection *projection, size_t size, const uint32_t *row_groups,
                         uint32_t row_group_count, int arrow_schema, int key_values,
                         pqx_buffer *out, pqx_error *error);

/* Append the ARROW:schema of the projection, or nothing where the footer has none that can be
 * trusted: the top-level fields are as many as the root's children, and those that are wanted have
 * their names. */
int pqx_project_arrow_schema(const pqx_projection *projection, pqx_buffer *out);

#endif
