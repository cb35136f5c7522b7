/* Read rows: determine the extent of each step in a page. */
#include "page/column.h"

enum {
    MOST_ENTRIES = 1 << 16, /* in one step */
    MOST_BYTES = 1 << 20    /* of one step's values, unless a single value is larger */
};

static int check_ranges(const pqx_column_leaf *leaf, pqx_error *error)
{
    if (leaf->max_repetition) return pqx_fail(error, PQX_BAD_ARGUMENT, 0, 0, leaf->max_repetition);
    if (leaf->ranges->type != leaf->type)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, (uint64_t)leaf->type,
                        (uint64_t)leaf->ranges->type);
    return pqx_ranges_check(leaf->ranges, error);
}

static int check_leaf(const pqx_column_leaf *leaf, pqx_error *error)
{
    if (leaf->type < 0 || leaf->type > PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY,
                        (uint64_t)leaf->type);
    if (leaf->type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY && leaf->type_length <= 0)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, INT32_MAX, (uint64_t)leaf->type_length);
    if (leaf->max_repetition > leaf->max_definition)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, leaf->max_definition, leaf->max_repetition);
    uint16_t most = leaf->max_repetition ? leaf->max_definition : 0;
    if (leaf->repeated_definition > most)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, most, leaf->repeated_definition);
    if (leaf->most_bytes > INT32_MAX)
        return pqx_fail(error, PQX_BAD_ARGUMENT, 0, INT32_MAX, leaf->most_bytes);
    return leaf->ranges ? check_ranges(leaf, error) : PQX_OK;
}

int pqx_column_begin(pqx_column *column, const pqx_column_leaf *leaf, pqx_error *error)
{
    *column = (pqx_column){.leaf = *leaf, .entries_left = UINT64_MAX, .rows_left = UINT64_MAX};
    PQX_TRY(check_leaf(leaf, error));
    column->width = pqx_fixed_width(leaf->type, leaf->type_length);
    column->leaf.keeps_definition |= leaf->max_repetition > 0;
    if (!leaf->max_definition) column->leaf.keeps_definition = 0;
    if (leaf->forgets) column->leaf.most_bytes = INT32_MAX;
    return PQX_OK;
}

void pqx_column_begin_chunk(pqx_column *column, uint64_t entries, uint64_t rows)
{
    column->entries_left = entries;
    column->rows_left = rows;
    column->goes_on = PQX_NOTHING_GOES_ON;
    column->last_definition = UINT16_MAX;
    column->has_dictionary = column->has_flags = 0;
    column->page_count = column->next_page = 0;
    column->given = column->entries_waiting = column->bytes_waiting = 0;
    column->page = (pqx_open_page){0};
}

int pqx_column_give(pqx_column *column, const pqx_column_page *page, pqx_error *error)
{
    const pqx_page *header = &page->header;
    if (header->type != PQX_PAGE_DATA_PAGE && header->type != PQX_PAGE_DATA_PAGE_V2)
        return pqx_fail(error, PQX_PAGE_TYPE, page->base, PQX_PAGE_DATA_PAGE_V2,
                        (uint64_t)header->type);
    size_t used = column->page_count * sizeof *page;
    PQX_TRY(pqx_column_room(&column->waiting, used, used + sizeof *page, used, error));
    memcpy(column->waiting.data + used, page, sizeof *page);
    column->page_count++;
    column->given++;
    if (header->num_values > 0) column->entries_waiting += (uint64_t)header->num_values;
    column->bytes_waiting += page->values_size;
    return PQX_OK;
}

/* Return the entry that begins the row after the current row's rest and `rows` more, or `count`;
 * *begun is the number of rows that begin before it. */
static size_t end_of_rows(const uint16_t *levels, size_t count, uint64_t rows, uint64_t *begun)
{
    size_t starts = 0;
    for (size_t i = 0; i < count; i++) starts += levels[i] == 0;
    *begun = starts;
    if (starts <= rows) return count;
    *begun = rows;
    size_t end = count;
    for (uint64_t behind = starts - rows; behind; behind -= levels[end] == 0) end--;
    return end;
}

/* Decode levels from `saved` on again, up to another end. */
static int retake_repetition(pqx_column *column, pqx_runs saved, size_t count, uint16_t *levels,
                             pqx_error *error)
{
    column->page.repetition = saved;
    return pqx_levels_take(&column->page.repetition, column->leaf.max_repetition, count, levels,
                           error);
}

/* Decode the repetition levels of the next *count entries, up to the end of the rows; *ends is set
 * if they end. */
static int take_repetition(pqx_column *column, uint64_t rows, size_t *count, uint16_t *levels,
                           uint64_t *begun, int *ends, pqx_error *error)
{
    pqx_runs saved = column->page.repetition;
    PQX_TRY(pqx_levels_take(&column->page.repetition, column->leaf.max_repetition, *count, levels,
                            error));
    size_t end = end_of_rows(levels, *count, rows, begun);
    *ends = end < *count;
    *count = end;
    return *ends ? retake_repetition(column, saved, end, levels, error) : PQX_OK;
}

/* Make room for the repetition levels of a step: after those of the output, or nowhere. */
static int room_for_repetition(pqx_column *column, size_t count, int keeps, uint16_t **levels,
                               pqx_error *error)
{
    pqx_memory *memory = keeps ? &column->output.repetition : &column->scratch;
    size_t used = keeps ? (size_t)column->output.entries * 2 : 0;
    size_t more = keeps ? pqx_column_expected(column, 2) : 0;
    PQX_TRY(pqx_column_room(memory, used, used + count * 2, more, error));
    *levels = (uint16_t *)(memory->data + used);
    return PQX_OK;
}

/* Return the state of the next entry after a step to the page's entry `at`. */
static uint8_t what_goes_on(const pqx_column *column, int keeps)
{
    const pqx_open_page *page = &column->page;
    int may = page->at < page->entries || column->entries_left != 0;
    return !may ? PQX_NOTHING_GOES_ON : keeps ? PQX_READ_GOES_ON : PQX_SKIPPED_GOES_ON;
}

/* Mark the output as full before the open page's next entry. */
static int fill_up(pqx_column *column, pqx_error *error)
{
    uint16_t level = 0;
    uint64_t length;
    pqx_runs runs = column->page.repetition;
    if (column->leaf.max_repetition)
        PQX_TRY(pqx_levels_run(&runs, column->leaf.max_repetition, 1, &level, &length, error));
    column->is_full = 1;
    column->goes_on = level ? PQX_READ_GOES_ON : PQX_NOTHING_GOES_ON;
    if (column->output.rows > (level != 0)) return PQX_OK;
    int status = pqx_fail(error, PQX_ROW_TOO_LARGE, 0, column->leaf.most_bytes, 0);
    return pqx_column_fail(column, PQX_PART_VALUES, status, error);
}

/* Return the number of entries of the open page that are decoded together. */
static size_t entries_of_a_step(const pqx_column *column)
{
    uint64_t left = column->page.entries - column->page.at, most = MOST_ENTRIES;
    if (column->width > MOST_BYTES / MOST_ENTRIES) most = MOST_BYTES / column->width;
    if (!most) most = 1;
    return (size_t)(left < most ? left : most);
}

/* Skip the next `count` entries. */
static int pass(pqx_column *column, size_t count, pqx_error *error)
{
    size_t values;
    PQX_TRY(pqx_column_pass(column, count, &values, error));
    column->page.skipped += values;
    column->page.at += count;
    return PQX_OK;
}

/* Discard the decoded entries, but keep their memory. */
static void forget(pqx_column_output *out)
{
    out->entries = out->rows = out->slots = out->nulls = out->below = out->bytes = 0;
    out->has_valid = out->has_definition = 0;
}

/* Decode the next `count` entries, in which *begun rows begin; fewer if no more fit. */
static int keep(pqx_column *column, size_t count, pqx_runs repetition, uint64_t *begun,
                pqx_error *error)
{
    pqx_column_output *out = &column->output;
    size_t appended, before = (size_t)out->entries;
    PQX_TRY(pqx_column_append(column, count, &appended, error));
    column->page.at += appended;
    if (appended == count) {
        out->rows += *begun;
        if (column->leaf.forgets) forget(out);
        return PQX_OK;
    }
    *begun = appended;
    if (column->leaf.max_repetition) {
        uint16_t *levels = (uint16_t *)out->repetition.data + before;
        end_of_rows(levels, appended, UINT64_MAX, begun);
        PQX_TRY(retake_repetition(column, repetition, appended, levels, error));
    }
    out->rows += *begun;
    if (!column->leaf.forgets || !appended) return fill_up(column, error);
    forget(out);
    return PQX_OK;
}

/* Read or skip entries of the open page that belong to the current row or to the next `rows` rows;
 * *begun rows begin there. */
static int step(pqx_column *column, uint64_t rows, int keeps, uint64_t *begun, pqx_error *error)
{
    size_t count = entries_of_a_step(column);
    uint64_t room = INT32_MAX - column->output.entries;
    int ends = 0;
    *begun = 0;
    if (keeps && !room) return fill_up(column, error);
    if (keeps && count > room) count = (size_t)room;
    pqx_runs repetition = column->page.repetition;
    if (column->leaf.max_repetition) {
        uint16_t *levels;
        PQX_TRY(room_for_repetition(column, count, keeps, &levels, error));
        PQX_TRY(take_repetition(column, rows, &count, levels, begun, &ends, error));
    } else {
        if (count > rows) count = (size_t)rows;
        *begun = count;
    }
    if (count && keeps) PQX_TRY(keep(column, count, repetition, begun, error));
    else if (count) PQX_TRY(pass(column, count, error));
    if (column->is_full) return PQX_OK;
    int may_go_on = column->leaf.max_repetition && !ends;
    column->goes_on = may_go_on ? what_goes_on(column, keeps) : PQX_NOTHING_GOES_ON;
    return PQX_OK;
}

/* Read or skip the rest of the current row, and `rows` rows more. */
static int advance(pqx_column *column, uint64_t rows, int keeps, uint64_t *begun, pqx_error *error)
{
    uint64_t some;
    while ((*begun < rows || column->goes_on) && !column->is_full) {
        if (column->page.at < column->page.entries) {
            PQX_TRY(step(column, rows - *begun, keeps, &some, error));
        } else {
            if (column->next_page == column->page_count) break;
            PQX_TRY(pqx_column_open_page(column, keeps ? 0 : rows - *begun, &some, error));
        }
        *begun += some;
    }
    return PQX_OK;
}

/* Estimate how much a read of `rows` rows will decode, from the supplied pages. */
static void expect(pqx_column *column, uint64_t rows)
{
    const pqx_open_page *page = &column->page;
    int is_open = page->at < page->entries;
    uint64_t entries = column->entries_waiting + (page->entries - page->at);
    column->there = column->bytes_waiting + (is_open ? page->given.values_size : 0);
    if (column->there < column->leaf.stored) column->there = column->leaf.stored;
    double there = column->leaf.max_repetition ? (double)column->rows_left + (double)page->rows
                                               : (double)entries;
    uint64_t all =
        column->leaf.rows > column->output.rows ? column->leaf.rows - column->output.rows : 0;
    double wanted = (double)(all >= rows ? all : rows < entries ? rows : entries);
    column->expected = there > 0 ? (uint64_t)((double)entries * (wanted / there)) : 0;
}

size_t pqx_column_expected(const pqx_column *column, size_t each)
{
    uint64_t most = pqx_column_most(column->there);
    uint64_t entries = each ? most / each : most;
    return (size_t)(column->expected < entries ? column->expected * each : most);
}

int pqx_column_is_open(const pqx_column *column)
{
    return column->goes_on && column->page.at == column->page.entries
           && column->next_page == column->page_count;
}

int pqx_column_read(pqx_column *column, uint64_t rows, uint64_t *begun, pqx_error *error)
{
    *begun = 0;
    if (column->is_full) return PQX_OK;
    uint64_t none = 0;
    if (column->goes_on == PQX_SKIPPED_GOES_ON) PQX_TRY(advance(column, 0, 0, &none, error));
    if (column->goes_on == PQX_SKIPPED_GOES_ON) return PQX_OK;
    expect(column, rows);
    return advance(column, rows, 1, begun, error);
}

int pqx_column_skip(pqx_column *column, uint64_t rows, uint64_t *begun, pqx_error *error)
{
    *begun = 0;
    uint64_t none = 0;
    if (column->goes_on == PQX_READ_GOES_ON) {
        expect(column, 0);
        PQX_TRY(advance(column, 0, 1, &none, error));
    }
    if (column->goes_on == PQX_READ_GOES_ON || column->is_full) return PQX_OK;
    return advance(column, rows, 0, begun, error);
}

int pqx_column_take_turns(pqx_column *column, const int64_t *counts, size_t turns, size_t *turn,
                          uint64_t *done, uint64_t *left)
{
    pqx_error error;
    uint64_t begun;
    for (*left = 0; *turn < turns; ++*turn, *done = 0) {
        uint64_t rows = (uint64_t)counts[*turn] - *done;
        int status = *turn % 2 ? pqx_column_read(column, rows, &begun, &error)
                               : pqx_column_skip(column, rows, &begun, &error);
        if (status || column->is_full) return 0;
        *done += begun;
        *left = rows - begun;
        if (*left) break;
    }
    return 1;
}

int pqx_column_jump(pqx_column *column, uint64_t rows, pqx_error *error)
{
    uint64_t *left = &column->rows_left, *entries = &column->entries_left;
    column->goes_on = PQX_NOTHING_GOES_ON;
    column->last_definition = UINT16_MAX;
    column->page_count = column->next_page = 0;
    column->entries_waiting = column->bytes_waiting = 0;
    column->page.at = column->page.entries;
    if (*left != UINT64_MAX) {
        if (rows > *left) return pqx_fail(error, PQX_CHUNK_ROWS, 0, *left, rows);
        *left -= rows;
    }
    if (!column->leaf.max_repetition && *entries != UINT64_MAX)
        *entries -= rows < *entries ? rows : *entries;
    return PQX_OK;
}
