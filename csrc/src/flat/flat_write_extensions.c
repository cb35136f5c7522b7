/* Write the extension slots of the flat footer: UUIDs and bytes of other software, each in a
 * separate cell. */
#include "flat/flat_write.h"

#define ENTRY_BYTES 24 /* UUID, offset of the cell, length of the bytes */

/* Write the cell of extension `index`; `entry` is the offset of its entry in the list. */
static int put_extension(pqx_flat_writer *w, uint32_t index, uint32_t entry)
{
    const pqx_flat_extension *extension = &w->extensions[index];
    const pqx_shape *shape;
    uint32_t cell, table;
    PQX_TRY(pqx_flat_cell_begin(w, PQX_KIND_EXTENSION, 0, index, &cell));
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_EXTENSION,
                           1u << PQX_EXTENSION__UUID | 1u << PQX_EXTENSION__DATA, &table, &shape));
    uint32_t data = table + shape->at[PQX_EXTENSION__DATA];
    PQX_TRY(pqx_flat_bytes(w, table + shape->at[PQX_EXTENSION__UUID], extension->uuid,
                           sizeof extension->uuid));
    PQX_TRY(pqx_flat_bytes(w, data, extension->data.size ? extension->data.data : extension->uuid,
                           extension->data.size));
    pqx_flat_link(w, w->extensions_vector + 4 * index, table);
    PQX_TRY(pqx_flat_cell_end(w, cell));
    memcpy(pqx_flat_at(w, entry), extension->uuid, sizeof extension->uuid);
    pqx_store32(pqx_flat_at(w, entry + 16), cell);
    pqx_store32(pqx_flat_at(w, entry + 20), (uint32_t)extension->data.size);
    return PQX_OK;
}

int pqx_flat_check_extensions(pqx_flat_writer *w)
{
    for (uint32_t i = 1; i < w->extension_count; i++) {
        if (memcmp(w->extensions[i - 1].uuid, w->extensions[i].uuid, sizeof w->extensions->uuid)
            >= 0)
            return pqx_fail(w->error, PQX_BAD_ARGUMENT, 0, i, i);
    }
    return PQX_OK;
}

int pqx_flat_write_extensions(pqx_flat_writer *w)
{
    uint32_t count = w->extension_count, fixed;
    if (!count) return PQX_OK;
    PQX_TRY(pqx_flat_cell_begin(w, PQX_KIND_EXTENSIONS, 0, 0, &w->extensions_cell));
    PQX_TRY(pqx_flat_zeros(w, 8 + (size_t)ENTRY_BYTES * count, &fixed));
    pqx_store32(pqx_flat_at(w, fixed), count);
    PQX_TRY(pqx_flat_cell_end(w, w->extensions_cell));
    for (uint32_t i = 0; i < count; i++) PQX_TRY(put_extension(w, i, fixed + 8 + ENTRY_BYTES * i));
    return PQX_OK;
}
