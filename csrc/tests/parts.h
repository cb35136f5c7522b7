/* Blocks decompressed by parts, as tests and fuzz targets do it. */
#ifndef PQX_TEST_PARTS_H
#define PQX_TEST_PARTS_H

#include <string.h>

#include "page/lz.h"

/* Decompress to `step` bytes more of the output each time, from `step` bytes more of the block,
 * which ends at `in_end`, as needed. Returns 1 if the block fills the whole output. */
static inline int decompress_by_parts(pqx_lz *b, const uint8_t *in_end, size_t step,
                                      int (*until)(pqx_lz *, const uint8_t *))
{
    const uint8_t *stop = b->begin;
    while (stop < b->out_end) {
        stop = (size_t)(b->out_end - stop) < step ? b->out_end : stop + step;
        while (!until(b, stop)) {
            if (b->in_end == in_end) return 0;
            b->in_end = (size_t)(in_end - b->in_end) < step ? in_end : b->in_end + step;
        }
        if (b->out < stop || b->out > b->out_end) return 0;
    }
    return b->in == in_end;
}

#endif
