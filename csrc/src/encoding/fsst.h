/* FSST: byte arrays as codes of up to 255 symbols of 1 to 8 bytes, which are stored once per page
 * (Boncz, Neumann, Leis: FSST, VLDB 2020; the page layout is specific to parquetext:
 * docs/formats.md).
 *
 * A page is the bits of a code u8, 8; the number of symbols u8; a byte of length for each; their
 * bytes; the end of each value's codes, relative to the first code, in DELTA_BINARY_PACKED; the
 * codes. Code 255 is followed by a literal byte. Each value is decoded independently.
 *
 * Errors (offset, expected, found):
 *   PQX_TRUNCATED: 0, 2, remaining bytes: the header;
 *   PQX_CODE_BITS: 0, 8, the bits;
 *   PQX_TRUNCATED: the symbols' lengths, or their bytes: the bytes of all, remaining bytes;
 *   PQX_SYMBOL_LENGTH: the length, 8, its value;
 *   deltas: as in encoding/delta.h, for all of them, when the cursor begins;
 *   PQX_BYTE_ARRAY_LENGTH: the value's codes, remaining bytes there (at most 2^31 - 1), their
 *     number; codes that end before they begin are 2^31 or more;
 *   PQX_SYMBOL_CODE: the code, the number of symbols, its value;
 *   PQX_TRUNCATED: the end of the value's codes, 1, 0: the last code is 255;
 *   PQX_VALUE_LENGTH: the value's codes, the type's width, the value's length;
 *   PQX_TOO_LARGE: the value's codes, the room, the size of all values up to this one.
 * A page without values may be empty.
 */
#ifndef PQX_FSST_H
#define PQX_FSST_H

#include "encoding/delta.h"

enum { PQX_FSST_ESCAPE = 255, PQX_FSST_MOST_SYMBOLS = 255, PQX_FSST_LONGEST = 8 };

typedef struct pqx_fsst_symbols {
    uint64_t bytes[256]; /* the first byte lowest, zeros after the last */
    uint8_t lengths[256];
    uint32_t count;
} pqx_fsst_symbols;

typedef struct pqx_fsst {
    const uint8_t *data;
    size_t size;
    size_t codes;    /* offset of the first value's codes */
    uint32_t end;    /* end of the previous value's codes, relative to `codes` */
    uint32_t width;  /* bytes of every value; 0: any */
    pqx_deltas ends; /* of the remaining values */
    pqx_fsst_symbols symbols;
} pqx_fsst;

/* Return the number of values stored in the page. */
int pqx_fsst_count(const uint8_t *data, size_t size, uint64_t *count, pqx_error *error);
/* Begin with the `count` values in data[0..size). */
int pqx_fsst_begin(pqx_fsst *fsst, uint32_t width, const uint8_t *data, size_t size, uint64_t count,
                   pqx_error *error);
/* Return a sufficient size for all values: 8 for each byte of codes, at most 2^31 - 1. */
size_t pqx_fsst_room(const pqx_fsst *fsst);
/* Take the next `count` values into bytes[*filled..room); offsets[i] is set to the end of value i,
 * if there are offsets. */
int pqx_fsst_take(pqx_fsst *fsst, size_t count, int32_t *offsets, uint8_t *bytes, size_t *filled,
                  size_t room, pqx_error *error);
/* Skip the next `count` values: only the ends of their codes are read, and only that of the last
 * value is checked. */
int pqx_fsst_skip(pqx_fsst *fsst, size_t count, pqx_error *error);
/* Return a sufficient size for the next value, which must exist. */
int pqx_fsst_next_room(const pqx_fsst *fsst, size_t *room, pqx_error *error);

/* ---- encoding ---- */

/* Return the room that pqx_fsst_encode needs for `count` values of `bytes` bytes in total; SIZE_MAX
 * if it exceeds the address space. */
size_t pqx_fsst_bound(uint64_t count, size_t bytes);
/* Encode values of BYTE_ARRAY or FIXED_LEN_BYTE_ARRAY, with symbols chosen from a sample of them.
 * Errors as in pqx_encode; PQX_TOO_LARGE: the codes take more than 2^31 - 1 bytes; PQX_NO_MEMORY:
 * it reserves less than 2 MiB for counting, and frees them. */
int pqx_fsst_encode(int type, int32_t type_length, const pqx_value_array *values, uint8_t *out,
                    size_t capacity, size_t *size, pqx_error *error);

#endif
