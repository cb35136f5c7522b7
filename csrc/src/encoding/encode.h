/* The encoders behind pqx_encode. Each encoder takes checked values and sufficient room:
 * PQX_ENCODE_SLACK bytes after its longest output, which it may overwrite. Each returns the end of
 * its output. */
#ifndef PQX_ENCODE_H
#define PQX_ENCODE_H

#include "base/internal.h"

#define PQX_ENCODE_SLACK 64
#define PQX_DELTA_BLOCK 128
#define PQX_DELTA_MINIBLOCK 32

/* ---- byte arrays ---- */

typedef struct pqx_strings {
    const uint8_t *data; /* the base of the offsets */
    size_t size;         /* bytes that may be read */
    const int32_t *offsets;
    size_t count;
} pqx_strings;

/* Return the bytes of all values. */
static inline size_t pqx_strings_bytes(const pqx_strings *strings)
{ return strings->count ? (size_t)(strings->offsets[strings->count] - strings->offsets[0]) : 0; }

/* Copy `length` bytes, faster if `room` more than PQX_ENCODE_SLACK may be read; `out` has slack. */
static inline uint8_t *pqx_put_bytes(uint8_t *out, const uint8_t *from, size_t length, size_t room)
{
    if (PQX_LIKELY(length <= 32 && room >= 32)) {
        memcpy(out, from, 16);
        if (length > 16) memcpy(out + 16, from + 16, 16);
    } else if (length) memcpy(out, from, length);
    return out + length;
}

uint8_t *pqx_encode_plain_strings(const pqx_strings *strings, uint8_t *out);
uint8_t *pqx_encode_delta_length(const pqx_strings *strings, uint8_t *out);
/* `behind` is the end of the room; the 4 bytes per value before it are used as working space. */
uint8_t *pqx_encode_delta_strings(const pqx_strings *strings, uint8_t *behind, uint8_t *out);
uint8_t *pqx_encode_delta_fixed(const uint8_t *values, size_t count, uint32_t width,
                                uint8_t *behind, uint8_t *out);

/* ---- runs ---- */

/* Return the maximum size of `count` values of `width` bits as runs. */
uint64_t pqx_runs_bound(uint64_t count, uint32_t width);
uint8_t *pqx_encode_runs16(const uint16_t *values, size_t count, uint32_t width, uint8_t *out);
uint8_t *pqx_encode_runs32(const uint32_t *values, size_t count, uint32_t width, uint8_t *out);
uint8_t *pqx_encode_bit_runs(const uint8_t *bits, size_t count, uint8_t *out);
uint8_t *pqx_encode_msb_first(const uint16_t *values, size_t count, uint32_t width, uint8_t *out);

/* Pack groups of 8 values of `width` bits, least significant bit first: width bytes per group. No
 * value may have more bits. */
uint8_t *pqx_pack32(const uint32_t *values, size_t groups, uint32_t width, uint8_t *out);
uint8_t *pqx_pack64(const uint64_t *values, size_t groups, uint32_t width, uint8_t *out);

/* ---- deltas ---- */

uint64_t pqx_deltas_bound(uint64_t count, uint32_t width);
uint8_t *pqx_encode_deltas32(const uint8_t *values, size_t count, uint8_t *out);
uint8_t *pqx_encode_deltas64(const uint8_t *values, size_t count, uint8_t *out);

/* Encodes the deltas of numbers, such as lengths, that are supplied in pieces. */
typedef struct pqx_delta_writer {
    uint8_t *out;
    uint32_t last, waiting;
    uint32_t values[PQX_DELTA_BLOCK];
} pqx_delta_writer;
void pqx_delta_writer_begin(pqx_delta_writer *writer, size_t count, uint32_t first, uint8_t *out);
void pqx_delta_writer_flush(pqx_delta_writer *writer);
static inline void pqx_delta_writer_put(pqx_delta_writer *writer, uint32_t value)
{
    writer->values[writer->waiting++] = value;
    if (PQX_UNLIKELY(writer->waiting == PQX_DELTA_BLOCK)) pqx_delta_writer_flush(writer);
}

/* ---- byte streams ---- */

uint8_t *pqx_encode_split(const uint8_t *values, size_t count, uint32_t width, uint8_t *out);

/* ---- ALP ---- */

enum { PQX_ALP_LEAST_BITS = 3, PQX_ALP_USUAL_BITS = 10, PQX_ALP_MOST_BITS = 15 };

/* Return the maximum size of `count` values of `width` bytes, in vectors of 2^vector_bits. */
uint64_t pqx_alp_bound(uint64_t count, uint32_t width, uint32_t vector_bits);
uint8_t *pqx_encode_alp_values(const uint8_t *values, size_t count, uint32_t width,
                               uint32_t vector_bits, uint8_t *out);

/* Powers of ten: value * 10^exponent * 10^-factor is the integer. */
typedef struct pqx_alp_pair {
    uint8_t exponent, factor;
} pqx_alp_pair;

/* The result of a pair: the smallest and the largest integer, infinities if there is none, and the
 * number of exceptions. */
typedef struct pqx_alp_fit {
    double least, most;
    size_t exceptions;
} pqx_alp_fit;

/* ---- checks ---- */

/* Check that all values are within their bytes; errors as in pqx_encode, except that of the type.
 */
int pqx_check_values(int type, int32_t type_length, const pqx_value_array *values,
                     pqx_error *error);
/* Check values of a type that a dictionary supports, and get their width, 0 for byte arrays. */
int pqx_check_dictionary_values(int type, int32_t type_length, const pqx_value_array *values,
                                uint32_t *width, pqx_error *error);

/* ---- routines per CPU ---- */

/* Compute one block's differences from the previous value, minus their minimum; widths[m] is the
 * bits of the largest one of miniblock m. Return the minimum. `count` is 1 to PQX_DELTA_BLOCK. */
typedef uint64_t (*pqx_deltas64_function)(const uint8_t *values, size_t count, uint64_t before,
                                          uint64_t *deltas, uint8_t widths[4]);
typedef uint32_t (*pqx_deltas32_function)(const uint8_t *values, size_t count, uint32_t before,
                                          uint32_t *deltas, uint8_t widths[4]);
/* Split `count` values, a multiple of 64, of 4 or 8 bytes: byte b of value i goes to
 * out[b * stride + i]. */
typedef void (*pqx_split_function)(const uint8_t *values, size_t count, size_t stride,
                                   uint8_t *out);

/* Round `count` values with a pair of powers. The integers are stored as values of the type in
 * `rounded`, which has room for 64 bytes more and may be NULL; NaN if an integer does not convert
 * back to the same bits. */
typedef void (*pqx_alp_round_function)(const uint8_t *values, size_t count, pqx_alp_pair pair,
                                       void *rounded, pqx_alp_fit *fit);

typedef struct pqx_encode_choice {
    const char *name;
    pqx_deltas32_function deltas32;
    pqx_deltas64_function deltas64;
    pqx_split_function split4, split8;
    pqx_alp_round_function alp_round32, alp_round64;
} pqx_encode_choice;

/* The portable routines. */
extern const pqx_encode_choice pqx_encode_portable;
uint32_t pqx_deltas32_portable(const uint8_t *values, size_t count, uint32_t before,
                               uint32_t *deltas, uint8_t widths[4]);
uint64_t pqx_deltas64_portable(const uint8_t *values, size_t count, uint64_t before,
                               uint64_t *deltas, uint8_t widths[4]);
void pqx_split4_portable(const uint8_t *values, size_t count, size_t stride, uint8_t *out);
void pqx_split8_portable(const uint8_t *values, size_t count, size_t stride, uint8_t *out);
void pqx_alp_round32_portable(const uint8_t *values, size_t count, pqx_alp_pair pair, void *rounded,
                              pqx_alp_fit *fit);
void pqx_alp_round64_portable(const uint8_t *values, size_t count, pqx_alp_pair pair, void *rounded,
                              pqx_alp_fit *fit);
/* Return the routines that this CPU can run, best first, the portable ones last, then NULL; static.
 * Querying the CPU is slow. */
const pqx_encode_choice *const *pqx_encode_choices(void);
/* Return the best routines, cached. */
const pqx_encode_choice *pqx_encode_best(void);

#endif
