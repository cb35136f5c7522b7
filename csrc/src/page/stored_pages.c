#include "page/stored_pages.h"

enum {
    SMALL_PAGE = 64 << 10 /* a page of this size is decompressed at once, which is faster */
};

/* A position in the turns of a read: turns with an odd number are kept. */
typedef struct turns_cursor {
    const int64_t *counts;
    size_t turn, turns;
    uint64_t row;  /* of the row group */
    uint64_t done; /* rows of the turn */
} turns_cursor;

static int is_end(const turns_cursor *at) { return at->turn == at->turns; }

static uint64_t rows_left(const turns_cursor *at)
{ return (uint64_t)at->counts[at->turn] - at->done; }

/* Advance by rows of the current turn. */
static void advance(turns_cursor *at, uint64_t rows)
{
    at->row += rows;
    at->done += rows;
    if (at->done < (uint64_t)at->counts[at->turn]) return;
    at->turn++;
    at->done = 0;
}

/* Advance to the next row that is kept, or to the end. */
static void find_kept(turns_cursor *at)
{
    while (!is_end(at) && (at->turn % 2 == 0 || !rows_left(at))) advance(at, rows_left(at));
}

/* Return 1 if the turns have at most so many rows. */
static int is_within(const int64_t *counts, size_t turns, uint64_t rows)
{
    for (size_t i = 0; i < turns; i++) {
        if (counts[i] < 0 || (uint64_t)counts[i] > rows) return 0;
        rows -= (uint64_t)counts[i];
    }
    return 1;
}

/* Return the row after the last one before `end` that is kept, and advance beyond it. */
static uint64_t last_kept(turns_cursor *at, uint64_t end)
{
    uint64_t last = at->row;
    for (; !is_end(at) && at->row < end; find_kept(at)) {
        uint64_t left = rows_left(at), some = left < end - at->row ? left : end - at->row;
        advance(at, some);
        last = at->row;
    }
    return last;
}

/* Return the number of the page after those from `page` on that follow each other, contain rows
 * that are kept, and may be loaded together. */
static size_t end_of_run(const turns_cursor *from, const pqx_page_table *table, size_t page)
{
    turns_cursor at = *from;
    uint64_t begin = (uint64_t)table->pages[page].offset;
    for (;;) {
        uint64_t end = pqx_page_table_end_of(table, page++);
        last_kept(&at, end);
        if (page == table->count || is_end(&at)) return page;
        const pqx_page_location *next = &table->pages[page];
        uint64_t size = (uint64_t)next->offset + (uint64_t)next->size - begin;
        if (at.row >= pqx_page_table_end_of(table, page) || size > PQX_BYTES_AT_ONCE) return page;
    }
}

/* Supply the dictionary page, which is before the data pages. */
static int give_dictionary(pqx_column *column, pqx_file_chunk *chunk, const pqx_page_table *table)
{
    pqx_page header;
    uint64_t body;
    chunk->at = chunk->begin;
    chunk->window.end = (uint64_t)table->pages[0].offset;
    chunk->window.step = chunk->is_part ? PQX_LEAST_BYTES : PQX_BYTES_AT_ONCE;
    return pqx_file_chunk_header(chunk, &header, &body) && header.type == PQX_PAGE_DICTIONARY_PAGE
           && pqx_file_chunk_give_dictionary(column, chunk, &header, body);
}

static int has_indices(const pqx_page *header)
{
    return header->encoding == PQX_ENCODING_PLAIN_DICTIONARY
           || header->encoding == PQX_ENCODING_RLE_DICTIONARY;
}

/* Return 1 if a header is that of a data page with the size and the rows of the table. */
static int is_listed(const pqx_column *column, const pqx_page *header, const pqx_page_table *table,
                     size_t page)
{
    uint64_t rows = pqx_page_table_end_of(table, page) - (uint64_t)table->pages[page].first_row;
    uint64_t size = (uint64_t)header->header_size + (uint64_t)header->compressed_size;
    if (header->type != PQX_PAGE_DATA_PAGE && header->type != PQX_PAGE_DATA_PAGE_V2) return 0;
    if (size != (uint64_t)table->pages[page].size || header->num_values < 0) return 0;
    return column->leaf.max_repetition || (uint64_t)header->num_values == rows;
}

/* Set the window to the bytes from a page up to `end`. If only the beginning of one large page is
 * needed, the window is loaded in steps. */
static void aim(pqx_file_chunk *chunk, const pqx_page_table *table, size_t page, size_t end,
                double share)
{
    const pqx_page_location *last = &table->pages[end - 1];
    chunk->window.end = (uint64_t)last->offset + (uint64_t)last->size;
    double likely = end - page > 1 ? (double)PQX_BYTES_AT_ONCE : share * (double)last->size;
    chunk->window.step = likely < (double)PQX_LEAST_BYTES ? PQX_LEAST_BYTES : (size_t)likely;
}

/* Supply a page of which the first `wanted` rows are needed. */
static int give_page(pqx_column *column, pqx_file_chunk *chunk, const pqx_page_table *table,
                     size_t page, uint64_t wanted)
{
    pqx_page header;
    uint64_t body;
    pqx_window saved = chunk->window;
    chunk->at = (uint64_t)table->pages[page].offset;
    if (!pqx_file_chunk_header(chunk, &header, &body) || !is_listed(column, &header, table, page))
        return 0;
    if (has_indices(&header) && !column->has_dictionary
        && (uint64_t)table->pages[0].offset > chunk->begin) {
        if (!give_dictionary(column, chunk, table)) return 0;
        chunk->window.end = saved.end;
        chunk->window.step = saved.step;
    }
    int is_whole = column->leaf.max_repetition || header.uncompressed_size <= SMALL_PAGE;
    chunk->wanted = is_whole ? UINT64_MAX : wanted;
    return pqx_file_chunk_give_data(column, chunk, &header, body, 0);
}

/* Read the turns as far as a supplied page with `rows` rows reaches. */
static int read_page(pqx_column *column, turns_cursor *at, uint64_t end)
{
    while (!is_end(at) && at->row < end) {
        uint64_t left = rows_left(at), begun, some = left < end - at->row ? left : end - at->row;
        pqx_error error;
        int status = at->turn % 2 ? pqx_column_read(column, some, &begun, &error)
                                  : pqx_column_skip(column, some, &begun, &error);
        if (status || column->is_full || begun != some) return 0;
        advance(at, some);
    }
    return 1;
}

int pqx_stored_read_pages(pqx_column *column, pqx_file_chunk *chunk, const pqx_page_table *table,
                          const int64_t *counts, size_t turns)
{
    turns_cursor at = {.counts = counts, .turns = turns};
    uint64_t passed = 0; /* rows of earlier pages */
    size_t end = 0;      /* of the run of pages that are loaded together */
    pqx_error error;
    if (!is_within(counts, turns, table->rows)) return 0;
    for (find_kept(&at); !is_end(&at); find_kept(&at)) {
        size_t page = pqx_page_table_find(table, at.row);
        uint64_t first = (uint64_t)table->pages[page].first_row;
        uint64_t next = pqx_page_table_end_of(table, page);
        turns_cursor ahead = at;
        uint64_t wanted = last_kept(&ahead, next) - first;
        if (page >= end) {
            end = end_of_run(&at, table, page);
            aim(chunk, table, page, end, (double)wanted / (double)(next - first));
        }
        if (pqx_column_jump(column, first - passed, &error)) return 0;
        passed = next;
        if (!give_page(column, chunk, table, page, wanted)) return 0;
        uint64_t begun, before = at.row - first;
        if (before && (pqx_column_skip(column, before, &begun, &error) || begun != before))
            return 0;
        if (!read_page(column, &at, next) || column->page.rows != next - first) return 0;
    }
    return 1;
}
