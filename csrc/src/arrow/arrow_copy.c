/* Rewrite the fields of an Arrow schema: each object after the one that refers to it, depth first
 * in slot order. */
#include "arrow/arrow_schema.h"
#include "base/base64.h"

#define PREFIX 8u /* continuation marker, length */

typedef struct pqx_copier {
    pqx_arrow_source from;
    pqx_buffer *out;
    size_t base;                    /* alignment counts from here */
    size_t limit;                   /* upper limit of out->size */
    const uint8_t *keep, *keep_end; /* the kept children of the structs; NULL: all */
} pqx_copier;

/* A table to be written: the offsets of its slots in the source (0: absent) and in the copy. */
typedef struct pqx_copied_table {
    const pqx_arrow_layout *layout;
    size_t from[PQX_ARROW_SLOTS];
    uint16_t to[PQX_ARROW_SLOTS];
    uint16_t size, slots;
    uint16_t first_long; /* offset of its 8-byte slots, 0 without any */
} pqx_copied_table;

static int copy_table(pqx_copier *c, int kind, size_t at, int depth, size_t *name);

/* Append zeros: up to the next multiple of `alignment`, then `size` bytes at *place. An error at
 * the limit reports `at`. */
static int put(pqx_copier *c, size_t at, size_t alignment, size_t size, size_t *place)
{
    size_t padding = (c->base - c->out->size) & (alignment - 1), left = c->limit - c->out->size;
    if (padding > left || size > left - padding) return pqx_arrow_fail(&c->from, at);
    PQX_TRY(pqx_buffer_reserve(c->out, padding + size, c->from.error));
    if (padding + size) memset(c->out->data + c->out->size, 0, padding + size);
    *place = c->out->size + padding;
    c->out->size = *place + size;
    return PQX_OK;
}

static void lead(pqx_copier *c, size_t slot, size_t target)
{ pqx_store32(c->out->data + slot, (uint32_t)(target - slot)); }

/* Return the bytes of a slot in its table. */
static unsigned inline_bytes(int kind) { return kind <= ARROW_LONG ? (unsigned)kind : 4; }

/* Copy a string (width 1, one zero byte after it) or a vector of int. */
static int copy_vector(pqx_copier *c, size_t at, size_t width, size_t slot)
{
    size_t items, place;
    uint32_t count;
    PQX_TRY(pqx_arrow_vector(&c->from, at, width, &items, &count));
    PQX_TRY(put(c, at, 4, 4 + width * count + (width == 1), &place));
    pqx_store32(c->out->data + place, count);
    if (count) memcpy(c->out->data + place + 4, c->from.data + items, width * count);
    lead(c, slot, place);
    return PQX_OK;
}

static int copy_child(pqx_copier *c, int kind, size_t at, int depth, size_t slot)
{
    if (depth >= PQX_MAX_DEPTH) return pqx_fail(c->from.error, PQX_TOO_DEEP, at, PQX_MAX_DEPTH, 0);
    return copy_table(c, kind, at, depth + 1, &slot);
}

/* Copy a vector of tables; with `cut`, only those selected by c->keep. */
static int copy_tables(pqx_copier *c, int kind, size_t at, int depth, int cut, size_t slot)
{
    size_t items, place, target;
    uint32_t count, kept, written = 0;
    PQX_TRY(pqx_arrow_vector(&c->from, at, 4, &items, &count));
    const uint8_t *keep = cut ? c->keep : NULL;
    kept = count;
    if (keep) {
        if (count > (size_t)(c->keep_end - keep)) return pqx_arrow_fail(&c->from, at);
        c->keep += count;
        for (uint32_t i = 0; i < count; i++) kept -= !keep[i];
    }
    PQX_TRY(put(c, at, 4, 4 + 4 * (size_t)kept, &place));
    pqx_store32(c->out->data + place, kept);
    lead(c, slot, place);
    for (uint32_t i = 0; i < count; i++) {
        if (keep && !keep[i]) continue;
        PQX_TRY(pqx_arrow_follow(&c->from, items + 4 * (size_t)i, 4, &target));
        PQX_TRY(copy_child(c, kind, target, depth, place + 4 + 4 * (size_t)written++));
    }
    return PQX_OK;
}

/* Find the table's slots and assign offsets to those present: slots of 4 bytes, then 8, 2, 1. */
static int lay_out(pqx_copier *c, int kind, size_t at, int named, pqx_copied_table *table)
{
    static const unsigned order[] = {4, 8, 2, 1};
    pqx_arrow_place place;
    *table = (pqx_copied_table){.layout = &pqx_arrow_layouts[kind], .size = 4};
    unsigned count = table->layout->count;
    PQX_TRY(pqx_arrow_open(&c->from, at, &place));
    for (unsigned i = 0; i < count; i++)
        PQX_TRY(pqx_arrow_slot(&c->from, &place, i, inline_bytes(table->layout->kinds[i]),
                               &table->from[i]));
    for (unsigned at_slot = place.vtable_size; at_slot > 4 + 2 * count; at_slot -= 2)
        if (pqx_load16(c->from.data + place.vtable + at_slot - 2))
            return pqx_arrow_fail(&c->from, at);
    for (unsigned pass = 0; pass < 4; pass++)
        for (unsigned i = 0; i < count; i++) {
            int there = table->from[i] || (named && i == FIELD_NAME);
            if (!there || inline_bytes(table->layout->kinds[i]) != order[pass]) continue;
            if (order[pass] == 8 && !table->first_long) table->first_long = table->size;
            table->to[i] = table->size;
            table->size = (uint16_t)(table->size + order[pass]);
            if (i >= table->slots) table->slots = (uint16_t)(i + 1);
        }
    table->size = (uint16_t)((table->size + 3) & ~3);
    return PQX_OK;
}

/* Write the table's inline bytes and its vtable. */
static int put_table(pqx_copier *c, size_t at, const pqx_copied_table *table, size_t *place)
{
    PQX_TRY(put(c, at, 4, 0, place));
    if (table->first_long && (*place - c->base + table->first_long) % 8)
        PQX_TRY(put(c, at, 4, 4, place));
    PQX_TRY(put(c, at, 4, (size_t)table->size + 4 + 2 * (size_t)table->slots, place));
    uint8_t *bytes = c->out->data + *place, *vtable = bytes + table->size;
    pqx_store32(bytes, 0u - table->size);
    pqx_store16(vtable, (uint16_t)(4 + 2 * table->slots));
    pqx_store16(vtable + 2, table->size);
    for (unsigned i = 0; i < table->slots; i++) {
        pqx_store16(vtable + 4 + 2 * i, table->to[i]);
        if (table->from[i] && table->layout->kinds[i] <= ARROW_LONG)
            memcpy(bytes + table->to[i], c->from.data + table->from[i], table->layout->kinds[i]);
    }
    return PQX_OK;
}

/* Copy the children of a Field; remove some if it is a struct and a selection is given. */
static int copy_children(pqx_copier *c, const pqx_copied_table *table, size_t at, int depth,
                         size_t slot)
{
    const uint8_t *keep = c->keep;
    int plain_struct = c->from.data[table->from[FIELD_TYPE_TAG]] == ARROW_STRUCT_TYPE
                       && !table->from[FIELD_DICTIONARY];
    if (keep && plain_struct) return copy_tables(c, ARROW_FIELD, at, depth, 1, slot);
    c->keep = NULL;
    int status = copy_tables(c, ARROW_FIELD, at, depth, 0, slot);
    c->keep = keep;
    return status;
}

static int copy_slot(pqx_copier *c, const pqx_copied_table *table, unsigned i, int depth,
                     size_t slot)
{
    size_t at;
    PQX_TRY(pqx_arrow_follow(&c->from, table->from[i], 4, &at));
    switch (table->layout->kinds[i]) {
    case ARROW_STRING: return copy_vector(c, at, 1, slot);
    case ARROW_INTS: return copy_vector(c, at, 4, slot);
    case ARROW_UNION: return copy_child(c, c->from.data[table->from[i - 1]], at, depth, slot);
    case ARROW_DICTIONARY: return copy_child(c, ARROW_DICTIONARY_ENCODING, at, depth, slot);
    case ARROW_INT_TYPE: return copy_child(c, 2, at, depth, slot);
    case ARROW_KEY_VALUES: return copy_tables(c, ARROW_KEY_VALUE, at, depth, 0, slot);
    default: return copy_children(c, table, at, depth, slot);
    }
}

/* Copy the table at `at`. At the top (depth 0) the name is omitted, and *name is the position of
 * its offset; below, *name is the slot of the offset that refers to this table. */
static int copy_table(pqx_copier *c, int kind, size_t at, int depth, size_t *name)
{
    pqx_copied_table table;
    size_t place;
    PQX_TRY(lay_out(c, kind, at, depth == 0, &table));
    if (kind == ARROW_FIELD) {
        unsigned tag = table.from[FIELD_TYPE_TAG] ? c->from.data[table.from[FIELD_TYPE_TAG]] : 0;
        if (tag < 1 || tag > ARROW_LAST_TYPE || !table.from[FIELD_TYPE])
            return pqx_arrow_fail(&c->from, at);
    }
    PQX_TRY(put_table(c, at, &table, &place));
    if (depth) lead(c, *name, place);
    else *name = place + table.to[FIELD_NAME];
    for (unsigned i = 0; i < table.slots; i++) {
        int left_out = depth == 0 && i == FIELD_NAME;
        if (!table.from[i] || table.layout->kinds[i] <= ARROW_LONG || left_out) continue;
        PQX_TRY(copy_slot(c, &table, i, depth, place + table.to[i]));
    }
    return PQX_OK;
}

/* Copy a top-level field; its name's offset points to the end of the field. */
static int copy_field(pqx_copier *c, size_t at)
{
    size_t name, end;
    PQX_TRY(copy_table(c, ARROW_FIELD, at, 0, &name));
    PQX_TRY(put(c, at, 8, 0, &end));
    lead(c, name, end);
    return PQX_OK;
}

/* Return the maximum size of the output: four times the input, and some bytes. */
static size_t limit_of(size_t size)
{ return size < INT32_MAX / 4 - 256 ? 4 * size + 1024 : INT32_MAX; }

int pqx_arrow_field_piece(const pqx_arrow_schema *schema, uint32_t index, pqx_buffer *out,
                          pqx_error *error)
{
    size_t at, begin = out->size;
    pqx_copier c = {{schema->data, schema->size, schema, error},
                    out,
                    begin,
                    begin + *schema->budget,
                    NULL,
                    NULL};
    int status = pqx_arrow_field_table(&c.from, index, &at);
    if (status == PQX_OK) status = copy_field(&c, at);
    if (status == PQX_OK) *schema->budget -= out->size - begin;
    else out->size = begin;
    return status;
}

static int build_field(pqx_copier *c, const pqx_bytes *piece, const pqx_bytes *name,
                       const pqx_bytes *keep)
{
    size_t place;
    c->from.data = piece->data;
    c->from.size = piece->size;
    c->keep = keep ? keep->data : NULL;
    c->keep_end = c->keep ? c->keep + keep->size : NULL;
    c->limit = c->out->size + limit_of(piece->size);
    PQX_TRY(copy_field(c, 0));
    if (c->keep != c->keep_end) return pqx_arrow_fail(&c->from, 0);
    if (name->size > INT32_MAX)
        return pqx_fail(c->from.error, PQX_TOO_LARGE, 0, INT32_MAX, name->size);
    c->limit = SIZE_MAX;
    PQX_TRY(put(c, 0, 8, 4 + name->size + 1, &place));
    pqx_store32(c->out->data + place, (uint32_t)name->size);
    if (name->size) memcpy(c->out->data + place + 4, name->data, name->size);
    size_t size = c->out->size - PREFIX;
    return size > INT32_MAX ? pqx_fail(c->from.error, PQX_TOO_LARGE, 0, INT32_MAX, size) : PQX_OK;
}

/* Write the message up to its fields: Message (V5, a Schema), Schema (fields), each with its
 * vtable, and the size of the fields vector. */
static int put_message(pqx_copier *c, uint32_t count, size_t *offsets)
{
    static const uint8_t head[PREFIX + 44] = {
        0xff, 0xff, 0xff, 0xff, 0,  0, 0,  0, 4,  0, 0, 0, 0xf4, 0xff, 0xff, 0xff, 20, 0,
        0,    0,    4,    0,    1,  0, 10, 0, 12, 0, 8, 0, 10,   0,    4,    0,    0,  0,
        0xf8, 0xff, 0xff, 0xff, 12, 0, 0,  0, 8,  0, 8, 0, 0,    0,    4,    0,
    };
    size_t place;
    PQX_TRY(pqx_buffer_append(c->out, head, sizeof head, c->from.error));
    PQX_TRY(put(c, 0, 4, 4 + 4 * (size_t)count, &place));
    pqx_store32(c->out->data + place, count);
    *offsets = place + 4;
    return PQX_OK;
}

static int build(pqx_copier *c, const pqx_bytes *pieces, const pqx_bytes *names,
                 const pqx_bytes *keep, uint32_t count)
{
    size_t offsets, place;
    PQX_TRY(put_message(c, count, &offsets));
    for (uint32_t i = 0; i < count; i++) {
        c->limit = SIZE_MAX;
        PQX_TRY(put(c, 0, 8, 0, &place));
        lead(c, offsets + 4 * (size_t)i, place);
        PQX_TRY(build_field(c, &pieces[i], &names[i], keep ? &keep[i] : NULL));
    }
    c->limit = SIZE_MAX;
    PQX_TRY(put(c, 0, 8, 0, &place));
    pqx_store32(c->out->data + 4, (uint32_t)(place - PREFIX));
    return PQX_OK;
}

int pqx_arrow_schema_build(const pqx_bytes *pieces, const pqx_bytes *names, const pqx_bytes *keep,
                           uint32_t count, pqx_buffer *out, pqx_error *error)
{
    pqx_buffer message = {0};
    pqx_copier c = {{NULL, 0, NULL, error}, &message, 0, SIZE_MAX, NULL, NULL};
    int status = build(&c, pieces, names, keep, count);
    if (status == PQX_OK) status = pqx_base64_append(message.data, message.size, out, error);
    pqx_buffer_free(&message);
    return status;
}
