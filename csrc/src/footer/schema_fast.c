#include "footer/scan_fast.h"
#include "footer/take.h"

/* Read the logical type's union, mostly one of the few that a schema contains. */
INLINE size_t take_logical_type(input in, size_t at, pqx_logical *logicals)
{
    uint64_t bytes = pqx_load64(in.base + at);
    pqx_logical *last = &logicals[bytes >> 4 & 15];
    if (PQX_LIKELY((bytes & last->mask) == last->bytes && last->mask)) return at + last->length;
    pqx_cursor skipping = {in.base, in.limit, at, NULL};
    if (at >= in.limit || pqx_skip_field(&skipping, PQX_TYPE_STRUCT, PQX_IN_ELEMENT) != PQX_OK)
        return 0;
    size_t length = skipping.at - at;
    if (length <= sizeof bytes) {
        uint64_t mask = UINT64_MAX >> (64 - 8 * length);
        *last = (pqx_logical){bytes & mask, mask, length};
    }
    return skipping.at;
}

/* Read the fields after the name. */
INLINE size_t take_annotations(input in, size_t at, int32_t id, pqx_element *e,
                               pqx_logical *logicals, int *bad)
{
    const uint8_t *base = in.base;
    int32_t ignored;
    if (comes(base, at, &id, PQX_SCHEMA_ELEMENT_NUM_CHILDREN, PQX_TYPE_I32))
        at = take_i32(base, at + 1, &e->num_children, bad);
    if (comes(base, at, &id, PQX_SCHEMA_ELEMENT_CONVERTED_TYPE, PQX_TYPE_I32))
        at = take_i32(base, at + 1, &e->converted_type, bad);
    if (comes(base, at, &id, PQX_SCHEMA_ELEMENT_SCALE, PQX_TYPE_I32))
        at = take_i32(base, at + 1, &ignored, bad);
    if (comes(base, at, &id, PQX_SCHEMA_ELEMENT_PRECISION, PQX_TYPE_I32))
        at = take_i32(base, at + 1, &ignored, bad);
    if (comes(base, at, &id, PQX_SCHEMA_ELEMENT_FIELD_ID, PQX_TYPE_I32))
        at = take_i32(base, at + 1, &e->field_id, bad);
    if (comes(base, at, &id, PQX_SCHEMA_ELEMENT_LOGICAL_TYPE, PQX_TYPE_STRUCT)) {
        size_t logical = at + 1;
        TAKE(take_logical_type(in, logical, logicals));
        e->logical_type = (pqx_range){(uint32_t)logical, (uint32_t)(at - logical)};
    }
    return at;
}

INLINE size_t take_element(input in, size_t at, pqx_element *e, pqx_logical *logicals)
{
    const uint8_t *base = in.base;
    const size_t start = at;
    int32_t id = 0;
    int bad = 0;
    if (PQX_UNLIKELY(at > in.limit)) return 0;
    *e = PQX_EMPTY_ELEMENT;
    if (comes(base, at, &id, PQX_SCHEMA_ELEMENT_TYPE, PQX_TYPE_I32))
        at = take_i32(base, at + 1, &e->type, &bad);
    if (comes(base, at, &id, PQX_SCHEMA_ELEMENT_TYPE_LENGTH, PQX_TYPE_I32))
        at = take_i32(base, at + 1, &e->type_length, &bad);
    if (comes(base, at, &id, PQX_SCHEMA_ELEMENT_REPETITION_TYPE, PQX_TYPE_I32))
        at = take_i32(base, at + 1, &e->repetition, &bad);
    if (comes(base, at, &id, PQX_SCHEMA_ELEMENT_NAME, PQX_TYPE_BINARY))
        TAKE(take_binary(in, at + 1, &e->name));
    if (base[at]) TAKE(take_annotations(in, at, id, e, logicals, &bad));
    if (PQX_UNLIKELY(bad || base[at])) return 0;
    at++;
    e->bytes = (pqx_range){(uint32_t)start, (uint32_t)(at - start)};
    return at;
}

uint32_t pqx_fast_elements(pqx_scanning *s, uint32_t most)
{
    pqx_cursor *c = &s->cursor;
    if (c->size < PQX_SLACK) return 0;
    input in = {c->data, c->size - PQX_SLACK};
    pqx_element *elements = s->scan->elements + s->scan->element_count;
    size_t at = c->at, next;
    uint32_t taken = 0;
    for (; taken < most; taken++, at = next) {
        fetch_ahead(in.base + at, &elements[taken], sizeof *elements);
        next = take_element(in, at, &elements[taken], s->logicals);
        if (PQX_UNLIKELY(!next)) break;
    }
    c->at = at;
    s->scan->element_count += taken;
    return taken;
}
