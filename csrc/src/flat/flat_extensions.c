/* The extension slots of a flat footer: the list of all on the first request, then only the cell of
 * the requested one. */
#include "flat/flat_read.h"

#define HINT 4096
#define ENTRIES 24 /* offset of the entries in the list's cell */
#define ENTRY_BYTES 24
#define UUID_BYTES 16

static int check_list(const pqx_flat *flat, const pqx_cell *cell, pqx_error *error)
{
    uint64_t place = cell->place, needed = ENTRIES;
    if (cell->size >= needed) needed += (uint64_t)ENTRY_BYTES * pqx_load32(cell->data + 16);
    if (cell->size < needed)
        return pqx_flat_fail(flat, error, PQX_BAD_VALUE, place + 4, needed, cell->size);
    for (uint32_t i = 1; i < pqx_load32(cell->data + 16); i++) {
        const uint8_t *entry = cell->data + ENTRIES + (size_t)ENTRY_BYTES * i;
        if (memcmp(entry - ENTRY_BYTES, entry, UUID_BYTES) >= 0)
            return pqx_flat_fail(flat, error, PQX_BAD_VALUE,
                                 place + ENTRIES + (uint64_t)ENTRY_BYTES * i, 1, 0);
    }
    return PQX_OK;
}

/* Load the list, once; *count is 0 if there is none. */
static int load_list(pqx_flat *flat, uint32_t *count, pqx_error *error)
{
    pqx_cell *cell = &flat->extensions;
    *count = 0;
    if (!flat->extensions_place) return PQX_OK;
    if (!cell->size) {
        PQX_TRY(pqx_flat_load(flat, cell, flat->extensions_place, HINT, PQX_KIND_EXTENSIONS, 0, 0,
                              error));
        int status = check_list(flat, cell, error);
        if (status != PQX_OK) {
            cell->size = 0;
            return status;
        }
    }
    *count = pqx_load32(cell->data + 16);
    return PQX_OK;
}

static int find_entry(pqx_flat *flat, uint32_t index, const uint8_t **entry, pqx_error *error)
{
    uint32_t count;
    PQX_TRY(load_list(flat, &count, error));
    if (index >= count) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, count, index);
    *entry = flat->extensions.data + ENTRIES + (size_t)ENTRY_BYTES * index;
    return PQX_OK;
}

int pqx_flat_read_extension(pqx_flat *flat, uint32_t index, pqx_bytes *data, pqx_error *error)
{
    const uint8_t *entry;
    pqx_view view;
    pqx_bytes uuid;
    PQX_TRY(find_entry(flat, index, &entry, error));
    pqx_cell *cell = &flat->extension;
    PQX_TRY(pqx_flat_load(flat, cell, pqx_load32(entry + 16), HINT, PQX_KIND_EXTENSION, 0, index,
                          error));
    PQX_TRY(
        pqx_flat_view(flat, cell, PQX_FLAT_CELL_HEADER_BYTES, PQX_FLAT_EXTENSION, &view, error));
    PQX_TRY(pqx_flat_blob(flat, &view, 0, &uuid, error));
    PQX_TRY(pqx_flat_blob(flat, &view, 1, data, error));
    uint64_t place = (uint64_t)cell->place + PQX_FLAT_CELL_HEADER_BYTES;
    if (uuid.size != UUID_BYTES || memcmp(uuid.data, entry, UUID_BYTES) != 0)
        return pqx_flat_fail(flat, error, PQX_BAD_VALUE, place, 1, 0);
    if (data->size != pqx_load32(entry + 20))
        return pqx_flat_fail(flat, error, PQX_BAD_VALUE, place, pqx_load32(entry + 20), data->size);
    return PQX_OK;
}

int pqx_flat_get_extension_count(pqx_flat *flat, uint32_t *count, pqx_error *error)
{
    pqx_flat_begin(flat);
    return load_list(flat, count, error);
}

int pqx_flat_get_extension_name(pqx_flat *flat, uint32_t index, uint8_t uuid[16], uint32_t *size,
                                pqx_error *error)
{
    const uint8_t *entry;
    pqx_flat_begin(flat);
    PQX_TRY(find_entry(flat, index, &entry, error));
    memcpy(uuid, entry, UUID_BYTES);
    *size = pqx_load32(entry + 20);
    return PQX_OK;
}

int pqx_flat_get_extension(pqx_flat *flat, uint32_t index, pqx_bytes *data, pqx_error *error)
{
    pqx_flat_begin(flat);
    return pqx_flat_read_extension(flat, index, data, error);
}
