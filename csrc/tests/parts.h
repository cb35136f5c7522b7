/* Blocks decompressed by parts, as tests and fuzz targets do it. */
#ifndef PQX_TEST_PARTS_H
#define PQX_TEST_PARTS_H

#include "memory.h"
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

/* A format of blocks; `begin` may be NULL. */
typedef struct block_format {
    size_t spare; /* bytes that may be written behind the output */
    int (*whole)(const uint8_t *, size_t, uint8_t *, size_t);
    int (*begin)(pqx_lz *);
    int (*until)(pqx_lz *, const uint8_t *);
} block_format;

/* Decompress by parts of `step` bytes, of a block whose first `there` bytes are known. */
static inline int fills_in_parts(const block_format *format, const uint8_t *data, size_t size,
                                 size_t there, size_t step, uint8_t *out, size_t out_size)
{
    pqx_lz b = pqx_lz_of(data, there, out, out_size);
    if (format->begin && !format->begin(&b)) return 0;
    return decompress_by_parts(&b, data + size, step, format->until);
}

/* Return 1 if a block decompresses to `expected`: at once, if `step` is 0, or by parts. */
static inline int block_is(const block_format *format, const uint8_t *block, size_t size,
                           const void *expected, size_t length, size_t there, size_t step)
{
    uint8_t *data = exact(block, size), *out = malloc(length + format->spare);
    int fills = step ? fills_in_parts(format, data, size, there, step, out, length)
                     : format->whole(data, size, out, length);
    int is_it = fills && !memcmp(out, expected, length);
    free(data);
    free(out);
    return is_it;
}

#endif
