/* Flip every single bit in the last bytes of a file's footer: no question to its reader may be
 * answered wrongly. flips flat|index FILE FOOTER PAYLOAD LENGTH BYTES     places in the file, and
 * how many bytes of it to flip
 *
 * An answer depends on the bytes that are read for it and on no others. So each question is asked
 * once of the sound file, which shows what it reads, and after a flip only those are asked again,
 * each of a fresh reader, that read this byte. Prints how many flips left all answers as they were,
 * how many made one an error, and how many no question reads. */
#include <errno.h>

#include "harness.h"

enum { MOST_RANGES = 128 };

typedef struct file {
    uint8_t *data;
    size_t size;
    int is_index;
    uint64_t footer, payload, length;
    size_t tail; /* the tail block, which opening is given */
} file;

/* The bytes that a reader reads. */
typedef struct reading {
    const file *file;
    size_t count;
    struct {
        uint64_t begin, end;
    } ranges[MOST_RANGES];
} reading;

/* A form's reader: its functions are the same but for their prefix. */
typedef struct reader {
    pqx_flat *flat;
    pqx_index *index;
} reader;
#define ASK(r, function, ...)                                   \
    ((r)->index ? pqx_index_##function((r)->index, __VA_ARGS__) \
                : pqx_flat_##function((r)->flat, __VA_ARGS__))

enum topic {
    NODE,
    NAMED_COLUMN,
    FIELD_ID,
    ROW_GROUPS,
    SORTING,
    KEY_VALUE,
    CREATED_BY,
    SLICE,
    EXTENSION,
    TOPICS
};
typedef struct question {
    enum topic topic;
    uint32_t number;
    pqx_bytes name;
    uint64_t answer;
    reading reading;
} question;

static int read_file(void *context, uint64_t offset, size_t length, uint8_t *into)
{
    reading *r = context;
    if (offset > r->file->size || length > r->file->size - offset) return EIO;
    memcpy(into, r->file->data + offset, length);
    CHECK(r->count < MOST_RANGES);
    r->ranges[r->count].begin = offset;
    r->ranges[r->count++].end = offset + length;
    return 0;
}

/* ---- answers, as hashes ---- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{ return pqx_xxh64(size ? bytes : "", size, hash); }
static uint64_t mix_number(uint64_t hash, int64_t number)
{ return mix(hash, &number, sizeof number); }
static uint64_t mix_bytes(uint64_t hash, pqx_bytes bytes)
{ return mix(mix_number(hash, (int64_t)bytes.size), bytes.data, bytes.size); }

static int node(reader *r, uint32_t id, uint64_t *hash)
{
    pqx_flat_node n;
    int status = ASK(r, get_node, id, &n, NULL);
    if (status != PQX_OK) return status;
    *hash = mix_bytes(mix_bytes(*hash, n.thrift), n.path);
    int64_t facts[] = {n.parent,       n.schema_index,   n.first_leaf,    n.leaf_count,
                       n.column_order, n.max_definition, n.max_repetition};
    *hash = mix(*hash, facts, sizeof facts);
    return PQX_OK;
}

/* All facts of a leaf's chunks, and the bounds that count. */
static int chunks(reader *r, uint32_t leaf, uint32_t count, uint64_t *hash)
{
    pqx_chunk *records = calloc(count, sizeof *records);
    pqx_places *places = calloc(count, sizeof *places);
    pqx_buffer arena = {0};
    pqx_element element;
    CHECK(records && places);
    int status = r->index
                     ? pqx_index_get_chunks(r->index, leaf, 0, count, records, places, &arena,
                                            &element, NULL)
                     : pqx_flat_get_chunks(r->flat, leaf, 0, count, records, places, &arena, NULL);
    for (uint32_t i = 0; status == PQX_OK && i < count; i++) {
        pqx_range low = records[i].min_value, high = records[i].max_value;
        int has = 3;
        if (r->index) pqx_usable_bounds(arena.data, &records[i], &element, &low, &high, &has);
        *hash = mix_number(mix(*hash, &records[i], sizeof records[i]), has);
        *hash = mix_bytes(mix_bytes(*hash, (pqx_bytes){arena.data + low.offset, low.length}),
                          (pqx_bytes){arena.data + high.offset, high.length});
    }
    if (status == PQX_OK) *hash = mix(*hash, places, count * sizeof *places);
    free(records);
    free(places);
    pqx_buffer_free(&arena);
    return status;
}

static int found(reader *r, const question *q, uint32_t row_groups, uint64_t *hash)
{
    uint32_t ids[4] = {0};
    size_t count = 0;
    int status = q->topic == FIELD_ID
                     ? ASK(r, find_field_id, (int32_t)q->number, ids, 4, &count, NULL)
                     : ASK(r, find_name, q->name.data, q->name.size, ids, 4, &count, NULL);
    if (status != PQX_OK) return status;
    *hash = mix(mix_number(*hash, (int64_t)count), ids, sizeof ids);
    return q->topic == NAMED_COLUMN && count ? chunks(r, ids[0], row_groups, hash) : PQX_OK;
}

static int row_groups_of(reader *r, uint32_t count, uint64_t *hash)
{
    pqx_row_group *groups = calloc(count + 1, sizeof *groups);
    CHECK(groups);
    int status = ASK(r, get_row_groups, 0, count, groups, NULL);
    if (status == PQX_OK) *hash = mix(*hash, groups, count * sizeof *groups);
    free(groups);
    return status;
}

static int sorting(reader *r, uint32_t row_group, uint64_t *hash)
{
    pqx_sorting_column columns[8];
    size_t count = 0;
    int status = ASK(r, get_sorting_columns, row_group, columns, 8, &count, NULL);
    for (size_t i = 0; status == PQX_OK && i < count && i < 8; i++)
        *hash = mix_number(mix_number(*hash, columns[i].column),
                           columns[i].descending << 1 | columns[i].nulls_first);
    return status;
}

static int text(reader *r, const question *q, uint64_t *hash)
{
    pqx_bytes key = {0}, value = {0};
    int present = 1;
    int status = q->topic == KEY_VALUE ? ASK(r, get_key_value, q->number, &key, &value, NULL)
                                       : ASK(r, get_created_by, &key, &present, NULL);
    if (status == PQX_OK) *hash = mix_number(mix_bytes(mix_bytes(*hash, key), value), present);
    return status;
}

static int slice(reader *r, uint32_t leaf, uint32_t row_groups, uint64_t *hash)
{
    pqx_buffer out = {0};
    uint32_t *numbers = calloc(row_groups + 1, sizeof *numbers);
    CHECK(numbers);
    for (uint32_t i = 0; i < row_groups; i++) numbers[i] = i;
    int status = ASK(r, slice, &leaf, 1, numbers, row_groups, 1, 1, &out, NULL);
    if (status == PQX_OK) *hash = mix_bytes(*hash, (pqx_bytes){out.data, out.size});
    free(numbers);
    pqx_buffer_free(&out);
    return status;
}

static int extension(reader *r, uint32_t number, uint64_t *hash)
{
    uint8_t uuid[16];
    uint32_t size;
    pqx_bytes data;
    int status = pqx_flat_get_extension_name(r->flat, number, uuid, &size, NULL);
    if (status == PQX_OK) status = pqx_flat_get_extension(r->flat, number, &data, NULL);
    if (status == PQX_OK) *hash = mix_bytes(mix(*hash, uuid, sizeof uuid), data);
    return status;
}

static int answer(reader *r, const question *q, uint64_t *hash)
{
    pqx_flat_facts facts;
    r->index ? pqx_index_get_facts(r->index, &facts) : pqx_flat_get_facts(r->flat, &facts);
    *hash = mix_number(mix_number(q->topic, facts.version), facts.num_rows);
    switch (q->topic) {
    case NODE: return node(r, q->number, hash);
    case ROW_GROUPS: return row_groups_of(r, facts.row_group_count, hash);
    case SORTING: return sorting(r, q->number, hash);
    case KEY_VALUE:
    case CREATED_BY: return text(r, q, hash);
    case SLICE: return slice(r, q->number, facts.row_group_count, hash);
    case EXTENSION: return extension(r, q->number, hash);
    default: return found(r, q, facts.row_group_count, hash);
    }
}

static int open_reader(const file *f, reading *reading, reader *r)
{
    pqx_source source = {read_file, reading, f->size};
    const uint8_t *tail = f->data + f->size - f->tail;
    *r = (reader){NULL, NULL};
    *reading = (struct reading){.file = f, .count = 1};
    reading->ranges[0].begin = f->size - f->tail;
    reading->ranges[0].end = f->size;
    return f->is_index ? pqx_index_open(&source, f->footer, f->payload - f->footer, f->payload,
                                        f->length, tail, f->tail, f->size, &r->index, NULL)
                       : pqx_flat_open(&source, f->payload, f->length, tail, f->tail, f->size,
                                       &r->flat, NULL);
}

static void close_reader(reader *r)
{
    pqx_flat_close(r->flat);
    pqx_index_close(r->index);
}

/* Ask a fresh reader. */
static int ask(const file *f, const question *q, reading *reading, uint64_t *hash)
{
    reader r;
    int status = open_reader(f, reading, &r);
    if (status == PQX_OK) status = answer(&r, q, hash);
    close_reader(&r);
    return status;
}

/* ---- questions ---- */

static question *add(question **questions, size_t *count, enum topic topic, uint32_t number)
{
    *questions = realloc(*questions, (*count + 1) * sizeof **questions);
    CHECK(*questions);
    question *q = &(*questions)[(*count)++];
    *q = (question){.topic = topic, .number = number};
    return q;
}

static question *all_questions(const file *f, size_t *count)
{
    question *questions = NULL;
    reading reading;
    reader r;
    pqx_flat_facts facts;
    uint32_t extensions = 0;
    *count = 0;
    CHECK(open_reader(f, &reading, &r) == PQX_OK);
    r.index ? pqx_index_get_facts(r.index, &facts) : pqx_flat_get_facts(r.flat, &facts);
    reading.count = 0;
    for (uint32_t leaf = 0; leaf < facts.leaf_count; leaf++, reading.count = 0) {
        pqx_flat_node n;
        CHECK(ASK(&r, get_node, leaf, &n, NULL) == PQX_OK);
        add(&questions, count, NAMED_COLUMN, leaf)->name =
            (pqx_bytes){exact(n.path.data, n.path.size), n.path.size};
        add(&questions, count, NODE, leaf);
        if (leaf % 8 == 0) add(&questions, count, SLICE, leaf);
    }
    for (uint32_t i = 0; i < facts.node_count; i++)
        add(&questions, count, NODE, PQX_FLAT_GROUP | i);
    for (uint32_t i = 0; i < facts.key_value_count; i++) add(&questions, count, KEY_VALUE, i);
    for (uint32_t i = 0; i < facts.row_group_count; i += 64) add(&questions, count, SORTING, i);
    for (uint32_t i = 0; i < 3; i++) add(&questions, count, FIELD_ID, i);
    add(&questions, count, ROW_GROUPS, 0);
    add(&questions, count, CREATED_BY, 0);
    if (r.flat) CHECK(pqx_flat_get_extension_count(r.flat, &extensions, NULL) == PQX_OK);
    for (uint32_t i = 0; i < extensions; i++) add(&questions, count, EXTENSION, i);
    close_reader(&r);
    for (size_t i = 0; i < *count; i++)
        CHECK(ask(f, &questions[i], &questions[i].reading, &questions[i].answer) == PQX_OK);
    return questions;
}

static int reads(const question *q, uint64_t at)
{
    for (size_t i = 0; i < q->reading.count; i++)
        if (at >= q->reading.ranges[i].begin && at < q->reading.ranges[i].end) return 1;
    return 0;
}

/* Return 1 if a flip has turned an answer into an error. A wrong answer ends the program. */
static int look(const file *f, const question *questions, const size_t *asked, size_t count,
                size_t at)
{
    int errors = 0;
    for (size_t i = 0; i < count; i++) {
        const question *q = &questions[asked[i]];
        reading ignored;
        uint64_t hash;
        int status = ask(f, q, &ignored, &hash);
        if (status == PQX_OK && hash != q->answer) {
            fprintf(stderr, "byte %zu: question %d of %u is answered wrongly\n", at, q->topic,
                    q->number);
            exit(1);
        }
        errors += status != PQX_OK;
    }
    return errors > 0;
}

static file load(char **words)
{
    FILE *stream = fopen(words[1], "rb");
    CHECK(stream && fseek(stream, 0, SEEK_END) == 0);
    file f = {.size = (size_t)ftell(stream),
              .is_index = !strcmp(words[0], "index"),
              .footer = strtoull(words[2], NULL, 10),
              .payload = strtoull(words[3], NULL, 10),
              .length = strtoull(words[4], NULL, 10)};
    f.data = malloc(f.size);
    CHECK(f.data && fseek(stream, 0, SEEK_SET) == 0 && fread(f.data, 1, f.size, stream) == f.size);
    fclose(stream);
    uint64_t end = f.payload + f.length;
    uint32_t tail_block;
    memcpy(&tail_block, f.data + end - 8, 4); /* both layouts have its length there */
    f.tail = f.size - (size_t)end + tail_block;
    return f;
}

int main(int argc, char **argv)
{
    CHECK(argc == 8);
    file f = load(argv + 1);
    size_t bytes = strtoull(argv[6], NULL, 10), step = strtoull(argv[7], NULL, 10), count, same = 0,
           errors = 0, unread = 0;
    question *questions = all_questions(&f, &count);
    size_t *asked = calloc(count, sizeof *asked);
    CHECK(asked && bytes <= f.size && step);
    for (size_t at = f.size - bytes; at < f.payload + f.length; at++) {
        size_t many = 0;
        for (size_t i = 0; i < count; i++)
            if (reads(&questions[i], at)) asked[many++] = i;
        for (size_t bit = 0; bit < 8; bit++) {
            if ((8 * at + bit) % step) continue;
            if (!many) {
                unread++;
                continue;
            }
            f.data[at] ^= (uint8_t)(1 << bit);
            look(&f, questions, asked, many, at) ? errors++ : same++;
            f.data[at] ^= (uint8_t)(1 << bit);
        }
    }
    printf("%zu %zu %zu\n", same, errors, unread);
    for (size_t i = 0; i < count; i++) free((void *)(uintptr_t)questions[i].name.data);
    free(questions);
    free(asked);
    free(f.data);
    return 0;
}
