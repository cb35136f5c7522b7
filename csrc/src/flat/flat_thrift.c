/* Read the few values of a footer that are not in its scan, when the flat footer needs them. */
#include "flat/flat_write.h"

int pqx_flat_open_list(pqx_flat_writer *w, size_t at, pqx_flat_list *list)
{
    if (at >= w->footer_size) return pqx_fail(w->error, PQX_TRUNCATED, at, 1, 0);
    uint8_t header = w->footer[at];
    list->type = header & 15;
    list->count = header >> 4;
    list->first = at + 1;
    if (list->count == 15)
        PQX_TRY(pqx_varint_get32(w->footer, w->footer_size, at + 1, &list->count, &list->first,
                                 w->error));
    size_t left = w->footer_size - list->first;
    return list->count > left ? pqx_fail(w->error, PQX_COUNT_TOO_LARGE, at, list->count, left)
                              : PQX_OK;
}

int pqx_flat_find_binary(pqx_flat_writer *w, size_t at, int16_t id, const uint8_t **bytes,
                         size_t *size)
{
    pqx_field field;
    int found;
    uint32_t length;
    size_t begin;
    *bytes = NULL;
    PQX_TRY(pqx_thrift_find(w->footer, w->footer_size, at, id, PQX_MAX_DEPTH, &field, &found,
                            w->error));
    if (!found || field.type != PQX_TYPE_BINARY) return PQX_OK;
    PQX_TRY(pqx_varint_get32(w->footer, field.end, field.value, &length, &begin, w->error));
    *bytes = w->footer + begin;
    *size = length;
    return PQX_OK;
}

int pqx_flat_find_integer(pqx_flat_writer *w, size_t at, int16_t id, int type, int64_t *value,
                          int *found)
{
    pqx_field field;
    uint64_t raw;
    size_t next;
    PQX_TRY(
        pqx_thrift_find(w->footer, w->footer_size, at, id, PQX_MAX_DEPTH, &field, found, w->error));
    if (!*found) return PQX_OK;
    if (type == PQX_TYPE_TRUE) {
        *found = field.type == PQX_TYPE_TRUE || field.type == PQX_TYPE_FALSE;
        *value = field.type == PQX_TYPE_TRUE;
        return PQX_OK;
    }
    *found = field.type == type;
    if (!*found) return PQX_OK;
    if (type == PQX_TYPE_BYTE) {
        *value = (int8_t)w->footer[field.value];
        return PQX_OK;
    }
    PQX_TRY(pqx_varint_get64(w->footer, field.end, field.value, &raw, &next, w->error));
    *value = pqx_unzigzag(raw);
    return PQX_OK;
}
