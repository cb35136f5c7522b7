/* Choose the split of a file that reads a row group of a slice. Included by footer/slice_write.c.
 */
#ifndef PQX_FOOTER_MIDPOINT_H
#define PQX_FOOTER_MIDPOINT_H

#include "base/internal.h"

/* Return a + b, saturated. */
static inline int64_t pqx_add_saturated(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
    return a + b;
}

/* The values collected from a row group's chunks so far; starts as PQX_NO_CHUNKS. */
typedef struct pqx_midpoint {
    const pqx_chunk *first;
    int64_t size, end; /* the sum, saturated; the largest end of a chunk */
} pqx_midpoint;
#define PQX_NO_CHUNKS {NULL, 0, INT64_MIN}

/* Return a chunk's beginning by parquet-java's rule (getOffset of ParquetMetadataConverter): the
 * data page, or the dictionary page if its offset is set and smaller. */
static inline int64_t pqx_midpoint_begin(const pqx_chunk *chunk)
{
    int is_in_front = chunk->present & PQX_PRESENT_DICTIONARY_PAGE_OFFSET
                      && chunk->dictionary_page_offset < chunk->data_page_offset;
    return is_in_front ? chunk->dictionary_page_offset : chunk->data_page_offset;
}

static inline int64_t pqx_midpoint_size_of(const pqx_chunk *chunk)
{ return chunk->total_compressed_size > 0 ? chunk->total_compressed_size : 0; }

/* Add the next chunk; the pointer is kept. */
static inline void pqx_midpoint_add(pqx_midpoint *midpoint, const pqx_chunk *chunk)
{
    int64_t size = pqx_midpoint_size_of(chunk);
    if (!midpoint->first) midpoint->first = chunk;
    midpoint->size = pqx_add_saturated(midpoint->size, size);
    if (!(chunk->present & PQX_PRESENT_DATA_PAGE_OFFSET)) return;
    int64_t end = pqx_add_saturated(pqx_midpoint_begin(chunk), size);
    if (end > midpoint->end) midpoint->end = end;
}

/* Compute total_compressed_size of the row group, and its file_offset if that is not -1.
 * parquet-java reads a row group in the split that contains
 *
 * (begin of the first chunk) + total_compressed_size / 2
 *
 * (filterFileMetaDataByMidpoint of ParquetMetadataConverter); 1.12.0, and every release for
 * encrypted columns, uses file_offset + total_compressed_size / 2. The size is the sum over the
 * chunks. If the first chunk is stored after others, for example because it was copied, half of the
 * sum may be outside the row group; then the size is that of the first chunk only. A file_offset
 * after the chunks is replaced by the begin of the first chunk. Sizes below 0 count as 0, and sums
 * saturate. If the first chunk has no data page offset, all values are left unchanged. */
static inline int64_t pqx_midpoint_size(const pqx_midpoint *midpoint, int64_t *file_offset)
{
    const pqx_chunk *first = midpoint->first;
    int64_t size = midpoint->size;
    if (!first || !(first->present & PQX_PRESENT_DATA_PAGE_OFFSET)) return size;
    int64_t begin = pqx_midpoint_begin(first);
    if (pqx_add_saturated(begin, size / 2) >= midpoint->end) size = pqx_midpoint_size_of(first);
    if (*file_offset != -1 && pqx_add_saturated(*file_offset, size / 2) >= midpoint->end)
        *file_offset = begin;
    return size;
}

#endif
