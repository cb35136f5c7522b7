/* Cursors over the encoded levels and values of one page.
 *
 * A cursor is the caller's memory; it reserves none and need not be freed. It points into the
 * page's decompressed bytes and into the dictionary, which must outlive it. Every take is bounded
 * by the requested count, so no memory is reserved because of a claimed size. Offsets in errors
 * count from `data`. After an error the cursor must not be used, and the output of the failed take
 * is undefined. The sizes of takes do not affect the error: it is that of the first wrong value.
 *
 * Error                        code                  offset             expected      found
 * begin: `at` after the end   PQX_TRUNCATED         at                 1             0
 * a run's header               as pqx_varint_get32   the header
 * a run of 0 or > 2^31-1       PQX_RUN_LENGTH        the header         2^31-1        its length
 * a run's value cut short      PQX_TRUNCATED         the value          its bytes     bytes left
 * packed values that end       PQX_TRUNCATED         the byte in which  bytes that    bytes left
 *                                                    the next begins    it touches
 * a level too high             PQX_LEVEL             the run's header   max_level     the level
 * an index too high            PQX_DICTIONARY_INDEX  the run's header   entries       the index
 * late values that fail        PQX_DICTIONARY_INDEX  the run's header   those ready   the index
 * a boolean run of neither     PQX_BOOLEAN           the run's header   1             its value
 * no byte of the index width   PQX_TRUNCATED         at                 1             0
 * an index width above 32      PQX_BIT_WIDTH         at                 32            the width
 * indices, no dictionary       PQX_NO_DICTIONARY     at                 0             0
 * RLE booleans: no length      PQX_TRUNCATED         at                 4             bytes left
 * RLE booleans: too long       PQX_TRUNCATED         at                 the length    bytes left
 * PLAIN: a value cut short     PQX_TRUNCATED         the value          width         bytes left
 * PLAIN booleans that end      PQX_TRUNCATED         size               1             0
 * streams of no whole values   PQX_STREAM_SIZE       at                 width         their bytes
 * streams that end             PQX_TRUNCATED         size               width         0
 * levels in other encodings    PQX_LEVEL_ENCODING    at                 3 (RLE)       the encoding
 * values in such               PQX_ENCODING          at                 the type      the encoding
 *
 * delta.h lists the errors of deltas, alp.h those of ALP vectors.
 *
 * BIT_PACKED levels are one run whose header is its first byte. No bytes are needed if `count` is
 * 0, nor for levels and indices of 0 bits, which are all 0.
 */
#ifndef PQX_VALUES_H
#define PQX_VALUES_H

#include "base/internal.h"

/* Runs of RLE and bit-packed values in any order (parquet-format, Encodings.md, RLE = 3), or
 * bit-packed ones alone, most significant bit first (BIT_PACKED = 4, of levels only). */
typedef struct pqx_runs {
    const uint8_t *data;
    size_t size, at; /* offset after the open run */
    size_t header;   /* the open run's header */
    uint32_t width;  /* bits of a value, 0 to 32 */
    uint32_t value;  /* of a repeated run */
    uint64_t left;   /* remaining values of the run */
    uint64_t packed; /* the bit, counted from `data`, of the next bit-packed value */
    uint8_t is_packed;
    uint8_t is_msb_first;
    uint8_t is_strict; /* packed values must not end before their run does */
} pqx_runs;

/* Values of a dictionary that are made on demand. */
typedef struct pqx_late_values {
    uint32_t ready; /* number of available values, from the first one on */
    /* Make the first `count` values available: `ready` is then at least `count`. Return 0 on
     * failure. */
    int (*make)(struct pqx_late_values *late, uint32_t count);
} pqx_late_values;

/* A dictionary: `count` values of `width` bytes, or byte arrays: value i is
 * bytes[offsets[i]..offsets[i + 1]). */
typedef struct pqx_dictionary {
    const uint8_t *fixed;
    const uint8_t *bytes;
    const uint32_t *offsets; /* ascending, below 2^31 */
    uint32_t count, width;
    size_t readable;       /* bytes of `bytes`, spare ones included, if those exceed the size of the
                              values: with 32 spare ones, every short value is copied the fast way */
    pqx_late_values *late; /* for values of a fixed width; NULL: all of them are available */
} pqx_dictionary;

/* DELTA_BINARY_PACKED: the position within the blocks and miniblocks. */
typedef struct pqx_deltas {
    const uint8_t *data;
    size_t size, at;
    uint64_t block_values, miniblock_values, miniblocks; /* of the page */
    uint64_t count, left; /* number of values, and of remaining values, the first one included */
    uint64_t total;       /* number of values in the header, at least `count` */
    size_t total_at;      /* offset of that number in the header */
    uint64_t last;        /* the previous value, or the first value */
    uint64_t min_delta;
    size_t widths;           /* offset of the block's width bytes */
    uint64_t miniblock;      /* the index of the next one; `miniblocks`: the next block's first */
    uint64_t miniblock_left; /* remaining values of the open one */
    uint64_t packed;         /* the bit, counted from `data`, of its next value */
    uint8_t width, is_64, is_begun;
    uint8_t is_strict; /* miniblocks must be complete */
} pqx_deltas;

/* ALP: the position within the vectors. */
typedef struct pqx_alp {
    const uint8_t *data;
    size_t size, at;         /* offset after the open vector */
    size_t offsets;          /* offset of the vectors' offsets */
    uint64_t count, vectors; /* of the page */
    uint64_t next;           /* the vector after the open one */
    uint64_t frame;          /* of the open vector, like all members below */
    size_t packed, positions;
    uint32_t values, left; /* total and remaining */
    uint32_t exceptions;
    uint32_t exception; /* the first exception after the current position */
    uint8_t exponent, factor, width, is_ascending;
    uint8_t size_bits, is_double, has_jumped; /* set after a skip over vectors */
} pqx_alp;

/* The encoded values of a page. */
typedef struct pqx_values {
    int encoding, type;
    uint32_t width; /* bytes of a value when taken; 0: byte arrays, and booleans */
    uint64_t left;  /* maximum number of further values */
    const uint8_t *data;
    size_t size, at;
    const pqx_dictionary *dictionary;
    pqx_runs runs;               /* dictionary indices; RLE booleans */
    pqx_deltas deltas, suffixes; /* values, lengths or prefix lengths; suffix lengths */
    pqx_alp alp;
    uint64_t count,
        taken; /* BYTE_STREAM_SPLIT: number of values, and of taken ones; PLAIN booleans */
    pqx_buffer *previous; /* DELTA_BYTE_ARRAY: memory for the previous value: see below */
    size_t previous_size; /* of that value */
} pqx_values;

/* ---- levels ---- */

/* Begin with the levels in data[at..size): values of 0 to max_level, `encoding` RLE (without its
 * length prefix) or BIT_PACKED. */
int pqx_levels_begin(pqx_runs *runs, int encoding, uint32_t max_level, const uint8_t *data,
                     size_t size, size_t at, pqx_error *error);
/* Take the next `count` levels. PQX_LEVEL (offset: the run's header, expected: max_level, found): a
 * level is above `max_level`; PQX_TRUNCATED: the bytes end first. */
int pqx_levels_take(pqx_runs *runs, uint32_t max_level, size_t count, uint16_t *out,
                    pqx_error *error);
/* Take the next `count` levels of max_level 1 as bits, the first one at bit `bit` of `out` (least
 * significant first; other bits are kept); *ones is the number of set bits. */
int pqx_levels_take_bits(pqx_runs *runs, size_t count, uint8_t *out, uint64_t bit, size_t *ones,
                         pqx_error *error);
/* Skip runs that repeat one level. Return how many of the next `most` levels are equal to *level,
 * at least 1 unless most is 0. For a null-free or all-null stretch. */
int pqx_levels_run(pqx_runs *runs, uint32_t max_level, uint64_t most, uint16_t *level,
                   uint64_t *length, pqx_error *error);

/* Count the levels equal to `wanted` among the next `entries` ones, and check these. */
int pqx_levels_count(pqx_runs runs, uint32_t max_level, uint32_t wanted, uint64_t entries,
                     uint64_t *count, pqx_error *error);

/* ---- values ---- */

/* Return the bytes of a value of the type if it is taken as fixed: 4, 8, 12, type_length; 0 for
 * BOOLEAN and BYTE_ARRAY. */
uint32_t pqx_fixed_width(int type, int32_t type_length);

/* Begin with up to `count` values of `type` (FIXED_LEN_BYTE_ARRAY: of `type_length` bytes) in
 * `encoding`, in data[at..size). Their number is checked when they are taken, so a page's
 * num_values, nulls included, may be given. `dictionary` is NULL except for PLAIN_DICTIONARY and
 * RLE_DICTIONARY; its width is that of the type. The length of BYTE_STREAM_SPLIT's streams follows
 * from the remaining bytes. PQX_ENCODING: the encoding does not support the type or is not
 * implemented; PQX_BAD_ARGUMENT: an invalid `type_length` or dictionary width. */
int pqx_values_begin(pqx_values *values, int encoding, int type, int32_t type_length,
                     const uint8_t *data, size_t size, size_t at, uint64_t count,
                     const pqx_dictionary *dictionary, pqx_error *error);
/* Take the next `count` values, at most values->left, of a fixed width: count * width bytes,
 * little-endian as stored. */
int pqx_values_take_fixed(pqx_values *values, size_t count, uint8_t *out, pqx_error *error);
/* Return the address of the next `count` values if they are stored back to back, as they would be
 * taken, followed by `spare` bytes, and skip them. Otherwise return NULL and skip nothing. */
const uint8_t *pqx_values_in_place(pqx_values *values, size_t count, size_t spare);
/* Take the next `count` booleans as bits, the first one at bit `bit` of `out`; other bits are kept.
 */
int pqx_values_take_bits(pqx_values *values, size_t count, uint8_t *out, uint64_t bit,
                         pqx_error *error);
/* Take the next `count` indices of values in a dictionary encoding, at most values->left. */
int pqx_values_take_indices(pqx_values *values, size_t count, uint32_t *out, pqx_error *error);
/* Take the next byte arrays: up to `count`, at most values->left, as many as fit in
 * bytes[0..capacity). The caller sets offsets[0] to the beginning of the first one;
 * offsets[1..*taken] are set to the end of each one. If *taken < count, *needed is the size (at
 * least) that `bytes` must have for the next one, else 0. The caller then makes room (keeping the
 * contents, or restarting at offsets[0] = 0) and calls again. If *needed is above 2^31 - 1, only
 * restarting is possible.
 *
 * offsets[*taken + 1..count] and bytes[offsets[*taken]..capacity) are overwritten with undefined
 * values: with 32 bytes more than the values take, short ones are copied the fast way.
 *
 * DELTA_BYTE_ARRAY needs memory for the previous value, whose prefix the next one shares. After
 * pqx_values_begin, before the first take or skip, the caller sets values->previous to a buffer
 * ({0} at first). The caller keeps it while the cursor is in use, may pass it to the next page's
 * cursor, and frees it with pqx_buffer_free. The output of an earlier take is never read again: the
 * caller may move it or give it away. PQX_BAD_ARGUMENT: there is no buffer. */
int pqx_values_take_binary(pqx_values *values, size_t count, int32_t *offsets, uint8_t *bytes,
                           size_t capacity, size_t *taken, size_t *needed, pqx_error *error);
/* Skip the next `count` values, at most values->left, without checking them. */
int pqx_values_skip(pqx_values *values, size_t count, pqx_error *error);
/* Return the end of the encoded values, after all have been taken: exact for PLAIN and deltas; for
 * runs the end of the last opened one; for RLE booleans according to their length; for streams and
 * ALP the end of the last one. */
size_t pqx_values_end(const pqx_values *values);

#endif
