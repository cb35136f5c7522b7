/* A column chunk of any pages, decoded as a leaf of any shape: reading at once and in odd steps
 * give the same, or the same error, and so does reading that keeps nothing, unless it finds levels
 * that contradict the lists around the leaf. Steering bytes: type, levels (max_definition,
 * max_repetition, repeated_definition), step, flags, type_length, most_bytes. */
#include "input.h"
#include "page/column.h"

enum { MOST_PAGES = 64, MOST_ENTRIES = 1 << 16, KEEPS = 1, SKIPS = 2, IS_SMALL = 4 };

typedef struct outcome {
    uint64_t entries, rows, slots, nulls, below, bytes, hash;
    int status;
    pqx_error error;
} outcome;

static void add(outcome *all, const void *bytes, size_t size)
{ all->hash = all->hash * 31 + pqx_crc32(0, bytes, size); }

/* Take the decoded entries, and check their invariants. */
static void take(pqx_column *column, outcome *all)
{
    pqx_column_output out;
    pqx_error error;
    CLAIM(pqx_column_take(column, &out, &error) == PQX_OK);
    CLAIM(out.rows <= out.entries && out.slots <= out.entries && out.nulls <= out.slots);
    if (!column->leaf.max_repetition) CLAIM(out.rows == out.entries && out.slots == out.entries);
    if (out.nulls) {
        size_t there = 0;
        for (uint64_t i = 0; i < out.slots; i++) there += out.valid.data[i / 8] >> (i % 8) & 1;
        CLAIM(there == out.slots - out.nulls);
    }
    if (column->leaf.type == PQX_PHYSICAL_BYTE_ARRAY && !column->leaf.ranges) {
        const int32_t *offsets = (const int32_t *)out.offsets.data;
        CLAIM(offsets[0] == 0 && (size_t)offsets[out.slots] == out.bytes);
        for (uint64_t i = 0; i < out.slots; i++) CLAIM(offsets[i] <= offsets[i + 1]);
    }
    all->entries += out.entries;
    all->rows += out.rows;
    all->slots += out.slots;
    all->nulls += out.nulls;
    all->below += out.below;
    all->bytes += out.bytes;
    if (pqx_column_has_bits(column)) {
        for (uint64_t i = 0; i < out.slots; i++)
            add(all, (uint8_t[]){out.values.data[i / 8] >> (i % 8) & 1}, 1);
    } else if (column->width) {
        for (uint64_t i = 0; i < out.slots; i++)
            add(all, out.values.data + i * column->width, column->width);
    } else {
        for (size_t i = 0; i < out.bytes; i++) add(all, out.values.data + i, 1);
    }
    pqx_release(out.valid.data);
    pqx_release(out.values.data);
    pqx_release(out.offsets.data);
    pqx_release(out.definition.data);
    pqx_release(out.repetition.data);
}

static int give(pqx_column *column, const pqx_page *pages, size_t count, const uint8_t *data,
                size_t size, pqx_error *error)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = (size_t)pages[i].offset + pages[i].header_size;
        size_t length = (size_t)pages[i].compressed_size;
        if (at > size || length > size - at) return PQX_OK;
        if (pages[i].type == PQX_PAGE_DICTIONARY_PAGE) {
            PQX_TRY(pqx_column_set_dictionary(column, data + at, length,
                                              (uint64_t)pages[i].num_values, at, error));
        } else if (pages[i].type != PQX_PAGE_INDEX_PAGE) {
            pqx_column_page page = {
                .header = pages[i], .values = data + at, .values_size = length, .base = at};
            PQX_TRY(pqx_column_give(column, &page, error));
        }
    }
    return PQX_OK;
}

/* Read all in steps of so many rows, skipping every third one if `skips`. */
static outcome decode(const pqx_column_leaf *leaf, const pqx_page *pages, size_t count,
                      const uint8_t *data, size_t size, uint64_t step, int skips)
{
    outcome all = {0};
    pqx_column column;
    all.status = pqx_column_begin(&column, leaf, &all.error);
    if (!all.status) {
        pqx_column_begin_chunk(&column, MOST_ENTRIES, UINT64_MAX);
        all.status = give(&column, pages, count, data, size, &all.error);
    }
    for (uint64_t number = 1; !all.status; number++) {
        uint64_t begun;
        if (skips && number % 3 == 0)
            all.status = pqx_column_skip(&column, step, &begun, &all.error);
        else all.status = pqx_column_read(&column, step, &begun, &all.error);
        if (all.status) break;
        int is_full = column.is_full;
        if (number % 2 || is_full) take(&column, &all);
        if (!begun && !is_full) break;
    }
    if (!all.status) take(&column, &all);
    pqx_column_free(&column);
    return all;
}

/* Comparing values with a range succeeds and fails as decoding them does. */
static void compare(const pqx_column_leaf *leaf, const pqx_page *pages, size_t count,
                    const uint8_t *data, size_t size, const uint8_t *steering, const outcome *whole)
{
    uint64_t low = steering[6], keys[] = {low, low + steering[7]}, offsets[] = {0, 1, 3};
    uint8_t bounds[] = {steering[6], steering[6], steering[7]};
    pqx_ranges ranges = {.type = leaf->type,
                         .bits = 32,
                         .count = leaf->type == PQX_PHYSICAL_BOOLEAN ? 0 : 1,
                         .keys = keys,
                         .bytes = bounds,
                         .offsets = offsets};
    pqx_column_leaf compared = *leaf;
    pqx_error error;
    if (leaf->max_repetition || pqx_ranges_check(&ranges, &error)) return;
    compared.ranges = &ranges;
    outcome found = decode(&compared, pages, count, data, size, UINT64_MAX / 2, 0);
    outcome parts = decode(&compared, pages, count, data, size, 8, 0);
    CLAIM(found.status == whole->status && parts.status == whole->status);
    if (found.status) CLAIM(!memcmp(&found.error, &whole->error, sizeof found.error));
    else
        CLAIM(found.slots == whole->slots && found.nulls == whole->nulls
              && found.rows == whole->rows && parts.slots == whole->slots && !found.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    uint8_t s[8];
    memcpy(s, &steering, 8);
    int flags = s[3] & 7;
    pqx_column_leaf leaf = {.type = s[0] & 7,
                            .type_length = s[4],
                            .max_definition = s[1] & 7,
                            .max_repetition = s[1] >> 3 & 3,
                            .repeated_definition = s[1] >> 5 & 7,
                            .keeps_definition = flags & KEEPS,
                            .most_bytes = flags & IS_SMALL ? s[5] : INT32_MAX};
    pqx_page pages[MOST_PAGES];
    size_t count;
    uint64_t next;
    pqx_error error;
    uint8_t *data = exact(input, size);
    pqx_page_walk(&(pqx_page_span){data, size, 0, size}, pages, MOST_PAGES, &count, &next, &error);
    outcome whole = decode(&leaf, pages, count, data, size, UINT64_MAX / 2, 0);
    outcome parts = decode(&leaf, pages, count, data, size, 1 + s[2] % 37, flags & SKIPS);
    pqx_column_leaf forgetful = leaf;
    forgetful.forgets = 1;
    outcome none = decode(&forgetful, pages, count, data, size, 1 + s[2] % 37, 0);
    CLAIM(!none.entries && !none.bytes);
    uint16_t lists[] = {s[6] & 3, 1 + (s[6] & 3), 1 + (s[6] & 7)};
    uint64_t items[3] = {0};
    forgetful.list_levels = lists;
    forgetful.list_items = items;
    outcome listed = decode(&forgetful, pages, count, data, size, 1 + s[2] % 37, 0);
    for (size_t i = 0; i < 3; i++) CLAIM(items[i] <= MOST_ENTRIES);
    if (listed.status != none.status) CLAIM(listed.status == PQX_LEVELS_CONTRADICT);
    if (!(flags & IS_SMALL)) {
        CLAIM(whole.status == none.status);
        if (whole.status) CLAIM(!memcmp(&whole.error, &none.error, sizeof whole.error));
    }
    if (!(flags & (SKIPS | IS_SMALL))) {
        CLAIM(whole.status == parts.status);
        if (whole.status) CLAIM(!memcmp(&whole.error, &parts.error, sizeof whole.error));
        else
            CLAIM(whole.entries == parts.entries && whole.rows == parts.rows
                  && whole.slots == parts.slots && whole.nulls == parts.nulls
                  && whole.bytes == parts.bytes && whole.hash == parts.hash);
    }
    if (!(flags & IS_SMALL)) compare(&leaf, pages, count, data, size, s, &whole);
    free(data);
    return 0;
}
