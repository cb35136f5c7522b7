/* Tables of pages: an OffsetIndex is accepted only if its pages fill the chunk and each has rows.
 */
#include "harness.h"
#include "page/page_table.h"

enum { BEGIN = 4, END = 104, ROWS = 9, MOST_PAGES = 40 };

typedef struct page {
    int64_t offset, size, first_row;
} page;

static size_t put_field(uint8_t *to, int type, int64_t value)
{
    *to = (uint8_t)(1 << 4 | type);
    return 1 + pqx_varint_put(to + 1, (uint64_t)value << 1 ^ (uint64_t)(value >> 63));
}

/* Write an OffsetIndex of at most 14 pages. */
static size_t write_index(uint8_t *to, const page *pages, size_t count)
{
    size_t at = 0;
    to[at++] = 1 << 4 | PQX_TYPE_LIST;
    to[at++] = (uint8_t)(count << 4 | PQX_TYPE_STRUCT);
    for (size_t i = 0; i < count; i++) {
        at += put_field(to + at, PQX_TYPE_I64, pages[i].offset);
        at += put_field(to + at, PQX_TYPE_I32, pages[i].size);
        at += put_field(to + at, PQX_TYPE_I64, pages[i].first_row);
        to[at++] = 0;
    }
    to[at++] = 0;
    return at;
}

static int parse(pqx_page_table *table, const page *pages, size_t count, pqx_error *error)
{
    uint8_t index[MOST_PAGES * 32];
    *table = (pqx_page_table){.begin = BEGIN, .end = END, .rows = ROWS};
    return pqx_page_table_parse(table, index, write_index(index, pages, count), error);
}

static void pages_that_fill_the_chunk_are_found_by_their_rows(void)
{
    const page pages[] = {{14, 30, 0}, {44, 50, 2}, {94, 10, 8}};
    const size_t page_of_row[ROWS] = {0, 0, 1, 1, 1, 1, 1, 1, 2};
    pqx_page_table table;
    pqx_error error;
    CHECK(parse(&table, pages, 3, &error) == PQX_OK && table.count == 3);
    for (uint64_t row = 0; row < ROWS; row++)
        CHECK(pqx_page_table_find(&table, row) == page_of_row[row]);
    CHECK(pqx_page_table_end_of(&table, 0) == 2 && pqx_page_table_end_of(&table, 2) == ROWS);
    pqx_page_table_free(&table);
}

static void pages_that_do_not_follow_each_other_are_refused(void)
{
    const page wrong[][2] = {
        {{14, 30, 0}, {45, 59, 2}},               /* a gap */
        {{14, 30, 0}, {43, 61, 2}},               /* an overlap */
        {{14, 30, 0}, {44, 59, 2}},               /* ends before the chunk's end */
        {{14, 30, 0}, {44, 61, 2}},               /* ends after it */
        {{14, 30, 1}, {44, 60, 2}},               /* does not begin with the first row */
        {{14, 30, 0}, {44, 60, 0}},               /* a page without rows */
        {{14, 30, 0}, {44, 60, ROWS}},            /* begins after the last row */
        {{14, 30, 0}, {44, 60, -1}},              /* a negative row */
        {{3, 41, 0}, {44, 60, 2}},                /* begins before the chunk */
        {{14, 0, 0}, {14, 90, 2}},                /* a page without bytes */
        {{14, -30, 0}, {-16, 120, 2}},            /* a negative size */
        {{INT64_MIN, 30, 0}, {INT64_MAX, 60, 2}}, /* differences that overflow */
    };
    pqx_page_table table;
    pqx_error error;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK(parse(&table, wrong[i], 2, &error) == PQX_PAGE_INDEX);
        pqx_page_table_free(&table);
    }
    CHECK(parse(&table, NULL, 0, &error) == PQX_PAGE_INDEX && error.found == 0);
    pqx_page_table_free(&table);
}

static void an_index_that_ends_early_is_refused(void)
{
    const page pages[] = {{14, 30, 0}, {44, 50, 2}, {94, 10, 8}};
    uint8_t index[MOST_PAGES * 32];
    size_t size = write_index(index, pages, 3);
    pqx_error error;
    for (size_t some = 0; some < size; some++) {
        pqx_page_table table = {.begin = BEGIN, .end = END, .rows = ROWS};
        CHECK(pqx_page_table_parse(&table, index, some, &error) != PQX_OK);
        pqx_page_table_free(&table);
    }
}

int main(void)
{
    RUN(pages_that_fill_the_chunk_are_found_by_their_rows);
    RUN(pages_that_do_not_follow_each_other_are_refused);
    RUN(an_index_that_ends_early_is_refused);
    return 0;
}
