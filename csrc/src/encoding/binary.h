/* Byte arrays: PLAIN, of a dictionary, DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY; values of a
 * fixed width in DELTA_BYTE_ARRAY.
 *
 * What is damaged, and how it is told (error: offset, expected, found):
 *   PLAIN: PQX_TRUNCATED: the length, 4, bytes that are left;
 *   PQX_BYTE_ARRAY_LENGTH: the length, bytes that are left behind it (at most 2^31 - 1), what it
 *     says;
 *   dictionary: as pqx_indices_take says it;
 *   deltas: as encoding/delta.h says it for the lengths, for the prefixes' before the suffixes',
 *     when the cursor begins: what is taken later comes from lengths that are all there;
 *   PQX_PREFIX_LENGTH: the value's suffix, the length of the value before, what it says;
 *   PQX_BYTE_ARRAY_LENGTH: the value's bytes (its suffix), bytes that are left there (at most
 *     2^31 - 1), what it says. A negative length is one of 2^31 or more;
 *   PQX_VALUE_LENGTH: the value's suffix, the type's width, the value's length.
 */
#ifndef PQX_BINARY_H
#define PQX_BINARY_H

#include "encoding/values.h"

/* What pqx_values_begin, pqx_values_take_fixed and pqx_values_skip leave to byte arrays and to
 * DELTA_BYTE_ARRAY; they check the count and take it off values->left. `runs` is begun. */
int pqx_binary_begin(pqx_values *values, pqx_error *error);
int pqx_binary_take_fixed(pqx_values *values, size_t count, uint8_t *out, pqx_error *error);
int pqx_binary_skip(pqx_values *values, size_t count, pqx_error *error);

/* ---- between the files of byte arrays ---- */

/* Where values go: pqx_values_take_binary's arguments. `offsets` is NULL for a fixed width. */
typedef struct pqx_binary_out {
    int32_t *offsets;
    uint8_t *bytes;
    size_t capacity;
    size_t end;    /* of the bytes that are there */
    size_t taken;  /* values */
    size_t needed; /* capacity for the next value, which did not fit; 0: it was not tried */
} pqx_binary_out;

/* Bytes copied at once: most values are no longer, and longer ones take a few steps. */
enum { PQX_AT_ONCE = 32, PQX_SHORT = 128 };

/* Whether pqx_copy_short may copy `size` bytes where so many may be read, and written. */
static inline int pqx_is_short(size_t size, size_t readable, size_t writable)
{
    size_t touched = (size & ~(size_t)(PQX_AT_ONCE - 1)) + PQX_AT_ONCE;
    return size <= PQX_SHORT && touched <= readable && touched <= writable;
}

static inline void pqx_copy_short(uint8_t *to, const uint8_t *from, size_t size)
{
    memcpy(to, from, PQX_AT_ONCE);
    for (size_t at = PQX_AT_ONCE; PQX_UNLIKELY(at < size); at += PQX_AT_ONCE)
        memcpy(to + at, from + at, PQX_AT_ONCE);
}

/* What a length is held against: bytes that are left, and what an int32 can say. */
static inline size_t pqx_length_limit(const pqx_values *values)
{
    size_t left = values->size - values->at;
    return left < INT32_MAX ? left : INT32_MAX;
}

int pqx_prefixed_begin(pqx_values *values, pqx_error *error);
int pqx_prefixed_take(pqx_values *values, size_t count, pqx_binary_out *out, pqx_error *error);
int pqx_prefixed_skip(pqx_values *values, size_t count, pqx_error *error);

#endif
