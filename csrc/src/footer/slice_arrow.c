/* The ARROW:schema of a projection: the fields of its top-level columns, with structs reduced in
 * the same way as the Parquet groups. */
#include "footer/slice.h"

/* One field of the new schema, as ranges of `pieces` and `keeps`, because these buffers may move.
 */
typedef struct pqx_arrow_part {
    size_t piece, piece_end, keep, keep_end;
    pqx_bytes name;
    int cut;
} pqx_arrow_part;

typedef struct pqx_arrow_projection {
    const pqx_projection *from;
    pqx_arrow_schema schema;
    pqx_buffer parts, pieces, keeps;
} pqx_arrow_projection;

/* Return how many of the requested leaves are below `element`. */
static uint32_t wanted_below(const pqx_projection *p, const pqx_element *element)
{
    uint32_t bounds[2], ends[2] = {(uint32_t)element->first_leaf,
                                   (uint32_t)(element->first_leaf + element->leaf_count)};
    for (int i = 0; i < 2; i++) {
        uint32_t low = 0, high = p->leaf_count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (p->leaves[middle] < ends[i]) low = middle + 1;
            else high = middle;
        }
        bounds[i] = low;
    }
    return bounds[1] - bounds[0];
}

/* Return 1 for a group that Arrow reads as a struct. */
static int is_struct(const pqx_projection *p, const pqx_element *element)
{
    if (element->num_children <= 0 || element->repetition == PQX_REPETITION_REPEATED) return 0;
    if (element->logical_type.length) {
        pqx_field field;
        int more = 0;
        size_t end = (size_t)element->logical_type.offset + element->logical_type.length;
        if (pqx_thrift_next(p->data, end, element->logical_type.offset, 0, PQX_MAX_DEPTH, &field,
                            &more, NULL)
            != PQX_OK)
            return 0;
        if (more && (field.id == PQX_LOGICAL_LIST || field.id == PQX_LOGICAL_MAP)) return 0;
    }
    return element->converted_type != PQX_CONVERTED_LIST
           && element->converted_type != PQX_CONVERTED_MAP
           && element->converted_type != PQX_CONVERTED_MAP_KEY_VALUE;
}

/* Append a byte for each child of a struct: 1 if it is kept. */
static int add_children(pqx_arrow_projection *a, uint32_t group)
{
    const pqx_projection *p = a->from;
    const pqx_scan *scan = p->scan;
    size_t begin = a->keeps.size;
    int status = PQX_OK;
    if (p->real) {
        size_t count = (size_t)scan->elements[group].num_children;
        if (count > p->real_elements) return PQX_SCHEMA;
        status = pqx_buffer_reserve(&a->keeps, count, NULL);
        if (status != PQX_OK) return status;
        memset(a->keeps.data + begin, 0, count);
        a->keeps.size += count;
    }
    for (uint32_t i = group + 1;
         status == PQX_OK && i < scan->element_count && scan->elements[i].parent >= (int32_t)group;
         i++) {
        uint8_t stays = wanted_below(p, &scan->elements[i]) != 0;
        if (scan->elements[i].parent != (int32_t)group) continue;
        if (!p->real) status = pqx_buffer_append(&a->keeps, &stays, 1, NULL);
        else if (p->real[i].position >= a->keeps.size - begin) status = PQX_SCHEMA;
        else a->keeps.data[begin + p->real[i].position] = stays;
    }
    return status;
}

/* Append the selection of the struct's children, then those of the children. */
static int add_keep(pqx_arrow_projection *a, uint32_t group, int depth)
{
    const pqx_scan *scan = a->from->scan;
    int status = depth > PQX_MAX_DEPTH ? PQX_TOO_DEEP : add_children(a, group);
    for (uint32_t i = group + 1;
         status == PQX_OK && i < scan->element_count && scan->elements[i].parent >= (int32_t)group;
         i++) {
        const pqx_element *element = &scan->elements[i];
        if (element->parent == (int32_t)group && wanted_below(a->from, element)
            && is_struct(a->from, element))
            status = add_keep(a, i, depth + 1);
    }
    return status;
}

static int add_part(pqx_arrow_projection *a, uint32_t element, uint32_t field)
{
    const pqx_projection *p = a->from;
    const pqx_element *column = &p->scan->elements[element];
    pqx_arrow_part part = {.piece = a->pieces.size,
                           .keep = a->keeps.size,
                           .name = {p->data + column->name.offset, column->name.length}};
    pqx_bytes name;
    int status = pqx_arrow_field_name(&a->schema, field, &name, NULL);
    if (status != PQX_OK) return status;
    if (name.size != part.name.size
        || (name.size && memcmp(name.data, part.name.data, name.size) != 0))
        return PQX_MISMATCH;
    status = pqx_arrow_field_piece(&a->schema, field, &a->pieces, NULL);
    part.cut = is_struct(p, column)
               && wanted_below(p, column)
                      < (p->real ? p->real[element].leaf_count : (uint32_t)column->leaf_count);
    if (status == PQX_OK && part.cut) status = add_keep(a, element, 0);
    part.piece_end = a->pieces.size;
    part.keep_end = a->keeps.size;
    return status == PQX_OK ? pqx_buffer_append(&a->parts, &part, sizeof part, NULL) : status;
}

/* Add the top-level columns of the requested leaves, each once. The fields have the same positions
 * as the root's children. */
static int add_parts(pqx_arrow_projection *a)
{
    const pqx_projection *p = a->from;
    const pqx_scan *scan = p->scan;
    const pqx_element *root = &scan->elements[0];
    int flat = !p->real && (uint32_t)root->num_children == scan->element_count - 1;
    uint32_t column = 1, field = 0, done = 0;
    for (uint32_t i = 0; i < p->leaf_count; i++) {
        uint32_t leaf = scan->leaves[p->leaves[i]];
        if (flat) {
            column = leaf;
            field = leaf - 1;
        } else {
            uint32_t top = leaf;
            while (scan->elements[top].parent > 0) top = (uint32_t)scan->elements[top].parent;
            if (p->real) field = p->real[top].position;
            for (; column < top; column++) field += !p->real && scan->elements[column].parent == 0;
        }
        if (column == done) continue;
        int status = add_part(a, column, field);
        if (status != PQX_OK) return status;
        done = column;
    }
    return PQX_OK;
}

static int build(pqx_arrow_projection *a, pqx_buffer *out)
{
    const pqx_arrow_part *parts = (const pqx_arrow_part *)a->parts.data;
    uint32_t count = (uint32_t)(a->parts.size / sizeof *parts);
    pqx_buffer room = {0};
    int status = pqx_buffer_reserve(&room, 3 * (size_t)count * sizeof(pqx_bytes) + 1, NULL);
    if (status != PQX_OK) return status;
    pqx_bytes *pieces = (pqx_bytes *)(void *)room.data, *names = pieces + count,
              *keep = names + count;
    for (uint32_t i = 0; i < count; i++) {
        pieces[i] =
            (pqx_bytes){a->pieces.data + parts[i].piece, parts[i].piece_end - parts[i].piece};
        names[i] = parts[i].name;
        keep[i] = (pqx_bytes){parts[i].cut ? a->keeps.data + parts[i].keep : NULL,
                              parts[i].keep_end - parts[i].keep};
    }
    status = pqx_arrow_schema_build(pieces, names, keep, count, out, NULL);
    pqx_buffer_free(&room);
    return status;
}

int pqx_project_arrow_schema(const pqx_projection *projection, pqx_buffer *out)
{
    const pqx_scan *scan = projection->scan;
    const pqx_key_value *pair = NULL;
    for (uint32_t i = 0; !pair && i < scan->key_value_count; i++)
        if (scan->key_values[i].has_value
            && pqx_is_arrow_schema(projection->data, &scan->key_values[i]))
            pair = &scan->key_values[i];
    if (!pair || !projection->leaf_count) return PQX_OK;
    pqx_arrow_projection a = {.from = projection};
    int status = pqx_arrow_schema_parse(projection->data + pair->value.offset, pair->value.length,
                                        &a.schema, NULL);
    if (status == PQX_OK && (int64_t)a.schema.field_count != scan->elements[0].num_children)
        status = PQX_MISMATCH;
    if (status == PQX_OK) status = add_parts(&a);
    if (status == PQX_OK) status = build(&a, out);
    pqx_arrow_schema_free(&a.schema);
    pqx_buffer_free(&a.parts);
    pqx_buffer_free(&a.pieces);
    pqx_buffer_free(&a.keeps);
    return status;
}
