/* PFOR (parquet-format, pull request 579, number 11): INT32 and INT64 in vectors, each packed by a
 * frame and a width of its own; values that do not fit are exceptions, stored as they are.
 *
 * A page has a header of 7 bytes: packing mode 0, log2 of the values of a vector (3 to 15), bytes
 * of a value (4 or 8), values in all (u32). Then for each vector a u32, where it begins, counted
 * from the first of these. A vector is its frame (4 or 8 bytes), its bit width u8, its exceptions
 * u16, the differences to the frame, packed least significant bit first, the exceptions' positions
 * (u16 each), and their values. Arithmetic wraps at the type's width.
 *
 * What is damaged, and how it is told (error: offset, expected, found):
 *   PQX_TRUNCATED: 0, 7, bytes that are left: the header;
 *   PQX_VECTOR_PACKING: the mode, 0, what it says;
 *   PQX_VECTOR_SIZE: the logarithm, 15, what it says;
 *   PQX_VALUE_LENGTH: the bytes of a value, the type's, what it says;
 *   PQX_VECTOR_COUNT: the number of values, the page's, what it says;
 *   PQX_TRUNCATED: the offsets, the bytes of all of them, bytes that are left;
 *   PQX_VECTOR_OFFSET: the offset, where the vector before ends, what it says;
 *   PQX_TRUNCATED: the vector, the bytes in front of its packed values, bytes that are left;
 *   PQX_BIT_WIDTH: the width byte, 32 or 64, what it says;
 *   PQX_EXCEPTION_COUNT: the number of exceptions, values of the vector, what it says;
 *   PQX_TRUNCATED: the packed values, these and the exceptions, bytes that are left;
 *   PQX_EXCEPTION_POSITION: the position, values of the vector, what it says.
 * A page without values may be empty, header and all.
 */
#ifndef PQX_PFOR_H
#define PQX_PFOR_H

#include "base/internal.h"

enum {
    PQX_PFOR_HEADER = 7,
    PQX_PFOR_LEAST_LOG = 3,
    PQX_PFOR_MOST_LOG = 15,
    PQX_PFOR_MOST_VALUES = 1 << PQX_PFOR_MOST_LOG /* of a vector */
};

typedef struct pqx_pfor {
    const uint8_t *data;
    size_t size, at; /* where the next vector begins */
    uint64_t left;   /* values not taken yet */
    size_t offset;   /* where the next vector's offset stands */
    uint32_t width;  /* bytes of a value */
    uint32_t vector_size;
} pqx_pfor;

/* Begin with the `count` values of `width` bytes in data[0..size). */
int pqx_pfor_begin(pqx_pfor *pfor, uint32_t width, const uint8_t *data, size_t size, uint64_t count,
                   pqx_error *error);
/* The next vectors, as many as `room` values hold: at least one where `room` is
 * PQX_PFOR_MOST_VALUES. *taken: their values. */
int pqx_pfor_take(pqx_pfor *pfor, size_t room, uint8_t *out, size_t *taken, pqx_error *error);

/* Bytes of room that pqx_pfor_encode wants; SIZE_MAX where no memory is that large. */
size_t pqx_pfor_bound(uint32_t width, uint64_t count, uint32_t log_vector_size);
/* Encode values of INT32 or INT64; each vector's range is trimmed from above and from below in turn
 * as long as it costs fewer bits. Errors as of pqx_encode; PQX_TOO_LARGE where a vector would begin
 * beyond 2^32. */
int pqx_pfor_encode(int type, const pqx_value_array *values, uint32_t log_vector_size, uint8_t *out,
                    size_t capacity, size_t *size, pqx_error *error);

#endif
