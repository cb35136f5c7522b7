/* Byte arrays: PLAIN, dictionary, DELTA_LENGTH_BYTE_ARRAY and DELTA_BYTE_ARRAY; values of a fixed
 * width in DELTA_BYTE_ARRAY.
 *
 * Errors (offset, expected, found):
 *   PLAIN: PQX_TRUNCATED: the length, 4, remaining bytes;
 *   PQX_BYTE_ARRAY_LENGTH: the length, remaining bytes after it (at most 2^31 - 1), its value;
 *   dictionary: as in pqx_indices_take;
 *   deltas: as in encoding/delta.h for the lengths (prefix lengths before suffix lengths), when the
 *     cursor begins: later takes use lengths that have all been checked;
 *   PQX_PREFIX_LENGTH: the value's suffix, the length of the previous value, the prefix length;
 *   PQX_BYTE_ARRAY_LENGTH: the value's bytes (its suffix), remaining bytes there (at most
 *     2^31 - 1), the length. A negative length is one of 2^31 or more;
 *   PQX_VALUE_LENGTH: the value's suffix, the type's width, the value's length.
 */
#ifndef PQX_BINARY_H
#define PQX_BINARY_H

#include "encoding/values.h"

/* The parts of pqx_values_begin, pqx_values_take_fixed and pqx_values_skip for byte arrays and
 * DELTA_BYTE_ARRAY; the callers check the count and subtract it from values->left. `runs` has been
 * started. */
int pqx_binary_begin(pqx_values *values, pqx_error *error);
int pqx_binary_take_fixed(pqx_values *values, size_t count, uint8_t *out, pqx_error *error);
int pqx_binary_skip(pqx_values *values, size_t count, pqx_error *error);

/* ---- between the files of byte arrays ---- */

/* The output: the arguments of pqx_values_take_binary. `offsets` is NULL for a fixed width. */
typedef struct pqx_binary_out {
    int32_t *offsets;
    uint8_t *bytes;
    size_t capacity;
    size_t end;    /* end of the bytes written so far */
    size_t taken;  /* number of values */
    size_t needed; /* capacity for the next value, which did not fit; 0: not tried */
} pqx_binary_out;

/* Bytes copied together: most values are not longer, and longer ones take a few steps. */
enum { PQX_AT_ONCE = 32, PQX_SHORT = 128 };

/* Return 1 if pqx_copy_short may copy `size` bytes, given the bytes that may be read, and written.
 */
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

/* Return the limit of a length: the remaining bytes, and the range of an int32. */
static inline size_t pqx_length_limit(const pqx_values *values)
{
    size_t left = values->size - values->at;
    return left < INT32_MAX ? left : INT32_MAX;
}

int pqx_prefixed_begin(pqx_values *values, pqx_error *error);
int pqx_prefixed_take(pqx_values *values, size_t count, pqx_binary_out *out, pqx_error *error);
int pqx_prefixed_skip(pqx_values *values, size_t count, pqx_error *error);

#endif
