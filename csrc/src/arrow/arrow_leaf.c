/* Decide which leaves are converted directly to arrays, by their types in Parquet and in Arrow. */
#include <stdlib.h>

#include "arrow/arrow_arrays.h"

enum { MOST_DIGITS = 38 };

/* The stored type, the format of the array (or its prefix, before a time zone), and the conversion.
 */
static const struct pair {
    int type;
    const char *format;
    uint8_t form, is_prefix;
} pairs[] = {
    {PQX_PHYSICAL_BOOLEAN, "b", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_FLOAT, "f", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_DOUBLE, "g", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_INT32, "i", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_INT32, "I", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_INT32, "c", PQX_ARROW_BYTE, 0},
    {PQX_PHYSICAL_INT32, "C", PQX_ARROW_BYTE, 0},
    {PQX_PHYSICAL_INT32, "s", PQX_ARROW_SHORT, 0},
    {PQX_PHYSICAL_INT32, "S", PQX_ARROW_SHORT, 0},
    {PQX_PHYSICAL_INT32, "tdD", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_INT32, "ttm", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_INT64, "l", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_INT64, "L", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_INT64, "ttu", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_INT64, "ttn", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_INT64, "tsm:", PQX_ARROW_AS_IS, 1},
    {PQX_PHYSICAL_INT64, "tsu:", PQX_ARROW_AS_IS, 1},
    {PQX_PHYSICAL_INT64, "tsn:", PQX_ARROW_AS_IS, 1},
    {PQX_PHYSICAL_BYTE_ARRAY, "u", PQX_ARROW_AS_IS, 0},
    {PQX_PHYSICAL_BYTE_ARRAY, "z", PQX_ARROW_AS_IS, 0},
};

/* Return the bytes that decimals of so many digits need. */
static int bytes_of_digits(long digits)
{
    /* 10^digits - 1 has digits × log2(10) bits; there is one more for the sign. */
    static const uint8_t sizes[MOST_DIGITS + 1] = {
        0, 1, 1,  2,  2,  3,  3,  4,  4,  4,  5,  5,  6,  6,  6,  7,  7,  8,  8, 9,
        9, 9, 10, 10, 11, 11, 11, 12, 12, 13, 13, 13, 14, 14, 15, 15, 16, 16, 16};
    return digits > 0 && digits <= MOST_DIGITS ? sizes[digits] : 0;
}

/* Return 1 if a format is "d:digits,scale": decimals of 16 bytes. */
static int is_decimal(const char *format, long *digits)
{
    char *end;
    if (format[0] != 'd' || format[1] != ':') return 0;
    *digits = strtol(format + 2, &end, 10);
    if (*end != ',') return 0;
    strtol(end + 1, &end, 10);
    return !*end;
}

/* Return 1 if a field's metadata, pairs of keys and values with length prefixes, names an
 * extension. */
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

uint8_t pqx_arrow_form_of(const pqx_arrow_leaf *leaf, const struct ArrowSchema *field)
{
    const char *format = field->format;
    long digits;
    if (field->n_children || field->dictionary || is_extension(field->metadata))
        return PQX_ARROW_NONE;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const struct pair *pair = pairs + i;
        size_t length = strlen(pair->format) + !pair->is_prefix;
        if (pair->type == leaf->type && !strncmp(format, pair->format, length)) return pair->form;
    }
    int is_exact = leaf->type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY && is_decimal(format, &digits)
                   && leaf->type_length > 0 && leaf->type_length == bytes_of_digits(digits);
    return is_exact ? PQX_ARROW_DECIMAL : PQX_ARROW_NONE;
}
