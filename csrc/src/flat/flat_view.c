/* Tables of a checked cell: every vtable, field, string and vector is checked on use. */
#include "flat/flat_read.h"

static const pqx_flat_layout layouts[PQX_FLAT_TABLES] = PQX_FLAT_LAYOUTS;

/* Check that the fields of `table` are in its inline part. */
static int check_fields(pqx_flat *flat, const pqx_view *view, uint32_t size, int table,
                        pqx_error *error)
{
    const pqx_flat_layout *layout = &layouts[table];
    for (int i = 0; i < layout->count && layout->fields[i].slot < view->slots; i++) {
        uint32_t at = pqx_load16(view->vtable + 2 * layout->fields[i].slot);
        if (PQX_UNLIKELY(at && (at < 4 || at + layout->fields[i].bytes > size)))
            return pqx_flat_fail(flat, error, PQX_BAD_OFFSET,
                                 (uint64_t)view->cell->place + view->at, size, at);
    }
    return PQX_OK;
}

int pqx_flat_view_anew(pqx_flat *flat, const pqx_cell *cell, uint32_t at, int table, pqx_view *view,
                       pqx_error *error)
{
    if (PQX_UNLIKELY(at % 4 || at > cell->size - 4))
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, (uint64_t)cell->place + at, cell->size,
                             at);
    uint64_t here = (uint64_t)cell->place + at;
    const uint8_t *data = cell->data + at;
    uint32_t place = cell->place + at - pqx_load32(data) - flat->vtables;
    if (PQX_UNLIKELY(place % 2 || flat->vtable_bytes < 4 || place > flat->vtable_bytes - 4))
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, here, flat->vtable_bytes, place);
    const uint8_t *vtable = flat->bytes + (flat->vtables - flat->held) + place;
    uint32_t vtable_size = pqx_load16(vtable), size = pqx_load16(vtable + 2);
    if (PQX_UNLIKELY(vtable_size % 2 || vtable_size < 4
                     || vtable_size > flat->vtable_bytes - place))
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, here, flat->vtable_bytes, place);
    if (PQX_UNLIKELY(size < 4 || size > cell->size - at))
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, here, cell->size, size);
    *view = (pqx_view){cell, data, vtable + 4, at, (vtable_size - 4) / 2};
    PQX_TRY(check_fields(flat, view, size, table, error));
    flat->good[table] = (pqx_vtable){vtable + 4, flat->vtables + place, size, view->slots};
    return PQX_OK;
}

int pqx_flat_blob_at(const pqx_flat *flat, const pqx_cell *cell, uint32_t at, pqx_bytes *bytes,
                     pqx_error *error)
{
    if (PQX_UNLIKELY(at > cell->size - 4))
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, (uint64_t)cell->place + at, cell->size,
                             at);
    uint32_t size = pqx_load32(cell->data + at);
    if (PQX_UNLIKELY(size > cell->size - at - 4))
        return pqx_flat_fail(flat, error, PQX_BAD_OFFSET, (uint64_t)cell->place + at, cell->size,
                             size);
    *bytes = (pqx_bytes){cell->data + at + 4, size};
    return PQX_OK;
}

int pqx_flat_blob(const pqx_flat *flat, const pqx_view *view, uint32_t slot, pqx_bytes *bytes,
                  pqx_error *error)
{
    uint32_t target;
    *bytes = (pqx_bytes){0};
    PQX_TRY(pqx_flat_follow(flat, view, slot, &target, error));
    return target ? pqx_flat_blob_at(flat, view->cell, target, bytes, error) : PQX_OK;
}
