/* The maximum size of our footers relative to the Thrift footer, known before they are built. */
#include <stdlib.h>

#include "flat/flat.h"

uint64_t pqx_flat_limit(uint64_t size) { return PQX_FLAT_MOST_TIMES * size + PQX_FLAT_MOST_BESIDE; }

int pqx_flat_check_paths(const pqx_scan *scan, uint64_t limit, pqx_error *error)
{
    uint64_t *path_size = (uint64_t *)calloc((size_t)scan->element_count + 1, sizeof *path_size),
             all = 0;
    if (!path_size)
        return pqx_fail(error, PQX_NO_MEMORY, 0, 8 * ((uint64_t)scan->element_count + 1), 0);
    for (uint32_t i = 1; i < scan->element_count; i++) {
        const pqx_element *element = &scan->elements[i];
        path_size[i] =
            element->name.length + (element->parent > 0 ? path_size[element->parent] + 1 : 0);
        all += path_size[i];
    }
    free(path_size);
    return all <= limit ? PQX_OK : pqx_fail(error, PQX_OUT_OF_PROPORTION, 0, limit, all);
}
