/* Write schema elements of the flat footer: their table with its logical type, and their path. */
#include "flat/flat_write.h"

enum { MILLIS, MICROS, NANOS };
enum {
    NO_MEMBER = 9
}; /* of LogicalType, which does not have this field; later tags are one less */

typedef struct pqx_logical {
    uint8_t tag, unit, utc, bit_width, is_signed;
    uint8_t has_version, has_algorithm, version, algorithm;
    int32_t scale, precision;
    const uint8_t *crs;
    size_t crs_size;
} pqx_logical;

static int find_or_zero(pqx_flat_writer *w, size_t at, int16_t id, int type, int64_t *value)
{
    int found;
    PQX_TRY(pqx_flat_find_integer(w, at, id, type, value, &found));
    if (!found) *value = 0;
    return PQX_OK;
}

/* Read the TimeType or TimestampType at `at`. With an unknown unit, there is no logical type. */
static int read_time(pqx_flat_writer *w, size_t at, pqx_logical *logical)
{
    pqx_field unit, member;
    int found, more = 0;
    int64_t utc;
    PQX_TRY(find_or_zero(w, at, 1, PQX_TYPE_TRUE, &utc));
    PQX_TRY(
        pqx_thrift_find(w->footer, w->footer_size, at, 2, PQX_MAX_DEPTH, &unit, &found, w->error));
    if (found && unit.type == PQX_TYPE_STRUCT)
        PQX_TRY(pqx_thrift_next(w->footer, w->footer_size, unit.value, 0, PQX_MAX_DEPTH, &member,
                                &more, w->error));
    if (!more || member.id < 1 || member.id > 3) {
        logical->tag = 0;
        return PQX_OK;
    }
    logical->utc = (uint8_t)utc;
    logical->unit = (uint8_t)(member.id - 1);
    return PQX_OK;
}

/* Read the member struct of the union at `at`. */
static int read_member(pqx_flat_writer *w, size_t at, pqx_logical *logical)
{
    int64_t first = 0, second = 0;
    int found;
    switch (logical->tag) {
    case PQX_FLAT_LOGICAL_DECIMAL:
        PQX_TRY(find_or_zero(w, at, 1, PQX_TYPE_I32, &first));
        PQX_TRY(find_or_zero(w, at, 2, PQX_TYPE_I32, &second));
        logical->scale = (int32_t)first;
        logical->precision = (int32_t)second;
        return PQX_OK;
    case PQX_FLAT_LOGICAL_TIME:
    case PQX_FLAT_LOGICAL_TIMESTAMP: return read_time(w, at, logical);
    case PQX_FLAT_LOGICAL_INTEGER:
        PQX_TRY(find_or_zero(w, at, 1, PQX_TYPE_BYTE, &first));
        PQX_TRY(find_or_zero(w, at, 2, PQX_TYPE_TRUE, &second));
        logical->bit_width = (uint8_t)first;
        logical->is_signed = (uint8_t)second;
        return PQX_OK;
    case PQX_FLAT_LOGICAL_VARIANT:
        PQX_TRY(pqx_flat_find_integer(w, at, 1, PQX_TYPE_BYTE, &first, &found));
        logical->has_version = (uint8_t)found;
        logical->version = (uint8_t)first;
        return PQX_OK;
    case PQX_FLAT_LOGICAL_GEOGRAPHY:
        PQX_TRY(pqx_flat_find_integer(w, at, 2, PQX_TYPE_I32, &first, &found));
        logical->has_algorithm = found && first >= 0 && first <= 127;
        logical->algorithm = (uint8_t)first;
        return pqx_flat_find_binary(w, at, 1, &logical->crs, &logical->crs_size);
    case PQX_FLAT_LOGICAL_GEOMETRY:
        return pqx_flat_find_binary(w, at, 1, &logical->crs, &logical->crs_size);
    default: return PQX_OK;
    }
}

static int from_logical_type(pqx_flat_writer *w, const pqx_element *element, pqx_logical *logical)
{
    pqx_field member;
    int more;
    PQX_TRY(pqx_thrift_next(w->footer, w->footer_size, element->logical_type.offset, 0,
                            PQX_MAX_DEPTH, &member, &more, w->error));
    if (!more || member.type != PQX_TYPE_STRUCT || member.id < PQX_LOGICAL_STRING
        || member.id > PQX_LOGICAL_GEOGRAPHY || member.id == NO_MEMBER)
        return PQX_OK;
    logical->tag = (uint8_t)(member.id - (member.id > NO_MEMBER));
    return read_member(w, member.value, logical);
}

static int from_converted_type(pqx_flat_writer *w, const pqx_element *element, pqx_logical *logical)
{
    /* By converted type; MAP_KEY_VALUE, INTERVAL and unknown ones have no logical type. */
    static const uint8_t tags[] = {
        PQX_FLAT_LOGICAL_STRING,    PQX_FLAT_LOGICAL_MAP,       0,
        PQX_FLAT_LOGICAL_LIST,      PQX_FLAT_LOGICAL_ENUM,      PQX_FLAT_LOGICAL_DECIMAL,
        PQX_FLAT_LOGICAL_DATE,      PQX_FLAT_LOGICAL_TIME,      PQX_FLAT_LOGICAL_TIME,
        PQX_FLAT_LOGICAL_TIMESTAMP, PQX_FLAT_LOGICAL_TIMESTAMP, PQX_FLAT_LOGICAL_INTEGER,
        PQX_FLAT_LOGICAL_INTEGER,   PQX_FLAT_LOGICAL_INTEGER,   PQX_FLAT_LOGICAL_INTEGER,
        PQX_FLAT_LOGICAL_INTEGER,   PQX_FLAT_LOGICAL_INTEGER,   PQX_FLAT_LOGICAL_INTEGER,
        PQX_FLAT_LOGICAL_INTEGER,   PQX_FLAT_LOGICAL_JSON,      PQX_FLAT_LOGICAL_BSON,
    };
    int32_t type = element->converted_type;
    if (type < 0 || type >= (int32_t)sizeof tags) return PQX_OK;
    logical->tag = tags[type];
    if (logical->tag == PQX_FLAT_LOGICAL_TIME || logical->tag == PQX_FLAT_LOGICAL_TIMESTAMP) {
        logical->utc = 1;
        int millis = type == PQX_CONVERTED_TIME_MILLIS || type == PQX_CONVERTED_TIMESTAMP_MILLIS;
        logical->unit = millis ? MILLIS : MICROS;
    } else if (logical->tag == PQX_FLAT_LOGICAL_INTEGER) {
        logical->bit_width = (uint8_t)(8 << ((type - PQX_CONVERTED_UINT_8) & 3));
        logical->is_signed = type >= PQX_CONVERTED_INT_8;
    } else if (logical->tag == PQX_FLAT_LOGICAL_DECIMAL) {
        int64_t scale, precision;
        PQX_TRY(
            find_or_zero(w, element->bytes.offset, PQX_SCHEMA_ELEMENT_SCALE, PQX_TYPE_I32, &scale));
        PQX_TRY(find_or_zero(w, element->bytes.offset, PQX_SCHEMA_ELEMENT_PRECISION, PQX_TYPE_I32,
                             &precision));
        logical->scale = (int32_t)scale;
        logical->precision = (int32_t)precision;
    }
    return PQX_OK;
}

/* Build the member's table in shared form; none for a member with bytes. */
static int as_shared(const pqx_logical *logical, pqx_shared_table *table)
{
    switch (logical->tag) {
    case PQX_FLAT_LOGICAL_DECIMAL:
        *table = (pqx_shared_table){
            PQX_FLAT_DECIMAL_OPTIONS, 3, {(uint32_t)logical->scale, (uint32_t)logical->precision}};
        return 1;
    case PQX_FLAT_LOGICAL_TIME:
    case PQX_FLAT_LOGICAL_TIMESTAMP:
        *table = (pqx_shared_table){PQX_FLAT_TIME_OPTIONS, 3, {logical->utc, logical->unit}};
        return 1;
    case PQX_FLAT_LOGICAL_INTEGER:
        *table =
            (pqx_shared_table){PQX_FLAT_INT_OPTIONS, 3, {logical->bit_width, logical->is_signed}};
        return 1;
    case PQX_FLAT_LOGICAL_VARIANT:
        *table = (pqx_shared_table){PQX_FLAT_VARIANT_TYPE,
                                    logical->has_version,
                                    {logical->has_version ? (uint32_t)logical->version : 0, 0}};
        return 1;
    case PQX_FLAT_LOGICAL_GEOMETRY:
    case PQX_FLAT_LOGICAL_GEOGRAPHY: return 0;
    default: *table = (pqx_shared_table){PQX_FLAT_EMPTY, 0, {0, 0}}; return 1;
    }
}

static int put_geometry(pqx_flat_writer *w, const pqx_logical *logical, uint32_t *at)
{
    const pqx_shape *shape;
    uint32_t mask = (logical->crs ? 1u << PQX_GEOGRAPHY_TYPE__CRS : 0)
                    | (uint32_t)logical->has_algorithm << PQX_GEOGRAPHY_TYPE__ALGORITHM;
    PQX_TRY(pqx_flat_table(w,
                           logical->tag == PQX_FLAT_LOGICAL_GEOMETRY ? PQX_FLAT_GEOMETRY_TYPE
                                                                     : PQX_FLAT_GEOGRAPHY_TYPE,
                           mask, at, &shape));
    if (logical->has_algorithm)
        pqx_flat_at(w, *at)[shape->at[PQX_GEOGRAPHY_TYPE__ALGORITHM]] = logical->algorithm;
    return logical->crs ? pqx_flat_string(w, *at + shape->at[PQX_GEOGRAPHY_TYPE__CRS], logical->crs,
                                          logical->crs_size)
                        : PQX_OK;
}

/* Write the target of the offset at `field`: a shared table, or a separate one directly here. */
static int put_member(pqx_flat_writer *w, const pqx_logical *logical, uint32_t field)
{
    pqx_shared_table table;
    uint32_t at;
    int shared = 0;
    if (!as_shared(logical, &table)) {
        PQX_TRY(put_geometry(w, logical, &at));
    } else {
        PQX_TRY(pqx_flat_share(w, &table, field, &shared));
        if (shared) return PQX_OK;
        PQX_TRY(pqx_flat_put_shared_table(w, &table, &at));
    }
    pqx_flat_link(w, field, at);
    return PQX_OK;
}

/* Return the mask's bit for a field that is present. */
static uint32_t bit(int there, int field) { return (uint32_t)(there != 0) << field; }

int pqx_flat_put_element(pqx_flat_writer *w, uint32_t index, uint32_t *at)
{
    static const pqx_logical no_content = {0};
    const pqx_element *element = &w->scan->elements[index];
    int is_leaf = w->leaf_of[index] != PQX_FLAT_NONE,
        ordered = is_leaf && element->column_order == PQX_ORDER_TYPE_ORDER;
    int has_type = element->type >= 0 && element->type <= 127,
        has_repetition = element->repetition >= 0 && element->repetition <= 127;
    int has_children = !is_leaf && element->num_children >= 0;
    pqx_logical logical = {0};
    PQX_TRY(element->logical_type.length ? from_logical_type(w, element, &logical)
                                         : from_converted_type(w, element, &logical));
    w->logical_tag = logical.tag;
    uint32_t mask = bit(has_type, PQX_SCHEMA_ELEMENT__TYPE)
                    | bit(element->type_length != -1, PQX_SCHEMA_ELEMENT__TYPE_LENGTH)
                    | bit(has_repetition, PQX_SCHEMA_ELEMENT__REPETITION_TYPE)
                    | bit(1, PQX_SCHEMA_ELEMENT__NAME)
                    | bit(has_children, PQX_SCHEMA_ELEMENT__NUM_CHILDREN)
                    | bit(element->field_id != INT32_MIN, PQX_SCHEMA_ELEMENT__FIELD_ID)
                    | bit(logical.tag, PQX_SCHEMA_ELEMENT__LOGICAL_TYPE_TYPE)
                    | bit(logical.tag, PQX_SCHEMA_ELEMENT__LOGICAL_TYPE)
                    | bit(ordered, PQX_SCHEMA_ELEMENT__COLUMN_ORDER_TYPE)
                    | bit(ordered, PQX_SCHEMA_ELEMENT__COLUMN_ORDER);
    const pqx_shape *shape;
    PQX_TRY(pqx_flat_table(w, PQX_FLAT_SCHEMA_ELEMENT, mask, at, &shape));
    pqx_flat_link(w, w->schema_vector + 4 * index, *at);
    const uint16_t *field = shape->at;
    uint8_t *table = pqx_flat_at(w, *at);
    if (has_type) table[field[PQX_SCHEMA_ELEMENT__TYPE]] = (uint8_t)element->type;
    if (element->type_length != -1)
        pqx_store32(table + field[PQX_SCHEMA_ELEMENT__TYPE_LENGTH], (uint32_t)element->type_length);
    if (has_repetition)
        table[field[PQX_SCHEMA_ELEMENT__REPETITION_TYPE]] = (uint8_t)element->repetition;
    if (has_children)
        pqx_store32(table + field[PQX_SCHEMA_ELEMENT__NUM_CHILDREN],
                    (uint32_t)element->num_children);
    if (element->field_id != INT32_MIN)
        pqx_store32(table + field[PQX_SCHEMA_ELEMENT__FIELD_ID], (uint32_t)element->field_id);
    if (logical.tag) table[field[PQX_SCHEMA_ELEMENT__LOGICAL_TYPE_TYPE]] = logical.tag;
    if (ordered) table[field[PQX_SCHEMA_ELEMENT__COLUMN_ORDER_TYPE]] = 1;
    uint32_t logical_field = *at + field[PQX_SCHEMA_ELEMENT__LOGICAL_TYPE],
             order_field = *at + field[PQX_SCHEMA_ELEMENT__COLUMN_ORDER];
    PQX_TRY(pqx_flat_string(w, *at + field[PQX_SCHEMA_ELEMENT__NAME],
                            w->footer + element->name.offset, element->name.length));
    if (logical.tag) PQX_TRY(put_member(w, &logical, logical_field));
    return ordered ? put_member(w, &no_content, order_field) : PQX_OK;
}

int pqx_flat_make_path(pqx_flat_writer *w, uint32_t index)
{
    const pqx_element *elements = w->scan->elements;
    size_t size = 0;
    for (uint32_t i = index; i; i = (uint32_t)elements[i].parent)
        size += elements[i].name.length + (elements[i].parent > 0);
    w->path.size = 0;
    PQX_TRY(pqx_flat_room(w, size));
    PQX_TRY(pqx_buffer_reserve(&w->path, size, w->error));
    w->path.size = size;
    for (uint32_t i = index; i; i = (uint32_t)elements[i].parent) {
        size -= elements[i].name.length;
        if (elements[i].name.length)
            memcpy(w->path.data + size, w->footer + elements[i].name.offset,
                   elements[i].name.length);
        if (elements[i].parent > 0) w->path.data[--size] = 0;
    }
    return PQX_OK;
}
