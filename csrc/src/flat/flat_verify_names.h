/* The entries of all buckets, for the check of a whole payload. */
#ifndef PQX_FLAT_VERIFY_NAMES_H
#define PQX_FLAT_VERIFY_NAMES_H

#include "flat/flat_read.h"

typedef struct pqx_names {
    struct pqx_entry *entries; /* sorted by tag, word and bucket */
    size_t count;
    uint32_t *runs, buckets; /* number of consecutive full buckets, from each on */
} pqx_names;

/* O(n log n) in the entries. */
int pqx_names_read(pqx_names *names, pqx_flat *flat, pqx_error *error);
void pqx_names_free(pqx_names *names);
/* Return 1 if a lookup of `hash` passes an entry with this word. */
int pqx_names_have(const pqx_names *names, uint64_t hash, uint32_t word);

#endif
