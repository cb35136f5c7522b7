/* Decode tables of packed numbers. */
#include "packed/numbers.h"

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

/* Return the bytes of a column's numbers. */
static uint64_t column_bytes(const pqx_packed_table *table, uint8_t code)
{
    return pqx_packed_bytes(code & PQX_TABLE_DELTA ? table->rows - 1 : table->rows,
                            code & ~PQX_TABLE_DELTA & 0xff);
}

static int read_columns(pqx_content *c, pqx_packed_table *table)
{
    size_t at = c->at;
    uint64_t deltas = 0, bytes = 0;
    PQX_TRY(pqx_content_take(c, table->columns, &table->codes));
    for (uint32_t i = 0; i < table->columns; i++) {
        uint8_t code = table->codes[i], width = code & 0x7f;
        if (PQX_UNLIKELY(width > PQX_TABLE_MOST_BITS))
            return pqx_content_fail(c, PQX_BAD_VALUE, at + i, PQX_TABLE_MOST_BITS, width);
        deltas += code >> 7;
        bytes += column_bytes(table, code);
    }
    PQX_TRY(read_row(c, table->columns, &table->bases));
    if (deltas) PQX_TRY(read_row(c, deltas, &table->slopes));
    return pqx_content_take(c, bytes, &table->data);
}

int pqx_packed_table_read(pqx_content *c, uint32_t columns, uint32_t rows, pqx_packed_table *table)
{
    size_t at = c->at;
    uint8_t form = 0;
    PQX_TRY(pqx_content_byte(c, &form));
    *table = (pqx_packed_table){.columns = columns, .rows = rows, .summed_column = UINT32_MAX};
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
    } else if (width <= 56) {
        const uint64_t mask = (UINT64_C(1) << width) - 1;
        for (uint32_t i = 0; i < count; i++, bit += width)
            out[i] = (int64_t)((uint64_t)base + (pqx_load64(data + bit / 8) >> (bit & 7) & mask));
    } else {
        for (uint32_t i = 0; i < count; i++, bit += width)
            out[i] = (int64_t)((uint64_t)base + pqx_packed_bits(data, bit, width));
    }
}

/* Add up the differences of the column that was found, from the last sum; all sums wrap. */
static void add_up(pqx_packed_table *table, uint32_t first, uint32_t count, int64_t *out)
{
    unsigned width = table->codes[table->found_column] & 0x7f;
    uint64_t slope = (uint64_t)pqx_packed_row_at(&table->slopes, table->found_deltas),
             end = (uint64_t)first + count;
    if (table->summed_column != table->found_column || table->summed_row > first) {
        table->summed_column = table->found_column;
        table->summed_row = 0;
        table->sum = pqx_packed_row_at(&table->bases, table->found_column);
    }
    uint64_t value = (uint64_t)table->sum;
    for (uint32_t row = table->summed_row; row < end; row++) {
        if (row >= first) out[row - first] = (int64_t)value;
        table->summed_row = row;
        table->sum = (int64_t)value;
        if (row + UINT64_C(1) == end) break;
        uint64_t step = pqx_packed_bits(table->found, (uint64_t)row * width, width);
        value += slope + (uint64_t)pqx_unzigzag(step);
    }
}

/* Find where a column's numbers begin, from the last one that was found. */
static void find_column(pqx_packed_table *table, uint32_t column)
{
    if (column < table->found_column || !table->found) {
        table->found = table->data;
        table->found_column = table->found_deltas = 0;
    }
    for (; table->found_column < column; table->found_column++) {
        table->found += column_bytes(table, table->codes[table->found_column]);
        table->found_deltas += table->codes[table->found_column] >> 7;
    }
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
