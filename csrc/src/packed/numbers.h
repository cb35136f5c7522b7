/* Packed numbers: a table of 64-bit integers in as few bits as their differences need
 * (docs/formats.md, 15.3). */
#ifndef PQX_PACKED_NUMBERS_H
#define PQX_PACKED_NUMBERS_H

#include "packed/content.h"

static inline uint64_t pqx_packed_bytes(uint64_t count, unsigned width)
{ return (count * width + 7) / 8; }

/* Return the number of `width` bits, 0 to 64, at bit `bit` of `data`. */
static inline uint64_t pqx_packed_bits(const uint8_t *data, uint64_t bit, unsigned width)
{
    const uint8_t *from = data + bit / 8;
    unsigned shift = bit & 7;
    uint64_t value = 0;
    if (!width) return 0;
    memcpy(&value, from, sizeof value);
    value >>= shift;
    if (width + shift > 64) value |= (uint64_t)from[8] << (64 - shift);
    return width == 64 ? value : value & ((UINT64_C(1) << width) - 1);
}

/* One number for each of some columns. */
typedef struct pqx_packed_row {
    const uint8_t *data;
    int64_t base;
    unsigned width;
} pqx_packed_row;

static inline int64_t pqx_packed_row_at(const pqx_packed_row *row, uint64_t number)
{
    return (int64_t)((uint64_t)row->base
                     + pqx_packed_bits(row->data, number * row->width, row->width));
}

/* A table that has been found in a cell. The cell's bytes are followed by PQX_PACKED_SLACK bytes
 * that may be read. */
typedef struct pqx_packed_table {
    uint32_t columns, rows;
    uint8_t form, is_marked;
    unsigned width;       /* of a form up to MOST_BITS */
    const uint8_t *data;  /* the packed numbers */
    const uint8_t *codes; /* COLUMNS: of each column, its width and if it has differences */
    pqx_packed_row bases, slopes;
    /* COLUMNS: a column whose numbers begin at `found`, and the columns with differences before it
     */
    uint32_t found_column, found_deltas;
    const uint8_t *found;
    /* one of its numbers that is a sum of differences; no column has UINT32_MAX */
    uint32_t summed_column, summed_row;
    int64_t sum;
} pqx_packed_table;
enum { PQX_PACKED_SLACK = 16 };

/* Find the table at the content's position, and move past it. */
int pqx_packed_table_read(pqx_content *content, uint32_t columns, uint32_t rows,
                          pqx_packed_table *table);
/* Write the numbers of a column in rows [first, first + count) to `out`. O(count), plus the numbers
 * of columns, and of rows with differences, since the last ones. */
void pqx_packed_table_column(pqx_packed_table *table, uint32_t column, uint32_t first,
                             uint32_t count, int64_t *out);
/* Add the numbers of columns [from, end) in rows [first, first + count) to sums[count]; all sums
 * wrap. Bounds as in pqx_packed_table_column; `numbers` is working memory for count numbers. */
void pqx_packed_table_sums(pqx_packed_table *table, uint32_t from, uint32_t end, uint32_t first,
                           uint32_t count, int64_t *numbers, int64_t *sums);
/* Return 1 if all numbers of a column are visibly 0, without differences. */
static inline int pqx_packed_column_is_zero(const pqx_packed_table *table, uint32_t column)
{
    if (table->form != PQX_TABLE_COLUMNS) return !table->width && !table->bases.base;
    if (table->columns == 1) column = 0;
    return !table->codes[column] && !pqx_packed_row_at(&table->bases, column);
}
/* Append the shortest form of a table; of equally short forms, the first one. values[c * rows + r].
 */
int pqx_packed_table_write(const int64_t *values, uint32_t columns, uint32_t rows, pqx_buffer *out,
                           pqx_error *error);

#endif
