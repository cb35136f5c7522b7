/* Open a page of a column: check and count its levels, then allow values to be taken. */
#include "encoding/runs.h"
#include "page/column.h"
#include "page/spread.h"

enum {
    SOME_LEVELS = 1024, /* that are processed together */
    MOST_KEPT = 1 << 23 /* bytes of levels */
};

/* Choose which definition levels to keep, so that they are unpacked once: none if that would take
 * much more memory than the page, or very much. */
static enum pqx_keeps what_to_keep(const pqx_column *column, uint64_t *size)
{
    const pqx_open_page *page = &column->page;
    const pqx_column_leaf *leaf = &column->leaf;
    int is_bits = !leaf->keeps_definition;
    *size =
        is_bits ? page->entries / 8 + 9 : page->entries * 2; /* 8 bytes after the bits are read */
    if (*size > pqx_column_most(page->given.levels_size + page->given.values_size)
        || *size > MOST_KEPT)
        return PQX_KEEPS_NOTHING;
    return is_bits ? PQX_KEEPS_BITS : PQX_KEEPS_LEVELS;
}

/* Take all levels of the open page, and keep them as bits. */
static int keep_bits(pqx_column *column, pqx_runs *runs, pqx_error *error)
{
    pqx_open_page *page = &column->page;
    uint16_t levels[SOME_LEVELS], highest = column->leaf.max_definition;
    size_t entries = (size_t)page->entries, ones;
    if (highest == 1) {
        PQX_TRY(pqx_levels_take_bits(runs, entries, column->levels.data, 0, &ones, error));
        page->count = ones;
        return PQX_OK;
    }
    page->count = 0;
    for (size_t at = 0, some; at < entries; at += some) {
        some = entries - at < SOME_LEVELS ? entries - at : SOME_LEVELS;
        PQX_TRY(pqx_levels_take(runs, highest, some, levels, error));
        pqx_slots_of_levels(levels, some, 0, highest, column->levels.data, at, &ones);
        page->count += ones;
    }
    return PQX_OK;
}

/* Check the open page's definition levels, count its values, and keep the levels that reading will
 * need. */
static int check_definition(pqx_column *column, pqx_error *error)
{
    pqx_open_page *page = &column->page;
    uint16_t highest = column->leaf.max_definition, level;
    uint64_t length, size;
    pqx_runs runs = page->definition;
    PQX_TRY(pqx_levels_run(&runs, highest, page->entries, &level, &length, error));
    enum pqx_keeps keeps = length < page->entries ? what_to_keep(column, &size) : PQX_KEEPS_NOTHING;
    if (!keeps)
        return pqx_levels_count(page->definition, highest, highest, page->entries, &page->count,
                                error);
    PQX_TRY(pqx_column_room(&column->levels, 0, (size_t)size, 0, error));
    runs = page->definition;
    if (keeps == PQX_KEEPS_BITS) {
        PQX_TRY(keep_bits(column, &runs, error));
    } else {
        uint16_t *levels = (uint16_t *)column->levels.data;
        PQX_TRY(pqx_levels_take(&runs, highest, (size_t)page->entries, levels, error));
        page->count = 0;
        for (size_t i = 0; i < page->entries; i++) page->count += levels[i] == highest;
    }
    page->keeps = keeps;
    return PQX_OK;
}

/* Compare the levels of the open page with each other, and count the elements of each list. An
 * entry that continues a list is an element of it, and so is the previous entry. */
static int check_lists(pqx_column *column, pqx_error *error)
{
    const pqx_column_leaf *leaf = &column->leaf;
    pqx_runs repetition = column->page.repetition, definition = column->page.definition;
    uint16_t repeats = 0, defined = 0, before = column->last_definition;
    uint64_t repeated = 0, alike = 0, some;
    for (uint64_t left = column->page.entries; left; left -= some) {
        if (!repeated)
            PQX_TRY(pqx_levels_run(&repetition, leaf->max_repetition, left, &repeats, &repeated,
                                   error));
        if (!alike)
            PQX_TRY(
                pqx_levels_run(&definition, leaf->max_definition, left, &defined, &alike, error));
        some = repeated < alike ? repeated : alike;
        uint16_t least = defined < before ? defined : before;
        if (repeats && least < leaf->list_levels[repeats - 1])
            return pqx_fail(error, PQX_LEVELS_CONTRADICT, 0, leaf->list_levels[repeats - 1], least);
        for (size_t list = repeats ? repeats - 1 : 0; list < leaf->max_repetition; list++) {
            if (leaf->list_levels[list] > defined) break;
            leaf->list_items[list] += some;
        }
        before = defined;
        repeated -= some;
        alike -= some;
    }
    column->last_definition = before;
    return PQX_OK;
}

/* Find the levels of the open page and count its rows and values. */
static int open_levels(pqx_column *column, uint16_t *first, pqx_error *error)
{
    pqx_open_page *page = &column->page;
    const pqx_column_leaf *leaf = &column->leaf;
    const pqx_page *header = &page->given.header;
    const uint8_t *body = page->given.levels ? page->given.levels : page->given.values;
    size_t size = page->given.levels ? page->given.levels_size : page->given.values_size;
    int is_v2 = header->type == PQX_PAGE_DATA_PAGE_V2;
    pqx_page_parts parts;
    PQX_TRY(pqx_page_levels(header, body, size, leaf->max_definition, leaf->max_repetition, &parts,
                            error));
    if (!page->given.levels) page->values_start = parts.values;
    if (leaf->max_repetition) {
        int encoding = is_v2 ? PQX_ENCODING_RLE : header->repetition_encoding;
        PQX_TRY(pqx_levels_begin(&page->repetition, encoding, leaf->max_repetition, body,
                                 parts.repetition_end, parts.repetition, error));
        page->repetition.is_strict = leaf->is_strict;
        PQX_TRY(pqx_levels_count(page->repetition, leaf->max_repetition, 0, page->entries,
                                 &page->rows, error));
        uint64_t length;
        pqx_runs runs = page->repetition;
        PQX_TRY(pqx_levels_run(&runs, leaf->max_repetition, 1, first, &length, error));
    }
    if (leaf->max_definition) {
        int encoding = is_v2 ? PQX_ENCODING_RLE : header->definition_encoding;
        PQX_TRY(pqx_levels_begin(&page->definition, encoding, leaf->max_definition, body,
                                 parts.definition_end, parts.definition, error));
        page->definition.is_strict = leaf->is_strict;
        PQX_TRY(check_definition(column, error));
    }
    return PQX_OK;
}

int pqx_column_fail(pqx_column *column, enum pqx_column_part part, int status, pqx_error *error)
{
    column->failed_page = column->page.number;
    column->failed_part = part;
    if (error) error->offset += column->page.given.base;
    return status;
}

/* Subtract the page's entries from the remaining ones of the column chunk. */
static int count_entries(pqx_column *column, pqx_error *error)
{
    int32_t entries = column->page.given.header.num_values;
    if (entries < 0 || (uint64_t)entries > column->entries_left)
        return pqx_fail(error, PQX_CHUNK_ENTRIES, 0,
                        column->entries_left == UINT64_MAX ? 0 : column->entries_left,
                        (uint64_t)(int64_t)entries);
    if (column->entries_left != UINT64_MAX) column->entries_left -= (uint64_t)entries;
    return PQX_OK;
}

/* Subtract the page's rows from the remaining ones of the row group. Excess rows are not read. */
static int count_rows(pqx_column *column, uint64_t rows, pqx_error *error)
{
    if (column->rows_left == UINT64_MAX) return PQX_OK;
    if (rows > column->rows_left && column->leaf.is_strict)
        return pqx_fail(error, PQX_CHUNK_ROWS, 0, column->rows_left, rows);
    column->rows_left -= rows < column->rows_left ? rows : column->rows_left;
    return PQX_OK;
}

/* Replace the used-up page with the next supplied one. */
static void next_page(pqx_column *column)
{
    const pqx_column_page *given =
        (const pqx_column_page *)column->waiting.data + column->next_page;
    uint64_t entries = given->header.num_values > 0 ? (uint64_t)given->header.num_values : 0;
    column->entries_waiting -= entries;
    column->bytes_waiting -= given->values_size;
    column->page =
        (pqx_open_page){.given = *given,
                        .number = column->given - (column->page_count - column->next_page),
                        .entries = entries,
                        .rows = entries,
                        .count = entries};
    if (++column->next_page == column->page_count) column->next_page = column->page_count = 0;
}

/* If no entry has an index, check only the indices' width. */
static int check_unused(const pqx_open_page *page, pqx_error *error)
{
    int encoding = page->given.header.encoding;
    size_t at = page->values_start;
    if (page->count || at >= page->given.values_size) return PQX_OK;
    if (encoding != PQX_ENCODING_PLAIN_DICTIONARY && encoding != PQX_ENCODING_RLE_DICTIONARY)
        return PQX_OK;
    pqx_runs runs;
    return pqx_indices_begin(&runs, page->given.values, page->given.values_size, at, error);
}

int pqx_column_open_page(pqx_column *column, uint64_t rows, uint64_t *passed, pqx_error *error)
{
    pqx_open_page *page = &column->page;
    uint16_t first = 0;
    int status;
    next_page(column);
    *passed = 0;
    if ((status = count_entries(column, error)))
        return pqx_column_fail(column, PQX_PART_PAGE, status, error);
    if (!column->leaf.max_repetition && page->entries <= rows) {
        page->at = *passed = page->entries;
    } else {
        if (page->entries && (status = open_levels(column, &first, error)))
            return pqx_column_fail(column, PQX_PART_LEVELS, status, error);
        if (first && !column->goes_on) {
            status = pqx_fail(error, PQX_ROW_START, 0, 0, first);
            return pqx_column_fail(column, PQX_PART_PAGE, status, error);
        }
    }
    if (column->leaf.is_strict && (status = check_unused(page, error)))
        return pqx_column_fail(column, PQX_PART_VALUES, status, error);
    if ((status = count_rows(column, page->rows, error)))
        return pqx_column_fail(column, PQX_PART_PAGE, status, error);
    if (page->at < page->entries && column->leaf.list_levels && column->leaf.max_repetition
        && (status = check_lists(column, error)))
        return pqx_column_fail(column, PQX_PART_PAGE, status, error);
    return PQX_OK;
}

int pqx_column_begin_values(pqx_column *column, pqx_error *error)
{
    pqx_open_page *page = &column->page;
    const pqx_column_leaf *leaf = &column->leaf;
    if (!page->has_begun) {
        PQX_TRY(pqx_values_begin(&page->values, page->given.header.encoding, leaf->type,
                                 leaf->type_length, page->given.values, page->given.values_size,
                                 page->values_start, page->count,
                                 column->has_dictionary ? &column->dictionary : NULL, error));
        page->values.previous = &column->previous;
        page->values.runs.is_strict = leaf->is_strict;
        page->values.deltas.is_strict = page->values.suffixes.is_strict = leaf->is_strict;
        page->has_begun = 1;
    }
    size_t skipped = (size_t)page->skipped;
    page->skipped = 0;
    return skipped ? pqx_values_skip(&page->values, skipped, error) : PQX_OK;
}

/* Decode the byte arrays of a dictionary. */
static int decode_dictionary(pqx_column *column, pqx_values *values, pqx_error *error)
{
    enum { LENGTH = 4, SPARE = 32 };
    pqx_memory *bytes = &column->dictionary_bytes, *offsets = &column->dictionary_offsets;
    /* Each value has a length prefix; the value after the maximum number of values fails. */
    size_t most = values->size / LENGTH + 1, taken, needed;
    size_t count = values->left < most ? (size_t)values->left : most;
    PQX_TRY(pqx_column_room(bytes, 0, values->size + SPARE, 0, error));
    PQX_TRY(pqx_column_room(offsets, 0, (count + 1) * 4, 0, error));
    int32_t *ends = (int32_t *)offsets->data;
    ends[0] = 0;
    PQX_TRY(pqx_values_take_binary(values, count, ends, bytes->data, bytes->capacity, &taken,
                                   &needed, error));
    column->dictionary.bytes = bytes->data;
    column->dictionary.readable = bytes->capacity;
    column->dictionary.offsets = (const uint32_t *)offsets->data;
    /* The only check needed is that indices are in range: no text is copied. */
    if (column->leaf.forgets) memset(ends, 0, (count + 1) * sizeof *ends);
    return PQX_OK;
}

static int set_dictionary(pqx_column *column, const uint8_t *data, size_t size, uint64_t count,
                          pqx_error *error)
{
    const pqx_column_leaf *leaf = &column->leaf;
    pqx_values values;
    if (column->has_dictionary) return pqx_fail(error, PQX_SECOND_DICTIONARY, 0, 0, 0);
    if (count > INT32_MAX) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, INT32_MAX, count);
    PQX_TRY(pqx_values_begin(&values, PQX_ENCODING_PLAIN, leaf->type, leaf->type_length, data, size,
                             0, count, NULL, error));
    column->dictionary =
        (pqx_dictionary){.fixed = data, .count = (uint32_t)count, .width = column->width};
    if (leaf->type == PQX_PHYSICAL_BYTE_ARRAY) PQX_TRY(decode_dictionary(column, &values, error));
    else PQX_TRY(pqx_values_skip(&values, (size_t)count, error));
    column->has_dictionary = 1;
    return PQX_OK;
}

int pqx_column_set_dictionary(pqx_column *column, const uint8_t *data, size_t size, uint64_t count,
                              uint64_t base, pqx_error *error)
{
    int status = set_dictionary(column, data, size, count, error);
    if (!status) return PQX_OK;
    column->failed_page = column->given;
    column->failed_part = PQX_PART_DICTIONARY;
    if (error) error->offset += base;
    return status;
}
