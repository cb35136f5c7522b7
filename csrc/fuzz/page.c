/* Read page headers and the parts of bodies from any bytes: every range is inside, a walk agrees
 * with the headers read one by one, and a walk in windows finds the pages of a walk at once. */
#include "input.h"

enum { MOST = 64 };

static void check(const pqx_page *page, size_t size)
{
    CLAIM(page->offset <= size && page->header_size <= size - page->offset && page->header_size);
    CLAIM(page->compressed_size >= 0 && page->uncompressed_size >= 0);
    const pqx_range ranges[] = {page->statistics, page->min_value, page->max_value, page->min,
                                page->max};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        CLAIM((uint64_t)ranges[i].offset + ranges[i].length <= page->header_size);
    if (page->type == PQX_PAGE_DATA_PAGE_V2)
        CLAIM((int64_t)page->definition_size + page->repetition_size <= page->compressed_size);
}

static size_t walk(const uint8_t *data, size_t size, uint64_t end, pqx_page *pages, uint64_t *next,
                   pqx_error *error)
{
    size_t count;
    int status =
        pqx_page_walk(&(pqx_page_span){data, size, 0, end}, pages, MOST, &count, next, error);
    CLAIM(count <= MOST && status == error->code && *next <= end);
    for (size_t i = 0; i < count; i++) {
        pqx_page alone;
        CLAIM(pqx_page_header(data, size, (size_t)pages[i].offset, &alone, NULL) == PQX_OK);
        CLAIM(!memcmp(&alone, pages + i, sizeof alone));
        check(pages + i, size);
    }
    return count;
}

static void walk_windows(const uint8_t *data, size_t size, size_t window, const pqx_page *pages,
                         size_t expected)
{
    size_t seen = 0;
    for (uint64_t at = 0; at < size && seen < expected;) {
        pqx_page found[MOST];
        size_t count, length = size - (size_t)at < window ? size - (size_t)at : window;
        uint64_t next;
        uint8_t *part = exact(data + at, length);
        CLAIM(pqx_page_walk(&(pqx_page_span){part, length, 0, size - at}, found, MOST, &count,
                            &next, NULL)
                  == PQX_OK
              || length == size - at || count + seen >= expected);
        free(part);
        for (size_t i = 0; i < count && seen < expected; i++, seen++)
            CLAIM(found[i].offset + at == pages[seen].offset
                  && found[i].header_size == pages[seen].header_size);
        if (!count) window *= 2;
        at += next;
    }
    CLAIM(seen == expected);
}

static void divide(const uint8_t *data, size_t size, const pqx_page *page, uint32_t definition,
                   uint32_t repetition)
{
    pqx_page_parts parts;
    pqx_error error;
    if (pqx_page_levels(page, data, size, definition, repetition, &parts, &error) != PQX_OK) {
        CLAIM(error.offset <= size);
        return;
    }
    CLAIM(parts.repetition <= parts.repetition_end && parts.definition <= parts.definition_end);
    CLAIM(parts.repetition_end <= parts.definition_end || !parts.definition_end);
    CLAIM(parts.definition_end <= parts.values && parts.values <= size);
    uint64_t rows, values, entries = page->num_values > 0 ? (uint64_t)page->num_values : 0;
    if (pqx_page_counts(page, data, size, definition, repetition, &rows, &values, &error) == PQX_OK)
        CLAIM(rows <= entries && values <= entries);
    else CLAIM(error.offset <= size);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size), next;
    uint8_t *data = exact(input, size);
    pqx_page pages[MOST];
    pqx_error error = {0};
    size_t count = walk(data, size, size, pages, &next, &error);
    walk_windows(data, size, 1 + (size_t)(steering & 0xff), pages, count);
    for (size_t i = 0; i < count; i++) {
        size_t body = (size_t)pages[i].offset + pages[i].header_size;
        divide(data + body, (size_t)pages[i].compressed_size, pages + i, steering >> 8 & 0xff,
               steering >> 16 & 0xff);
    }
    if (pqx_lz4_size(data, size, &next, &error) == PQX_OK) CLAIM(next <= 255 * (uint64_t)size);
    else CLAIM(error.offset <= size);
    error = (pqx_error){0};
    walk(data, size, size + (steering >> 24), pages, &next, &error);
    free(data);
    return 0;
}
