/* Encode the steps by which a reader of the packed footer writes FileMetaData. */
#include "packed/packed.h"
#include "thrift/cursor.h"

/* The steps encoded so far. */
typedef struct frame {
    const uint8_t *footer;
    const pqx_scan *scan;
    pqx_buffer *cell;
    pqx_error *error;
    size_t start, at; /* of the content in the cells; in the footer */
    uint32_t created_by, crc;
    size_t name_at; /* of created_by in the literal; SIZE_MAX: not in it */
    pqx_buffer literal;
    uint64_t bytes;
} frame;

enum { FRAME_END = PQX_FRAME_PAIRS + 1 };

/* Write the literal and, after it, a step. */
static int put_literal(frame *f, int step)
{
    PQX_TRY(pqx_buffer_append_byte(f->cell, PQX_FRAME_LITERAL, f->error));
    PQX_TRY(pqx_buffer_append_varint(f->cell, f->literal.size, f->error));
    if (f->name_at != SIZE_MAX) f->created_by = (uint32_t)(f->cell->size - f->start + f->name_at);
    f->name_at = SIZE_MAX;
    if (f->literal.size)
        PQX_TRY(pqx_buffer_append(f->cell, f->literal.data, f->literal.size, f->error));
    f->literal.size = 0;
    return step == FRAME_END ? PQX_OK : pqx_buffer_append_byte(f->cell, (unsigned)step, f->error);
}

/* Add the bytes up to `begin` to the literal, and the step for those after it up to `end`; LITERAL:
 * they are left out. */
static int put_cut(frame *f, size_t begin, size_t end, int step)
{
    pqx_range name = f->scan->created_by;
    if (f->scan->has_created_by && f->at <= name.offset
        && name.offset + (size_t)name.length <= begin)
        f->name_at = f->literal.size + (name.offset - f->at);
    PQX_TRY(pqx_buffer_append(&f->literal, f->footer + f->at, begin - f->at, f->error));
    size_t made = step == PQX_FRAME_LITERAL ? begin : end;
    f->crc = pqx_crc32(f->crc, f->footer + f->at, made - f->at);
    f->bytes += made - f->at;
    f->at = end;
    return step == PQX_FRAME_LITERAL ? PQX_OK : put_literal(f, step);
}

/* Return the step for a list of FileMetaData whose items begin at *begin, or LITERAL. */
static int step_of(const frame *f, const pqx_field *field, size_t *begin)
{
    const pqx_scan *scan = f->scan;
    pqx_range first = {0}, last = {0};
    int step = PQX_FRAME_LITERAL;
    if (field->id == PQX_FILE_META_DATA_SCHEMA) {
        step = PQX_FRAME_SCHEMA;
        first = scan->elements[0].bytes;
        last = scan->elements[scan->element_count - 1].bytes;
    } else if (field->id == PQX_FILE_META_DATA_ROW_GROUPS && scan->row_group_count) {
        step = PQX_FRAME_ROW_GROUPS;
        first = scan->row_groups[0].bytes;
        last = scan->row_groups[scan->row_group_count - 1].bytes;
    } else if (field->id == PQX_FILE_META_DATA_KEY_VALUE_METADATA && scan->key_value_count) {
        step = PQX_FRAME_PAIRS;
        first = scan->key_values[0].bytes;
        last = scan->key_values[scan->key_value_count - 1].bytes;
    }
    *begin = first.offset;
    int fits = field->value < first.offset && last.offset + (size_t)last.length == field->end;
    return fits ? step : PQX_FRAME_LITERAL;
}

/* Move over a field's value: over a list that has been scanned at once. */
static int skip_value(pqx_cursor *c, const pqx_scan *scan, int type)
{
    const pqx_range *lists[] = {&scan->schema, &scan->row_groups_list, &scan->key_values_list};
    for (int i = 0; i < 3; i++) {
        if (!lists[i]->length || c->at != lists[i]->offset) continue;
        c->at += lists[i]->length;
        return PQX_OK;
    }
    return pqx_skip(c, type, 0, PQX_MAX_DEPTH - 1);
}

static int put_frame(frame *f)
{
    pqx_cursor c = {f->footer, f->scan->end, 0, f->error};
    for (int32_t id = 0;;) {
        pqx_field field = {.header = c.at};
        int type = 0;
        size_t begin;
        PQX_TRY(pqx_read_field(&c, &id, &type));
        if (type == 0) break;
        field.id = (int16_t)id;
        field.value = c.at;
        PQX_TRY(skip_value(&c, f->scan, type));
        field.end = c.at;
        int step = step_of(f, &field, &begin);
        if (pqx_marker_at(f->footer, f->scan->end, field.header) != PQX_MARKER_NONE)
            PQX_TRY(put_cut(f, field.header, field.end, PQX_FRAME_LITERAL));
        else if (step != PQX_FRAME_LITERAL) PQX_TRY(put_cut(f, begin, field.end, step));
    }
    return put_cut(f, c.at, c.at, FRAME_END); /* bytes after the stop byte are left out */
}

int pqx_packed_write_frame(const uint8_t *footer, const pqx_scan *scan, pqx_buffer *cell,
                           uint32_t *thrift_bytes, uint32_t *thrift_crc, pqx_error *error)
{
    static const uint8_t no_place[8] = {0};
    frame f = {.footer = footer,
               .scan = scan,
               .cell = cell,
               .error = error,
               .start = cell->size,
               .name_at = SIZE_MAX};
    PQX_TRY(pqx_buffer_append(cell, no_place, sizeof no_place, error));
    int status = put_frame(&f);
    pqx_buffer_free(&f.literal);
    PQX_TRY(status);
    pqx_store32(cell->data + f.start, f.created_by);
    pqx_store32(cell->data + f.start + 4, f.created_by ? scan->created_by.length : 0);
    *thrift_bytes = (uint32_t)f.bytes;
    *thrift_crc = f.crc;
    return PQX_OK;
}
