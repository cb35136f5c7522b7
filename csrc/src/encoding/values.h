/* Cursors over what is encoded in one page: levels, and values.
 *
 * A cursor is the caller's memory; it reserves none and is forgotten, not freed. It points into the
 * page's bytes (decompressed) and into the dictionary, which must outlive it. Every take is bounded
 * by what was asked for, so nothing is reserved by what the bytes claim. Offsets in errors count
 * from `data`. After an error a cursor is not used again, and what the failed take has written is
 * nothing. How takes are cut does not change the error: it is that of the first value in order.
 *
 * What is wrong with           code                  offset             expected      found
 * begin: `at` behind the end   PQX_TRUNCATED         at                 1             0
 * a run's header               as pqx_varint_get32   the header
 * a run of 0 or > 2^31-1       PQX_RUN_LENGTH        the header         2^31-1        its length
 * a run's value cut short      PQX_TRUNCATED         the value          its bytes     what is left
 * packed values that end       PQX_TRUNCATED         the byte in which  bytes that    what is left
 *                                                    the next begins    it touches
 * a level too high             PQX_LEVEL             the run's header   max_level     the level
 * an index too high            PQX_DICTIONARY_INDEX  the run's header   entries       the index
 * late values that fail        PQX_DICTIONARY_INDEX  the run's header   those ready   the index
 * a boolean run of neither     PQX_BOOLEAN           the run's header   1             its value
 * no byte of the index width   PQX_TRUNCATED         at                 1             0
 * an index width above 32      PQX_BIT_WIDTH         at                 32            the width
 * indices, no dictionary       PQX_NO_DICTIONARY     at                 0             0
 * RLE booleans: no length      PQX_TRUNCATED         at                 4             what is left
 * RLE booleans: too long       PQX_TRUNCATED         at                 the length    what is left
 * PLAIN: a value cut short     PQX_TRUNCATED         the value          width         what is left
 * PLAIN booleans that end      PQX_TRUNCATED         size               1             0
 * streams of no whole values   PQX_STREAM_SIZE       at                 width         their bytes
 * streams that end             PQX_TRUNCATED         size               width         0
 * levels in other encodings    PQX_LEVEL_ENCODING    at                 3 (RLE)       the encoding
 * values in such               PQX_ENCODING          at                 the type      the encoding
 *
 * What is told of damaged deltas stands in delta.h, of damaged ALP vectors in alp.h.
 *
 * BIT_PACKED levels are one run whose header is where they begin. No bytes at all are needed where
 * `count` is 0, nor for levels and indices of 0 bits, which are all 0.
 */
#ifndef PQX_VALUES_H
#define PQX_VALUES_H

#include "base/internal.h"

/* Runs of RLE and bit-packed values in any order (parquet-format, Encodings.md, RLE = 3), or
 * bit-packed ones alone, most significant bit first (BIT_PACKED = 4, of levels only). */
typedef struct pqx_runs {
    const uint8_t *data;
    size_t size, at; /* behind the open run */
    size_t header;   /* the open run's header */
    uint32_t width;  /* bits of a value, 0 to 32 */
    uint32_t value;  /* of the run that repeats it */
    uint64_t left;   /* values left of the run */
    uint64_t packed; /* the bit, from `data`, at which the next bit-packed value stands */
    uint8_t is_packed;
    uint8_t is_msb_first;
    uint8_t is_strict; /* packed values must not end before their run does */
} pqx_runs;

/* Values of a dictionary that are made when an index leads to them. */
typedef struct pqx_late_values {
    uint32_t ready; /* as many are there, from the first one on */
    /* Have `count` of them: `ready` is as many, or more, then. 0: they cannot be made. */
    int (*make)(struct pqx_late_values *late, uint32_t count);
} pqx_late_values;

/* A dictionary: `count` values of `width` bytes, or byte arrays: value i is
 * bytes[offsets[i]..offsets[i + 1]). */
typedef struct pqx_dictionary {
    const uint8_t *fixed;
    const uint8_t *bytes;
    const uint32_t *offsets; /* ascending, below 2^31 */
    uint32_t count, width;
    size_t readable; /* bytes of `bytes`, spare ones included, where those are more than the values
                        take: with 32 spare ones every short value is copied the fast way */
    pqx_late_values *late; /* of values of a fixed width; NULL: all of them are there */
} pqx_dictionary;

/* DELTA_BINARY_PACKED: where it stands within its blocks and miniblocks. */
typedef struct pqx_deltas {
    const uint8_t *data;
    size_t size, at;
    uint64_t block_values, miniblock_values, miniblocks; /* of the page */
    uint64_t count, left; /* values in all, and not taken yet, the first one included */
    uint64_t total;       /* values in all by the header, at least `count` */
    size_t total_at;      /* where the header says so */
    uint64_t last;        /* the value before the next one, or the first value */
    uint64_t min_delta;
    size_t widths;           /* where the block's width bytes stand */
    uint64_t miniblock;      /* which one comes next; `miniblocks`: the next block's first */
    uint64_t miniblock_left; /* values of the open one not taken yet */
    uint64_t packed;         /* the bit, from `data`, at which its next value stands */
    uint8_t width, is_64, is_begun;
    uint8_t is_strict; /* miniblocks must be there to their end */
} pqx_deltas;

/* ALP: where it stands within its vectors. */
typedef struct pqx_alp {
    const uint8_t *data;
    size_t size, at;         /* behind the open vector */
    size_t offsets;          /* where the vectors' offsets stand */
    uint64_t count, vectors; /* of the page */
    uint64_t next;           /* the vector behind the open one */
    uint64_t frame;          /* of the open vector, and so all below */
    size_t packed, positions;
    uint32_t values, left; /* in all, and not taken yet */
    uint32_t exceptions;
    uint32_t exception; /* the first one that may not be passed yet */
    uint8_t exponent, factor, width, is_ascending;
    uint8_t size_bits, is_double, has_jumped; /* over vectors, to the next one */
} pqx_alp;

/* What is encoded as values. */
typedef struct pqx_values {
    int encoding, type;
    uint32_t width; /* bytes of a value as it is taken; 0: byte arrays, and booleans */
    uint64_t left;  /* values that may still be taken */
    const uint8_t *data;
    size_t size, at;
    const pqx_dictionary *dictionary;
    pqx_runs runs;               /* dictionary indices; RLE booleans */
    pqx_deltas deltas, suffixes; /* values, lengths or prefix lengths; suffix lengths */
    pqx_alp alp;
    uint64_t count, taken; /* BYTE_STREAM_SPLIT: values in all, and taken; PLAIN booleans */
    pqx_buffer *previous;  /* DELTA_BYTE_ARRAY: memory for the value before: see below */
    size_t previous_size;  /* of that value */
} pqx_values;

/* ---- levels ---- */

/* Begin with the levels in data[at..size): values of 0 to max_level, `encoding` RLE (without its
 * length prefix) or BIT_PACKED. */
int pqx_levels_begin(pqx_runs *runs, int encoding, uint32_t max_level, const uint8_t *data,
                     size_t size, size_t at, pqx_error *error);
/* The next `count` levels. PQX_LEVEL (offset: the run's header, expected: max_level, found) where
 * one is above `max_level`; PQX_TRUNCATED where the bytes end first. */
int pqx_levels_take(pqx_runs *runs, uint32_t max_level, size_t count, uint16_t *out,
                    pqx_error *error);
/* The next `count` levels of max_level 1 as bits, the first one at bit `bit` of `out` (least
 * significant first; bits around are kept); *ones counts those set. */
int pqx_levels_take_bits(pqx_runs *runs, size_t count, uint8_t *out, uint64_t bit, size_t *ones,
                         pqx_error *error);
/* Pass over runs that repeat one level: how many of the next `most` levels are equal to *level, at
 * least 1 unless most is 0. For a null-free or all-null stretch. */
int pqx_levels_run(pqx_runs *runs, uint32_t max_level, uint64_t most, uint16_t *level,
                   uint64_t *length, pqx_error *error);

/* Count the levels equal to `wanted` among the next `entries` ones, which are checked. */
int pqx_levels_count(pqx_runs runs, uint32_t max_level, uint32_t wanted, uint64_t entries,
                     uint64_t *count, pqx_error *error);

/* ---- values ---- */

/* Bytes that a value of the type takes where it is taken as fixed: 4, 8, 12, type_length; 0 for
 * BOOLEAN and BYTE_ARRAY. */
uint32_t pqx_fixed_width(int type, int32_t type_length);

/* Begin with up to `count` values of `type` (FIXED_LEN_BYTE_ARRAY: of `type_length` bytes) in
 * `encoding`, in data[at..size). Whether so many are there shows when they are taken: a page's
 * num_values, nulls included, may be given. `dictionary` is NULL but for PLAIN_DICTIONARY and
 * RLE_DICTIONARY; its width is that of the type. The streams of BYTE_STREAM_SPLIT are as long as
 * all that is left of the bytes tells.
 * PQX_ENCODING where the encoding does not serve the type or is none of ours; PQX_BAD_ARGUMENT
 * where `type_length` or the dictionary's width cannot be. */
int pqx_values_begin(pqx_values *values, int encoding, int type, int32_t type_length,
                     const uint8_t *data, size_t size, size_t at, uint64_t count,
                     const pqx_dictionary *dictionary, pqx_error *error);
/* The next `count` values, at most values->left, of a fixed width: count * width bytes,
 * little-endian as stored. */
int pqx_values_take_fixed(pqx_values *values, size_t count, uint8_t *out, pqx_error *error);
/* Where the next `count` values stand one behind the other, with `spare` bytes behind them, as they
 * would be taken: they are passed over. NULL where they do not: nothing is passed over. */
const uint8_t *pqx_values_in_place(pqx_values *values, size_t count, size_t spare);
/* The next `count` booleans as bits, the first one at bit `bit` of `out`; bits around are kept. */
int pqx_values_take_bits(pqx_values *values, size_t count, uint8_t *out, uint64_t bit,
                         pqx_error *error);
/* The next byte arrays: up to `count`, at most values->left, as many as fit into
 * bytes[0..capacity). offsets[0] is where the first one begins (the caller's); offsets[1..*taken]
 * are set to where each one ends. *needed is the size that `bytes` must have for the next one (at
 * least) where *taken < count, else 0; the caller makes room (keeping what is there, or beginning
 * anew at offsets[0] = 0) and asks again. Where it is above 2^31 - 1 there is only the latter.
 *
 * offsets[*taken + 1..count] and bytes[offsets[*taken]..capacity) are overwritten with anything:
 * with 32 bytes more than the values take, short ones are copied the fast way.
 *
 * DELTA_BYTE_ARRAY needs memory for the value before, whose prefix the next one has. After
 * pqx_values_begin, before the first take or skip, the caller sets values->previous to a buffer
 * ({0} at first) that it keeps while the cursor lives, may give to the next page's cursor, and
 * frees with pqx_buffer_free. The output of an earlier take is never read again: the caller may
 * move it, or give it away. PQX_BAD_ARGUMENT where there is no buffer.
 */
int pqx_values_take_binary(pqx_values *values, size_t count, int32_t *offsets, uint8_t *bytes,
                           size_t capacity, size_t *taken, size_t *needed, pqx_error *error);
/* Pass over the next `count` values, at most values->left. What they are is not checked. */
int pqx_values_skip(pqx_values *values, size_t count, pqx_error *error);
/* Where the encoded values end, once all have been taken: for PLAIN and deltas exactly, for runs
 * behind the last one that was opened, for RLE booleans as their length says, for streams and ALP
 * behind the last one. */
size_t pqx_values_end(const pqx_values *values);

#endif
