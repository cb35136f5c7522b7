/* Fill the table of a chunk's pages from its OffsetIndex, or from the headers of its pages. */
#include "page/page_table.h"

#include "base/pages.h"
#include "base/wire.h"
#include "page/window.h"

enum {
    FEW_PAGES = 16,
    USUAL_BYTES = 8,       /* fewer than a location takes */
    HEADER_BYTES = 256,    /* enough for most page headers */
    MOST_HEADER = 1 << 20, /* a larger one has bounds of that size */
    MAGIC_BYTES = 4,
    MOST_PAGES = INT32_MAX / (int)sizeof(pqx_page_location)
};

void pqx_page_table_free(pqx_page_table *table)
{
    pqx_release(table->pages);
    table->pages = NULL;
    table->count = 0;
}

static int refuse(uint64_t page, pqx_error *error)
{ return pqx_fail(error, PQX_PAGE_INDEX, 0, 0, page); }

/* Return 1 if the page begins in the chunk, where the page before it ends, and at a later row. */
static int follows(const pqx_page_table *table, size_t number)
{
    const pqx_page_location *page = &table->pages[number], *before = page - 1;
    if (page->size <= 0 || page->offset < 0 || page->first_row < 0) return 0;
    if ((uint64_t)page->offset >= table->end || (uint64_t)page->first_row >= table->rows) return 0;
    if (!number) return (uint64_t)page->offset >= table->begin && !page->first_row;
    return page->offset - before->offset == before->size && page->first_row > before->first_row;
}

/* Return 1 if each page follows the page before it and the last one ends with the chunk; sound
 * pages are checked without a branch for each. */
static int is_sound(const pqx_page_table *table)
{
    const pqx_page_location *pages = table->pages, *last = &pages[table->count - 1];
    uint64_t wrong = !follows(table, 0) || !follows(table, table->count - 1);
    for (size_t i = 1; i < table->count; i++) {
        uint64_t gap = (uint64_t)pages[i].offset - (uint64_t)pages[i - 1].offset;
        wrong |= (gap ^ (uint64_t)pages[i - 1].size) | (uint64_t)(pages[i].size <= 0)
                 | (uint64_t)(pages[i].first_row <= pages[i - 1].first_row);
    }
    return !wrong && table->end - (uint64_t)last->offset == (uint64_t)last->size;
}

static int check(const pqx_page_table *table, pqx_error *error)
{
    if (!table->count) return refuse(0, error);
    if (is_sound(table)) return PQX_OK;
    for (size_t i = 0; i < table->count; i++)
        if (!follows(table, i)) return refuse(i, error);
    return refuse(table->count - 1, error);
}

int pqx_page_table_parse(pqx_page_table *table, const uint8_t *index, size_t size, pqx_error *error)
{
    size_t room = size / USUAL_BYTES + 1, count;
    pqx_page_table_free(table);
    for (;; room = count) {
        table->pages = (pqx_page_location *)pqx_reserve(room * sizeof *table->pages);
        if (!table->pages) return pqx_fail(error, PQX_NO_MEMORY, 0, room, 0);
        PQX_TRY(pqx_page_locations(index, size, table->pages, room, &count, error));
        if (count <= room) break;
        pqx_page_table_free(table);
    }
    table->count = count;
    return check(table, error);
}

/* Return 1 if a file has so many bytes at an offset. */
static int is_within(const pqx_source *source, uint64_t offset, int64_t bytes)
{ return offset <= source->size && (uint64_t)bytes <= source->size - offset; }

int pqx_page_table_load(pqx_page_table *table, const pqx_source *source, const pqx_chunk *chunk,
                        const pqx_places *places, uint64_t rows)
{
    int64_t begin = pqx_chunk_begin(chunk->data_page_offset, chunk->dictionary_page_offset);
    int64_t bytes = chunk->total_compressed_size, length = places->offset_index_length;
    uint64_t offset = (uint64_t)places->offset_index_offset;
    if (!rows || chunk->present & (PQX_PRESENT_CRYPTO | PQX_PRESENT_FILE_PATH)) return 0;
    if (begin < MAGIC_BYTES || bytes <= 0 || !is_within(source, (uint64_t)begin, bytes)) return 0;
    if (!offset || length <= 0 || length > PQX_PAGE_INDEX_MOST_BYTES
        || !is_within(source, offset, length))
        return 0;
    table->begin = (uint64_t)begin;
    table->end = (uint64_t)begin + (uint64_t)bytes;
    table->rows = rows;
    pqx_error error;
    uint8_t *index = (uint8_t *)pqx_reserve((size_t)length);
    int is_read = index && !source->read(source->context, offset, (size_t)length, index)
                  && !pqx_page_table_parse(table, index, (size_t)length, &error);
    pqx_release(index);
    return is_read;
}

/* Append a page to the table. */
static int append(pqx_page_table *table, const pqx_page_location *page, pqx_error *error)
{
    size_t count = table->count;
    if (count >= FEW_PAGES ? !(count & (count - 1)) : !count) {
        size_t room = count < FEW_PAGES ? FEW_PAGES : count * 2;
        pqx_memory memory = {(uint8_t *)table->pages, count * sizeof *page};
        if (room > MOST_PAGES || !pqx_grow(&memory, memory.capacity, room * sizeof *page))
            return pqx_fail(error, PQX_NO_MEMORY, 0, room, 0);
        table->pages = (pqx_page_location *)memory.data;
    }
    table->pages[table->count++] = *page;
    return PQX_OK;
}

/* Load and parse the header at `at`. */
static int load_header(pqx_window *window, uint64_t at, pqx_page *header, pqx_error *error)
{
    uint64_t left = window->end - at;
    for (uint64_t wanted = HEADER_BYTES;; wanted *= 8) {
        if (wanted > left) wanted = left;
        if (!pqx_window_load(window, at, wanted))
            return pqx_fail(error, PQX_NO_MEMORY, at, wanted, 0);
        int status = pqx_page_header(pqx_window_at(window, at), pqx_window_held(window, at), 0,
                                     header, error);
        if (!status || wanted == left || wanted >= MOST_HEADER) return status;
    }
}

static int walk(pqx_page_table *table, pqx_window *window, pqx_error *error)
{
    uint64_t at = table->begin, row = 0;
    while (at < table->end) {
        pqx_page header;
        PQX_TRY(load_header(window, at, &header, error));
        uint64_t body = at + header.header_size, size = (uint64_t)header.compressed_size;
        if (header.compressed_size < 0 || size > table->end - body || size > INT32_MAX / 2)
            return refuse(table->count, error);
        if (header.type == PQX_PAGE_DATA_PAGE || header.type == PQX_PAGE_DATA_PAGE_V2) {
            int32_t rows = header.num_values;
            if (rows <= 0 || (uint64_t)rows > table->rows - row) return refuse(table->count, error);
            pqx_page_location page = {.offset = (int64_t)at,
                                      .first_row = (int64_t)row,
                                      .size = (int32_t)(size + header.header_size)};
            PQX_TRY(append(table, &page, error));
            row += (uint64_t)rows;
        } else if (table->count || header.type != PQX_PAGE_DICTIONARY_PAGE) {
            return refuse(table->count, error);
        }
        at = body + size;
    }
    return row == table->rows ? check(table, error) : refuse(table->count, error);
}

int pqx_page_table_walk(pqx_page_table *table, const pqx_source *source, pqx_error *error)
{
    pqx_window window = {.source = source, .end = table->end, .step = HEADER_BYTES};
    pqx_page_table_free(table);
    int status = walk(table, &window, error);
    pqx_release(window.memory.data);
    return status;
}

size_t pqx_page_table_find(const pqx_page_table *table, uint64_t row)
{
    size_t low = 0, high = table->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if ((uint64_t)table->pages[middle].first_row <= row) low = middle;
        else high = middle;
    }
    return low;
}
