/* Ranges of values: which values of a leaf a filter accepts. */
#ifndef PQX_RANGES_H
#define PQX_RANGES_H

#include "base/internal.h"

/* Ranges of a type, ascending and apart. A number is compared by its key, an unsigned integer with
 * the same order: of 32 bits for INT32 and FLOAT, of 64 bits for INT64 and DOUBLE. The keys of both
 * zeros are equal, and NaN is in no range. The key of false is 0, that of true is 1. */
typedef struct pqx_ranges {
    int type;     /* PQX_PHYSICAL_*: not INT96 or FIXED_LEN_BYTE_ARRAY */
    uint8_t bits; /* of INT32: the lowest 8, 16 or 32 bits are the value */
    uint8_t is_unsigned;
    uint8_t has_nan; /* NaN is accepted */
    uint8_t is_open; /* byte arrays: the last range has no end; its second bound is empty */
    size_t count;    /* of ranges */
    /* The two bounds of each range. Numbers: the first and the last key. */
    const uint64_t *keys;
    /* Byte arrays: the first value, and the first one after the range. Bound i is
     * bytes[offsets[i]..offsets[i + 1]). */
    const uint8_t *bytes;
    const uint64_t *offsets;
} pqx_ranges;

/* PQX_BAD_ARGUMENT: ranges of this type are not supported, or the bounds do not ascend. */
int pqx_ranges_check(const pqx_ranges *ranges, pqx_error *error);

/* Each of these functions sets a bit for each of `count` values, from bit 0 of `bits` on: 1 if a
 * range contains the value. The rest of the last byte is undefined. */

/* Values of a fixed width, as stored. */
void pqx_ranges_find_fixed(const pqx_ranges *ranges, const uint8_t *values, size_t count,
                           uint8_t *bits);
/* Byte arrays: value i is bytes[ends[i]..ends[i + 1]). */
void pqx_ranges_find_binary(const pqx_ranges *ranges, const uint8_t *bytes, const int32_t *ends,
                            size_t count, uint8_t *bits);
/* Booleans, which are replaced by the results. */
void pqx_ranges_find_bits(const pqx_ranges *ranges, size_t count, uint8_t *bits);

/* Values of a dictionary, by their indices; `flags` has a byte, 0 or 1, for each of its values. */
void pqx_ranges_find_indices(const uint8_t *flags, const uint32_t *indices, size_t count,
                             uint8_t *bits);

#endif
