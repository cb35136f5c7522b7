/* Find the parts of a page's body, and count the rows and values in its levels. */
#include "encoding/runs.h"

enum { LENGTH_BYTES = 4, MOST_LEVEL = UINT16_MAX };

/* The rest of the body, from `at` on. */
typedef struct body {
    const uint8_t *data;
    size_t size, at;
    pqx_error *error;
} body;

static uint64_t bits_of(uint32_t most)
{
    uint64_t bits = 0;
    for (; most; most >>= 1) bits++;
    return bits;
}

/* Take the next `length` bytes. */
static int take(body *b, uint64_t length, size_t *start, size_t *end)
{
    if (length > b->size - b->at)
        return pqx_fail(b->error, PQX_PAGE_LEVELS, b->at, b->size - b->at, length);
    *start = b->at;
    *end = b->at += (size_t)length;
    return PQX_OK;
}

/* Take levels of V1: RLE after its length, or BIT_PACKED, whose length follows from the count. */
static int take_levels(body *b, int encoding, uint32_t most, uint64_t count, size_t *start,
                       size_t *end)
{
    *start = *end = b->at;
    if (!most) return PQX_OK;
    if (encoding == PQX_ENCODING_BIT_PACKED)
        return take(b, (count * bits_of(most) + 7) / 8, start, end);
    if (encoding != PQX_ENCODING_RLE)
        return pqx_fail(b->error, PQX_LEVEL_ENCODING, b->at, PQX_ENCODING_RLE, (uint32_t)encoding);
    if (b->size - b->at < LENGTH_BYTES)
        return pqx_fail(b->error, PQX_TRUNCATED, b->at, LENGTH_BYTES, b->size - b->at);
    uint32_t length = pqx_load32(b->data + b->at);
    b->at += LENGTH_BYTES;
    return take(b, length, start, end);
}

int pqx_page_levels(const pqx_page *page, const uint8_t *data, size_t size, uint32_t max_definition,
                    uint32_t max_repetition, pqx_page_parts *parts, pqx_error *error)
{
    body b = {data, size, 0, error};
    uint32_t most = max_definition > max_repetition ? max_definition : max_repetition;
    *parts = (pqx_page_parts){0};
    if (most > MOST_LEVEL) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, MOST_LEVEL, most);
    if (page->num_values <= 0 && size == 0) return PQX_OK;
    if (page->type == PQX_PAGE_DATA_PAGE_V2) {
        PQX_TRY(
            take(&b, (uint32_t)page->repetition_size, &parts->repetition, &parts->repetition_end));
        PQX_TRY(
            take(&b, (uint32_t)page->definition_size, &parts->definition, &parts->definition_end));
    } else if (page->type == PQX_PAGE_DATA_PAGE) {
        uint64_t count = (uint32_t)page->num_values;
        PQX_TRY(take_levels(&b, page->repetition_encoding, max_repetition, count,
                            &parts->repetition, &parts->repetition_end));
        PQX_TRY(take_levels(&b, page->definition_encoding, max_definition, count,
                            &parts->definition, &parts->definition_end));
    }
    parts->values = b.at;
    return PQX_OK;
}

/* Count the levels equal to `wanted` in body[at..end); without levels every entry has this one. */
static int count_part(const uint8_t *body, size_t at, size_t end, int encoding, uint32_t most,
                      uint32_t wanted, uint64_t entries, uint64_t *count, pqx_error *error)
{
    pqx_runs runs;
    *count = entries;
    if (!most || !entries) return PQX_OK;
    PQX_TRY(pqx_levels_begin(&runs, encoding, most, body, end, at, error));
    return pqx_levels_count(runs, most, wanted, entries, count, error);
}

int pqx_page_counts(const pqx_page *page, const uint8_t *body, size_t size, uint32_t max_definition,
                    uint32_t max_repetition, uint64_t *rows, uint64_t *values, pqx_error *error)
{
    pqx_page_parts parts;
    int is_v2 = page->type == PQX_PAGE_DATA_PAGE_V2;
    uint64_t entries = page->num_values > 0 ? (uint64_t)page->num_values : 0;
    PQX_TRY(pqx_page_levels(page, body, size, max_definition, max_repetition, &parts, error));
    int encoding = is_v2 ? PQX_ENCODING_RLE : page->repetition_encoding;
    PQX_TRY(count_part(body, parts.repetition, parts.repetition_end, encoding, max_repetition, 0,
                       entries, rows, error));
    encoding = is_v2 ? PQX_ENCODING_RLE : page->definition_encoding;
    return count_part(body, parts.definition, parts.definition_end, encoding, max_definition,
                      max_definition, entries, values, error);
}
