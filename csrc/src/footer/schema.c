/* Parse the schema list into elements, then build their tree. */
#include "footer/scan_fast.h"

/* Return the member for an i32 field, or NULL. */
static int32_t *element_number(pqx_element *e, int32_t id)
{
    switch (id) {
    case PQX_SCHEMA_ELEMENT_TYPE: return &e->type;
    case PQX_SCHEMA_ELEMENT_TYPE_LENGTH: return &e->type_length;
    case PQX_SCHEMA_ELEMENT_REPETITION_TYPE: return &e->repetition;
    case PQX_SCHEMA_ELEMENT_NUM_CHILDREN: return &e->num_children;
    case PQX_SCHEMA_ELEMENT_CONVERTED_TYPE: return &e->converted_type;
    case PQX_SCHEMA_ELEMENT_FIELD_ID: return &e->field_id;
    default: return NULL;
    }
}

/* A field of an unexpected type counts as an unknown one. */
static int read_element_field(pqx_cursor *c, int32_t id, int type, pqx_element *e)
{
    int32_t *number = element_number(e, id);
    size_t start = c->at;
    if (number && type == PQX_TYPE_I32) return pqx_read_i32(c, number);
    if (id == PQX_SCHEMA_ELEMENT_NAME && type == PQX_TYPE_BINARY)
        return pqx_read_binary(c, &e->name);
    PQX_TRY(pqx_skip_field(c, type, PQX_IN_ELEMENT));
    if (id == PQX_SCHEMA_ELEMENT_LOGICAL_TYPE && type == PQX_TYPE_STRUCT)
        e->logical_type = pqx_since(c, start);
    return PQX_OK;
}

int pqx_scan_element(pqx_cursor *c, pqx_element *e)
{
    size_t start = c->at;
    int32_t id = 0;
    *e = PQX_EMPTY_ELEMENT;
    PQX_READ_FIELDS(c, id, type, read_element_field(c, id, type, e));
    e->bytes = pqx_since(c, start);
    return PQX_OK;
}

int pqx_scan_schema(pqx_scanning *s, int *right)
{
    pqx_scan *scan = s->scan;
    size_t start = s->cursor.at;
    uint32_t count = 0;
    PQX_TRY(pqx_read_list_of(&s->cursor, PQX_TYPE_STRUCT, PQX_IN_FOOTER, &count, right));
    if (!*right) return PQX_OK;
    enum { SMALLEST_REAL_ELEMENT = 16 };
    uint64_t expected = pqx_expected(&s->cursor, count, SMALLEST_REAL_ELEMENT);
    for (scan->element_count = 0; scan->element_count < count;) {
        PQX_TRY(pqx_scan_grow(&scan->elements, scan->element_count, &s->element_room,
                              sizeof *scan->elements, expected, s->cursor.error));
        size_t room = s->element_room - scan->element_count, wanted = count - scan->element_count;
        if (!s->plain && pqx_fast_elements(s, (uint32_t)(room < wanted ? room : wanted))) continue;
        PQX_TRY(pqx_scan_element(&s->cursor, &scan->elements[scan->element_count]));
        scan->element_count++;
    }
    scan->schema = pqx_since(&s->cursor, start);
    return PQX_OK;
}

/* ---- sort orders ---- */

#define OF(type) (1u << PQX_PHYSICAL_##type)
#define INTEGERS (OF(INT32) | OF(INT64))

/* The physical types that an annotation applies to, and the order that it defines. */
typedef struct annotation {
    uint32_t types;
    int32_t length; /* of FIXED_LEN_BYTE_ARRAY, 0: any */
    int order;
} annotation;

/* Statistics have no defined order if the annotation does not apply to the physical type. */
static int annotated_order(const pqx_element *leaf, annotation known)
{
    if (leaf->type < 0 || leaf->type > PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY
        || !(known.types >> leaf->type & 1))
        return PQX_ORDER_UNDEFINED;
    if (leaf->type != PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY) return known.order;
    if (known.length && leaf->type_length != known.length) return PQX_ORDER_UNDEFINED;
    /* Only timestamps have 12 bytes; they are little-endian. */
    return known.length == 12 ? PQX_ORDER_LITTLE_ENDIAN : known.order;
}

static const annotation TEXT = {OF(BYTE_ARRAY), 0, PQX_ORDER_UNSIGNED};
static const annotation DECIMAL = {INTEGERS | OF(BYTE_ARRAY) | OF(FIXED_LEN_BYTE_ARRAY), 0,
                                   PQX_ORDER_SIGNED};

/* Read isSigned of an INTEGER at the cursor. */
static int integer_order(pqx_cursor *c, int type)
{
    int order = PQX_ORDER_UNSIGNED;
    for (int32_t id = 0;
         type == PQX_TYPE_STRUCT && pqx_read_field(c, &id, &type) == PQX_OK && type;) {
        if (id == 2) order = type == PQX_TYPE_TRUE ? PQX_ORDER_SIGNED : PQX_ORDER_UNSIGNED;
        if (pqx_skip(c, type, 0, PQX_MAX_DEPTH) != PQX_OK) break;
        type = PQX_TYPE_STRUCT;
    }
    return order;
}

/* The union's first field decides. The bytes have been walked before. */
static int logical_order(const uint8_t *data, const pqx_element *leaf)
{
    pqx_range logical = leaf->logical_type;
    pqx_cursor c = {data, (size_t)logical.offset + logical.length, logical.offset, NULL};
    int32_t id = 0;
    int type = 0;
    if (pqx_read_field(&c, &id, &type) != PQX_OK || type == 0) return PQX_ORDER_UNDEFINED;
    switch (id) {
    case PQX_LOGICAL_STRING:
    case PQX_LOGICAL_ENUM:
    case PQX_LOGICAL_JSON:
    case PQX_LOGICAL_BSON: return annotated_order(leaf, TEXT);
    case PQX_LOGICAL_UUID:
        return annotated_order(leaf,
                               (annotation){OF(FIXED_LEN_BYTE_ARRAY), 16, PQX_ORDER_UNSIGNED});
    case PQX_LOGICAL_DECIMAL: return annotated_order(leaf, DECIMAL);
    case PQX_LOGICAL_DATE:
        return annotated_order(leaf, (annotation){OF(INT32), 0, PQX_ORDER_SIGNED});
    case PQX_LOGICAL_TIME:
        return annotated_order(leaf, (annotation){INTEGERS, 0, PQX_ORDER_SIGNED});
    case PQX_LOGICAL_TIMESTAMP:
        return annotated_order(
            leaf, (annotation){OF(INT64) | OF(FIXED_LEN_BYTE_ARRAY), 12, PQX_ORDER_SIGNED});
    case PQX_LOGICAL_FLOAT16:
        return annotated_order(leaf, (annotation){OF(FIXED_LEN_BYTE_ARRAY), 2, PQX_ORDER_FLOAT16});
    case PQX_LOGICAL_INTEGER:
        return annotated_order(leaf, (annotation){INTEGERS, 0, integer_order(&c, type)});
    default: return PQX_ORDER_UNDEFINED;
    }
}

static int converted_order(const pqx_element *leaf)
{
    switch (leaf->converted_type) {
    case PQX_CONVERTED_UTF8:
    case PQX_CONVERTED_ENUM:
    case PQX_CONVERTED_JSON:
    case PQX_CONVERTED_BSON: return annotated_order(leaf, TEXT);
    case PQX_CONVERTED_DECIMAL: return annotated_order(leaf, DECIMAL);
    case PQX_CONVERTED_UINT_8:
    case PQX_CONVERTED_UINT_16:
    case PQX_CONVERTED_UINT_32:
        return annotated_order(leaf, (annotation){OF(INT32), 0, PQX_ORDER_UNSIGNED});
    case PQX_CONVERTED_UINT_64:
        return annotated_order(leaf, (annotation){OF(INT64), 0, PQX_ORDER_UNSIGNED});
    case PQX_CONVERTED_DATE:
    case PQX_CONVERTED_TIME_MILLIS:
    case PQX_CONVERTED_INT_8:
    case PQX_CONVERTED_INT_16:
    case PQX_CONVERTED_INT_32:
        return annotated_order(leaf, (annotation){OF(INT32), 0, PQX_ORDER_SIGNED});
    case PQX_CONVERTED_TIME_MICROS:
    case PQX_CONVERTED_TIMESTAMP_MILLIS:
    case PQX_CONVERTED_TIMESTAMP_MICROS:
    case PQX_CONVERTED_INT_64:
        return annotated_order(leaf, (annotation){OF(INT64), 0, PQX_ORDER_SIGNED});
    default: return PQX_ORDER_UNDEFINED;
    }
}

int pqx_sort_order(const uint8_t *data, const pqx_element *leaf)
{
    if (leaf->type == PQX_PHYSICAL_INT96) return PQX_ORDER_UNDEFINED;
    if (leaf->logical_type.length) return logical_order(data, leaf);
    if (leaf->converted_type != -1) return converted_order(leaf);
    switch (leaf->type) {
    case PQX_PHYSICAL_BOOLEAN:
    case PQX_PHYSICAL_INT32:
    case PQX_PHYSICAL_INT64:
    case PQX_PHYSICAL_FLOAT:
    case PQX_PHYSICAL_DOUBLE: return PQX_ORDER_SIGNED;
    case PQX_PHYSICAL_BYTE_ARRAY:
    case PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY: return PQX_ORDER_UNSIGNED;
    default: return PQX_ORDER_UNDEFINED;
    }
}

/* ---- the tree ---- */

/* Read a ColumnOrder union: the id of its first field, 0 if it is empty, 255 if the id is not a
 * small number. */
int pqx_read_column_order(pqx_cursor *c, uint8_t *order)
{
    static const uint8_t TYPE_ORDER[] = {0x1c, 0x00, 0x00};
    if (PQX_LIKELY(pqx_left(c) >= sizeof TYPE_ORDER
                   && !memcmp(c->data + c->at, TYPE_ORDER, sizeof TYPE_ORDER))) {
        c->at += sizeof TYPE_ORDER;
        *order = 1;
        return PQX_OK;
    }
    size_t start = c->at;
    int32_t id = 0;
    int type = 0;
    PQX_TRY(pqx_read_field(c, &id, &type));
    *order = (uint8_t)(type == 0 ? 0 : id > 0 && id < 255 ? id : 255);
    c->at = start;
    return pqx_skip_field(c, PQX_TYPE_STRUCT, PQX_IN_COLUMN_ORDERS);
}

/* Assign column orders to the leaves. The list has been walked before. */
static void assign_column_orders(pqx_scanning *s)
{
    pqx_scan *scan = s->scan;
    pqx_cursor c = {s->cursor.data, s->cursor.size, scan->column_orders.offset, NULL};
    uint32_t count = 0;
    if (!scan->has_column_orders
        || pqx_read_list_of(&c, PQX_TYPE_STRUCT, PQX_IN_FOOTER, &count, NULL) != PQX_OK)
        return;
    for (uint32_t i = 0; i < count && i < scan->leaf_count; i++)
        if (pqx_read_column_order(&c, &scan->elements[scan->leaves[i]].column_order) != PQX_OK)
            return;
}

static uint8_t deeper(uint8_t level, int more) { return (uint8_t)(level + (more && level < 255)); }

/* Set the position of element i below the open group. */
static void place_element(pqx_scan *scan, pqx_element *e, int32_t open)
{
    e->parent = open;
    e->first_leaf = (int32_t)scan->leaf_count;
    if (open < 0) return;
    pqx_element *group = &scan->elements[open];
    group->leaf_count--;
    int is_optional = e->repetition == PQX_REPETITION_OPTIONAL,
        is_repeated = e->repetition == PQX_REPETITION_REPEATED;
    e->max_definition = deeper(group->max_definition, is_optional || is_repeated);
    e->max_repetition = deeper(group->max_repetition, is_repeated);
}

/* Close the open groups that have all their children, or all open groups. */
static int32_t close_groups(pqx_scan *scan, int32_t open, int all)
{
    while (open >= 0 && (all || scan->elements[open].leaf_count == 0)) {
        pqx_element *group = &scan->elements[open];
        group->leaf_count = (int32_t)scan->leaf_count - group->first_leaf;
        open = group->parent;
    }
    return open;
}

/* Compute parents, levels and leaves of elements in preorder. While a group is open, its leaf_count
 * is the number of missing children. */
void pqx_scan_tree(pqx_scanning *s)
{
    pqx_scan *scan = s->scan;
    uint32_t count = scan->element_count;
    int32_t open = -1;
    uint64_t awaited = 1;
    for (uint32_t i = 0; i < count; i++) {
        pqx_element *e = &scan->elements[i];
        if (awaited == 0) {
            pqx_note(s, PQX_SCHEMA, e->bytes.offset, i, count);
            place_element(scan, e, -1);
            continue;
        }
        awaited--;
        place_element(scan, e, open);
        if (i > 0 && e->num_children <= 0 && e->type != -1) {
            scan->leaves[scan->leaf_count++] = i;
            e->leaf_count = 1;
            e->sort_order = (uint8_t)pqx_sort_order(s->cursor.data, e);
        } else {
            e->leaf_count = e->num_children > 0 ? e->num_children : 0;
            awaited += (uint64_t)e->leaf_count;
            open = (int32_t)i;
        }
        open = close_groups(scan, open, 0);
    }
    close_groups(scan, open, 1);
    if (awaited) pqx_note(s, PQX_SCHEMA, scan->schema.offset, count + awaited, count);
    assign_column_orders(s);
}
