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

static int integer(parser *p, int type)
{
    size_t begin = p->cursor.at;
    uint64_t raw = 0;
    PQX_TRY(pqx_read_varint64(&p->cursor, &raw));
    uint64_t code = pqx_packed_code(p->path, p->depth);
    if (is_constant(p) || !code || p->cursor.at - begin != pqx_varint_size(raw)) return PQX_OK;
    add_value(p, (pqx_coded_step){.kind = PQX_STEP_INTEGER, .size = (uint8_t)type, .code = code},
              begin, pqx_unzigzag(raw));
    return PQX_OK;
}

/* Return the form of a binary value, given the code of its path and the leaf's type: that of a
 * bound of a fixed width, or TEXT. */
PQX_INLINE int form_of(uint64_t code, int type, uint32_t size)
{
    static const uint8_t forms[] = {PQX_STEP_LITTLE, PQX_STEP_LITTLE, PQX_STEP_LITTLE,
                                    PQX_STEP_TEXT,   PQX_STEP_FLOAT,  PQX_STEP_DOUBLE,
                                    PQX_STEP_TEXT,   PQX_STEP_BIG}; /* by physical type */
    static const uint8_t widths[sizeof forms] = PQX_WIDTHS_OF_TYPE;
    const uint64_t statistics =
        (uint64_t)CHUNK << 32 | (uint64_t)PQX_COLUMN_META_DATA_STATISTICS << 16;
    uint64_t id = code - statistics;
    int is_bound = id == PQX_STATISTICS_MIN || id == PQX_STATISTICS_MAX
                   || id == PQX_STATISTICS_MIN_VALUE || id == PQX_STATISTICS_MAX_VALUE;
    if (!is_bound || (size_t)type >= sizeof forms) return PQX_STEP_TEXT;
    int fits = forms[type] == PQX_STEP_BIG ? size >= 1 && size <= 8 : widths[type] == size;
    return fits ? forms[type] : PQX_STEP_TEXT;
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

static int64_t place_of(size_t begin, size_t length)
{ return (int64_t)((uint64_t)begin << 32 | (begin + (uint64_t)length)); }

static int binary(parser *p)
{
    size_t begin = p->cursor.at;
    pqx_range text;
    PQX_TRY(pqx_read_binary(&p->cursor, &text));
    uint64_t code = pqx_packed_code(p->path, p->depth);
    if (!code || text.offset - begin != pqx_varint_size(text.length)) return PQX_OK;
    int form = form_of(code, p->facts->physical_type, text.length);
    pqx_coded_step step = {.kind = (uint8_t)form, .code = code};
    if (form == PQX_STEP_TEXT) {
        add_value(p, step, begin, place_of(text.offset, text.length));
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
        add_value(
            p,
            (pqx_coded_step){.kind = PQX_STEP_COLUMNS, .begin = (uint32_t)begin, .length = length},
            begin, 0);
        return PQX_OK;
    }
    if (is_constant_field(p) || type == PQX_TYPE_TRUE || type == PQX_TYPE_FALSE) {
        c->at = begin;
        return pqx_skip(c, PQX_TYPE_LIST, 0, PQX_MAX_DEPTH);
    }
    if (p->depth > PQX_MAX_DEPTH) return pqx_fail(c->error, PQX_TOO_DEEP, begin, PQX_MAX_DEPTH, 0);
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
    case PQX_TYPE_I64: return integer(p, type);
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

/* ---- structs of a known template ---- */

/* Read a varint in its shortest form; return the position after it, or NULL. */
static const uint8_t *take_varint(const uint8_t *at, const uint8_t *end, uint64_t *value)
{
    uint64_t found = 0;
    for (unsigned shift = 0; at < end && shift < 63; shift += 7) {
        uint64_t byte = *at++;
        found |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = found;
            return byte || !shift ? at : NULL;
        }
    }
    return NULL;
}

/* Read a binary value that has the form of a step. */
static const uint8_t *take_binary(const uint8_t *data, const uint8_t *at, const uint8_t *end,
                                  const pqx_coded_step *step, int type, int64_t *value)
{
    uint64_t size;
    at = take_varint(at, end, &size);
    if (!at || size > (uint64_t)(end - at)) return NULL;
    if (form_of(step->code, type, (uint32_t)size) != step->kind) return NULL;
    if (step->kind == PQX_STEP_TEXT) *value = place_of((size_t)(at - data), (size_t)size);
    else if (size != step->size) return NULL;
    else *value = number_of(step->kind, at, (uint32_t)size);
    return at + size;
}

int pqx_packed_follow(const uint8_t *data, uint32_t begin, uint32_t end,
                      const pqx_packed_struct_facts *facts, const pqx_coded_step *steps,
                      uint32_t count, int64_t *values)
{
    const uint8_t *at = data + begin, *stop = data + end;
    for (const pqx_coded_step *step = steps; step < steps + count; step++) {
        const uint8_t *piece = step->kind == PQX_STEP_PATH ? facts->path_list : data + step->begin;
        size_t size = step->kind == PQX_STEP_PATH ? facts->path_list_size : step->length;
        uint64_t raw;
        if (step->kind == PQX_STEP_INTEGER) {
            if (!(at = take_varint(at, stop, &raw))) return 0;
            *values++ = pqx_unzigzag(raw);
        } else if (pqx_step_has_role(step->kind)) {
            if (!(at = take_binary(data, at, stop, step, facts->physical_type, values++))) return 0;
        } else {
            if ((size_t)(stop - at) < size || memcmp(at, piece, size)) return 0;
            at += size;
        }
    }
    return at == stop;
}
