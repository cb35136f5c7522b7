/* Check a whole footer index: every cell, every checksum over Thrift bytes, and that it is the
 * index of this footer. */
#include <stdlib.h>

#include "index/index_read.h"

static int read_memory(void *context, uint64_t offset, size_t length, uint8_t *into)
{
    memcpy(into, (const uint8_t *)context + offset, length);
    return 0;
}

/* Read everything except names, which are covered by the comparison. */
static int read_all(pqx_index *index, pqx_error *error)
{
    const pqx_index_shape *s = &index->shape;
    const pqx_index_entry *entry;
    pqx_bytes key, value;
    int present, status = PQX_OK;
    size_t groups = s->row_groups;
    pqx_chunk *chunks = (pqx_chunk *)malloc(groups * sizeof *chunks + 1);
    pqx_row_group *row_groups = (pqx_row_group *)malloc(groups * sizeof *row_groups + 1);
    pqx_buffer arena = {0};
    if (!chunks || !row_groups)
        status =
            pqx_fail(error, PQX_NO_MEMORY, 0, groups * (sizeof *chunks + sizeof *row_groups), 0);
    for (uint32_t node = 0; status == PQX_OK && node < s->nodes; node++) {
        pqx_index_begin(index);
        status = pqx_index_load_id(index, PQX_FLAT_GROUP | node, &entry, error);
    }
    for (uint32_t leaf = 0; status == PQX_OK && leaf < s->leaves; leaf++) {
        arena.size = 0;
        status =
            pqx_index_get_chunks(index, leaf, 0, s->row_groups, chunks, NULL, &arena, NULL, error);
    }
    if (status == PQX_OK)
        status = pqx_index_get_row_groups(index, 0, s->row_groups, row_groups, error);
    for (uint32_t pair = 0; status == PQX_OK && pair < s->key_values; pair++)
        status = pqx_index_get_key_value(index, pair, &key, &value, error);
    if (status == PQX_OK) status = pqx_index_get_created_by(index, &value, &present, error);
    free(chunks);
    free(row_groups);
    pqx_buffer_free(&arena);
    return status;
}

/* Convert an error offset from relative to the footer to relative to `data`. */
static int from_footer(int status, size_t footer, pqx_error *error)
{
    if (status != PQX_OK && error) error->offset += footer;
    return status;
}

/* Compare the stored index with the index written from the footer. */
static int compare(const uint8_t *data, size_t size, size_t footer, size_t payload, size_t length,
                   pqx_error *error)
{
    pqx_scan scan;
    pqx_buffer anew = {0};
    PQX_TRY(
        from_footer(pqx_scan_footer(data + footer, size - footer, &scan, error), footer, error));
    int status = from_footer(pqx_index_write(data + footer, size - footer, &scan, &anew, error),
                             footer, error);
    if (status == PQX_OK) {
        size_t at = 0, both = anew.size < length ? anew.size : length;
        while (at < both && anew.data[at] == data[payload + at]) at++;
        if (at < both)
            status =
                pqx_fail(error, PQX_BAD_VALUE, payload + at, anew.data[at], data[payload + at]);
        else if (anew.size != length)
            status = pqx_fail(error, PQX_BAD_CELL, payload, anew.size, length);
    }
    pqx_buffer_free(&anew);
    pqx_scan_free(&scan);
    return status;
}

int pqx_index_verify(const uint8_t *data, size_t size, size_t footer, size_t thrift_length,
                     size_t payload, size_t length, pqx_error *error)
{
    pqx_source source = {read_memory, (void *)(uintptr_t)data, size};
    pqx_index *index;
    PQX_TRY(pqx_index_open(&source, footer, thrift_length, payload, length, data, size, size,
                           &index, error));
    int status = read_all(index, error);
    pqx_index_close(index);
    return status == PQX_OK ? compare(data, size, footer, payload, length, error) : status;
}
