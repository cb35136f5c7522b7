/* ARROW:schema: an encapsulated IPC message of one Schema, in base64, decoded on access. */
#include <stdlib.h>

#include "arrow/arrow_schema.h"
#include "base/base64.h"

#define BLOCK_TEXT 4096u
#define BLOCK_BYTES 3072u
#define CONTINUATION 0xffffffffu

#define NO_SLOTS {0, {0}}

const pqx_arrow_layout pqx_arrow_layouts[ARROW_TABLES] = {
    NO_SLOTS,
    NO_SLOTS,                               /* Null */
    {2, {ARROW_INT, ARROW_BYTE}},           /* Int: bitWidth, is_signed */
    {1, {ARROW_SHORT}},                     /* FloatingPoint: precision */
    NO_SLOTS,                               /* Binary */
    NO_SLOTS,                               /* Utf8 */
    NO_SLOTS,                               /* Bool */
    {3, {ARROW_INT, ARROW_INT, ARROW_INT}}, /* Decimal: precision, scale, bitWidth */
    {1, {ARROW_SHORT}},                     /* Date: unit */
    {2, {ARROW_SHORT, ARROW_INT}},          /* Time: unit, bitWidth */
    {2, {ARROW_SHORT, ARROW_STRING}},       /* Timestamp: unit, timezone */
    {1, {ARROW_SHORT}},                     /* Interval: unit */
    NO_SLOTS,                               /* List */
    NO_SLOTS,                               /* Struct_ */
    {2, {ARROW_SHORT, ARROW_INTS}},         /* Union: mode, typeIds */
    {1, {ARROW_INT}},                       /* FixedSizeBinary: byteWidth */
    {1, {ARROW_INT}},                       /* FixedSizeList: listSize */
    {1, {ARROW_BYTE}},                      /* Map: keysSorted */
    {1, {ARROW_SHORT}},                     /* Duration: unit */
    NO_SLOTS,                               /* LargeBinary */
    NO_SLOTS,                               /* LargeUtf8 */
    NO_SLOTS,                               /* LargeList */
    NO_SLOTS,                               /* RunEndEncoded */
    NO_SLOTS,                               /* BinaryView */
    NO_SLOTS,                               /* Utf8View */
    NO_SLOTS,                               /* ListView */
    NO_SLOTS,                               /* LargeListView */
    {7,
     {ARROW_STRING, ARROW_BYTE, ARROW_BYTE, ARROW_UNION, ARROW_DICTIONARY, ARROW_FIELDS,
      ARROW_KEY_VALUES}},                                       /* ARROW_FIELD */
    {4, {ARROW_LONG, ARROW_INT_TYPE, ARROW_BYTE, ARROW_SHORT}}, /* ARROW_DICTIONARY_ENCODING */
    {2, {ARROW_STRING, ARROW_STRING}},                          /* ARROW_KEY_VALUE */
};

int pqx_arrow_need(const pqx_arrow_source *source, size_t at, size_t size)
{
    if (at > source->size || size > source->size - at) return pqx_arrow_fail(source, at);
    const pqx_arrow_schema *schema = source->lazy;
    if (!schema || !size) return PQX_OK;
    for (size_t block = at / BLOCK_BYTES; block <= (at + size - 1) / BLOCK_BYTES; block++) {
        if (PQX_LIKELY(schema->decoded[block])) continue;
        size_t from = block * BLOCK_TEXT, left = schema->text_size - from;
        size_t bad = pqx_base64_decode(schema->text + from, left < BLOCK_TEXT ? left : BLOCK_TEXT,
                                       schema->data + block * BLOCK_BYTES);
        if (bad != SIZE_MAX) return pqx_arrow_fail(source, block * BLOCK_BYTES + 3 * bad);
        schema->decoded[block] = 1;
    }
    return PQX_OK;
}

int pqx_arrow_open(const pqx_arrow_source *source, size_t at, pqx_arrow_place *table)
{
    PQX_TRY(pqx_arrow_need(source, at, 4));
    int64_t vtable = (int64_t)at - (int32_t)pqx_load32(source->data + at);
    if (vtable < 0) return pqx_arrow_fail(source, at);
    table->at = at;
    table->vtable = (size_t)vtable;
    PQX_TRY(pqx_arrow_need(source, table->vtable, 4));
    table->vtable_size = pqx_load16(source->data + table->vtable);
    table->size = pqx_load16(source->data + table->vtable + 2);
    if (table->vtable_size < 4 || table->vtable_size % 2 || table->size < 4)
        return pqx_arrow_fail(source, table->vtable);
    PQX_TRY(pqx_arrow_need(source, table->vtable, table->vtable_size));
    return pqx_arrow_need(source, at, table->size);
}

int pqx_arrow_slot(const pqx_arrow_source *source, const pqx_arrow_place *table, unsigned slot,
                   size_t bytes, size_t *at)
{
    *at = 0;
    if (4 + 2 * slot >= table->vtable_size) return PQX_OK;
    size_t place = pqx_load16(source->data + table->vtable + 4 + 2 * slot);
    if (!place) return PQX_OK;
    if (place < 4 || place > table->size || bytes > table->size - place)
        return pqx_arrow_fail(source, table->vtable + 4 + 2 * slot);
    *at = table->at + place;
    return PQX_OK;
}

int pqx_arrow_follow(const pqx_arrow_source *source, size_t at, size_t need, size_t *target)
{
    uint32_t offset = pqx_load32(source->data + at);
    if (!offset || offset > source->size - at) return pqx_arrow_fail(source, at);
    *target = at + offset;
    return pqx_arrow_need(source, *target, need);
}

int pqx_arrow_vector(const pqx_arrow_source *source, size_t at, size_t width, size_t *items,
                     uint32_t *count)
{
    PQX_TRY(pqx_arrow_need(source, at, 4));
    *count = pqx_load32(source->data + at);
    *items = at + 4;
    if (*count > (source->size - *items) / width) return pqx_arrow_fail(source, at);
    return pqx_arrow_need(source, *items, *count * width);
}

/* Find the fields: Message, version 4 or 5 (V4, V5 are 3 and 4 on the wire) -> Schema -> fields. */
static int find_fields(pqx_arrow_source *source, pqx_arrow_schema *schema)
{
    const uint8_t *data = schema->data;
    size_t at = 4, place;
    pqx_arrow_place table;
    PQX_TRY(pqx_arrow_need(source, 0, 8));
    uint32_t length = pqx_load32(data);
    if (length == CONTINUATION) {
        length = pqx_load32(data + 4);
        at = 8;
    }
    if (length > source->size - at) return pqx_arrow_fail(source, at - 4);
    schema->size = source->size = at + length;
    PQX_TRY(pqx_arrow_need(source, at, 4));
    PQX_TRY(pqx_arrow_follow(source, at, 4, &at));
    PQX_TRY(pqx_arrow_open(source, at, &table));
    PQX_TRY(pqx_arrow_slot(source, &table, 0, 2, &place));
    unsigned version = place ? pqx_load16(data + place) : 0;
    if (version != 3 && version != 4) return pqx_arrow_fail(source, at);
    PQX_TRY(pqx_arrow_slot(source, &table, 1, 1, &place));
    if (!place || data[place] != 1) return pqx_arrow_fail(source, at);
    PQX_TRY(pqx_arrow_slot(source, &table, 2, 4, &place));
    if (!place) return pqx_arrow_fail(source, at);
    PQX_TRY(pqx_arrow_follow(source, place, 4, &at));
    PQX_TRY(pqx_arrow_open(source, at, &table));
    schema->schema = (uint32_t)at;
    PQX_TRY(pqx_arrow_slot(source, &table, 1, 4, &place));
    if (!place) return pqx_arrow_fail(source, at);
    PQX_TRY(pqx_arrow_follow(source, place, 4, &at));
    /* not pqx_arrow_vector, which would decode all the offsets */
    schema->field_count = pqx_load32(data + at);
    schema->fields = (uint32_t)at;
    return schema->field_count > (source->size - at - 4) / 4 ? pqx_arrow_fail(source, at) : PQX_OK;
}

int pqx_arrow_schema_parse(const uint8_t *text, size_t size, pqx_arrow_schema *schema,
                           pqx_error *error)
{
    *schema = (pqx_arrow_schema){0};
    for (int i = 0; i < 2 && size && text[size - 1] == '='; i++) size--;
    if (size % 4 == 1) return pqx_fail(error, PQX_ARROW_SCHEMA, size / 4 * 3, 0, 0);
    if (size > INT32_MAX) return pqx_fail(error, PQX_TOO_LARGE, 0, INT32_MAX, size);
    size_t bytes = pqx_base64_size(size), blocks = bytes / BLOCK_BYTES + 1;
    size_t room = (bytes + sizeof(size_t) - 1) / sizeof(size_t) * sizeof(size_t);
    schema->data = (uint8_t *)malloc(room + sizeof(size_t) + blocks);
    if (!schema->data) return pqx_fail(error, PQX_NO_MEMORY, 0, room + sizeof(size_t) + blocks, 0);
    schema->text = text;
    schema->text_size = size;
    schema->budget = (size_t *)(void *)(schema->data + room);
    schema->decoded = schema->data + room + sizeof(size_t);
    memset(schema->decoded, 0, blocks);
    pqx_arrow_source source = {schema->data, bytes, schema, error};
    int status = find_fields(&source, schema);
    *schema->budget = 4 * schema->size + 1024;
    if (status != PQX_OK) pqx_arrow_schema_free(schema);
    return status;
}

void pqx_arrow_schema_free(pqx_arrow_schema *schema)
{
    free(schema->data);
    *schema = (pqx_arrow_schema){0};
}

/* Find the Field table of a schema's field. */
int pqx_arrow_field_table(const pqx_arrow_source *source, uint32_t index, size_t *table)
{
    const pqx_arrow_schema *schema = source->lazy;
    if (index >= schema->field_count)
        return pqx_fail(source->error, PQX_BAD_ARGUMENT, 0, schema->field_count, index);
    size_t at = schema->fields + 4 + 4 * (size_t)index;
    PQX_TRY(pqx_arrow_need(source, at, 4));
    return pqx_arrow_follow(source, at, 4, table);
}

int pqx_arrow_field_name(const pqx_arrow_schema *schema, uint32_t index, pqx_bytes *name,
                         pqx_error *error)
{
    pqx_arrow_source source = {schema->data, schema->size, schema, error};
    pqx_arrow_place table;
    size_t at, items;
    uint32_t count;
    *name = (pqx_bytes){schema->data, 0};
    PQX_TRY(pqx_arrow_field_table(&source, index, &at));
    PQX_TRY(pqx_arrow_open(&source, at, &table));
    PQX_TRY(pqx_arrow_slot(&source, &table, FIELD_NAME, 4, &at));
    if (!at) return PQX_OK;
    PQX_TRY(pqx_arrow_follow(&source, at, 4, &at));
    PQX_TRY(pqx_arrow_vector(&source, at, 1, &items, &count));
    *name = (pqx_bytes){schema->data + items, count};
    return PQX_OK;
}
