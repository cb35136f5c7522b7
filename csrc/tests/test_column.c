/* Columns: validity, values at their slots, rows over pages, steps, memory that grows and shrinks.
 */
#include "harness.h"
#include "page/column.h"

static const pqx_column_leaf optional_int32 = {
    .type = PQX_PHYSICAL_INT32, .max_definition = 1, .most_bytes = INT32_MAX};
static const pqx_column_leaf list_of_int32 = {.type = PQX_PHYSICAL_INT32,
                                              .max_definition = 1,
                                              .max_repetition = 1,
                                              .repeated_definition = 1,
                                              .most_bytes = INT32_MAX};
static const pqx_column_leaf required_text = {.type = PQX_PHYSICAL_BYTE_ARRAY, .most_bytes = 8};

static pqx_column_page page_of(const uint8_t *body, size_t size, int entries)
{
    return (pqx_column_page){.header = {.type = PQX_PAGE_DATA_PAGE,
                                        .num_values = entries,
                                        .num_nulls = -1,
                                        .num_rows = -1,
                                        .encoding = PQX_ENCODING_PLAIN,
                                        .definition_encoding = PQX_ENCODING_RLE,
                                        .repetition_encoding = PQX_ENCODING_RLE},
                             .values = body,
                             .values_size = size};
}

static void release(pqx_column_output *out)
{
    pqx_release(out->valid.data);
    pqx_release(out->values.data);
    pqx_release(out->offsets.data);
    pqx_release(out->definition.data);
    pqx_release(out->repetition.data);
}

/* Levels 1 0 1, values 7 and 9. */
static const uint8_t three[] = {2, 0, 0, 0, 3, 5, 7, 0, 0, 0, 9, 0, 0, 0};

static void nulls_leave_their_slot_empty(void)
{
    uint8_t *body = exact(three, sizeof three);
    for (uint64_t step = 1; step <= 4; step++) {
        pqx_column column;
        pqx_column_output out;
        pqx_error error;
        uint64_t begun, all = 0;
        CHECK(!pqx_column_begin(&column, &optional_int32, &error));
        pqx_column_begin_chunk(&column, 3, 3);
        pqx_column_page page = page_of(body, sizeof three, 3);
        CHECK(!pqx_column_give(&column, &page, &error));
        do {
            CHECK(!pqx_column_read(&column, step, &begun, &error));
            all += begun;
        } while (begun);
        CHECK(all == 3 && !pqx_column_take(&column, &out, &error));
        CHECK(out.slots == 3 && out.nulls == 1 && out.valid.data[0] == 5);
        CHECK(!memcmp(out.values.data, "\7\0\0\0\0\0\0\0\11\0\0\0", 12));
        CHECK((uintptr_t)out.values.data % 64 == 0);
        release(&out);
        pqx_column_free(&column);
    }
    free(body);
}

static void what_is_forgotten_is_checked(void)
{
    /* 1000 nulls of 2^31 - 1 bytes each take no memory; a value behind them is missed. */
    static const uint8_t nulls[] = {3, 0, 0, 0, 0xD0, 0x0F, 0};
    static const uint8_t text[] = {1, 0, 0, 0, 'x'}, good[] = {1, 0x90, 0x4E, 0},
                         bad[] = {1, 0x90, 0x4E, 1};
    const pqx_column_leaf wide = {.type = PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
                                  .type_length = INT32_MAX,
                                  .max_definition = 1,
                                  .forgets = 1};
    const pqx_column_leaf texts = {.type = PQX_PHYSICAL_BYTE_ARRAY, .most_bytes = 1, .forgets = 1};
    pqx_column column;
    pqx_column_output out;
    pqx_error error;
    uint64_t begun;
    CHECK(!pqx_column_begin(&column, &wide, &error));
    pqx_column_page page = page_of(nulls, sizeof nulls, 1000);
    CHECK(!pqx_column_give(&column, &page, &error));
    CHECK(!pqx_column_read(&column, 2000, &begun, &error) && begun == 1000);
    CHECK(!column.output.values.data && !pqx_column_take(&column, &out, &error));
    CHECK(!out.entries && !out.rows && !out.slots && !out.nulls);
    release(&out);
    pqx_column_free(&column);

    CHECK(!pqx_column_begin(&column, &texts, &error));
    CHECK(!pqx_column_set_dictionary(&column, text, sizeof text, 1, 0, &error));
    page = page_of(good, sizeof good, 5000);
    page.header.encoding = PQX_ENCODING_RLE_DICTIONARY;
    CHECK(!pqx_column_give(&column, &page, &error));
    CHECK(!pqx_column_read(&column, 5000, &begun, &error) && begun == 5000 && !column.is_full);
    page.values = bad;
    CHECK(!pqx_column_give(&column, &page, &error));
    CHECK(pqx_column_read(&column, 5000, &begun, &error) == PQX_DICTIONARY_INDEX);
    CHECK(error.offset == 1 && error.expected == 1 && error.found == 1);
    pqx_column_free(&column);
}

static void rows_go_on_in_the_next_page(void)
{
    /* Repetition 0 1 | 1 0, definition 1 everywhere. */
    static const uint8_t first[] = {2, 0, 0, 0, 3, 2, 2, 0, 0, 0, 4, 1, 1, 0, 0, 0, 2, 0, 0, 0};
    static const uint8_t second[] = {2, 0, 0, 0, 3, 1, 2, 0, 0, 0, 4, 1, 3, 0, 0, 0, 4, 0, 0, 0};
    pqx_column column;
    pqx_column_output out;
    pqx_error error;
    uint64_t begun;
    CHECK(!pqx_column_begin(&column, &list_of_int32, &error));
    pqx_column_begin_chunk(&column, 4, 2);
    pqx_column_page page = page_of(first, sizeof first, 2);
    CHECK(!pqx_column_give(&column, &page, &error));
    CHECK(!pqx_column_read(&column, 1, &begun, &error) && begun == 1);
    CHECK(pqx_column_is_open(&column));
    page = page_of(second, sizeof second, 2);
    CHECK(!pqx_column_give(&column, &page, &error));
    CHECK(!pqx_column_read(&column, 0, &begun, &error) && begun == 0);
    CHECK(!pqx_column_is_open(&column));
    CHECK(!pqx_column_take(&column, &out, &error));
    CHECK(out.entries == 3 && out.rows == 1 && out.slots == 3 && out.nulls == 0);
    release(&out);
    CHECK(!pqx_column_read(&column, 5, &begun, &error) && begun == 1);
    CHECK(!pqx_column_is_open(&column));
    pqx_column_free(&column);
}

static void a_page_does_not_begin_within_a_row(void)
{
    static const uint8_t body[] = {2, 0, 0, 0, 2, 1, 2, 0, 0, 0, 2, 1, 1, 0, 0, 0};
    pqx_column column;
    pqx_error error;
    uint64_t begun;
    CHECK(!pqx_column_begin(&column, &list_of_int32, &error));
    pqx_column_page page = page_of(body, sizeof body, 1);
    CHECK(!pqx_column_give(&column, &page, &error));
    CHECK(pqx_column_read(&column, 1, &begun, &error) == PQX_ROW_START && error.found == 1);
    CHECK(column.failed_part == PQX_PART_PAGE);
    pqx_column_free(&column);
}

static void lists_may_all_be_empty(void)
{
    /* Repetition 0 0, definition 0 0. */
    static const uint8_t body[] = {2, 0, 0, 0, 4, 0, 2, 0, 0, 0, 4, 0};
    pqx_column column;
    pqx_column_output out;
    pqx_error error;
    uint64_t begun;
    CHECK(!pqx_column_begin(&column, &list_of_int32, &error));
    pqx_column_page page = page_of(body, sizeof body, 2);
    CHECK(!pqx_column_give(&column, &page, &error));
    CHECK(!pqx_column_read(&column, 2, &begun, &error) && begun == 2);
    CHECK(!pqx_column_take(&column, &out, &error) && out.rows == 2 && out.slots == 0);
    release(&out);
    pqx_column_free(&column);
}

static void slots_are_left_out_only_in_lists(void)
{
    pqx_column_leaf leaf = {.max_definition = 2, .repeated_definition = 1, .most_bytes = 1};
    pqx_column column;
    pqx_error error;
    CHECK(pqx_column_begin(&column, &leaf, &error) == PQX_BAD_ARGUMENT && error.found == 1);
    leaf.max_repetition = 1;
    CHECK(!pqx_column_begin(&column, &leaf, &error));
    pqx_column_free(&column);
}

static void byte_arrays_end_a_read_where_no_more_fit(void)
{
    static const uint8_t body[] = "\5\0\0\0hello\3\0\0\0you\1\0\0\0!\11\0\0\0far too l";
    pqx_column column;
    pqx_column_output out;
    pqx_error error;
    uint64_t begun;
    CHECK(!pqx_column_begin(&column, &required_text, &error));
    pqx_column_page page = page_of(body, sizeof body - 1, 4);
    CHECK(!pqx_column_give(&column, &page, &error));
    CHECK(!pqx_column_read(&column, 4, &begun, &error) && begun == 2 && column.is_full);
    CHECK(!pqx_column_take(&column, &out, &error) && out.bytes == 8);
    CHECK(!memcmp(out.values.data, "helloyou", 8));
    release(&out);
    CHECK(!pqx_column_read(&column, 4, &begun, &error) && begun == 1 && column.is_full);
    CHECK(!pqx_column_take(&column, &out, &error) && out.bytes == 1);
    release(&out);
    CHECK(pqx_column_read(&column, 4, &begun, &error) == PQX_ROW_TOO_LARGE);
    pqx_column_free(&column);
}

static void every_wrong_byte_is_an_error_or_a_value(void)
{
    for (size_t at = 0; at < sizeof three; at++) {
        for (int value = 0; value < 256; value++) {
            uint8_t *body = exact(three, sizeof three);
            pqx_column column;
            pqx_error error;
            uint64_t begun;
            body[at] = (uint8_t)value;
            CHECK(!pqx_column_begin(&column, &optional_int32, &error));
            pqx_column_page page = page_of(body, sizeof three, 3);
            CHECK(!pqx_column_give(&column, &page, &error));
            if (!pqx_column_read(&column, 3, &begun, &error)) CHECK(begun == 3);
            else CHECK(error.offset <= sizeof three);
            pqx_column_free(&column);
            free(body);
        }
    }
}

/* Read `entries` optional numbers of a page whose levels and values are given, in steps. */
static void read_all(const pqx_column_leaf *leaf, const uint8_t *body, size_t size, int entries,
                     uint64_t step, uint64_t skipped, pqx_column *column, pqx_column_output *out)
{
    pqx_error error;
    uint64_t begun;
    CHECK(!pqx_column_begin(column, leaf, &error));
    pqx_column_page page = page_of(body, size, entries);
    CHECK(!pqx_column_give(column, &page, &error));
    CHECK(!pqx_column_skip(column, skipped, &begun, &error) && begun == skipped);
    do CHECK(!pqx_column_read(column, step, &begun, &error));
    while (begun);
    CHECK(!pqx_column_take(column, out, &error));
    CHECK(out->entries == (uint64_t)entries - skipped);
}

/* Definition levels 2 1 2 0 0 0 0 0 packed, then 8 times 2. */
static const uint8_t sixteen_levels[] = {5, 0, 0, 0, 3, 0x26, 0, 16, 2};

static void levels_are_kept_as_bits_or_as_they_are(void)
{
    uint8_t body[sizeof sixteen_levels + 40];
    memcpy(body, sixteen_levels, sizeof sixteen_levels);
    for (size_t i = 0; i < 40; i++)
        body[sizeof sixteen_levels + i] = i % 4 ? 0 : (uint8_t)(i / 4 + 1);
    for (uint8_t keeps = 0; keeps < 2; keeps++)
        for (uint64_t step = 1; step < 18; step++)
            for (uint64_t skipped = 0; skipped < 16; skipped++) {
                const pqx_column_leaf leaf = {
                    .type = PQX_PHYSICAL_INT32, .max_definition = 2, .keeps_definition = keeps};
                pqx_column column;
                pqx_column_output out;
                read_all(&leaf, body, sizeof body, 16, step, skipped, &column, &out);
                CHECK(column.page.keeps == (keeps ? PQX_KEEPS_LEVELS : PQX_KEEPS_BITS));
                uint64_t nulls = skipped < 2 ? 6 : skipped < 3 ? 5 : skipped < 8 ? 8 - skipped : 0;
                CHECK(out.nulls == nulls);
                const int32_t *values = (const int32_t *)out.values.data;
                CHECK(values[15 - skipped] == 10);
                if (skipped <= 2) CHECK(values[2 - skipped] == 2);
                if (keeps && nulls) {
                    const uint16_t *levels = (const uint16_t *)out.definition.data;
                    for (uint64_t i = skipped; i < 16; i++)
                        CHECK(levels[i - skipped]
                              == (i == 1                      ? 1
                                  : i == 0 || i == 2 || i > 7 ? 2
                                                              : 0));
                }
                release(&out);
                pqx_column_free(&column);
            }
}

static void keeps_nothing_of_nulls(const pqx_column_leaf *leaf, const uint8_t *body, size_t size,
                                   int entries)
{
    pqx_column column;
    pqx_column_output out;
    read_all(leaf, body, size, entries, (uint64_t)entries, 0, &column, &out);
    CHECK(column.page.keeps == PQX_KEEPS_NOTHING && !column.levels.data);
    CHECK(out.nulls == (uint64_t)entries);
    release(&out);
    pqx_column_free(&column);
}

static void levels_that_a_few_bytes_repeat_are_not_kept(void)
{
    /* 1 << 20 nulls of one kind, as many of the other. */
    static const uint8_t body[] = {10, 0, 0, 0, 0x80, 0x80, 0x80, 1, 0, 0x80, 0x80, 0x80, 1, 1};
    const pqx_column_leaf leaf = {.type = PQX_PHYSICAL_INT32, .max_definition = 2};
    keeps_nothing_of_nulls(&leaf, body, sizeof body, 1 << 21);
}

static void very_many_levels_are_not_kept(void)
{
    /* 1 << 22 nulls of one kind, as many of the other, and bytes that are no values. */
    static uint8_t body[1 << 20] = {10, 0, 0, 0, 0x80, 0x80, 0x80, 4, 0, 0x80, 0x80, 0x80, 4, 1};
    const pqx_column_leaf leaf = {
        .type = PQX_PHYSICAL_INT32, .max_definition = 2, .keeps_definition = 1};
    keeps_nothing_of_nulls(&leaf, body, sizeof body, 1 << 23);
}

static void rows_that_are_told_have_room_at_once(void)
{
    static const uint8_t values[4096 * 4];
    pqx_column_leaf leaf = {.type = PQX_PHYSICAL_INT32, .most_bytes = INT32_MAX, .rows = 8 * 4096};
    pqx_column column;
    pqx_column_output out;
    pqx_error error;
    uint64_t begun;
    CHECK(!pqx_column_begin(&column, &leaf, &error));
    pqx_column_page page = page_of(values, sizeof values, 4096);
    CHECK(!pqx_column_give(&column, &page, &error));
    CHECK(!pqx_column_read(&column, 8 * 4096, &begun, &error) && begun == 4096);
    CHECK(column.output.values.capacity >= 8 * sizeof values);
    CHECK(!pqx_column_take(&column, &out, &error) && out.rows == 4096);
    release(&out);
    pqx_column_free(&column);
}

/* Entries of a list of int32, all in one page: returns 1 if they are read, and the number of items.
 */
static int read_list(const uint8_t *levels, size_t size, int entries, uint64_t rows,
                     uint64_t *items, pqx_error *error)
{
    static const uint16_t list[] = {1};
    pqx_column_leaf leaf = list_of_int32;
    leaf.forgets = 1;
    leaf.list_levels = list;
    leaf.list_items = items;
    uint8_t *body = exact(levels, size);
    uint64_t begun;
    pqx_column column;
    CHECK(!pqx_column_begin(&column, &leaf, error));
    pqx_column_begin_chunk(&column, (uint64_t)entries, rows);
    pqx_column_page page = page_of(body, size, entries);
    CHECK(!pqx_column_give(&column, &page, error));
    int status = pqx_column_read(&column, rows, &begun, error);
    pqx_column_free(&column);
    free(body);
    return status;
}

static void levels_that_contradict_a_list_are_refused(void)
{
    /* 0 1 1 1 | repetition; 1 1 1 1 and 1 1 0 1 | definition; values if there are any. */
    static const uint8_t good[24] = {2, 0, 0, 0, 3, 14, 2, 0, 0, 0, 8, 1};
    static const uint8_t bad[24] = {2, 0, 0, 0, 3, 14, 2, 0, 0, 0, 3, 11};
    static const uint8_t empty[] = {2, 0, 0, 0, 8, 0, 2, 0, 0, 0, 8, 0};
    uint64_t items = 0;
    pqx_error error;
    CHECK(!read_list(empty, sizeof empty, 4, 4, &items, &error) && items == 0);
    CHECK(read_list(good, sizeof good, 4, 1, &items, &error) == PQX_TRUNCATED && items == 4);
    items = 0;
    CHECK(read_list(bad, sizeof bad, 4, 1, &items, &error) == PQX_LEVELS_CONTRADICT);
    CHECK(error.expected == 1 && error.found == 0);
}

/* Compare the values of one page with a range; returns the bits of the output. */
static uint8_t found_of(const pqx_column_leaf *leaf, const uint8_t *bytes, size_t size, int entries)
{
    uint8_t *body = exact(bytes, size), bits;
    pqx_column column;
    pqx_column_output out;
    pqx_error error;
    uint64_t begun;
    CHECK(!pqx_column_begin(&column, leaf, &error));
    pqx_column_begin_chunk(&column, (uint64_t)entries, (uint64_t)entries);
    pqx_column_page page = page_of(body, size, entries);
    CHECK(!pqx_column_give(&column, &page, &error));
    CHECK(!pqx_column_read(&column, (uint64_t)entries, &begun, &error));
    CHECK(!pqx_column_take(&column, &out, &error));
    CHECK(out.slots == (uint64_t)entries && !out.bytes && !out.offsets.data);
    bits = out.values.data[0];
    release(&out);
    pqx_column_free(&column);
    free(body);
    return bits;
}

static void values_are_compared_with_ranges(void)
{
    const uint64_t seven = UINT64_C(0x80000007), keys[] = {seven, seven}, ends[] = {0, 1, 2};
    const uint8_t texts[] = {1, 0, 0, 0, 'a', 2, 0, 0, 0, 'b', 'c', 0, 0, 0, 0};
    pqx_ranges numbers = {.type = PQX_PHYSICAL_INT32, .bits = 32, .count = 1, .keys = keys};
    pqx_ranges from_b = {.type = PQX_PHYSICAL_BYTE_ARRAY,
                         .count = 1,
                         .bytes = (const uint8_t *)"bc",
                         .offsets = ends};
    pqx_column_leaf leaf = optional_int32, text = required_text;
    leaf.ranges = &numbers;
    text.ranges = &from_b;
    CHECK(found_of(&leaf, three, sizeof three, 3) == 1);
    CHECK(found_of(&text, texts, sizeof texts, 3) == 2);
    from_b.is_open = 1;
    CHECK(found_of(&text, texts, sizeof texts, 3) == 2);
    numbers.count = from_b.count = 0;
    from_b.is_open = 0;
    CHECK(found_of(&leaf, three, sizeof three, 3) == 0);
    CHECK(found_of(&text, texts, sizeof texts, 3) == 0);
}

static void ranges_that_do_not_ascend_are_refused(void)
{
    const uint64_t keys[] = {5, 4}, high[] = {0, UINT64_C(1) << 32};
    pqx_ranges ranges = {.type = PQX_PHYSICAL_INT32, .bits = 32, .count = 1, .keys = keys};
    pqx_column_leaf leaf = optional_int32, list = list_of_int32;
    pqx_column column;
    pqx_error error;
    leaf.ranges = list.ranges = &ranges;
    CHECK(pqx_column_begin(&column, &leaf, &error) == PQX_BAD_ARGUMENT);
    ranges.keys = high;
    CHECK(pqx_column_begin(&column, &leaf, &error) == PQX_BAD_ARGUMENT);
    ranges.count = 0;
    CHECK(pqx_column_begin(&column, &list, &error) == PQX_BAD_ARGUMENT);
    ranges.type = PQX_PHYSICAL_INT64;
    CHECK(pqx_column_begin(&column, &leaf, &error) == PQX_BAD_ARGUMENT);
}

static void memory_grows_with_what_it_holds_and_shrinks(void)
{
    pqx_memory memory = {0};
    size_t used = 0;
    for (size_t size = 1000; size < (48 << 20); size *= 3) {
        CHECK(pqx_grow(&memory, used, size) && memory.capacity >= size);
        CHECK((uintptr_t)memory.data % 64 == 0);
        for (size_t i = 0; i < used; i += 997) CHECK(memory.data[i] == (uint8_t)(i / 997));
        used = size;
        for (size_t i = 0; i < used; i += 997) memory.data[i] = (uint8_t)(i / 997);
    }
    pqx_trim(&memory, 3 << 20);
    CHECK(memory.capacity < (5 << 20));
    for (size_t i = 0; i < (3 << 20); i += 997) CHECK(memory.data[i] == (uint8_t)(i / 997));
    pqx_trim(&memory, 5000);
    CHECK(memory.capacity < (1 << 20));
    for (size_t i = 0; i < 5000; i += 997) CHECK(memory.data[i] == (uint8_t)(i / 997));
    CHECK(!pqx_grow(&memory, 5000, SIZE_MAX) && memory.data);
    pqx_release(memory.data);
}

int main(void)
{
    RUN(nulls_leave_their_slot_empty);
    RUN(what_is_forgotten_is_checked);
    RUN(rows_go_on_in_the_next_page);
    RUN(a_page_does_not_begin_within_a_row);
    RUN(lists_may_all_be_empty);
    RUN(slots_are_left_out_only_in_lists);
    RUN(byte_arrays_end_a_read_where_no_more_fit);
    RUN(every_wrong_byte_is_an_error_or_a_value);
    RUN(levels_are_kept_as_bits_or_as_they_are);
    RUN(levels_that_a_few_bytes_repeat_are_not_kept);
    RUN(very_many_levels_are_not_kept);
    RUN(rows_that_are_told_have_room_at_once);
    RUN(levels_that_contradict_a_list_are_refused);
    RUN(values_are_compared_with_ranges);
    RUN(ranges_that_do_not_ascend_are_refused);
    RUN(memory_grows_with_what_it_holds_and_shrinks);
    return 0;
}
