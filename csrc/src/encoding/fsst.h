/* FSST: byte arrays as codes of up to 255 symbols of 1 to 8 bytes, which a page has once (Boncz,
 * Neumann, Leis: FSST, VLDB 2020; the page's layout is our own: docs/formats.md).
 *
 * A page is the bits of a code u8, 8; the number of symbols u8; a byte of length for each; their
 * bytes; where the codes of each value end, counted from the first code, in DELTA_BINARY_PACKED;
 * the codes. Code 255 stands for the byte behind it. Each value is decoded without the others.
 *
 * What is damaged, and how it is told (error: offset, expected, found):
 *   PQX_TRUNCATED: 0, 2, bytes that are left: the header;
 *   PQX_CODE_BITS: 0, 8, what it says;
 *   PQX_TRUNCATED: the symbols' lengths, or their bytes: the bytes of all, bytes that are left;
 *   PQX_SYMBOL_LENGTH: the length, 8, what it says;
 *   deltas: as encoding/delta.h says it, of all of them, when the cursor begins;
 *   PQX_BYTE_ARRAY_LENGTH: the value's codes, bytes that are left there (at most 2^31 - 1), how
 * many they are; those that end before they begin are 2^31 or more; PQX_SYMBOL_CODE: the code, the
 * symbols, what it says; PQX_TRUNCATED: behind the value's codes, 1, 0: the last one is 255;
 *   PQX_VALUE_LENGTH: the value's codes, the type's width, the value's length;
 *   PQX_TOO_LARGE: the value's codes, the room, what all values up to this one take.
 * A page without values may be empty.
 */
#ifndef PQX_FSST_H
#define PQX_FSST_H

#include "encoding/delta.h"

enum { PQX_FSST_ESCAPE = 255, PQX_FSST_MOST_SYMBOLS = 255, PQX_FSST_LONGEST = 8 };

typedef struct pqx_fsst_symbols {
    uint64_t bytes[256]; /* the first one lowest, zeros behind the last */
    uint8_t lengths[256];
    uint32_t count;
} pqx_fsst_symbols;

typedef struct pqx_fsst {
    const uint8_t *data;
    size_t size;
    size_t codes;    /* where the first value's begin */
    uint32_t end;    /* of the codes of the value before the next one, from there */
    uint32_t width;  /* bytes of every value; 0: any */
    pqx_deltas ends; /* of the values to come */
    pqx_fsst_symbols symbols;
} pqx_fsst;

/* How many values the page says it has. */
int pqx_fsst_count(const uint8_t *data, size_t size, uint64_t *count, pqx_error *error);
/* Begin with the `count` values in data[0..size). */
int pqx_fsst_begin(pqx_fsst *fsst, uint32_t width, const uint8_t *data, size_t size, uint64_t count,
                   pqx_error *error);
/* Bytes that hold all values, 8 for each byte of codes, and never more than 2^31 - 1. */
size_t pqx_fsst_room(const pqx_fsst *fsst);
/* The next `count` values to bytes[*filled..room); offsets[i] is set to where value i ends there,
 * where there are offsets. */
int pqx_fsst_take(pqx_fsst *fsst, size_t count, int32_t *offsets, uint8_t *bytes, size_t *filled,
                  size_t room, pqx_error *error);
/* Pass over the next `count` values: where their codes end is all that is read of them, and of the
 * last one alone it is checked. */
int pqx_fsst_skip(pqx_fsst *fsst, size_t count, pqx_error *error);
/* Bytes that hold the next value, of which there is one. */
int pqx_fsst_next_room(const pqx_fsst *fsst, size_t *room, pqx_error *error);

/* ---- encoding ---- */

/* Bytes of room that pqx_fsst_encode wants for `count` values of `bytes` bytes in all; SIZE_MAX
 * where no memory is that large. */
size_t pqx_fsst_bound(uint64_t count, size_t bytes);
/* Encode values of BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY, with symbols that a sample of them gives.
 * Errors as of pqx_encode; PQX_TOO_LARGE where codes take more than 2^31 - 1 bytes; PQX_NO_MEMORY:
 * it reserves less than 2 MiB to count in, and gives
 * them back. */
int pqx_fsst_encode(int type, int32_t type_length, const pqx_value_array *values, uint8_t *out,
                    size_t capacity, size_t *size, pqx_error *error);

#endif
