/* Append booleans that tell which values are in the ranges of a filter. Values of a dictionary are
 * compared once, and no other value is kept. */
#include "encoding/bitmap.h"
#include "page/column.h"
#include "page/spread.h"

enum {
    SPARE = 32,           /* bytes after byte arrays, for fast copies of short ones */
    VALUES = 2048,        /* that are compared together */
    ARRAY_BYTES = 1 << 16 /* of byte arrays that are compared together, unless one is larger */
};

/* Compare the values of the dictionary. */
static int flag_dictionary(pqx_column *column, pqx_error *error)
{
    const pqx_dictionary *dictionary = &column->dictionary;
    const pqx_ranges *ranges = column->leaf.ranges;
    uint8_t bits[VALUES / 8];
    PQX_TRY(pqx_column_room(&column->flags, 0, dictionary->count, 0, error));
    for (size_t at = 0, some; at < dictionary->count; at += some) {
        some = dictionary->count - at < VALUES ? dictionary->count - at : VALUES;
        if (column->width)
            pqx_ranges_find_fixed(ranges, dictionary->fixed + at * column->width, some, bits);
        else
            pqx_ranges_find_binary(ranges, dictionary->bytes,
                                   (const int32_t *)dictionary->offsets + at, some, bits);
        for (size_t i = 0; i < some; i++) column->flags.data[at + i] = bits[i / 8] >> i % 8 & 1;
    }
    column->has_flags = 1;
    return PQX_OK;
}

static int find_indices(pqx_column *column, size_t count, uint8_t *bits, pqx_error *error)
{
    uint32_t indices[VALUES];
    if (!column->has_flags) PQX_TRY(flag_dictionary(column, error));
    PQX_TRY(pqx_values_take_indices(&column->page.values, count, indices, error));
    pqx_ranges_find_indices(column->flags.data, indices, count, bits);
    return PQX_OK;
}

static int find_fixed(pqx_column *column, size_t count, uint8_t *bits, pqx_error *error)
{
    const uint8_t *from = pqx_values_in_place(&column->page.values, count, 0);
    if (!from) {
        PQX_TRY(pqx_column_room(&column->scratch, 0, count * column->width, 0, error));
        PQX_TRY(pqx_values_take_fixed(&column->page.values, count, column->scratch.data, error));
        from = column->scratch.data;
    }
    pqx_ranges_find_fixed(column->leaf.ranges, from, count, bits);
    return PQX_OK;
}

/* Compare byte arrays, as many at a time as fit into the memory. */
static int find_arrays(pqx_column *column, size_t count, uint8_t *bits, pqx_error *error)
{
    pqx_memory *bytes = &column->scratch;
    int32_t ends[VALUES + 1] = {0};
    uint8_t some_bits[VALUES / 8];
    size_t needed = ARRAY_BYTES, some;
    for (size_t done = 0; done < count; done += some) {
        PQX_TRY(pqx_column_room(bytes, 0, needed + SPARE, 0, error));
        PQX_TRY(pqx_values_take_binary(&column->page.values, count - done, ends, bytes->data,
                                       bytes->capacity, &some, &needed, error));
        pqx_ranges_find_binary(column->leaf.ranges, bytes->data, ends, some, some_bits);
        pqx_bitmap_copy(some_bits, sizeof some_bits, 0, some, bits, done);
    }
    return PQX_OK;
}

static int find_booleans(pqx_column *column, size_t count, uint8_t *bits, pqx_error *error)
{
    PQX_TRY(pqx_values_take_bits(&column->page.values, count, bits, 0, error));
    pqx_ranges_find_bits(column->leaf.ranges, count, bits);
    return PQX_OK;
}

/* Find the page's next `count` values, at most VALUES, as bits from bit 0 on. */
static int find_values(pqx_column *column, size_t count, uint8_t *bits, pqx_error *error)
{
    int encoding = column->page.values.encoding;
    if (!count) return PQX_OK;
    if (encoding == PQX_ENCODING_PLAIN_DICTIONARY || encoding == PQX_ENCODING_RLE_DICTIONARY)
        return find_indices(column, count, bits, error);
    if (column->width) return find_fixed(column, count, bits, error);
    if (column->leaf.type == PQX_PHYSICAL_BOOLEAN) return find_booleans(column, count, bits, error);
    return find_arrays(column, count, bits, error);
}

int pqx_column_append_found(pqx_column *column, size_t slots, size_t values, pqx_error *error)
{
    pqx_column_output *out = &column->output;
    uint8_t bits[VALUES / 8 + 8] = {0};
    uint64_t bit = out->slots;
    PQX_TRY(pqx_column_room(&out->values, (size_t)(bit + 7) / 8, (size_t)(bit + slots + 7) / 8 + 8,
                            pqx_column_expected(column, 1) / 8, error));
    for (size_t left = slots, some; left; left -= some, bit += some) {
        some = left < VALUES ? left : VALUES;
        size_t count = values == slots ? some
                       : values        ? pqx_count_bits(out->valid.data, bit, some)
                                       : 0;
        PQX_TRY(find_values(column, count, bits, error));
        if (count == some) pqx_bitmap_copy(bits, sizeof bits, 0, some, out->values.data, bit);
        else pqx_spread_bits(bits, out->valid.data, bit, some, out->values.data, bit);
    }
    return PQX_OK;
}
