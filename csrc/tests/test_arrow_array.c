/* Arrow arrays of flat leaves: types, values, few reads, and refusals. */
#include "arrow/arrow_arrays.h"

#include "harness.h"

/* A page of two PLAIN values of 4 bytes. */
static const uint8_t page[] = {0x15, 0, 0x15, 16, 0x15, 16, 0x2C, 0x15, 4,    0x15, 0,    0x15, 6,
                               0x15, 6, 0,    0,  1,    0,  0,    0,    0xFE, 0xFF, 0xFF, 0xFF};
enum { ROWS = 2, LEAVES = 3, GROUPS = 2, APART = 100 };

static uint8_t form_of(int type, int length, const char *format)
{
    pqx_arrow_leaf leaf = {.type = type, .type_length = length, .form = PQX_ARROW_AS_IS};
    struct ArrowSchema field = {.format = format};
    return pqx_arrow_form_of(&leaf, &field);
}

static void types_that_leave_no_choice_have_a_form(void)
{
    CHECK(form_of(PQX_PHYSICAL_INT64, 0, "l") == PQX_ARROW_AS_IS);
    CHECK(form_of(PQX_PHYSICAL_INT64, 0, "tsu:Europe/Vienna") == PQX_ARROW_AS_IS);
    CHECK(form_of(PQX_PHYSICAL_INT32, 0, "s") == PQX_ARROW_SHORT);
    CHECK(form_of(PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 8, "d:18,2") == PQX_ARROW_DECIMAL);
    CHECK(form_of(PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 16, "d:38,-2") == PQX_ARROW_DECIMAL);
    CHECK(form_of(PQX_PHYSICAL_INT64, 0, "i") == PQX_ARROW_NONE);
    CHECK(form_of(PQX_PHYSICAL_INT64, 0, "d:18,2") == PQX_ARROW_NONE);
    CHECK(form_of(PQX_PHYSICAL_BYTE_ARRAY, 0, "U") == PQX_ARROW_NONE);
    CHECK(form_of(PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 9, "d:18,2") == PQX_ARROW_NONE);
    CHECK(form_of(PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 8, "d:18,2,64") == PQX_ARROW_NONE);
    CHECK(form_of(PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY, 0, "d:0,0") == PQX_ARROW_NONE);
}

static void fields_of_fields_and_extensions_have_none(void)
{
    static const char metadata[] = "\1\0\0\0\24\0\0\0ARROW:extension:name\1\0\0\0x";
    pqx_arrow_leaf leaf = {.type = PQX_PHYSICAL_INT32, .form = PQX_ARROW_AS_IS};
    struct ArrowSchema field = {.format = "i"}, named = field, outer = field, coded = field;
    named.metadata = metadata;
    outer.n_children = 1;
    coded.dictionary = &field;
    CHECK(pqx_arrow_form_of(&leaf, &field) == PQX_ARROW_AS_IS);
    CHECK(pqx_arrow_form_of(&leaf, &named) == PQX_ARROW_NONE);
    CHECK(pqx_arrow_form_of(&leaf, &outer) == PQX_ARROW_NONE);
    CHECK(pqx_arrow_form_of(&leaf, &coded) == PQX_ARROW_NONE);
}

/* A scan of required leaves, whose chunks are `page`, so far apart. */
typedef struct file {
    pqx_scan scan;
    pqx_element elements[LEAVES + 1];
    uint32_t leaves[LEAVES];
    pqx_row_group row_groups[GROUPS];
    pqx_chunk chunks[LEAVES * GROUPS];
    struct ArrowSchema fields[LEAVES], *children[LEAVES], schema;
    uint8_t *bytes;
    uint64_t size;
    int reads;
} file;

static void make(file *f, size_t apart)
{
    *f = (file){.scan = {.regular = 1,
                         .leaf_count = LEAVES,
                         .element_count = LEAVES + 1,
                         .row_group_count = GROUPS,
                         .chunk_count = LEAVES * GROUPS}};
    f->scan.elements = f->elements;
    f->scan.leaves = f->leaves;
    f->scan.row_groups = f->row_groups;
    f->scan.chunks = f->chunks;
    f->elements[0].parent = -1;
    f->schema = (struct ArrowSchema){.n_children = LEAVES, .children = f->children};
    for (uint32_t i = 0; i < LEAVES; i++) {
        f->elements[i + 1].type = PQX_PHYSICAL_INT32;
        f->leaves[i] = i + 1;
        f->fields[i].format = i == 1 ? "c" : "i";
        f->children[i] = f->fields + i;
    }
    f->size = 4 + LEAVES * GROUPS * apart + sizeof page;
    f->bytes = calloc(1, f->size);
    for (uint32_t i = 0; i < GROUPS; i++) f->row_groups[i].num_rows = ROWS;
    for (uint32_t i = 0; i < LEAVES * GROUPS; i++) {
        f->chunks[i] = (pqx_chunk){.type = PQX_PHYSICAL_INT32,
                                   .num_values = ROWS,
                                   .dictionary_page_offset = -1,
                                   .data_page_offset = (int64_t)(4 + i * apart),
                                   .total_compressed_size = sizeof page};
        memcpy(f->bytes + 4 + i * apart, page, sizeof page);
    }
}

static int read_bytes(void *context, uint64_t offset, size_t length, uint8_t *into)
{
    file *f = context;
    f->reads++;
    if (offset > f->size || length > f->size - offset) return 1;
    memcpy(into, f->bytes + offset, length);
    return 0;
}

static int plan(const file *f, pqx_arrow_leaf *leaves)
{
    uint64_t sizes[LEAVES];
    uint32_t count = pqx_arrow_plan(&f->scan, f->size, leaves, sizes), found = 0;
    for (int leaf = 0; leaf < LEAVES; leaf++) found += leaves[leaf].form != PQX_ARROW_NONE;
    CHECK(found == count);
    pqx_arrow_choose(&f->scan, &f->schema, leaves);
    return (int)count;
}

static void chunks_become_arrays_with_a_read_for_what_lies_near(void)
{
    const size_t distances[] = {sizeof page, APART, 1 << 16};
    const int reads[] = {1, 1, LEAVES * GROUPS};
    for (int i = 0; i < 3; i++) {
        file f;
        pqx_arrow_leaf leaves[LEAVES];
        struct ArrowArray arrays[LEAVES] = {{0}};
        make(&f, distances[i]);
        pqx_source source = {read_bytes, &f, f.size};
        CHECK(plan(&f, leaves) == LEAVES);
        CHECK(pqx_arrow_read(&source, &f.scan, leaves, 0, LEAVES, 0, arrays) == 0);
        CHECK(f.reads == reads[i]);
        for (int leaf = 0; leaf < LEAVES; leaf++) {
            static const int32_t wide[] = {1, -2, 1, -2};
            static const int8_t narrow[] = {1, -2, 1, -2};
            const void *expected = leaf == 1 ? (const void *)narrow : wide;
            struct ArrowArray *array = arrays + leaf;
            CHECK(array->length == ROWS * GROUPS && !array->null_count && array->n_buffers == 2);
            CHECK(!array->buffers[0]);
            CHECK(!memcmp(array->buffers[1], expected, leaf == 1 ? sizeof narrow : sizeof wide));
            array->release(array);
            CHECK(!array->release);
        }
        free(f.bytes);
    }
}

static void a_leaf_that_cannot_be_read_leaves_the_others_alone(void)
{
    file f;
    pqx_arrow_leaf leaves[LEAVES];
    struct ArrowArray arrays[LEAVES] = {{0}};
    make(&f, APART);
    pqx_source source = {read_bytes, &f, f.size};
    f.bytes[4 + APART] = 0xFF;
    f.chunks[2].codec = PQX_CODEC_GZIP;
    CHECK(plan(&f, leaves) == 2);
    pqx_arrow_read(&source, &f.scan, leaves, 0, LEAVES, 0, arrays);
    CHECK(arrays[0].release && !arrays[1].release && !arrays[2].release);
    arrays[0].release(arrays);
    free(f.bytes);
}

static void leaves_within_groups_are_left_out(void)
{
    file f;
    pqx_arrow_leaf leaves[LEAVES];
    make(&f, APART);
    f.elements[2].parent = 1; /* a group's only leaf: the schema has a field for the group */
    f.leaves[0] = 2, f.leaves[1] = 3, f.leaves[2] = 3;
    f.fields[0].n_children = 1;
    CHECK(plan(&f, leaves) == 2);
    CHECK(leaves[0].form == PQX_ARROW_NONE && leaves[1].form == PQX_ARROW_BYTE);
    f.schema.n_children = 1;
    plan(&f, leaves);
    CHECK(leaves[1].form == PQX_ARROW_NONE);
    free(f.bytes);
}

static void facts_that_contradict_are_refused(void)
{
    file f;
    pqx_arrow_leaf leaves[LEAVES];
    make(&f, APART);
    f.chunks[0].num_values = ROWS + 1;
    f.chunks[1].type = PQX_PHYSICAL_INT64;
    f.chunks[2].total_compressed_size = INT64_MAX;
    CHECK(!plan(&f, leaves));
    free(f.bytes);
    make(&f, APART);
    for (int i = 0; i < LEAVES * GROUPS; i++) f.chunks[i].total_compressed_size = 120;
    CHECK(!plan(&f, leaves)); /* together more than the file has */
    free(f.bytes);
    make(&f, APART);
    for (int i = 0; i < GROUPS; i++) f.row_groups[i].num_rows = 1 << 29;
    for (int i = 0; i < LEAVES * GROUPS; i++) f.chunks[i].num_values = 1 << 29;
    CHECK(!plan(&f, leaves)); /* more than few bytes are believed */
    f.row_groups[0].num_rows = INT32_MAX;
    CHECK(!plan(&f, leaves));
    f.row_groups[0].num_rows = -1;
    CHECK(!plan(&f, leaves));
    free(f.bytes);
}

int main(void)
{
    RUN(types_that_leave_no_choice_have_a_form);
    RUN(fields_of_fields_and_extensions_have_none);
    RUN(chunks_become_arrays_with_a_read_for_what_lies_near);
    RUN(a_leaf_that_cannot_be_read_leaves_the_others_alone);
    RUN(leaves_within_groups_are_left_out);
    RUN(facts_that_contradict_are_refused);
    return 0;
}
