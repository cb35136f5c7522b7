/* Write the Thrift bytes of a tile's structs: decode the values of their roles, then follow their
 * templates. */
#include "flat/flat_residue.h"
#include "packed/values.h"

static uint8_t *put_bytes(uint8_t *to, const void *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return to + size;
}

static uint8_t *put_number(const pqx_packed_values *v, const pqx_packed_step *step, uint32_t row,
                           uint8_t *to)
{
    int64_t value = pqx_packed_values_of(v, step->role)[row];
    if (step->kind == PQX_STEP_INTEGER) return to + pqx_varint_put(to, pqx_zigzag(value));
    *to = step->size;
    pqx_packed_put_fixed(step, value, to + 1);
    return to + 1 + step->size;
}

/* Append a text; then `most` more bytes may be written without a check. */
static int put_text(const pqx_packed_step *step, pqx_bytes text, size_t most, pqx_buffer *out,
                    pqx_error *error)
{
    if (step->kind == PQX_STEP_TEXT) PQX_TRY(pqx_buffer_append_varint(out, text.size, error));
    PQX_TRY(pqx_buffer_append(out, text.data, text.size, error));
    return pqx_buffer_reserve(out, most, error);
}

/* Carry out one step; `out` has room for `most` bytes. */
static int put_step(const pqx_packed_values *v, const pqx_packed_step *step, uint32_t row,
                    size_t most, pqx_buffer *out, pqx_error *error)
{
    const pqx_buffer *path_list = &v->tile->path_list;
    uint8_t *to = out->data + out->size;
    if (step->kind == PQX_STEP_LITERAL) to = put_bytes(to, step->literal, step->length);
    else if (step->kind == PQX_STEP_PATH)
        return put_text(step, (pqx_bytes){path_list->data, path_list->size}, most, out, error);
    else if (step->kind == PQX_STEP_INTEGER || pqx_step_is_fixed(step->kind))
        to = put_number(v, step, row, to);
    else return put_text(step, pqx_packed_text(v, step->role, row), most, out, error);
    out->size = (size_t)(to - out->data);
    return PQX_OK;
}

int pqx_packed_tile_structs(pqx_packed_tile *tile, uint32_t column, uint32_t first, uint32_t count,
                            pqx_bytes path, pqx_buffer *out, uint32_t *lengths, size_t *columns_at,
                            pqx_error *error)
{
    pqx_packed_values v = {.tile = tile, .column = column, .first = first, .count = count};
    size_t start = out->size;
    if (columns_at) *columns_at = SIZE_MAX;
    PQX_TRY(pqx_packed_values_begin(&v, error));
    tile->path_list.size = 0;
    PQX_TRY(pqx_append_path_list(path.data, path.size, &tile->path_list, error));
    PQX_TRY(pqx_packed_values_decode(&v, &v.roles, error));
    tile->placed.error = error;
    for (uint32_t row = 0; row < count; row++) {
        const pqx_packed_template *used = pqx_packed_template_at(&v, row);
        size_t begin = out->size, most = used->most + sizeof(uint64_t);
        PQX_TRY(pqx_buffer_reserve(out, most, error));
        for (uint32_t i = 0; i < used->count; i++) {
            const pqx_packed_step *step = &used->steps[i];
            if (step->kind != PQX_STEP_COLUMNS) PQX_TRY(put_step(&v, step, row, most, out, error));
            else if (columns_at) *columns_at = out->size;
            if (PQX_UNLIKELY(out->size - start > tile->limit))
                return pqx_content_fail(&tile->placed, PQX_BAD_CELL, 0, tile->limit,
                                        out->size - start);
        }
        lengths[row] = (uint32_t)(out->size - begin);
    }
    return PQX_OK;
}

pqx_bytes pqx_packed_columns_head(const pqx_packed_tile *tile, uint32_t row)
{
    const pqx_packed_template *used = &tile->book->templates[pqx_packed_template_of(tile, 0, row)];
    for (uint32_t i = 0; i < used->count; i++)
        if (used->steps[i].kind == PQX_STEP_COLUMNS)
            return (pqx_bytes){used->steps[i].literal, used->steps[i].length};
    return (pqx_bytes){NULL, 0};
}
