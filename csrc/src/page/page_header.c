/* Read page headers: one, or those of a column chunk's pages one after another. */
#include "thrift/cursor.h"

/* The numbers in the three headers inside a page header. */
enum {
    NUM_VALUES,
    NUM_NULLS,
    NUM_ROWS,
    ENCODING,
    DEFINITION_ENCODING,
    REPETITION_ENCODING,
    DEFINITION_SIZE,
    REPETITION_SIZE,
    NUMBERS
};
enum { MOST_FIELDS = 9 };

/* The layout of an inner header: for each field id, from 0 on, one more than the number's index, 0
 * if the field is not a number; and the ids of the other fields, 0 if there is none. */
typedef struct inner_layout {
    uint8_t numbers[MOST_FIELDS];
    uint8_t statistics, is_compressed, is_sorted;
} inner_layout;

static const inner_layout data_page = {
    .numbers = {0, NUM_VALUES + 1, ENCODING + 1, DEFINITION_ENCODING + 1, REPETITION_ENCODING + 1},
    .statistics = PQX_DATA_PAGE_HEADER_STATISTICS,
};
static const inner_layout dictionary_page = {
    .numbers = {0, NUM_VALUES + 1, ENCODING + 1},
    .is_sorted = PQX_DICTIONARY_PAGE_HEADER_IS_SORTED,
};
static const inner_layout data_page_v2 = {
    .numbers = {0, NUM_VALUES + 1, NUM_NULLS + 1, NUM_ROWS + 1, ENCODING + 1, DEFINITION_SIZE + 1,
                REPETITION_SIZE + 1},
    .statistics = PQX_DATA_PAGE_HEADER_V2_STATISTICS,
    .is_compressed = PQX_DATA_PAGE_HEADER_V2_IS_COMPRESSED,
};

/* An inner header that is being read; place 0 means that the number is absent. */
typedef struct inner {
    const inner_layout *layout;
    size_t start;
    int32_t numbers[NUMBERS];
    uint32_t places[NUMBERS];
    pqx_page statistics; /* only the statistics are used */
    uint8_t is_compressed, is_sorted;
} inner;

typedef struct number {
    int32_t value;
    uint32_t place; /* 0: absent */
} number;

static int read_number(pqx_cursor *c, int type, int depth, number *into)
{
    if (type != PQX_TYPE_I32) return pqx_skip(c, type, 0, depth);
    into->place = (uint32_t)c->at;
    return pqx_read_i32(c, &into->value);
}

static int read_bound(pqx_cursor *c, int type, int depth, uint32_t bit, pqx_range *into,
                      pqx_page *page)
{
    if (type != PQX_TYPE_BINARY) return pqx_skip(c, type, 0, depth);
    page->present |= bit;
    return pqx_read_binary(c, into);
}

static int read_exactness(pqx_cursor *c, int type, int depth, uint32_t set, uint32_t exact,
                          pqx_page *page)
{
    if (type != PQX_TYPE_TRUE && type != PQX_TYPE_FALSE) return pqx_skip(c, type, 0, depth);
    page->present = (page->present & ~exact) | set | (type == PQX_TYPE_TRUE ? exact : 0);
    return PQX_OK;
}

static int read_statistics_field(pqx_cursor *c, int32_t id, int type, int depth, pqx_page *page)
{
    switch (id) {
    case PQX_STATISTICS_MAX: return read_bound(c, type, depth, PQX_PRESENT_MAX, &page->max, page);
    case PQX_STATISTICS_MIN: return read_bound(c, type, depth, PQX_PRESENT_MIN, &page->min, page);
    case PQX_STATISTICS_MAX_VALUE:
        return read_bound(c, type, depth, PQX_PRESENT_MAX_VALUE, &page->max_value, page);
    case PQX_STATISTICS_MIN_VALUE:
        return read_bound(c, type, depth, PQX_PRESENT_MIN_VALUE, &page->min_value, page);
    case PQX_STATISTICS_IS_MAX_VALUE_EXACT:
        return read_exactness(c, type, depth, PQX_PRESENT_MAX_EXACT_SET, PQX_PRESENT_MAX_EXACT,
                              page);
    case PQX_STATISTICS_IS_MIN_VALUE_EXACT:
        return read_exactness(c, type, depth, PQX_PRESENT_MIN_EXACT_SET, PQX_PRESENT_MIN_EXACT,
                              page);
    case PQX_STATISTICS_NULL_COUNT:
        if (type != PQX_TYPE_I64) return pqx_skip(c, type, 0, depth);
        page->present |= PQX_PRESENT_NULL_COUNT;
        return pqx_read_i64(c, &page->null_count);
    default: return pqx_skip(c, type, 0, depth);
    }
}

static int read_statistics(pqx_cursor *c, int depth, pqx_page *page)
{
    uint32_t start = (uint32_t)c->at;
    int32_t id = 0;
    *page = (pqx_page){.null_count = -1, .present = PQX_PRESENT_STATISTICS};
    PQX_READ_FIELDS(c, id, type, read_statistics_field(c, id, type, depth, page));
    page->statistics = (pqx_range){start, (uint32_t)c->at - start};
    return PQX_OK;
}

static int read_inner_field(pqx_cursor *c, int32_t id, int type, int depth, inner *in)
{
    const inner_layout *l = in->layout;
    int slot = id > 0 && id < MOST_FIELDS ? l->numbers[id] : 0;
    if (slot) {
        number read = {in->numbers[slot - 1], in->places[slot - 1]};
        PQX_TRY(read_number(c, type, depth, &read));
        in->numbers[slot - 1] = read.value;
        in->places[slot - 1] = read.place;
        return PQX_OK;
    }
    int is_boolean = type == PQX_TYPE_TRUE || type == PQX_TYPE_FALSE;
    if (id > 0 && id == l->statistics && type == PQX_TYPE_STRUCT)
        return read_statistics(c, depth - 1, &in->statistics);
    if (id > 0 && id == l->is_compressed && is_boolean) in->is_compressed = type == PQX_TYPE_TRUE;
    if (id > 0 && id == l->is_sorted && is_boolean) in->is_sorted = type == PQX_TYPE_TRUE;
    return pqx_skip(c, type, 0, depth);
}

static int read_inner(pqx_cursor *c, int depth, const inner_layout *layout, inner *in)
{
    int32_t id = 0;
    *in = (inner){
        .layout = layout, .start = c->at, .statistics = {.null_count = -1}, .is_compressed = 1};
    PQX_READ_FIELDS(c, id, type, read_inner_field(c, id, type, depth, in));
    return PQX_OK;
}

/* A page header that is being read. */
typedef struct outer {
    number type, uncompressed_size, compressed_size, crc;
    inner data, dictionary, data_v2; /* without a layout: absent */
} outer;

static int read_outer_field(pqx_cursor *c, int32_t id, int type, outer *out)
{
    const int depth = PQX_MAX_DEPTH - 1;
    int is_struct = type == PQX_TYPE_STRUCT;
    switch (id) {
    case PQX_PAGE_HEADER_TYPE: return read_number(c, type, depth, &out->type);
    case PQX_PAGE_HEADER_UNCOMPRESSED_PAGE_SIZE:
        return read_number(c, type, depth, &out->uncompressed_size);
    case PQX_PAGE_HEADER_COMPRESSED_PAGE_SIZE:
        return read_number(c, type, depth, &out->compressed_size);
    case PQX_PAGE_HEADER_CRC: return read_number(c, type, depth, &out->crc);
    case PQX_PAGE_HEADER_DATA_PAGE_HEADER:
        if (is_struct) return read_inner(c, depth - 1, &data_page, &out->data);
        break;
    case PQX_PAGE_HEADER_DICTIONARY_PAGE_HEADER:
        if (is_struct) return read_inner(c, depth - 1, &dictionary_page, &out->dictionary);
        break;
    case PQX_PAGE_HEADER_DATA_PAGE_HEADER_V2:
        if (is_struct) return read_inner(c, depth - 1, &data_page_v2, &out->data_v2);
        break;
    default: break;
    }
    return pqx_skip(c, type, 0, depth);
}

static int missing(pqx_cursor *c, size_t at, int field)
{ return pqx_fail(c->error, PQX_MISSING_FIELD, at, (uint64_t)field, 0); }

static int check_number(pqx_cursor *c, const number *n)
{
    return n->value >= 0
               ? PQX_OK
               : pqx_fail(c->error, PQX_PAGE_NUMBER, n->place, 0, (uint64_t)-(int64_t)n->value);
}

/* Return the inner header for the page type; *in is NULL if the type has none. */
static int choose_inner(pqx_cursor *c, const outer *out, const inner **in)
{
    int field;
    switch (out->type.value) {
    case PQX_PAGE_DATA_PAGE:
        field = PQX_PAGE_HEADER_DATA_PAGE_HEADER;
        *in = &out->data;
        break;
    case PQX_PAGE_DICTIONARY_PAGE:
        field = PQX_PAGE_HEADER_DICTIONARY_PAGE_HEADER;
        *in = &out->dictionary;
        break;
    case PQX_PAGE_DATA_PAGE_V2:
        field = PQX_PAGE_HEADER_DATA_PAGE_HEADER_V2;
        *in = &out->data_v2;
        break;
    default: *in = NULL; return PQX_OK;
    }
    return (*in)->layout ? PQX_OK : missing(c, 0, field);
}

/* Return 1 if a negative number is rejected. Rows and nulls of V2 are counted from the levels:
 * writers store wrong numbers, and nothing depends on them. */
static int is_count(int slot)
{ return slot == NUM_VALUES || slot == DEFINITION_SIZE || slot == REPETITION_SIZE; }

static int check_inner(pqx_cursor *c, const inner *in)
{
    for (int id = 0; id < MOST_FIELDS; id++) {
        int slot = in->layout->numbers[id] - 1;
        if (slot < 0) continue;
        if (!in->places[slot]) return missing(c, in->start, id);
        number found = {in->numbers[slot], in->places[slot]};
        if (is_count(slot)) PQX_TRY(check_number(c, &found));
    }
    return PQX_OK;
}

/* Levels of V2 are never compressed, so they must fit both sizes of the page. */
static int check_levels(pqx_cursor *c, const inner *in, const pqx_page *page)
{
    if (in->layout != &data_page_v2) return PQX_OK;
    uint64_t levels = (uint64_t)page->definition_size + (uint64_t)page->repetition_size;
    int32_t room = page->compressed_size < page->uncompressed_size ? page->compressed_size
                                                                   : page->uncompressed_size;
    if (levels <= (uint64_t)room) return PQX_OK;
    return pqx_fail(c->error, PQX_PAGE_LEVELS, in->places[DEFINITION_SIZE], (uint64_t)room, levels);
}

static int32_t said(const inner *in, int slot) { return in->places[slot] ? in->numbers[slot] : -1; }

static void take_inner(const inner *in, pqx_page *page)
{
    const pqx_page *statistics = &in->statistics;
    page->num_values = said(in, NUM_VALUES);
    page->num_nulls = said(in, NUM_NULLS);
    page->num_rows = said(in, NUM_ROWS);
    page->encoding = said(in, ENCODING);
    page->definition_encoding = said(in, DEFINITION_ENCODING);
    page->repetition_encoding = said(in, REPETITION_ENCODING);
    page->definition_size = said(in, DEFINITION_SIZE);
    page->repetition_size = said(in, REPETITION_SIZE);
    page->is_compressed = in->is_compressed;
    page->is_sorted = in->is_sorted;
    page->null_count = statistics->null_count;
    page->present = statistics->present;
    page->statistics = statistics->statistics;
    page->min_value = statistics->min_value;
    page->max_value = statistics->max_value;
    page->min = statistics->min;
    page->max = statistics->max;
}

/* Read the header at the cursor, which is at 0. */
static int read_header(pqx_cursor *c, pqx_page *page)
{
    outer out;
    const inner *in;
    int32_t id = 0;
    out.type = out.uncompressed_size = out.compressed_size = out.crc = (number){0, 0};
    out.data.layout = out.dictionary.layout = out.data_v2.layout = NULL;
    PQX_READ_FIELDS(c, id, type, read_outer_field(c, id, type, &out));
    if (!out.type.place) return missing(c, 0, PQX_PAGE_HEADER_TYPE);
    if (!out.uncompressed_size.place) return missing(c, 0, PQX_PAGE_HEADER_UNCOMPRESSED_PAGE_SIZE);
    if (!out.compressed_size.place) return missing(c, 0, PQX_PAGE_HEADER_COMPRESSED_PAGE_SIZE);
    PQX_TRY(check_number(c, &out.uncompressed_size));
    PQX_TRY(check_number(c, &out.compressed_size));
    PQX_TRY(choose_inner(c, &out, &in));
    *page = (pqx_page){
        .null_count = -1,
        .header_size = (uint32_t)c->at,
        .type = out.type.value,
        .compressed_size = out.compressed_size.value,
        .uncompressed_size = out.uncompressed_size.value,
        .num_values = -1,
        .num_nulls = -1,
        .num_rows = -1,
        .encoding = -1,
        .definition_encoding = -1,
        .repetition_encoding = -1,
        .definition_size = -1,
        .repetition_size = -1,
        .crc = (uint32_t)out.crc.value,
        .has_crc = out.crc.place != 0,
        .is_compressed = 1,
    };
    if (!in) return PQX_OK;
    PQX_TRY(check_inner(c, in));
    take_inner(in, page);
    return check_levels(c, in, page);
}

/* Return 1 if a header that does not parse may be valid with more bytes. */
static int is_cut(int status) { return status == PQX_TRUNCATED || status == PQX_COUNT_TOO_LARGE; }

int pqx_page_header(const uint8_t *data, size_t size, size_t at, pqx_page *page, pqx_error *error)
{
    pqx_error inside;
    if (at > size) return pqx_fail(error, PQX_TRUNCATED, at, 1, 0);
    size_t left = size - at < PQX_MAX_PAGE_HEADER ? size - at : PQX_MAX_PAGE_HEADER;
    pqx_cursor c = {left ? data + at : data, left, 0, &inside};
    int status = read_header(&c, page);
    if (status == PQX_OK) {
        page->offset = at;
        return PQX_OK;
    }
    if (is_cut(status) && left == PQX_MAX_PAGE_HEADER)
        return pqx_fail(error, PQX_PAGE_HEADER_SIZE, at, PQX_MAX_PAGE_HEADER, 0);
    return pqx_fail(error, status, at + inside.offset, inside.expected, inside.found);
}

int pqx_page_walk(const pqx_page_span *span, pqx_page *pages, size_t capacity, size_t *count,
                  uint64_t *next, pqx_error *error)
{
    uint64_t end = span->end;
    size_t there = end < span->size ? (size_t)end : span->size;
    *count = 0;
    *next = span->at;
    while (*count < capacity && *next < there) {
        pqx_page *page = pages + *count;
        pqx_error problem;
        int status = pqx_page_header(span->data, there, (size_t)*next, page, &problem);
        if (is_cut(status) && there < end) return PQX_OK;
        if (status != PQX_OK)
            return pqx_fail(error, status, problem.offset, problem.expected, problem.found);
        uint64_t bytes = (uint64_t)page->header_size + (uint64_t)page->compressed_size;
        if (bytes > end - *next) return pqx_fail(error, PQX_PAGE_SIZE, *next, end - *next, bytes);
        *next += bytes;
        ++*count;
    }
    return PQX_OK;
}
