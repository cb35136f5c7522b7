/* Check all cells of a packed payload, and read its extension slots. */
#include <stdlib.h>

#include "packed/packed_read.h"

/* Check the cells of one kind. */
static int check_cells(pqx_index *index, int kind, pqx_buffer *cell, pqx_error *error)
{
    pqx_content content;
    uint64_t place;
    for (uint32_t i = 0; i < pqx_packed_of(index)->areas[kind].cells; i++) {
        pqx_index_begin(index);
        if (kind == PQX_CELLS_NAMES) PQX_TRY(pqx_packed_load_bucket(index, i, &place, error));
        else PQX_TRY(pqx_packed_load(index, kind, i, cell, &content, error));
    }
    return PQX_OK;
}

/* Compare the names with those of the elements. */
static int check_names(pqx_index *index, pqx_error *error)
{
    const pqx_index_shape *s = &index->shape;
    for (uint64_t i = 1; i < (uint64_t)s->leaves + s->nodes; i++) {
        uint32_t id = i <= s->leaves ? (uint32_t)(i - 1)
                                     : PQX_FLAT_GROUP | (uint32_t)(i - s->leaves),
                 first;
        const pqx_index_entry *entry;
        size_t count;
        pqx_index_begin(index);
        PQX_TRY(pqx_index_load_path(index, id, &entry, error));
        pqx_buffer name = {0};
        PQX_TRY(pqx_buffer_append(&name, entry->path.data, entry->path.size, error));
        int status = pqx_index_find_name(index, name.data, name.size, &first, 1, &count, error);
        if (status == PQX_OK && !count)
            status = pqx_fail(error, PQX_BAD_VALUE, index->payload, 1, 0);
        pqx_buffer_free(&name);
        PQX_TRY(status);
    }
    return PQX_OK;
}

int pqx_packed_verify(pqx_index *index, pqx_error *error)
{
    pqx_buffer cell = {0};
    int status = PQX_OK;
    for (int kind = 1; status == PQX_OK && kind < PQX_CELLS_KINDS; kind++)
        status = check_cells(index, kind, &cell, error);
    pqx_buffer_free(&cell);
    return status == PQX_OK ? check_names(index, error) : status;
}

uint32_t pqx_packed_extension_count(pqx_index *index)
{ return pqx_packed_of(index)->areas[PQX_CELLS_SLOTS].cells; }

int pqx_packed_get_extension(pqx_index *index, uint32_t number, uint8_t uuid[16], pqx_bytes *data,
                             pqx_error *error)
{
    pqx_content content;
    const uint8_t *name;
    pqx_index_begin(index);
    PQX_TRY(pqx_packed_load(index, PQX_CELLS_SLOTS, number, &index->text, &content, error));
    PQX_TRY(pqx_content_take(&content, PQX_UUID_BYTES, &name));
    memcpy(uuid, name, PQX_UUID_BYTES);
    *data = (pqx_bytes){content.data + content.at, pqx_content_left(&content)};
    return PQX_OK;
}
