/* Divide a Thrift struct into a template and values. */
#include "packed/structs.h"
#include "thrift/cursor.h"

enum { MOST_DEPTH_OF_CODE = 4, STEP_BITS = 16, CHUNK = PQX_COLUMN_CHUNK_META_DATA };

typedef struct parser {
    pqx_cursor cursor;
    const pqx_packed_struct_facts *facts;
    pqx_coded_step *steps;
    int64_t *values;
    uint32_t count, value_count;
    size_t pending; /* where the next literal begins */
    int32_t path[PQX_MAX_DEPTH + 2];
    int depth;
} parser;

uint64_t pqx_packed_code(const int32_t *steps, int count)
{
    uint64_t code = 0;
    if (count > MOST_DEPTH_OF_CODE) return 0;
    for (int i = 0; i < count; i++) {
        if (steps[i] >> STEP_BITS > 0) return 0;
        code = code << STEP_BITS | ((uint32_t)steps[i] & 0xffff);
    }
    return code;
}

static int is_at(const parser *p, int depth, int32_t one, int32_t two, int32_t three)
{
    return p->depth == depth && p->path[0] == one && (depth < 2 || p->path[1] == two)
           && (depth < 3 || p->path[2] == three);
}
static int is_in(const parser *p, int32_t two)
{ return p->depth >= 2 && p->path[0] == CHUNK && p->path[1] == two; }

static void add_step(parser *p, pqx_coded_step step)
{
    if (p->count < PQX_MOST_STEPS) p->steps[p->count] = step;
    p->count++;
}

static void flush(parser *p, size_t end)
{
    if (end > p->pending)
        add_step(p, (pqx_coded_step){.kind = PQX_STEP_LITERAL,
                                     .begin = (uint32_t)p->pending,
                                     .length = (uint32_t)(end - p->pending)});
}

/* Add a step for the bytes from `begin` up to the cursor. */
static void add_value(parser *p, pqx_coded_step step, size_t begin, int64_t value)
{
    flush(p, begin);
    if (p->count < PQX_MOST_STEPS && step.code) p->values[p->value_count++] = value;
    add_step(p, step);
    p->pending = p->cursor.at;
}

/* Fields that rarely differ between chunks stay literal. */
static int is_constant_field(const parser *p)
{
    return is_in(p, PQX_COLUMN_META_DATA_TYPE) || is_in(p, PQX_COLUMN_META_DATA_CODEC)
           || is_in(p, PQX_COLUMN_META_DATA_ENCODINGS);
}

static int is_constant(const parser *p)
{
    if (is_constant_field(p)) return 1;
    int32_t last = p->path[p->depth - 1];
    return is_in(p, PQX_COLUMN_META_DATA_ENCODING_STATS)
           && (last == PQX_PAGE_ENCODING_STATS_PAGE_TYPE
               || last == PQX_PAGE_ENCODING_STATS_ENCODING);
}

static int integer(parser *p)
{
    size_t begin = p->cursor.at;
    uint64_t raw = 0;
    PQX_TRY(pqx_read_varint64(&p->cursor, &raw));
    uint64_t code = pqx_packed_code(p->path, p->depth);
    if (is_constant(p) || !code || p->cursor.at - begin != pqx_varint_size(raw)) return PQX_OK;
    add_value(p, (pqx_coded_step){.kind = PQX_STEP_INTEGER, .code = code}, begin,
              (int64_t)(raw >> 1 ^ (0 - (raw & 1))));
    return PQX_OK;
}

static int is_bound(const parser *p)
{
    if (p->depth != 3 || !is_in(p, PQX_COLUMN_META_DATA_STATISTICS)) return 0;
    int32_t id = p->path[2];
    return id == PQX_STATISTICS_MIN || id == PQX_STATISTICS_MAX || id == PQX_STATISTICS_MIN_VALUE
           || id == PQX_STATISTICS_MAX_VALUE;
}

/* Return the form of a bound of a fixed width, or TEXT. */
static int form_of(const parser *p, uint32_t size)
{
    static const uint8_t widths[] = PQX_WIDTHS_OF_TYPE;
    int type = p->facts->physical_type;
    if (!is_bound(p) || type < 0) return PQX_STEP_TEXT;
    if ((size_t)type < sizeof widths && widths[type] != size) return PQX_STEP_TEXT;
    switch (type) {
    case PQX_PHYSICAL_BOOLEAN:
    case PQX_PHYSICAL_INT32:
    case PQX_PHYSICAL_INT64: return PQX_STEP_LITTLE;
    case PQX_PHYSICAL_FLOAT: return PQX_STEP_FLOAT;
    case PQX_PHYSICAL_DOUBLE: return PQX_STEP_DOUBLE;
    case PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY:
        return size >= 1 && size <= 8 ? PQX_STEP_BIG : PQX_STEP_TEXT;
    default: return PQX_STEP_TEXT;
    }
}

/* Return a bound as an integer in the order of its type. */
static int64_t number_of(int form, const uint8_t *bytes, uint32_t size)
{
    uint64_t value = 0;
    unsigned bits = 8 * size;
    for (uint32_t i = 0; i < size; i++)
        value |= (uint64_t)bytes[form == PQX_STEP_BIG ? size - 1 - i : i] << 8 * i;
    int is_negative = (int)(value >> (bits - 1) & 1);
    if (is_negative && bits < 64) value |= UINT64_MAX << bits;
    int is_real = form == PQX_STEP_FLOAT || form == PQX_STEP_DOUBLE;
    if (is_real && is_negative) value ^= (UINT64_C(1) << (bits - 1)) - 1;
    return (int64_t)value;
}

static int binary(parser *p)
{
    size_t begin = p->cursor.at;
    pqx_range text;
    PQX_TRY(pqx_read_binary(&p->cursor, &text));
    uint64_t code = pqx_packed_code(p->path, p->depth);
    if (!code || text.offset - begin != pqx_varint_size(text.length)) return PQX_OK;
    int form = form_of(p, text.length);
    pqx_coded_step step = {.kind = (uint8_t)form, .code = code};
    if (form == PQX_STEP_TEXT) {
        add_value(p, step, begin,
                  (int64_t)((uint64_t)text.offset << 32 | (text.offset + (uint64_t)text.length)));
        return PQX_OK;
    }
    step.size = (uint8_t)text.length;
    add_value(p, step, begin, number_of(form, p->cursor.data + text.offset, text.length));
    return PQX_OK;
}

static int is_histogram(const parser *p)
{
    return p->depth == 3 && is_in(p, PQX_COLUMN_META_DATA_SIZE_STATISTICS)
           && (p->path[2] == PQX_SIZE_STATISTICS_REPETITION_LEVEL_HISTOGRAM
               || p->path[2] == PQX_SIZE_STATISTICS_DEFINITION_LEVEL_HISTOGRAM);
}

static int value(parser *p, int type);

static int list(parser *p)
{
    pqx_cursor *c = &p->cursor;
    size_t begin = c->at, path_size = p->facts->path_list_size;
    uint32_t count = 0;
    int type = 0;
    if (is_at(p, 2, CHUNK, PQX_COLUMN_META_DATA_PATH_IN_SCHEMA, 0) && pqx_left(c) >= path_size
        && !memcmp(c->data + begin, p->facts->path_list, path_size)) {
        c->at += path_size;
        add_value(p, (pqx_coded_step){.kind = PQX_STEP_PATH}, begin, 0);
        return PQX_OK;
    }
    PQX_TRY(pqx_read_list(c, &count, &type));
    if (is_at(p, 1, PQX_ROW_GROUP_COLUMNS, 0, 0) && p->facts->columns_end
        && c->at == p->facts->columns_begin) {
        uint32_t length = (uint32_t)(c->at - begin);
        c->at = p->facts->columns_end;
        add_value(p,
                  (pqx_coded_step){
                      .kind = PQX_STEP_COLUMNS, .begin = (uint32_t)begin, .length = length},
                  begin, 0);
        return PQX_OK;
    }
    if (is_constant_field(p) || type == PQX_TYPE_TRUE || type == PQX_TYPE_FALSE) {
        c->at = begin;
        return pqx_skip(c, PQX_TYPE_LIST, 0, PQX_MAX_DEPTH);
    }
    if (p->depth > PQX_MAX_DEPTH)
        return pqx_fail(c->error, PQX_TOO_DEEP, begin, PQX_MAX_DEPTH, 0);
    int is_reversed = is_histogram(p);
    p->depth++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t step = is_reversed ? count - 1 - i : i;
        p->path[p->depth - 1] = step > INT32_MAX ? INT32_MAX : (int32_t)step;
        PQX_TRY(value(p, type));
    }
    p->depth--;
    return PQX_OK;
}

static int fields(parser *p)
{
    if (p->depth > PQX_MAX_DEPTH)
        return pqx_fail(p->cursor.error, PQX_TOO_DEEP, p->cursor.at, PQX_MAX_DEPTH, 0);
    p->depth++;
    for (int32_t id = 0;;) {
        int type = 0;
        PQX_TRY(pqx_read_field(&p->cursor, &id, &type));
        if (type == 0) break;
        p->path[p->depth - 1] = id;
        PQX_TRY(value(p, type));
    }
    p->depth--;
    return PQX_OK;
}

static int value(parser *p, int type)
{
    switch (type) {
    case PQX_TYPE_TRUE:
    case PQX_TYPE_FALSE: return PQX_OK;
    case PQX_TYPE_STRUCT: return fields(p);
    case PQX_TYPE_LIST: return list(p);
    case PQX_TYPE_I16:
    case PQX_TYPE_I32:
    case PQX_TYPE_I64: return integer(p);
    case PQX_TYPE_BINARY: return binary(p);
    default: return pqx_skip(&p->cursor, type, 0, PQX_MAX_DEPTH);
    }
}

int pqx_packed_parse(const uint8_t *data, size_t size, uint32_t begin,
                     const pqx_packed_struct_facts *facts, pqx_coded_step *steps, uint32_t *count,
                     int64_t *values, pqx_error *error)
{
    parser p = {.cursor = {data, size, begin, error},
                .facts = facts,
                .steps = steps,
                .values = values,
                .pending = begin};
    PQX_TRY(fields(&p));
    flush(&p, p.cursor.at);
    *count = p.count;
    return PQX_OK;
}
