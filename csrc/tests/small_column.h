/* The one column of the small footer, looked up in an open reader. */
#ifndef PQX_TEST_SMALL_COLUMN_H
#define PQX_TEST_SMALL_COLUMN_H

#include "footer.h"
#include "harness.h"

static int has_facts(const pqx_chunk *chunk, const pqx_buffer *arena, const pqx_element *element)
{
    pqx_range min, max;
    int has;
    pqx_usable_bounds(arena->data, chunk, element, &min, &max, &has);
    return chunk->num_values == 3 && chunk->total_compressed_size == 48
           && chunk->data_page_offset == 4 && chunk->null_count == 0 && chunk->min_value.length == 8
           && arena->data[chunk->min_value.offset] == 7 && chunk->max_value.length == 8
           && arena->data[chunk->max_value.offset] == 9 && has == 3;
}

/* Look up "a": PQX_OK, the error, or -1 for facts that are not those of the footer. */
static int look_up_a(pqx_index *index)
{
    uint32_t id = 0;
    size_t count = 0;
    pqx_chunk chunk;
    pqx_element element;
    pqx_buffer arena = {0};
    int status = pqx_index_find_name(index, (const uint8_t *)"a", 1, &id, 1, &count, NULL);
    if (status == PQX_OK && count != 1) status = -1;
    if (status == PQX_OK)
        status = pqx_index_get_chunks(index, id, 0, 1, &chunk, NULL, &arena, &element, NULL);
    if (status == PQX_OK && !has_facts(&chunk, &arena, &element)) status = -1;
    pqx_buffer_free(&arena);
    return status;
}

#endif
