/* Which split of a file reads a row group of a slice. Included by footer/slice_write.c. */
#ifndef PQX_FOOTER_MIDPOINT_H
#define PQX_FOOTER_MIDPOINT_H

#include "base/internal.h"

/* a + b, or the end of the range that it leaves. */
static inline int64_t pqx_add_saturated(int64_t a, int64_t b)
{
    if (b > 0 && a > INT64_MAX - b) return INT64_MAX;
    if (b < 0 && a < INT64_MIN - b) return INT64_MIN;
    return a + b;
}

/* What is known of a row group's chunks so far; begins as PQX_NO_CHUNKS. */
typedef struct pqx_midpoint {
    const pqx_chunk *first;
    int64_t size, end; /* the sum, saturated; where the chunk ends that ends last */
} pqx_midpoint;
#define PQX_NO_CHUNKS {NULL, 0, INT64_MIN}

/* Where a chunk begins by parquet-java's rule (getOffset of ParquetMetadataConverter): at the data
 * page, or at the dictionary page where one in front is told. */
static inline int64_t pqx_midpoint_begin(const pqx_chunk *chunk)
{
    int is_in_front = chunk->present & PQX_PRESENT_DICTIONARY_PAGE_OFFSET
                      && chunk->dictionary_page_offset < chunk->data_page_offset;
    return is_in_front ? chunk->dictionary_page_offset : chunk->data_page_offset;
}

static inline int64_t pqx_midpoint_size_of(const pqx_chunk *chunk)
{ return chunk->total_compressed_size > 0 ? chunk->total_compressed_size : 0; }

/* Take the next chunk, whose facts stay where they are. */
static inline void pqx_midpoint_add(pqx_midpoint *midpoint, const pqx_chunk *chunk)
{
    int64_t size = pqx_midpoint_size_of(chunk);
    if (!midpoint->first) midpoint->first = chunk;
    midpoint->size = pqx_add_saturated(midpoint->size, size);
    if (!(chunk->present & PQX_PRESENT_DATA_PAGE_OFFSET)) return;
    int64_t end = pqx_add_saturated(pqx_midpoint_begin(chunk), size);
    if (end > midpoint->end) midpoint->end = end;
}

/* total_compressed_size of the row group, and its file_offset where that is other than -1.
 * parquet-java reads a row group in the split that holds
 *
 *     where the first chunk begins + total_compressed_size / 2
 *
 * (filterFileMetaDataByMidpoint of ParquetMetadataConverter), 1.12.0 and every release for
 * encrypted columns file_offset + total_compressed_size / 2. The size is the sum over the chunks.
 * Where the first chunk stands behind others, as one with a copy does, half of the sum may lead out
 * of the row group: then it is the first chunk's size alone. A file_offset that leads behind the
 * chunks becomes where the first one begins. Sizes below 0 count as 0, and sums saturate; where the
 * first chunk has no data page offset all of it is left as it is. */
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
