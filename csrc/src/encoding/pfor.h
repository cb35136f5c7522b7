/* PFOR (parquet-format, pull request 579, number 11): INT32 and INT64 in vectors, each packed with
 * its frame and bit width; values that do not fit are exceptions, stored unchanged.
 *
 * A page has a header of 7 bytes: packing mode 0, log2 of the values per vector (3 to 15), bytes
 * per value (4 or 8), number of values (u32). It is followed by a u32 for each vector: its offset
 * relative to the first of these. A vector is its frame (4 or 8 bytes), its bit width u8, its
 * number of exceptions u16, the differences from the frame, packed least significant bit first, the
 * exceptions' positions (u16 each), and their values. Arithmetic wraps at the type's width.
 *
 * Errors (offset, expected, found):
 *   PQX_TRUNCATED: 0, 7, remaining bytes: the header;
 *   PQX_VECTOR_PACKING: the mode, 0, its value;
 *   PQX_VECTOR_SIZE: the logarithm, 15, its value;
 *   PQX_VALUE_LENGTH: the bytes per value, the type's width, the stored number;
 *   PQX_VECTOR_COUNT: the number of values, the page's number, its value;
 *   PQX_TRUNCATED: the offsets, the bytes of all of them, remaining bytes;
 *   PQX_VECTOR_OFFSET: the offset, the end of the previous vector, its value;
 *   PQX_TRUNCATED: the vector, the bytes before its packed values, remaining bytes;
 *   PQX_BIT_WIDTH: the width byte, 32 or 64, its value;
 *   PQX_EXCEPTION_COUNT: the number of exceptions, values of the vector, its value;
 *   PQX_TRUNCATED: the packed values, the bytes of these and the exceptions, remaining bytes;
 *   PQX_EXCEPTION_POSITION: the position, values of the vector, its value.
 * A page without values may be empty, without a header.
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
    size_t size, at; /* offset of the next vector */
    uint64_t left;   /* values not taken yet */
    size_t offset;   /* position of the next vector's offset */
    uint32_t width;  /* bytes of a value */
    uint32_t vector_size;
} pqx_pfor;

/* Begin with the `count` values of `width` bytes in data[0..size). */
int pqx_pfor_begin(pqx_pfor *pfor, uint32_t width, const uint8_t *data, size_t size, uint64_t count,
                   pqx_error *error);
/* Take the next vectors, as many as fit in `room` values: at least one if `room` is
 * PQX_PFOR_MOST_VALUES. *taken is the number of their values. */
int pqx_pfor_take(pqx_pfor *pfor, size_t room, uint8_t *out, size_t *taken, pqx_error *error);

/* Return the room that pqx_pfor_encode needs; SIZE_MAX if it exceeds the address space. */
size_t pqx_pfor_bound(uint32_t width, uint64_t count, uint32_t log_vector_size);
/* Encode values of INT32 or INT64. Each vector's range is reduced from above and from below in turn
 * as long as that saves bits. Errors as in pqx_encode; PQX_TOO_LARGE: a vector would begin beyond
 * 2^32. */
int pqx_pfor_encode(int type, const pqx_value_array *values, uint32_t log_vector_size, uint8_t *out,
                    size_t capacity, size_t *size, pqx_error *error);

#endif
