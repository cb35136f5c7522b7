/* Runs of repeated and of bit-packed values, for any kind of value. */
#ifndef PQX_RUNS_H
#define PQX_RUNS_H

#include "encoding/values.h"

/* Begin with the runs in data[at..size) of values of `width` bits, 0 to 32. Values of 0 bits are
 * all 0 and take no bytes. */
void pqx_runs_begin(pqx_runs *runs, uint32_t width, const uint8_t *data, size_t size, size_t at);
/* Open the next run if none is open, and count how many of the next `count` values, at least 1, are
 * in the open run and in the input: *some, at least 1. The caller subtracts them from runs->left,
 * and advances runs->packed. */
int pqx_runs_next(pqx_runs *runs, size_t count, size_t *some, pqx_error *error);
/* Subtract `count` values from the rest of the open run. */
static inline void pqx_runs_pass(pqx_runs *runs, size_t count)
{
    runs->left -= count;
    if (runs->is_packed) runs->packed += (uint64_t)count * runs->width;
}
/* Skip the next `count` values without checking them. */
int pqx_runs_skip(pqx_runs *runs, size_t count, pqx_error *error);
/* Return the offset after the last opened run. */
size_t pqx_runs_end(const pqx_runs *runs);

/* Begin with the dictionary indices in data[at..size): the byte of their width, and runs. */
int pqx_indices_begin(pqx_runs *runs, const uint8_t *data, size_t size, size_t at,
                      pqx_error *error);
/* Take the next `count` indices into a dictionary of `entries` values. PQX_DICTIONARY_INDEX
 * (offset: the run, expected: entries, found): the first index that is out of range. */
int pqx_indices_take(pqx_runs *runs, uint32_t entries, size_t count, uint32_t *out,
                     pqx_error *error);
/* Copy the values of these indices, `width` bytes each. */
int pqx_indices_gather(pqx_runs *runs, const pqx_dictionary *dictionary, size_t count, uint8_t *out,
                       pqx_error *error);
/* Take the next `count` values of 1 bit as bits, the first one at bit `bit` of `out`; *ones is the
 * number of set bits. An error with code `code` (offset: the run, expected: 1, found) if a run
 * repeats another value than 0 or 1. */
int pqx_runs_take_bits(pqx_runs *runs, size_t count, uint8_t *out, uint64_t bit, size_t *ones,
                       int code, pqx_error *error);

#endif
