/* Runs of repeated and of bit-packed values, whatever the values are for. */
#ifndef PQX_RUNS_H
#define PQX_RUNS_H

#include "encoding/values.h"

/* Begin with the runs in data[at..size) of values of `width` bits, 0 to 32. Values of 0 bits are
 * all 0 and take no bytes. */
void pqx_runs_begin(pqx_runs *runs, uint32_t width, const uint8_t *data, size_t size, size_t at);
/* Open the next run where none is open, and count how many of the next `count` values, at least 1,
 * are in the open run and in the bytes: *some, at least 1. The caller takes them off runs->left,
 * and moves runs->packed. */
int pqx_runs_next(pqx_runs *runs, size_t count, size_t *some, pqx_error *error);
/* Take `count` values off what is left of the open run. */
static inline void pqx_runs_pass(pqx_runs *runs, size_t count)
{
    runs->left -= count;
    if (runs->is_packed) runs->packed += (uint64_t)count * runs->width;
}
/* Pass over the next `count` values, whatever they are. */
int pqx_runs_skip(pqx_runs *runs, size_t count, pqx_error *error);
/* Behind the last run that was opened. */
size_t pqx_runs_end(const pqx_runs *runs);

/* Begin with the dictionary indices in data[at..size): the byte of their width, and runs. */
int pqx_indices_begin(pqx_runs *runs, const uint8_t *data, size_t size, size_t at,
                      pqx_error *error);
/* The next `count` indices into a dictionary of `entries` values: PQX_DICTIONARY_INDEX (offset: the
 * run, expected: entries, found) at the first one that leads to none. */
int pqx_indices_take(pqx_runs *runs, uint32_t entries, size_t count, uint32_t *out,
                     pqx_error *error);
/* The values of these indices, `width` bytes each. */
int pqx_indices_gather(pqx_runs *runs, const pqx_dictionary *dictionary, size_t count, uint8_t *out,
                       pqx_error *error);
/* The next `count` values of 1 bit as bits, the first one at bit `bit` of `out`; *ones counts those
 * set. An error of code `code` (offset: the run, expected: 1, found) where a run repeats another
 * value than 0 or 1. */
int pqx_runs_take_bits(pqx_runs *runs, size_t count, uint8_t *out, uint64_t bit, size_t *ones,
                       int code, pqx_error *error);

#endif
