/* The chunks of a modular footer as structs of Thrift. */
#include "modular/modular.h"

enum {
    DATA_PAGES = 1,
    FIRST_DICTIONARIES,
    DICTIONARIES,
    COMPRESSED,
    UNCOMPRESSED,
    NUM_VALUES,
    CODECS,
    TYPES,
    FULLY_DICTIONARY,
    ROWS
};
enum { NULL_COUNTS = 1, PREFIXES, MIN_SUFFIXES, MAX_SUFFIXES, MIN_EXACT, MAX_EXACT, NAN_COUNTS };
enum {
    OPTIONAL = 1 << FIRST_DICTIONARIES | 1 << DICTIONARIES | 1 << FULLY_DICTIONARY,
    TEXTS = 1 << PREFIXES | 1 << MIN_SUFFIXES | 1 << MAX_SUFFIXES
};

/* The statistics of one column. */
typedef struct column_statistics {
    uint32_t has;
    pqx_modular_array arrays[PQX_STATISTICS_ARRAYS + 1];
} column_statistics;

/* A struct that is written. */
typedef struct writer {
    const pqx_modular_placement *placement;
    const pqx_modular_writing *writing;
    column_statistics *facts; /* or NULL */
    pqx_buffer *out;
    pqx_error *error;
} writer;

int pqx_modular_read_placement(const uint8_t *data, size_t size, uint32_t leaves,
                               uint32_t row_groups, pqx_modular_placement *placement,
                               pqx_error *error)
{
    uint8_t types[16] = {0};
    pqx_modular_fields fields;
    uint64_t chunks = (uint64_t)leaves * row_groups;
    for (int id = DATA_PAGES; id <= ROWS; id++) types[id] = PQX_TYPE_STRUCT;
    *placement = (pqx_modular_placement){.leaves = leaves, .row_groups = row_groups};
    PQX_TRY(pqx_modular_read_fields(data, size, 0, types, &fields, error));
    for (int id = DATA_PAGES; id <= ROWS; id++) {
        uint64_t count = id == FIRST_DICTIONARIES ? chunks + 1
                         : id == DICTIONARIES     ? PQX_MODULAR_ANY_COUNT
                         : id == TYPES            ? leaves
                         : id == ROWS             ? row_groups
                                                  : chunks;
        if (OPTIONAL >> id & 1 && !(fields.has >> id & 1)) continue;
        PQX_TRY(pqx_modular_require(&fields, id, 0, error));
        PQX_TRY(pqx_modular_read_array(data, size, fields.found[id].value, count, 0,
                                       &placement->arrays[id], error));
        placement->has |= UINT32_C(1) << id;
    }
    int has_first = placement->has >> FIRST_DICTIONARIES & 1;
    if (has_first != (int)(placement->has >> DICTIONARIES & 1))
        return pqx_fail(error, PQX_MISSING_FIELD, 0, has_first ? DICTIONARIES : FIRST_DICTIONARIES,
                        0);
    return PQX_OK;
}

int pqx_modular_rows(const pqx_modular_placement *placement, int64_t *out, pqx_error *error)
{
    for (uint32_t i = 0; i < placement->row_groups; i++) {
        uint64_t rows;
        PQX_TRY(pqx_modular_present(&placement->arrays[ROWS], i, &rows, error));
        out[i] = (int64_t)rows;
    }
    return PQX_OK;
}

int pqx_modular_row_group_bytes(const pqx_modular_placement *placement, int64_t *out,
                                pqx_error *error)
{
    uint32_t groups = placement->row_groups;
    uint64_t chunk = 0, size;
    for (uint32_t i = 0; i < groups; i++) out[i] = 0;
    for (uint32_t leaf = 0; leaf < placement->leaves; leaf++)
        for (uint32_t i = 0; i < groups; i++) {
            PQX_TRY(pqx_modular_present(&placement->arrays[UNCOMPRESSED], chunk++, &size, error));
            out[i] = (int64_t)((uint64_t)out[i] + size);
        }
    return PQX_OK;
}

int pqx_modular_statistics(const uint8_t *data, size_t size, uint32_t leaf, uint32_t leaves,
                           uint64_t *begin, uint64_t *end, pqx_error *error)
{
    static const uint8_t types[16] = {0, PQX_TYPE_STRUCT};
    pqx_modular_fields fields;
    pqx_modular_array offsets;
    if (leaf >= leaves) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, leaves, leaf);
    PQX_TRY(pqx_modular_read_fields(data, size, 0, types, &fields, error));
    PQX_TRY(pqx_modular_require(&fields, 1, 0, error));
    PQX_TRY(pqx_modular_read_array(data, size, fields.found[1].value, leaves + UINT64_C(1), 0,
                                   &offsets, error));
    PQX_TRY(pqx_modular_present(&offsets, leaf, begin, error));
    PQX_TRY(pqx_modular_present(&offsets, leaf + UINT64_C(1), end, error));
    return *begin <= *end ? PQX_OK
                          : pqx_fail(error, PQX_BAD_OFFSET, offsets.values_at, *end, *begin);
}

static int read_statistics(pqx_bytes data, uint32_t row_groups, column_statistics *s,
                           pqx_error *error)
{
    uint8_t types[16] = {0};
    pqx_modular_fields fields;
    for (int id = NULL_COUNTS; id <= NAN_COUNTS; id++) types[id] = PQX_TYPE_STRUCT;
    s->has = 0;
    PQX_TRY(pqx_modular_read_fields(data.data, data.size, 0, types, &fields, error));
    for (int id = NULL_COUNTS; id <= NAN_COUNTS; id++) {
        if (!(fields.has >> id & 1)) continue;
        PQX_TRY(pqx_modular_read_array(data.data, data.size, fields.found[id].value, row_groups,
                                       TEXTS >> id & 1, &s->arrays[id], error));
        s->has |= UINT32_C(1) << id;
    }
    uint32_t missing = ~s->has & TEXTS;
    if (!missing || missing == TEXTS) return PQX_OK;
    int id = PREFIXES;
    while (!(missing >> id & 1)) id++;
    return pqx_fail(error, PQX_MISSING_FIELD, 0, (uint64_t)id, 0);
}

/* ---- writing ---- */

static int put(writer *w, const char *bytes, size_t size)
{ return pqx_buffer_append(w->out, bytes, size, w->error); }

static int put_integer(writer *w, uint64_t value)
{ return pqx_buffer_append_varint(w->out, pqx_zigzag((int64_t)value), w->error); }

/* Append a field's header and an i64. */
static int put_number(writer *w, int header, int id, uint64_t position)
{
    uint64_t value;
    PQX_TRY(pqx_modular_present(&w->placement->arrays[id], position, &value, w->error));
    PQX_TRY(pqx_buffer_append_byte(w->out, (unsigned)header, w->error));
    return put_integer(w, value);
}

/* Append an i32. */
static int put_small(writer *w, int id, uint64_t position)
{
    const pqx_modular_array *array = &w->placement->arrays[id];
    uint64_t value;
    PQX_TRY(pqx_modular_present(array, position, &value, w->error));
    if (value > INT32_MAX) return pqx_fail(w->error, PQX_BAD_VALUE, array->at, INT32_MAX, value);
    return put_integer(w, value);
}

/* Find the first dictionary page of a chunk. */
static int find_dictionary(const writer *w, uint64_t chunk, uint64_t *offset, int *has_one)
{
    const pqx_modular_array *firsts = &w->placement->arrays[FIRST_DICTIONARIES],
                            *offsets = &w->placement->arrays[DICTIONARIES];
    uint64_t begin, end;
    *has_one = 0;
    if (!(w->placement->has >> FIRST_DICTIONARIES & 1)) return PQX_OK;
    PQX_TRY(pqx_modular_present(firsts, chunk, &begin, w->error));
    PQX_TRY(pqx_modular_present(firsts, chunk + 1, &end, w->error));
    if (begin > end || end > offsets->count)
        return pqx_fail(w->error, PQX_BAD_OFFSET, firsts->values_at, offsets->count, end);
    *has_one = begin < end;
    return *has_one ? pqx_modular_present(offsets, begin, offset, w->error) : PQX_OK;
}

/* Append the header of field `id` of a Statistics struct. */
static int put_header(writer *w, int *last, int id, int type)
{
    unsigned header = (unsigned)(id - *last) << 4 | (unsigned)type;
    *last = id;
    return pqx_buffer_append_byte(w->out, header, w->error);
}

static int put_count(writer *w, int *last, int id, int array, uint32_t row_group)
{
    uint64_t value = 0;
    int is_there = 0;
    if (w->facts->has >> array & 1)
        pqx_modular_number(&w->facts->arrays[array], row_group, &value, &is_there);
    if (!is_there) return PQX_OK;
    PQX_TRY(put_header(w, last, id, PQX_TYPE_I64));
    return put_integer(w, value);
}

static int put_flag(writer *w, int *last, int id, int array, uint32_t row_group)
{
    uint64_t value = 0;
    int is_there = 0;
    if (w->facts->has >> array & 1)
        pqx_modular_number(&w->facts->arrays[array], row_group, &value, &is_there);
    return is_there ? put_header(w, last, id, value ? PQX_TYPE_TRUE : PQX_TYPE_FALSE) : PQX_OK;
}

/* Append a bound: the common prefix and the rest. */
static int put_bound(writer *w, int *last, int id, pqx_bytes prefix, pqx_bytes rest)
{
    PQX_TRY(put_header(w, last, id, PQX_TYPE_BINARY));
    PQX_TRY(pqx_buffer_append_varint(w->out, (uint64_t)prefix.size + rest.size, w->error));
    PQX_TRY(pqx_buffer_append(w->out, prefix.data, prefix.size, w->error));
    return pqx_buffer_append(w->out, rest.data, rest.size, w->error);
}

static int find_bounds(const writer *w, uint32_t row_group, pqx_bytes texts[3], int *has_them)
{
    *has_them = 0;
    if (!(w->facts->has >> PREFIXES & 1)) return PQX_OK;
    *has_them = 1;
    for (int i = 0; i < 3; i++) {
        int is_there;
        PQX_TRY(pqx_modular_text(&w->facts->arrays[PREFIXES + i], row_group, &texts[i], &is_there,
                                 w->error));
        *has_them &= is_there;
    }
    return PQX_OK;
}

/* Append the fields and the stop of a Statistics struct after the header of its field; nothing if
 * there are no statistics. */
static int put_statistics(writer *w, uint32_t row_group, char header)
{
    int has_bounds, last = 0, deprecated = w->writing->deprecated;
    pqx_bytes texts[3];
    size_t begin = w->out->size;
    PQX_TRY(find_bounds(w, row_group, texts, &has_bounds));
    PQX_TRY(put(w, &header, 1));
    if (has_bounds && deprecated) {
        PQX_TRY(put_bound(w, &last, PQX_STATISTICS_MAX, texts[0], texts[2]));
        PQX_TRY(put_bound(w, &last, PQX_STATISTICS_MIN, texts[0], texts[1]));
    }
    PQX_TRY(put_count(w, &last, PQX_STATISTICS_NULL_COUNT, NULL_COUNTS, row_group));
    if (has_bounds && !deprecated) {
        PQX_TRY(put_bound(w, &last, PQX_STATISTICS_MAX_VALUE, texts[0], texts[2]));
        PQX_TRY(put_bound(w, &last, PQX_STATISTICS_MIN_VALUE, texts[0], texts[1]));
    }
    if (has_bounds) {
        PQX_TRY(put_flag(w, &last, PQX_STATISTICS_IS_MAX_VALUE_EXACT, MAX_EXACT, row_group));
        PQX_TRY(put_flag(w, &last, PQX_STATISTICS_IS_MIN_VALUE_EXACT, MIN_EXACT, row_group));
    }
    PQX_TRY(put_count(w, &last, PQX_STATISTICS_NAN_COUNT, NAN_COUNTS, row_group));
    if (last) return put(w, "", 1);
    w->out->size = begin;
    return PQX_OK;
}

/* Append the fields of ColumnMetaData up to the sizes. */
static int put_placement(writer *w, uint32_t leaf, uint64_t chunk, int has_dictionary)
{
    const pqx_bytes *path = &w->writing->path;
    uint64_t is_full = 0;
    if (w->placement->has >> FULLY_DICTIONARY & 1)
        PQX_TRY(pqx_modular_present(&w->placement->arrays[FULLY_DICTIONARY], chunk, &is_full,
                                    w->error));
    PQX_TRY(put(w, "\x26\x00\x1c\x15", 4));
    PQX_TRY(put_small(w, TYPES, leaf));
    /* RLE and RLE_DICTIONARY; PLAIN, RLE and RLE_DICTIONARY; PLAIN and RLE */
    if (has_dictionary && is_full) PQX_TRY(put(w, "\x19\x25\x06\x10", 4));
    else if (has_dictionary) PQX_TRY(put(w, "\x19\x35\x00\x06\x10", 5));
    else PQX_TRY(put(w, "\x19\x25\x00\x06", 4));
    if (path->size) {
        PQX_TRY(put(w, "\x19", 1));
        PQX_TRY(pqx_buffer_append(w->out, path->data, path->size, w->error));
    }
    PQX_TRY(put(w, path->size ? "\x15" : "\x25", 1));
    PQX_TRY(put_small(w, CODECS, chunk));
    PQX_TRY(put_number(w, 0x16, NUM_VALUES, chunk));
    PQX_TRY(put_number(w, 0x16, UNCOMPRESSED, chunk));
    PQX_TRY(put_number(w, 0x16, COMPRESSED, chunk));
    return put_number(w, 0x26, DATA_PAGES, chunk);
}

static int put_chunk(writer *w, uint32_t leaf, uint32_t row_group)
{
    uint64_t chunk = (uint64_t)leaf * w->placement->row_groups + row_group, dictionary = 0;
    int has_one;
    PQX_TRY(find_dictionary(w, chunk, &dictionary, &has_one));
    PQX_TRY(put_placement(w, leaf, chunk, has_one));
    if (has_one) {
        PQX_TRY(put(w, "\x26", 1));
        PQX_TRY(put_integer(w, dictionary));
    }
    if (w->facts) PQX_TRY(put_statistics(w, row_group, has_one ? 0x1c : 0x3c));
    return put(w, "\0\0", 2);
}

static int put_struct(writer *w, uint32_t leaf, uint32_t row_group)
{
    if (!w->writing->in_row_groups) return put_chunk(w, leaf, row_group);
    PQX_TRY(put(w, "\x19\x1c", 2));
    PQX_TRY(put_chunk(w, leaf, row_group));
    PQX_TRY(put(w, "\x16\x00", 2));
    PQX_TRY(put_number(w, 0x16, ROWS, row_group));
    return put(w, "", 1);
}

int pqx_modular_chunks(const pqx_modular_placement *placement, uint32_t leaf, uint32_t first,
                       uint32_t count, const pqx_modular_writing *writing, pqx_buffer *out,
                       uint32_t *lengths, pqx_error *error)
{
    column_statistics found;
    writer w = {placement, writing, NULL, out, error};
    if (leaf >= placement->leaves)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, placement->leaves, leaf);
    PQX_TRY(pqx_check_part(first, count, placement->row_groups, error));
    if (writing->statistics.size) {
        PQX_TRY(read_statistics(writing->statistics, placement->row_groups, &found, error));
        w.facts = &found;
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t begin = out->size;
        PQX_TRY(put_struct(&w, leaf, first + i));
        if (out->size - begin > UINT32_MAX)
            return pqx_fail(error, PQX_TOO_LARGE, 0, UINT32_MAX, out->size - begin);
        lengths[i] = (uint32_t)(out->size - begin);
    }
    return PQX_OK;
}
