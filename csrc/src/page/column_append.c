/* Append one step of a page: convert levels to validity, and move values to their slots. */
#include "encoding/bitmap.h"
#include "encoding/expand.h"
#include "page/column.h"
#include "page/spread.h"

enum {
    SPARE = 32,          /* bytes after byte arrays, for fast copies of short ones */
    SPREAD_SLOTS = 2048, /* that are spread together */
    SPREAD_BYTES = 1 << 15
};

/* The counts of a step's entries. */
typedef struct stretch {
    size_t entries, slots, values;
    int is_full; /* every entry has a value */
} stretch;

/* Make room for validity of `slots` more slots. At the first null the bitmap is created, filled
 * with ones. */
static int room_for_valid(pqx_column *column, size_t slots, pqx_error *error)
{
    pqx_column_output *out = &column->output;
    size_t used = out->has_valid ? (size_t)(out->slots + 7) / 8 : 0;
    PQX_TRY(pqx_column_room(&out->valid, used, (size_t)(out->slots + slots + 7) / 8 + 8,
                            pqx_column_expected(column, 1) / 8, error));
    if (!out->has_valid) pqx_bitmap_fill(out->valid.data, 0, (size_t)out->slots, 1);
    out->has_valid = 1;
    return PQX_OK;
}

static void fill_levels(uint16_t *levels, size_t count, uint16_t level)
{
    for (size_t i = 0; i < count; i++) levels[i] = level;
}

/* Make room for definition levels of `entries` more entries. The array is created at the first
 * level below the maximum. */
static int room_for_definition(pqx_column *column, size_t entries, uint16_t **levels,
                               pqx_error *error)
{
    pqx_column_output *out = &column->output;
    size_t used = out->has_definition ? (size_t)out->entries * 2 : 0;
    size_t size = (size_t)(out->entries + entries) * 2;
    PQX_TRY(pqx_column_room(&out->definition, used, size, pqx_column_expected(column, 2), error));
    uint16_t *all = (uint16_t *)out->definition.data;
    if (!out->has_definition) fill_levels(all, (size_t)out->entries, column->leaf.max_definition);
    out->has_definition = 1;
    *levels = all + out->entries;
    return PQX_OK;
}

/* Append the levels of entries that all have a value. */
static int append_highest(pqx_column *column, stretch *s, pqx_error *error)
{
    pqx_column_output *out = &column->output;
    s->slots = s->values = s->entries;
    if (out->has_definition) {
        uint16_t *levels;
        PQX_TRY(room_for_definition(column, s->entries, &levels, error));
        fill_levels(levels, s->entries, column->leaf.max_definition);
    }
    if (out->has_valid) {
        PQX_TRY(room_for_valid(column, s->slots, error));
        pqx_bitmap_fill(out->valid.data, out->slots, s->slots, 1);
    }
    return PQX_OK;
}

/* Take the next definition levels, from the kept ones or from the page's bytes. */
static int take_levels(pqx_column *column, size_t count, uint16_t *levels, pqx_error *error)
{
    pqx_open_page *page = &column->page;
    if (page->keeps != PQX_KEEPS_LEVELS)
        return pqx_levels_take(&page->definition, column->leaf.max_definition, count, levels,
                               error);
    memcpy(levels, (const uint16_t *)column->levels.data + page->at, count * sizeof *levels);
    return PQX_OK;
}

/* Append the next levels, and the validity that follows from them. */
static int append_levels(pqx_column *column, stretch *s, pqx_error *error)
{
    pqx_column_output *out = &column->output;
    const pqx_column_leaf *leaf = &column->leaf;
    pqx_open_page *page = &column->page;
    s->is_full = page->count == page->entries;
    if (s->is_full) return append_highest(column, s, error);
    PQX_TRY(room_for_valid(column, s->entries, error));
    if (page->keeps == PQX_KEEPS_BITS) {
        s->slots = s->entries;
        s->values = pqx_bitmap_copy(column->levels.data, column->levels.capacity, page->at,
                                    s->entries, out->valid.data, out->slots);
        return PQX_OK;
    }
    if (leaf->max_definition == 1 && !leaf->keeps_definition) {
        s->slots = s->entries;
        return pqx_levels_take_bits(&page->definition, s->entries, out->valid.data, out->slots,
                                    &s->values, error);
    }
    uint16_t *levels;
    if (leaf->keeps_definition) {
        PQX_TRY(room_for_definition(column, s->entries, &levels, error));
    } else {
        PQX_TRY(pqx_column_room(&column->scratch, 0, s->entries * 2, 0, error));
        levels = (uint16_t *)column->scratch.data;
    }
    PQX_TRY(take_levels(column, s->entries, levels, error));
    s->slots = pqx_slots_of_levels(levels, s->entries, leaf->repeated_definition,
                                   leaf->max_definition, out->valid.data, out->slots, &s->values);
    return PQX_OK;
}

/* Return the number of slots that are spread together, so that their values stay in the cache. */
static size_t slots_at_once(size_t width)
{
    size_t most = width ? SPREAD_BYTES / width : SPREAD_SLOTS;
    return most > SPREAD_SLOTS ? SPREAD_SLOTS : most ? most : 1;
}

static int append_fixed(pqx_column *column, const stretch *s, pqx_error *error)
{
    pqx_column_output *out = &column->output;
    size_t width = column->width, used = (size_t)out->slots * width;
    if (!s->slots || (column->leaf.forgets && !s->values)) return PQX_OK;
    PQX_TRY(pqx_column_room(&out->values, used, used + s->slots * width,
                            pqx_column_expected(column, width), error));
    uint8_t *to = out->values.data + used;
    if (!s->values) {
        memset(to, 0, s->slots * width);
        return PQX_OK;
    }
    if (s->values == s->slots)
        return pqx_values_take_fixed(&column->page.values, s->values, to, error);
    size_t most = slots_at_once(width);
    PQX_TRY(pqx_column_room(&column->scratch, 0, most * width + PQX_EXPAND_SPARE, 0, error));
    uint64_t bit = out->slots;
    for (size_t left = s->slots, some; left; left -= some, bit += some, to += some * width) {
        some = left < most ? left : most;
        size_t values = pqx_count_bits(out->valid.data, bit, some);
        const uint8_t *from = pqx_values_in_place(&column->page.values, values, PQX_EXPAND_SPARE);
        if (!from) {
            from = column->scratch.data;
            PQX_TRY(
                pqx_values_take_fixed(&column->page.values, values, column->scratch.data, error));
        }
        pqx_spread(from, width, out->valid.data, bit, some, to);
    }
    return PQX_OK;
}

static int append_booleans(pqx_column *column, const stretch *s, pqx_error *error)
{
    pqx_column_output *out = &column->output;
    size_t used = (size_t)(out->slots + 7) / 8;
    PQX_TRY(pqx_column_room(&out->values, used, (size_t)(out->slots + s->slots + 7) / 8 + 8,
                            pqx_column_expected(column, 1) / 8, error));
    if (!s->values) {
        pqx_bitmap_fill(out->values.data, out->slots, s->slots, 0);
        return PQX_OK;
    }
    if (s->values == s->slots)
        return pqx_values_take_bits(&column->page.values, s->values, out->values.data, out->slots,
                                    error);
    uint8_t values[SPREAD_SLOTS / 8 + 8];
    uint64_t bit = out->slots;
    for (size_t left = s->slots, some; left; left -= some, bit += some) {
        some = left < SPREAD_SLOTS ? left : SPREAD_SLOTS;
        size_t count = pqx_count_bits(out->valid.data, bit, some);
        PQX_TRY(pqx_values_take_bits(&column->page.values, count, values, 0, error));
        pqx_spread_bits(values, out->valid.data, bit, some, out->values.data, bit);
    }
    return PQX_OK;
}

/* Estimate the bytes of the byte arrays that will be decoded. */
static size_t expected_bytes(const pqx_column *column)
{
    int encoding = column->page.given.header.encoding;
    if (encoding == PQX_ENCODING_PLAIN_DICTIONARY || encoding == PQX_ENCODING_RLE_DICTIONARY) {
        const pqx_dictionary *dictionary = &column->dictionary;
        return dictionary->count
                   ? pqx_column_expected(
                         column, dictionary->offsets[dictionary->count] / dictionary->count + 1)
                   : 0;
    }
    uint64_t entries = column->entries_waiting + column->page.entries,
             bytes = column->bytes_waiting + column->page.given.values_size;
    return entries ? pqx_column_expected(column, (size_t)(bytes / entries) + 1) : 0;
}

/* Take the next `count` byte arrays, or as many as fit. They end at ends[1..*taken]; ends[0] is the
 * end of the previous one. */
static int take_arrays(pqx_column *column, size_t count, int32_t *ends, size_t *taken,
                       pqx_error *error)
{
    pqx_memory *bytes = &column->output.values;
    size_t most = column->leaf.most_bytes, needed = (size_t)ends[0], some;
    for (*taken = 0;;) {
        size_t used = (size_t)ends[*taken];
        PQX_TRY(pqx_column_room(bytes, used, needed + SPARE, expected_bytes(column), error));
        size_t capacity = bytes->capacity < most ? bytes->capacity : most;
        PQX_TRY(pqx_values_take_binary(&column->page.values, count - *taken, ends + *taken,
                                       bytes->data, capacity, &some, &needed, error));
        *taken += some;
        if (*taken == count || needed > most || (*taken && column->leaf.forgets)) break;
    }
    column->output.bytes = (size_t)ends[*taken];
    return PQX_OK;
}

static int append_arrays(pqx_column *column, const stretch *s, size_t *taken, pqx_error *error)
{
    pqx_column_output *out = &column->output;
    size_t used = out->slots ? (size_t)(out->slots + 1) * 4 : 0;
    PQX_TRY(pqx_column_room(&out->offsets, used, (size_t)(out->slots + s->slots + 1) * 4,
                            pqx_column_expected(column, 4), error));
    int32_t *ends = (int32_t *)out->offsets.data + out->slots;
    *ends = (int32_t)out->bytes;
    if (s->values && s->values == s->slots)
        return take_arrays(column, s->values, ends, taken, error);
    size_t most = SPREAD_SLOTS, got;
    PQX_TRY(pqx_column_room(&column->scratch, 0, (most + 1) * 4, 0, error));
    int32_t *dense = (int32_t *)column->scratch.data;
    uint64_t bit = out->slots;
    *taken = 0;
    for (size_t left = s->slots, some; left; left -= some, bit += some, ends += some) {
        some = left < most ? left : most;
        size_t values = pqx_count_bits(out->valid.data, bit, some);
        dense[0] = (int32_t)out->bytes;
        got = 0;
        if (values) PQX_TRY(take_arrays(column, values, dense, &got, error));
        *taken += got;
        if (got < values) some = left = pqx_find_bit(out->valid.data, bit, got);
        pqx_spread_ends(dense, out->valid.data, bit, some, ends + 1);
    }
    return PQX_OK;
}

/* Return the entry of the step that has the value after the first `values` ones. */
static size_t entry_of_value(const pqx_column *column, const stretch *s, size_t values)
{
    const pqx_column_output *out = &column->output;
    if (s->is_full) return values;
    if (!column->leaf.repeated_definition) return pqx_find_bit(out->valid.data, out->slots, values);
    const uint16_t *levels = (const uint16_t *)out->definition.data + out->entries;
    for (size_t entry = 0;; entry++)
        if (levels[entry] == column->leaf.max_definition && !values--) return entry;
}

static int append_values(pqx_column *column, const stretch *s, size_t *taken, pqx_error *error)
{
    *taken = s->values;
    if (s->values) PQX_TRY(pqx_column_begin_values(column, error));
    if (column->leaf.ranges) return pqx_column_append_found(column, s->slots, s->values, error);
    if (column->width) return append_fixed(column, s, error);
    if (column->leaf.type == PQX_PHYSICAL_BOOLEAN) return append_booleans(column, s, error);
    return append_arrays(column, s, taken, error);
}

int pqx_column_append(pqx_column *column, size_t count, size_t *appended, pqx_error *error)
{
    pqx_column_output *out = &column->output;
    pqx_runs saved = column->page.definition;
    stretch s = {.entries = count};
    size_t taken;
    int status = append_levels(column, &s, error);
    if (status) return pqx_column_fail(column, PQX_PART_LEVELS, status, error);
    status = append_values(column, &s, &taken, error);
    if (status) return pqx_column_fail(column, PQX_PART_VALUES, status, error);
    if (taken < s.values) {
        s.entries = entry_of_value(column, &s, taken);
        column->page.definition = saved;
        PQX_TRY(append_levels(column, &s, error));
    }
    out->entries += s.entries;
    out->slots += s.slots;
    out->nulls += s.slots - s.values;
    out->below += s.entries - s.values;
    *appended = s.entries;
    return PQX_OK;
}

int pqx_column_pass(pqx_column *column, size_t count, size_t *values, pqx_error *error)
{
    pqx_open_page *page = &column->page;
    *values = count;
    if (page->count == page->entries) return PQX_OK;
    if (page->keeps == PQX_KEEPS_BITS) {
        *values = pqx_count_bits(column->levels.data, page->at, count);
        return PQX_OK;
    }
    PQX_TRY(pqx_column_room(&column->scratch, 0, count * 2, 0, error));
    if (column->leaf.max_definition == 1 && page->keeps == PQX_KEEPS_NOTHING)
        return pqx_levels_take_bits(&page->definition, count, column->scratch.data, 0, values,
                                    error);
    uint16_t *levels = (uint16_t *)column->scratch.data, highest = column->leaf.max_definition;
    PQX_TRY(take_levels(column, count, levels, error));
    *values = 0;
    for (size_t i = 0; i < count; i++) *values += levels[i] == highest;
    return PQX_OK;
}
