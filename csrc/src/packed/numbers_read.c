/* Decode tables of packed numbers. */
#include "packed/numbers.h"

enum { LOADED_BITS = 56 }; /* of a number that is in the 8 bytes from its first byte on */

static int read_row(pqx_content *c, uint64_t count, pqx_packed_row *row)
{
    size_t at = c->at;
    uint8_t width = 0;
    PQX_TRY(pqx_content_byte(c, &width));
    if (width > PQX_TABLE_MOST_BITS)
        return pqx_content_fail(c, PQX_BAD_VALUE, at, PQX_TABLE_MOST_BITS, width);
    PQX_TRY(pqx_content_zigzag(c, &row->base));
    row->width = width;
    return pqx_content_take(c, pqx_packed_bytes(count, width), &row->data);
}

/* The bytes of some columns, the number of those with differences, and the greatest width. */
typedef struct layout {
    uint32_t bytes, deltas;
    uint8_t most;
} layout;

/* Return the bytes of a column's numbers. */
static inline uint32_t column_bytes(uint32_t rows, uint8_t code)
{ return ((rows - (code >> 7)) * (code & 0x7fu) + 7) >> 3; }

/* Add up the codes of columns. 32 bits suffice for the at most 2^18 numbers of a table. The loop
 * has no branch, so that compilers can use vectors. */
static layout add_codes(const uint8_t *codes, uint32_t count, uint32_t rows)
{
    uint32_t bytes = 0, deltas = 0, most = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t width = codes[i] & 0x7f;
        most = width > most ? width : most;
        deltas += codes[i] >> 7;
        bytes += column_bytes(rows, codes[i]);
    }
    return (layout){bytes, deltas, (uint8_t)most};
}

static int read_columns(pqx_content *c, pqx_packed_table *table)
{
    size_t at = c->at;
    PQX_TRY(pqx_content_take(c, table->columns, &table->codes));
    layout all = add_codes(table->codes, table->columns, table->rows);
    for (uint32_t i = 0; PQX_UNLIKELY(all.most > PQX_TABLE_MOST_BITS); i++)
        if ((table->codes[i] & 0x7f) > PQX_TABLE_MOST_BITS)
            return pqx_content_fail(c, PQX_BAD_VALUE, at + i, PQX_TABLE_MOST_BITS,
                                    table->codes[i] & 0x7f);
    PQX_TRY(read_row(c, table->columns, &table->bases));
    if (all.deltas) PQX_TRY(read_row(c, all.deltas, &table->slopes));
    return pqx_content_take(c, all.bytes, &table->data);
}

/* Set the members on which other code relies. To clear the whole struct takes longer than to read
 * most tables. */
static void begin_table(pqx_packed_table *table, uint32_t columns, uint32_t rows)
{
    table->columns = columns;
    table->rows = rows;
    table->width = 0;
    table->bases = (pqx_packed_row){NULL, 0, 0};
    table->found = NULL;
    table->summed_column = UINT32_MAX;
}

int pqx_packed_table_read(pqx_content *c, uint32_t columns, uint32_t rows, pqx_packed_table *table)
{
    size_t at = c->at;
    uint8_t form = 0;
    PQX_TRY(pqx_content_byte(c, &form));
    begin_table(table, columns, rows);
    table->is_marked = form >> 7;
    form &= 0x7f;
    if (form == PQX_TABLE_SHARED) {
        uint8_t marked = table->is_marked;
        size_t inner = c->at;
        uint8_t code = inner < c->size ? c->data[inner] : 0;
        if (code >= PQX_TABLE_SHARED)
            return pqx_content_fail(c, PQX_BAD_VALUE, inner, PQX_TABLE_SHARED - 1, code);
        PQX_TRY(pqx_packed_table_read(c, 1, rows, table));
        table->is_marked = marked;
        return PQX_OK;
    }
    table->form = form;
    if (form == PQX_TABLE_COLUMNS) return read_columns(c, table);
    if (form > PQX_TABLE_CONSTANT)
        return pqx_content_fail(c, PQX_BAD_VALUE, at, PQX_TABLE_SHARED, form);
    if (form) PQX_TRY(pqx_content_zigzag(c, &table->bases.base));
    table->width = form <= PQX_TABLE_MOST_BITS ? form : 0;
    return pqx_content_take(c, pqx_packed_bytes((uint64_t)columns * rows, table->width),
                            &table->data);
}

static void unpack(const uint8_t *data, uint64_t bit, unsigned width, int64_t base, uint32_t count,
                   int64_t *out)
{
    if (!width) {
        for (uint32_t i = 0; i < count; i++) out[i] = base;
    } else if (width <= LOADED_BITS) {
        const uint64_t mask = (UINT64_C(1) << width) - 1;
        for (uint32_t i = 0; i < count; i++, bit += width)
            out[i] = (int64_t)((uint64_t)base + (pqx_load64(data + bit / 8) >> (bit & 7) & mask));
    } else {
        for (uint32_t i = 0; i < count; i++, bit += width)
            out[i] = (int64_t)((uint64_t)base + pqx_packed_bits(data, bit, width));
    }
}

/* Return the sum of the differences of rows [from, end) of the column that was found, without their
 * slopes. No iteration waits for the one before. */
static uint64_t sum_of_differences(const pqx_packed_table *table, unsigned width, uint32_t from,
                                   uint32_t end)
{
    const uint64_t mask = (UINT64_C(1) << (width & 63)) - 1;
    uint64_t sum = 0, bit = (uint64_t)from * width;
    if (!width) return 0;
    for (uint32_t row = from; row < end; row++, bit += width) {
        uint64_t raw = width <= LOADED_BITS ? pqx_load64(table->found + bit / 8) >> (bit & 7) & mask
                                            : pqx_packed_bits(table->found, bit, width);
        sum += (uint64_t)pqx_unzigzag(raw);
    }
    return sum;
}

/* Add up the differences of the column that was found, from the last sum; all sums wrap. */
static void add_up(pqx_packed_table *table, uint32_t first, uint32_t count, int64_t *out)
{
    unsigned width = table->codes[table->found_column] & 0x7f;
    uint64_t slope = (uint64_t)pqx_packed_row_at(&table->slopes, table->found_deltas);
    if (!count) return;
    if (table->summed_column != table->found_column || table->summed_row > first) {
        table->summed_column = table->found_column;
        table->summed_row = 0;
        table->sum = pqx_packed_row_at(&table->bases, table->found_column);
    }
    uint64_t value = (uint64_t)table->sum + (first - table->summed_row) * slope
                     + sum_of_differences(table, width, table->summed_row, first);
    out[0] = (int64_t)value;
    for (uint32_t i = 1; i < count; i++) {
        uint64_t raw = pqx_packed_bits(table->found, ((uint64_t)first + i - 1) * width, width);
        value += slope + (uint64_t)pqx_unzigzag(raw);
        out[i] = (int64_t)value;
    }
    table->summed_row = first + count - 1;
    table->sum = (int64_t)value;
}

/* Find where a column's numbers begin, from the last one that was found. */
static void find_column(pqx_packed_table *table, uint32_t column)
{
    if (!table->found || column < table->found_column) {
        table->found = table->data;
        table->found_column = table->found_deltas = 0;
    }
    if (column == table->found_column + 1) { /* the usual order */
        uint8_t code = table->codes[table->found_column];
        table->found += column_bytes(table->rows, code);
        table->found_deltas += code >> 7;
        table->found_column = column;
        return;
    }
    layout passed =
        add_codes(table->codes + table->found_column, column - table->found_column, table->rows);
    table->found += passed.bytes;
    table->found_deltas += passed.deltas;
    table->found_column = column;
}

void pqx_packed_table_column(pqx_packed_table *table, uint32_t column, uint32_t first,
                             uint32_t count, int64_t *out)
{
    if (table->columns == 1) column = 0;
    if (table->form != PQX_TABLE_COLUMNS) {
        unpack(table->data, ((uint64_t)column * table->rows + first) * table->width, table->width,
               table->bases.base, count, out);
        return;
    }
    find_column(table, column);
    if (table->codes[column] & PQX_TABLE_DELTA) {
        add_up(table, first, count, out);
        return;
    }
    unsigned width = table->codes[column] & 0x7f;
    unpack(table->found, (uint64_t)first * width, width, pqx_packed_row_at(&table->bases, column),
           count, out);
}

/* Add the numbers of a column that was found, which have no differences. */
static void add_column(const pqx_packed_table *table, unsigned width, uint64_t base, uint32_t first,
                       uint32_t count, int64_t *sums)
{
    const uint64_t mask = (UINT64_C(1) << width) - 1;
    uint64_t bit = (uint64_t)first * width;
    for (uint32_t row = 0; row < count; row++, bit += width)
        sums[row] = (int64_t)((uint64_t)sums[row] + base
                              + (pqx_load64(table->found + bit / 8) >> (bit & 7) & mask));
}

void pqx_packed_table_sums(pqx_packed_table *table, uint32_t from, uint32_t end, uint32_t first,
                           uint32_t count, int64_t *numbers, int64_t *sums)
{
    const uint64_t times = table->columns == 1 ? end - from : 1;
    int is_by_column = table->form == PQX_TABLE_COLUMNS && table->columns > 1;
    for (uint32_t column = from; column < end; column += (uint32_t)times) {
        if (is_by_column && table->codes[column] <= LOADED_BITS) {
            find_column(table, column);
            add_column(table, table->codes[column],
                       (uint64_t)pqx_packed_row_at(&table->bases, column), first, count, sums);
            continue;
        }
        pqx_packed_table_column(table, column, first, count, numbers);
        for (uint32_t row = 0; row < count; row++)
            sums[row] = (int64_t)((uint64_t)sums[row] + times * (uint64_t)numbers[row]);
    }
}
