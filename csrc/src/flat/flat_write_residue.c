/* Make the residue of a struct in one walk over its Thrift bytes (docs/formats.md, 3.6). */
#include "flat/flat_write_residue.h"

#include "thrift/cursor.h"

enum { LITERAL, FACT, CONSTANT, NESTED, HISTOGRAM, PAIR };

/* The treatment of a field's value. For a field without a rule, the structure is stored in the
 * skeleton and the scalars are literals. */
typedef struct rule {
    uint8_t kind, id, type, action, detail;
} rule;

static const rule rules[] = {
    {PQX_IN_FOOTER_STRUCT, PQX_FILE_META_DATA_VERSION, PQX_TYPE_I32, FACT, PQX_OP_VERSION},
    {PQX_IN_FOOTER_STRUCT, PQX_FILE_META_DATA_NUM_ROWS, PQX_TYPE_I64, FACT, PQX_OP_ALL_ROWS},
    {PQX_IN_FOOTER_STRUCT, PQX_FILE_META_DATA_KEY_VALUE_METADATA, PQX_TYPE_LIST, NESTED,
     PQX_IN_PAIR_STRUCT},
    {PQX_IN_FOOTER_STRUCT, PQX_FILE_META_DATA_CREATED_BY, PQX_TYPE_BINARY, FACT, PQX_OP_CREATED_BY},
    {PQX_IN_FOOTER_STRUCT, PQX_FILE_META_DATA_COLUMN_ORDERS, PQX_TYPE_LIST, FACT,
     PQX_OP_COLUMN_ORDERS},
    {PQX_IN_PAIR_STRUCT, PQX_KEY_VALUE_KEY, PQX_TYPE_BINARY, PAIR, PQX_OP_KEY},
    {PQX_IN_PAIR_STRUCT, PQX_KEY_VALUE_VALUE, PQX_TYPE_BINARY, PAIR, PQX_OP_VALUE},
    {PQX_IN_GROUP_STRUCT, PQX_ROW_GROUP_TOTAL_BYTE_SIZE, PQX_TYPE_I64, FACT,
     PQX_OP_TOTAL_BYTE_SIZE},
    {PQX_IN_GROUP_STRUCT, PQX_ROW_GROUP_NUM_ROWS, PQX_TYPE_I64, FACT, PQX_OP_NUM_ROWS},
    {PQX_IN_GROUP_STRUCT, PQX_ROW_GROUP_SORTING_COLUMNS, 0, CONSTANT, 0},
    {PQX_IN_GROUP_STRUCT, PQX_ROW_GROUP_FILE_OFFSET, PQX_TYPE_I64, FACT, PQX_OP_FILE_OFFSET},
    {PQX_IN_GROUP_STRUCT, PQX_ROW_GROUP_TOTAL_COMPRESSED_SIZE, PQX_TYPE_I64, FACT,
     PQX_OP_GROUP_COMPRESSED_SIZE},
    {PQX_IN_GROUP_STRUCT, PQX_ROW_GROUP_ORDINAL, PQX_TYPE_I16, FACT, PQX_OP_ORDINAL},
    {PQX_IN_CHUNK_STRUCT, PQX_COLUMN_CHUNK_FILE_PATH, 0, CONSTANT, 0},
    {PQX_IN_CHUNK_STRUCT, PQX_COLUMN_CHUNK_FILE_OFFSET, PQX_TYPE_I64, FACT, PQX_OP_FIRST_PAGE},
    {PQX_IN_CHUNK_STRUCT, PQX_COLUMN_CHUNK_FILE_OFFSET, PQX_TYPE_I64, FACT,
     PQX_OP_DATA_PAGE_OFFSET},
    {PQX_IN_CHUNK_STRUCT, PQX_COLUMN_CHUNK_FILE_OFFSET, PQX_TYPE_I64, FACT, PQX_OP_CHUNK_END},
    {PQX_IN_CHUNK_STRUCT, PQX_COLUMN_CHUNK_META_DATA, PQX_TYPE_STRUCT, NESTED,
     PQX_IN_METADATA_STRUCT},
    {PQX_IN_CHUNK_STRUCT, PQX_COLUMN_CHUNK_OFFSET_INDEX_OFFSET, PQX_TYPE_I64, FACT,
     PQX_OP_OFFSET_INDEX_OFFSET},
    {PQX_IN_CHUNK_STRUCT, PQX_COLUMN_CHUNK_OFFSET_INDEX_LENGTH, PQX_TYPE_I32, FACT,
     PQX_OP_OFFSET_INDEX_LENGTH},
    {PQX_IN_CHUNK_STRUCT, PQX_COLUMN_CHUNK_COLUMN_INDEX_OFFSET, PQX_TYPE_I64, FACT,
     PQX_OP_COLUMN_INDEX_OFFSET},
    {PQX_IN_CHUNK_STRUCT, PQX_COLUMN_CHUNK_COLUMN_INDEX_LENGTH, PQX_TYPE_I32, FACT,
     PQX_OP_COLUMN_INDEX_LENGTH},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_TYPE, PQX_TYPE_I32, FACT, PQX_OP_TYPE},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_TYPE, 0, CONSTANT, 0},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_ENCODINGS, 0, CONSTANT, 0},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_PATH_IN_SCHEMA, PQX_TYPE_LIST, FACT, PQX_OP_PATH},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_PATH_IN_SCHEMA, 0, CONSTANT, 0},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_CODEC, PQX_TYPE_I32, FACT, PQX_OP_CODEC},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_CODEC, 0, CONSTANT, 0},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_NUM_VALUES, PQX_TYPE_I64, FACT,
     PQX_OP_NUM_VALUES},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_TOTAL_UNCOMPRESSED_SIZE, PQX_TYPE_I64, FACT,
     PQX_OP_TOTAL_UNCOMPRESSED_SIZE},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_TOTAL_COMPRESSED_SIZE, PQX_TYPE_I64, FACT,
     PQX_OP_TOTAL_COMPRESSED_SIZE},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_KEY_VALUE_METADATA, 0, CONSTANT, 0},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_DATA_PAGE_OFFSET, PQX_TYPE_I64, FACT,
     PQX_OP_DATA_PAGE_OFFSET},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_INDEX_PAGE_OFFSET, PQX_TYPE_I64, FACT,
     PQX_OP_INDEX_PAGE_OFFSET},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_DICTIONARY_PAGE_OFFSET, PQX_TYPE_I64, FACT,
     PQX_OP_DICTIONARY_PAGE_OFFSET},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_STATISTICS, PQX_TYPE_STRUCT, NESTED,
     PQX_IN_STATISTICS_STRUCT},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_ENCODING_STATS, PQX_TYPE_LIST, NESTED,
     PQX_IN_ENCODING_STATS_STRUCT},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_BLOOM_FILTER_OFFSET, PQX_TYPE_I64, FACT,
     PQX_OP_BLOOM_FILTER_OFFSET},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_BLOOM_FILTER_LENGTH, PQX_TYPE_I32, FACT,
     PQX_OP_BLOOM_FILTER_LENGTH},
    {PQX_IN_METADATA_STRUCT, PQX_COLUMN_META_DATA_SIZE_STATISTICS, PQX_TYPE_STRUCT, NESTED,
     PQX_IN_SIZES_STRUCT},
    {PQX_IN_SIZES_STRUCT, PQX_SIZE_STATISTICS_DEFINITION_LEVEL_HISTOGRAM, PQX_TYPE_LIST, HISTOGRAM,
     0},
    {PQX_IN_STATISTICS_STRUCT, PQX_STATISTICS_MAX, PQX_TYPE_BINARY, FACT, PQX_OP_MAX},
    {PQX_IN_STATISTICS_STRUCT, PQX_STATISTICS_MIN, PQX_TYPE_BINARY, FACT, PQX_OP_MIN},
    {PQX_IN_STATISTICS_STRUCT, PQX_STATISTICS_NULL_COUNT, PQX_TYPE_I64, FACT, PQX_OP_NULL_COUNT},
    {PQX_IN_STATISTICS_STRUCT, PQX_STATISTICS_DISTINCT_COUNT, PQX_TYPE_I64, FACT,
     PQX_OP_DISTINCT_COUNT},
    {PQX_IN_STATISTICS_STRUCT, PQX_STATISTICS_MAX_VALUE, PQX_TYPE_BINARY, FACT, PQX_OP_MAX},
    {PQX_IN_STATISTICS_STRUCT, PQX_STATISTICS_MIN_VALUE, PQX_TYPE_BINARY, FACT, PQX_OP_MIN},
    {PQX_IN_ENCODING_STATS_STRUCT, PQX_PAGE_ENCODING_STATS_PAGE_TYPE, 0, CONSTANT, 0},
    {PQX_IN_ENCODING_STATS_STRUCT, PQX_PAGE_ENCODING_STATS_ENCODING, 0, CONSTANT, 0},
};

/* A walk over one struct. */
typedef struct maker {
    pqx_cursor c;
    const pqx_residue_source *source;
    pqx_residue *residue;
    uint32_t pairs; /* key-values walked so far */
} maker;

static int add_run(maker *m, size_t at, size_t end)
{ return pqx_buffer_append(&m->residue->waiting, m->c.data + at, end - at, m->c.error); }

/* Add the pending bytes as runs, then the operation, if it is one. */
static int add_op(maker *m, uint8_t op)
{
    pqx_buffer *waiting = &m->residue->waiting, *ops = &m->residue->skeleton;
    for (size_t at = 0; at < waiting->size; at += PQX_LONGEST_RUN) {
        size_t left = waiting->size - at, length = left < PQX_LONGEST_RUN ? left : PQX_LONGEST_RUN;
        uint8_t run = (uint8_t)(length - 1);
        PQX_TRY(pqx_buffer_append(ops, &run, 1, m->c.error));
        PQX_TRY(pqx_buffer_append(ops, waiting->data + at, length, m->c.error));
    }
    waiting->size = 0;
    return op ? pqx_buffer_append(ops, &op, 1, m->c.error) : PQX_OK;
}

static int add_literal(maker *m, uint8_t op, size_t at)
{
    PQX_TRY(add_op(m, op));
    return pqx_buffer_append(&m->residue->literals, m->c.data + at, m->c.at - at, m->c.error);
}

/* Return 1 if the value from `at` to the cursor equals the Thrift form of the fact. */
static int is_fact(maker *m, int op, uint32_t number, size_t at, int *equal)
{
    pqx_fact fact;
    const uint8_t *value = m->c.data + at;
    size_t size = m->c.at - at, head;
    uint8_t varint[10];
    *equal = 0;
    PQX_TRY(pqx_get_fact(&m->source->facts, op, number, &fact, m->c.error));
    if (fact.kind == PQX_FACT_NONE) return PQX_OK;
    head =
        fact.kind == PQX_FACT_RAW
            ? 0
            : pqx_varint_put(varint, fact.kind == PQX_FACT_SIZED ? fact.bytes.size : fact.zigzag);
    *equal = size == head + fact.bytes.size && !memcmp(value, varint, head)
             && (!fact.bytes.size || !memcmp(value + head, fact.bytes.data, fact.bytes.size));
    return PQX_OK;
}

/* Replace the value from `at` to the cursor with a fact if they are equal; *done is 1 then. */
static int try_fact(maker *m, int op, size_t at, int *done)
{
    PQX_TRY(is_fact(m, op, 0, at, done));
    return *done ? add_op(m, (uint8_t)op) : PQX_OK;
}

static int walk_struct(maker *m, int kind);
static int walk_any(maker *m, int type, int item, int kind, size_t at);

/* Walk a list, set or map from `at` on: its headers are stored in the skeleton, each item is walked
 * separately. */
static int walk_container(maker *m, int type, int kind, size_t at)
{
    uint32_t count = 0;
    int types[2] = {0, 0}, width = 1 + (type == PQX_TYPE_MAP);
    m->c.at = at;
    PQX_TRY(width == 2 ? pqx_read_map(&m->c, &count, &types[0], &types[1])
                       : pqx_read_list(&m->c, &count, &types[0]));
    PQX_TRY(add_run(m, at, m->c.at));
    for (uint32_t i = 0; i < count; i++) {
        for (int part = 0; part < width; part++) {
            size_t item = m->c.at;
            PQX_TRY(pqx_skip(&m->c, types[part], 1, PQX_MAX_DEPTH));
            PQX_TRY(walk_any(m, types[part], 1, kind, item));
        }
        m->pairs += kind == PQX_IN_PAIR_STRUCT;
    }
    return PQX_OK;
}

/* Add a value that is in no table, from `at` to the cursor: its structure to the skeleton, its
 * scalars to the literals. */
static int walk_any(maker *m, int type, int item, int kind, size_t at)
{
    switch (type) {
    case PQX_TYPE_I16:
    case PQX_TYPE_I32:
    case PQX_TYPE_I64: return add_literal(m, PQX_OP_VARINT, at);
    case PQX_TYPE_DOUBLE: return add_literal(m, PQX_OP_DOUBLE, at);
    case PQX_TYPE_BINARY: return add_literal(m, PQX_OP_BINARY, at);
    case PQX_TYPE_UUID: return add_literal(m, PQX_OP_UUID, at);
    case PQX_TYPE_STRUCT: m->c.at = at; return walk_struct(m, kind);
    case PQX_TYPE_LIST:
    case PQX_TYPE_SET:
    case PQX_TYPE_MAP: return walk_container(m, type, kind, at);
    default: return type == PQX_TYPE_BYTE || item ? add_run(m, at, m->c.at) : PQX_OK;
    }
}

/* Walk the definition level histogram from `at` to the cursor: for a maximum level of 0 or 1, it
 * follows from the null count. */
static int walk_histogram(maker *m, size_t at)
{
    uint32_t count = 0;
    int type = 0;
    m->c.at = at;
    PQX_TRY(pqx_read_list(&m->c, &count, &type));
    PQX_TRY(add_run(m, at, m->c.at));
    for (uint32_t i = 0; i < count; i++) {
        size_t item = m->c.at;
        int done = 0;
        PQX_TRY(pqx_skip(&m->c, type, 1, PQX_MAX_DEPTH));
        if (count == 2 && type == PQX_TYPE_I64)
            PQX_TRY(try_fact(m, i ? PQX_OP_NON_NULL : PQX_OP_NULL_COUNT, item, &done));
        if (!done) PQX_TRY(walk_any(m, type, 1, PQX_IN_OTHER_STRUCT, item));
    }
    return PQX_OK;
}

/* Try to replace a key or value with the pair of this number. */
static int try_pair(maker *m, uint8_t op, size_t at, int *done)
{
    uint8_t number[10];
    PQX_TRY(is_fact(m, op, m->pairs, at, done));
    if (!*done) return PQX_OK;
    PQX_TRY(add_op(m, op));
    return pqx_buffer_append(&m->residue->skeleton, number, pqx_varint_put(number, m->pairs),
                             m->c.error);
}

/* Replace the items of a known list with one fact, if it is the scanned list. */
static int try_items(maker *m, int kind, int id, size_t at, int *done)
{
    const pqx_residue_source *source = m->source;
    uint32_t count = 0;
    int type = 0;
    for (int i = 0; i < 2; i++) {
        if (source->lists[i].kind != kind || source->lists[i].id != id) continue;
        m->c.at = at;
        PQX_TRY(pqx_read_list(&m->c, &count, &type));
        *done = m->c.at == source->lists[i].first;
        if (!*done) return PQX_OK;
        PQX_TRY(add_run(m, at, m->c.at));
        m->c.at = source->lists[i].end;
        return add_op(m, source->lists[i].op);
    }
    return PQX_OK;
}

/* Walk a field's value, from the cursor on. */
static int walk_field(maker *m, int kind, int32_t id, int type)
{
    size_t at = m->c.at;
    int done = 0;
    if (type == PQX_TYPE_LIST) PQX_TRY(try_items(m, kind, id, at, &done));
    if (done) return PQX_OK;
    m->c.at = at;
    PQX_TRY(pqx_skip(&m->c, type, 0, PQX_MAX_DEPTH));
    int nested = PQX_IN_OTHER_STRUCT;
    for (size_t i = 0; i < sizeof rules / sizeof *rules && !done; i++) {
        const rule *r = &rules[i];
        if (r->kind != kind || r->id != id || (r->type && r->type != type)) continue;
        if (r->action == FACT) PQX_TRY(try_fact(m, r->detail, at, &done));
        else if (r->action == PAIR) PQX_TRY(try_pair(m, r->detail, at, &done));
        else if (r->action == CONSTANT) return add_run(m, at, m->c.at);
        else if (r->action == HISTOGRAM) return walk_histogram(m, at);
        else nested = r->detail;
    }
    return done ? PQX_OK : walk_any(m, type, 0, nested, at);
}

/* Return 1 if the field header from `at` to the cursor begins an extension that is followed by the
 * stop byte only. */
static int is_extension(maker *m, int type, size_t at, int *is)
{
    static const uint8_t markers[2][4] = {{0x08, 0xff, 0xff, 0x01}, {0x08, 0xfe, 0xff, 0x03}};
    size_t value = m->c.at;
    *is = value - at == 4
          && (!memcmp(m->c.data + at, markers[0], 4) || !memcmp(m->c.data + at, markers[1], 4));
    if (!*is) return PQX_OK;
    PQX_TRY(pqx_skip(&m->c, type, 0, PQX_MAX_DEPTH));
    *is = pqx_left(&m->c) && m->c.data[m->c.at] == 0;
    if (!*is) m->c.at = value;
    return PQX_OK;
}

/* Walk the struct at the cursor. */
static int walk_struct(maker *m, int kind)
{
    int32_t id = 0;
    int type = 0, is = 0;
    for (;;) {
        size_t header = m->c.at;
        PQX_TRY(pqx_read_field(&m->c, &id, &type));
        if (kind == PQX_IN_FOOTER_STRUCT && type) PQX_TRY(is_extension(m, type, header, &is));
        if (is) { /* blocks, ours and others', are not part of the footer */
            m->residue->left_out = m->c.at - header;
            m->c.at++;
            return add_run(m, m->c.at - 1, m->c.at);
        }
        PQX_TRY(add_run(m, header, m->c.at));
        if (type == 0) return PQX_OK;
        int inexact = id == PQX_STATISTICS_IS_MIN_VALUE_EXACT   ? m->source->inexact & 1
                      : id == PQX_STATISTICS_IS_MAX_VALUE_EXACT ? m->source->inexact & 2
                                                                : 0;
        if (kind == PQX_IN_STATISTICS_STRUCT && type == PQX_TYPE_TRUE && inexact)
            m->residue->waiting.data[m->residue->waiting.size - (m->c.at - header)] ^=
                PQX_TYPE_TRUE ^ PQX_TYPE_FALSE;
        PQX_TRY(walk_field(m, kind, id, type));
    }
}

int pqx_residue_make(pqx_residue *residue, const pqx_residue_source *source, pqx_error *error)
{
    maker m = {.c = {source->footer, source->size, source->at, error},
               .source = source,
               .residue = residue};
    residue->skeleton.size = residue->literals.size = residue->waiting.size = residue->left_out = 0;
    PQX_TRY(walk_struct(&m, source->kind));
    return add_op(&m, 0);
}

void pqx_residue_free(pqx_residue *residue)
{
    pqx_buffer_free(&residue->skeleton);
    pqx_buffer_free(&residue->literals);
    pqx_buffer_free(&residue->waiting);
}
