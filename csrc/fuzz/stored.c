/* Read a column chunk in a file as a whole and by a few of its rows, also by a table of its pages:
 * if the whole can be read, so can these rows, and their values are equal. Tables that are wrong,
 * or are parsed from the input, give any rows. Steering bytes: type and levels, type_length, codec,
 * the page whose first row is changed, rows (16 bits), and rows to skip and to read, twice, in 4
 * bits each. */
#include "page/stored_file.h"

#include "input.h"

enum { IS_OPTIONAL = 8, HAS_DICTIONARY = 1, FRONT = 4, TURNS = 4, MOST_SHARE = 16 };

typedef struct file {
    const uint8_t *data;
    size_t size;
} file;

static int read_file(void *context, uint64_t offset, size_t length, uint8_t *into)
{
    const file *given = context;
    CLAIM(offset <= given->size && length <= given->size - offset);
    memcpy(into, given->data + offset, length);
    return 0;
}

static int read_rows(const pqx_column_leaf *leaf, const pqx_chunk *chunk, file *given, int64_t rows,
                     const int64_t *counts, const pqx_page_table *table, pqx_column *column)
{
    pqx_error error;
    const pqx_page_table *const tables[] = {table};
    const int64_t turns[] = {TURNS};
    const pqx_source source = {read_file, given, given->size};
    pqx_chosen_rows chosen = {
        .rows = &rows, .turns = turns, .counts = counts, .groups = 1, .count = TURNS};
    CLAIM(!pqx_column_begin(column, leaf, &error));
    pqx_leaf_reading reading = {
        .column = column, .chunks = chunk, .step = 1, .tables = tables, .checks_crc = 1};
    if (!table) reading.tables = NULL, reading.checks_crc = 0;
    pqx_read_leaves(&reading, 1, &source, &chosen, 1 << 20);
    return reading.is_done;
}

static int is_valid(const pqx_column_output *out, uint64_t slot)
{ return !out->has_valid || out->valid.data[slot / 8] >> slot % 8 & 1; }

/* Return 1 if the value of a slot equals one of another output. */
static int is_same(const pqx_column *column, const pqx_column_output *one, uint64_t slot,
                   const pqx_column_output *other, uint64_t place)
{
    if (is_valid(one, slot) != is_valid(other, place)) return 0;
    if (!is_valid(one, slot)) return 1;
    if (column->width)
        return !memcmp(one->values.data + slot * column->width,
                       other->values.data + place * column->width, column->width);
    if (column->leaf.type == PQX_PHYSICAL_BOOLEAN)
        return (one->values.data[slot / 8] >> slot % 8 & 1)
               == (other->values.data[place / 8] >> place % 8 & 1);
    const int32_t *ends = (const int32_t *)one->offsets.data + slot;
    const int32_t *others = (const int32_t *)other->offsets.data + place;
    size_t size = (size_t)(ends[1] - ends[0]);
    return size == (size_t)(others[1] - others[0])
           && (!size || !memcmp(one->values.data + *ends, other->values.data + *others, size));
}

static void compare(const pqx_column *column, const pqx_column_output *all,
                    const pqx_column_output *some, const int64_t *counts)
{
    uint64_t row = 0, slot = 0;
    for (size_t turn = 0; turn < TURNS; row += (uint64_t)counts[turn++])
        for (uint64_t i = 0; turn % 2 && i < (uint64_t)counts[turn]; i++)
            CLAIM(is_same(column, some, slot++, all, row + i));
    CLAIM(some->slots == slot && some->rows == slot);
}

static void release(pqx_column_output *out)
{
    pqx_release(out->valid.data);
    pqx_release(out->values.data);
    pqx_release(out->offsets.data);
    pqx_release(out->definition.data);
}

/* Read some rows by a table of the chunk's pages; compare them with all rows if `all` is not NULL.
 */
static void read_by_table(const pqx_column_leaf *leaf, const pqx_chunk *chunk, file *given,
                          const pqx_page_table *table, const int64_t *counts,
                          const pqx_column_output *all)
{
    pqx_column column;
    pqx_column_output some;
    int is_read = read_rows(leaf, chunk, given, chunk->num_values, counts, table, &column);
    CLAIM(!pqx_column_take(&column, &some, NULL));
    if (all && is_read) compare(&column, all, &some, counts);
    release(&some);
    pqx_column_free(&column);
}

/* Read some rows by the table of the page headers, by the same with another first row, and by the
 * table that the input is. */
static void read_by_tables(const pqx_column_leaf *leaf, const pqx_chunk *chunk, file *given,
                           const int64_t *counts, const pqx_column_output *all, uint8_t changed)
{
    pqx_error error;
    const pqx_source source = {read_file, given, given->size};
    pqx_page_table table = {
        .begin = FRONT, .end = given->size, .rows = (uint64_t)chunk->num_values};
    if (!pqx_page_table_walk(&table, &source, &error)) {
        read_by_table(leaf, chunk, given, &table, counts, all);
        if (changed) table.pages[changed % table.count].first_row += changed % 2 ? 1 : -1;
        if (table.pages[0].first_row == 0) read_by_table(leaf, chunk, given, &table, counts, NULL);
    }
    if (!pqx_page_table_parse(&table, given->data + FRONT, given->size - FRONT, &error))
        read_by_table(leaf, chunk, given, &table, counts, NULL);
    pqx_page_table_free(&table);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    uint8_t s[8];
    memcpy(s, &steering, 8);
    int64_t rows = s[4] | s[5] << 8, whole[TURNS] = {0, rows}, few[TURNS];
    for (int turn = 0; turn < TURNS; turn++)
        few[turn] = rows / MOST_SHARE * (s[6 + turn / 2] >> 4 * (turn % 2) & 15) / 4;
    pqx_column_leaf leaf = {.type = s[0] % 8,
                            .type_length = s[1] + 1,
                            .max_definition = s[0] & IS_OPTIONAL ? 1 : 0,
                            .most_bytes = INT32_MAX};
    pqx_chunk chunk = {.num_values = rows,
                       .total_compressed_size = (int64_t)size,
                       .data_page_offset = FRONT,
                       .type = leaf.type,
                       .codec = s[2] % 8};
    uint8_t *data = malloc(FRONT + size);
    file given = {data, FRONT + size};
    memset(data, 0, FRONT);
    memcpy(data + FRONT, input, size);
    pqx_column one, other;
    pqx_column_output all, some;
    int is_read = read_rows(&leaf, &chunk, &given, rows, whole, NULL, &one);
    int are_read = read_rows(&leaf, &chunk, &given, rows, few, NULL, &other);
    CLAIM(!pqx_column_take(&one, &all, NULL) && !pqx_column_take(&other, &some, NULL));
    if (is_read) {
        CLAIM(are_read);
        compare(&one, &all, &some, few);
    }
    read_by_tables(&leaf, &chunk, &given, few, is_read ? &all : NULL, s[3]);
    release(&all);
    release(&some);
    pqx_column_free(&one);
    pqx_column_free(&other);
    free(data);
    return 0;
}
