/* Encode tables of packed numbers in the shortest of five forms. */
#include <stdlib.h>

#include "packed/numbers.h"

static unsigned bits_of(uint64_t value)
{
    unsigned bits = 0;
    for (; value; value >>= 1) bits++;
    return bits;
}

/* Append the numbers `value - base`, or those of `value` if base is 0, of `width` bits each. */
static int put_packed(pqx_buffer *out, const int64_t *values, uint64_t count, uint64_t base,
                      unsigned width, pqx_error *error)
{
    uint64_t size = pqx_packed_bytes(count, width), kept = 0;
    unsigned held = 0;
    PQX_TRY(pqx_buffer_reserve(out, (size_t)size + 16, error));
    uint8_t *to = out->data + out->size;
    for (uint64_t i = 0; width && i < count; i++) {
        uint64_t value = (uint64_t)values[i] - base;
        kept |= value << held;
        if (held + width >= 64) {
            pqx_store64(to, kept);
            to += 8;
            kept = held ? value >> (64 - held) : 0;
            held = held + width - 64;
        } else held += width;
    }
    pqx_store64(to, kept);
    out->size += (size_t)size;
    return PQX_OK;
}

typedef struct extent {
    int64_t low;
    unsigned width;
} extent;

static extent extent_of(const int64_t *values, uint64_t count)
{
    int64_t low = count ? values[0] : 0, high = low;
    for (uint64_t i = 1; i < count; i++) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
    }
    return (extent){low, bits_of((uint64_t)high - (uint64_t)low)};
}

/* The form of one column: differences between neighbours, or distances from the least value. */
typedef struct column_form {
    int64_t base, slope;
    unsigned width;
    int has_steps;
} column_form;

static int64_t middle(int64_t one, int64_t other) { return (one & other) + ((one ^ other) >> 1); }

static int64_t step_after(const int64_t *column, uint32_t row)
{ return (int64_t)((uint64_t)column[row + 1] - (uint64_t)column[row]); }

static column_form form_of(const int64_t *column, uint32_t rows)
{
    extent all = extent_of(column, rows);
    column_form form = {all.low, 0, all.width, 0};
    if (rows < 2 || !all.width) return form;
    int64_t low = step_after(column, 0), high = low;
    for (uint32_t row = 1; row + 1 < rows; row++) {
        int64_t step = step_after(column, row);
        if (step < low) low = step;
        if (step > high) high = step;
    }
    int64_t slope = middle(low, high);
    uint64_t most = 0;
    for (uint32_t row = 0; row + 1 < rows; row++)
        most |= pqx_zigzag((int64_t)((uint64_t)step_after(column, row) - (uint64_t)slope));
    unsigned width = bits_of(most);
    if (pqx_packed_bytes(rows - 1, width) + 2 < pqx_packed_bytes(rows, all.width))
        form = (column_form){column[0], slope, width, 1};
    return form;
}

static int put_row(pqx_buffer *out, const int64_t *values, uint64_t count, pqx_error *error)
{
    extent all = extent_of(values, count);
    PQX_TRY(pqx_buffer_append_byte(out, (uint8_t)all.width, error));
    PQX_TRY(pqx_buffer_append_varint(out, pqx_zigzag(all.low), error));
    return put_packed(out, values, count, (uint64_t)all.low, all.width, error);
}

/* Append the form COLUMNS. `room` has space for 2 × columns + rows numbers. */
static int put_columns(pqx_buffer *out, const int64_t *values, uint32_t columns, uint32_t rows,
                       int64_t *room, pqx_error *error)
{
    int64_t *bases = room, *slopes = room + columns, *steps = slopes + columns;
    uint32_t deltas = 0;
    PQX_TRY(pqx_buffer_append_byte(out, PQX_TABLE_COLUMNS, error));
    for (uint32_t i = 0; i < columns; i++) {
        column_form form = form_of(values + (size_t)i * rows, rows);
        PQX_TRY(pqx_buffer_append_byte(
            out, (uint8_t)(form.width | (form.has_steps ? PQX_TABLE_DELTA : 0)), error));
        bases[i] = form.base;
        if (form.has_steps) slopes[deltas++] = form.slope;
    }
    PQX_TRY(put_row(out, bases, columns, error));
    if (deltas) PQX_TRY(put_row(out, slopes, deltas, error));
    for (uint32_t i = 0; i < columns; i++) {
        const int64_t *column = values + (size_t)i * rows;
        column_form form = form_of(column, rows);
        if (!form.has_steps) {
            PQX_TRY(put_packed(out, column, rows, (uint64_t)form.base, form.width, error));
            continue;
        }
        for (uint32_t row = 0; row + 1 < rows; row++)
            steps[row] = (int64_t)pqx_zigzag(
                (int64_t)((uint64_t)step_after(column, row) - (uint64_t)form.slope));
        PQX_TRY(put_packed(out, steps, rows - 1, 0, form.width, error));
    }
    return PQX_OK;
}

static int are_shared(const int64_t *values, uint32_t columns, uint32_t rows)
{
    if (columns < 2) return 0;
    for (uint32_t i = 1; i < columns; i++)
        if (memcmp(values, values + (size_t)i * rows, rows * sizeof *values)) return 0;
    return 1;
}

/* Keep the bytes from `last` on instead of those from `first` up to it if they are fewer. */
static void keep_shorter(pqx_buffer *out, size_t first, size_t last)
{
    size_t before = last - first, after = out->size - last;
    if (after < before) {
        memmove(out->data + first, out->data + last, after);
        out->size = first + after;
    } else out->size = last;
}

int pqx_packed_table_write(const int64_t *values, uint32_t columns, uint32_t rows, pqx_buffer *out,
                           pqx_error *error)
{
    uint64_t count = (uint64_t)columns * rows;
    extent all = extent_of(values, count);
    if (!all.width && !all.low) return pqx_buffer_append_byte(out, PQX_TABLE_ZERO, error);
    size_t first = out->size;
    PQX_TRY(
        pqx_buffer_append_byte(out, (uint8_t)(all.width ? all.width : PQX_TABLE_CONSTANT), error));
    PQX_TRY(pqx_buffer_append_varint(out, pqx_zigzag(all.low), error));
    if (!all.width) return PQX_OK;
    PQX_TRY(put_packed(out, values, count, (uint64_t)all.low, all.width, error));
    int64_t *room = (int64_t *)calloc(2 * (size_t)columns + rows, sizeof *room);
    if (!room) return pqx_fail(error, PQX_NO_MEMORY, 0, (2 * (size_t)columns + rows) * 8, 0);
    size_t last = out->size;
    int status = put_columns(out, values, columns, rows, room, error);
    free(room);
    PQX_TRY(status);
    keep_shorter(out, first, last);
    if (!are_shared(values, columns, rows)) return PQX_OK;
    last = out->size;
    PQX_TRY(pqx_buffer_append_byte(out, PQX_TABLE_SHARED, error));
    PQX_TRY(pqx_packed_table_write(values, 1, rows, out, error));
    keep_shorter(out, first, last);
    return PQX_OK;
}
