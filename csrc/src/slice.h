/* What the parts of the footer slice share. */
#ifndef PQX_SLICE_H
#define PQX_SLICE_H

#include "cursor.h"

typedef struct pqx_projection {
    const uint8_t *data;                 /* the footer */
    const pqx_scan *scan;
    const uint32_t *leaves;              /* ascending */
    uint32_t leaf_count;
} pqx_projection;

static inline int pqx_is_arrow_schema(const uint8_t *data, const pqx_key_value *pair)
{
    static const char key[] = "ARROW:schema";
    return pair->key.length == sizeof key - 1 && memcmp(data + pair->key.offset, key, sizeof key - 1) == 0;
}

/* Append the ARROW:schema of the projection, or nothing where the footer has none that can be trusted: the top-level
 * fields are as many as the root's children, and those that are wanted have their names. */
int pqx_project_arrow_schema(const pqx_projection *projection, pqx_buffer *out);

#endif
