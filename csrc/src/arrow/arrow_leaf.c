/* Which leaves become arrays as they are stored, by their types in Parquet and in Arrow. */
#include <stdlib.h>

#include "arrow/arrow_arrays.h"

enum { MOST_DIGITS = 38, DECIMAL_WIDTH = 16 };

/* What is stored, the format of the array (or what it begins with, before a time zone), and the
 * bytes of its values where they are fewer. */
static const struct pair {
    int type;
    const char *format;
    uint8_t is_prefix, width;
} pairs[] = {
    {PQX_PHYSICAL_BOOLEAN, "b", 0, 0},    {PQX_PHYSICAL_FLOAT, "f", 0, 0},
    {PQX_PHYSICAL_DOUBLE, "g", 0, 0},     {PQX_PHYSICAL_INT32, "i", 0, 0},
    {PQX_PHYSICAL_INT32, "I", 0, 0},      {PQX_PHYSICAL_INT32, "c", 0, 1},
    {PQX_PHYSICAL_INT32, "C", 0, 1},      {PQX_PHYSICAL_INT32, "s", 0, 2},
    {PQX_PHYSICAL_INT32, "S", 0, 2},      {PQX_PHYSICAL_INT32, "tdD", 0, 0},
    {PQX_PHYSICAL_INT32, "ttm", 0, 0},    {PQX_PHYSICAL_INT64, "l", 0, 0},
    {PQX_PHYSICAL_INT64, "L", 0, 0},      {PQX_PHYSICAL_INT64, "ttu", 0, 0},
    {PQX_PHYSICAL_INT64, "ttn", 0, 0},    {PQX_PHYSICAL_INT64, "tsm:", 1, 0},
    {PQX_PHYSICAL_INT64, "tsu:", 1, 0},   {PQX_PHYSICAL_INT64, "tsn:", 1, 0},
    {PQX_PHYSICAL_BYTE_ARRAY, "u", 0, 0}, {PQX_PHYSICAL_BYTE_ARRAY, "z", 0, 0},
};

/* The bytes that decimals of so many digits need. */
static int bytes_of_digits(long digits)
{
    /* 10^digits - 1 has digits × log2(10) bits; there is one more for the sign. */
    static const uint8_t sizes[MOST_DIGITS + 1] = {
        0, 1, 1,  2,  2,  3,  3,  4,  4,  4,  5,  5,  6,  6,  6,  7,  7,  8,  8, 9,
        9, 9, 10, 10, 11, 11, 11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 16, 16, 16};
    return digits > 0 && digits <= MOST_DIGITS ? sizes[digits] : 0;
}

/* Whether a format is "d:digits,scale": decimals of 16 bytes. */
static int is_decimal(const char *format, long *digits)
{
    char *end;
    if (format[0] != 'd' || format[1] != ':') return 0;
    *digits = strtol(format + 2, &end, 10);
    if (*end != ',') return 0;
    strtol(end + 1, &end, 10);
    return !*end;
}

/* Whether a field's metadata, pairs of keys and values behind their lengths, name an extension. */
static int is_extension(const char *metadata)
{
    static const char key[] = "ARROW:extension:name";
    int32_t pairs, length;
    if (!metadata) return 0;
    memcpy(&pairs, metadata, sizeof pairs);
    metadata += sizeof pairs;
    for (int32_t each = 0; each < 2 * pairs; each++, metadata += length) {
        memcpy(&length, metadata, sizeof length);
        metadata += sizeof length;
        if (each % 2 == 0 && length == sizeof key - 1 && !memcmp(metadata, key, sizeof key - 1))
            return 1;
    }
    return 0;
}

static void find_form(pqx_arrow_leaf *leaf, const char *format)
{
    long digits;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct pair *pair = pairs + i;
        if (pair->type != leaf->type) continue;
        if (pair->is_prefix ? strncmp(format, pair->format, strlen(pair->format))
                            : strcmp(format, pair->format))
            continue;
        leaf->form = pair->width ? PQX_ARROW_NARROW : PQX_ARROW_AS_IS;
        leaf->width = pair->width;
        return;
    }
    if (leaf->type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY && is_decimal(format, &digits)
        && leaf->type_length > 0 && leaf->type_length == bytes_of_digits(digits)) {
        leaf->form = PQX_ARROW_DECIMAL;
        leaf->width = DECIMAL_WIDTH;
    }
}

pqx_arrow_leaf pqx_arrow_leaf_of(const pqx_element *element, const struct ArrowSchema *field)
{
    pqx_arrow_leaf leaf = {.type = element->type,
                           .type_length = element->type_length,
                           .max_definition = element->max_definition};
    int is_plain = !element->parent && !element->max_repetition && !field->n_children
                   && !field->dictionary && !is_extension(field->metadata);
    if (is_plain) find_form(&leaf, field->format);
    return leaf;
}
