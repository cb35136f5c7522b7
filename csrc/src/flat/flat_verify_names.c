/* Check all names of a flat footer in one pass over the buckets: lookups must pass the entries of
 * all elements. */
#include <stdlib.h>

#include "flat/flat_verify_names.h"

typedef struct pqx_entry {
    uint32_t tag, word, bucket;
} pqx_entry;

static int by_all(const void *one, const void *other)
{
    const pqx_entry *a = (const pqx_entry *)one, *b = (const pqx_entry *)other;
    if (a->tag != b->tag) return a->tag < b->tag ? -1 : 1;
    if (a->word != b->word) return a->word < b->word ? -1 : 1;
    return (a->bucket > b->bucket) - (a->bucket < b->bucket);
}

static void add_entries(pqx_names *names, const uint8_t *entries, uint32_t count, uint32_t bucket)
{
    for (uint32_t i = 0; i < count; i++)
        names->entries[names->count++] =
            (pqx_entry){pqx_load32(entries + 8 * i), pqx_load32(entries + 8 * i + 4), bucket};
}

/* Compute the number of consecutive full buckets from each one on; the first bucket follows the
 * last. */
static void measure_runs(pqx_names *names)
{
    uint32_t buckets = names->buckets, run = 0;
    for (uint32_t i = 2 * buckets; i--;) {
        uint32_t bucket = i < buckets ? i : i - buckets;
        run = names->runs[bucket] ? (run < buckets ? run + 1 : run) : 0;
        if (i < buckets) names->runs[bucket] = run;
    }
}

static int read_buckets(pqx_names *names, pqx_flat *flat, pqx_error *error)
{
    uint32_t used;
    for (uint32_t bucket = 0; bucket < flat->bucket_count; bucket++) {
        PQX_TRY(pqx_flat_load_page(flat, &flat->bucket, flat->buckets, bucket, PQX_KIND_BUCKET,
                                   PQX_FLAT_BUCKET_ENTRIES, &used, error));
        add_entries(names, flat->bucket.data + PQX_FLAT_CELL_HEADER_BYTES, used, bucket);
        names->runs[bucket] = used == PQX_FLAT_BUCKET_ENTRIES;
    }
    if (!flat->bucket_count) add_entries(names, flat->listed, flat->listed_count, 0);
    measure_runs(names);
    qsort(names->entries, names->count, sizeof *names->entries, by_all);
    return PQX_OK;
}

int pqx_names_read(pqx_names *names, pqx_flat *flat, pqx_error *error)
{
    size_t most = flat->bucket_count ? (size_t)PQX_FLAT_BUCKET_ENTRIES * flat->bucket_count
                                     : flat->listed_count;
    names->count = 0;
    names->buckets = flat->bucket_count ? flat->bucket_count : 1;
    names->entries = (struct pqx_entry *)malloc((most + 1) * sizeof *names->entries);
    names->runs = (uint32_t *)calloc(names->buckets, sizeof *names->runs);
    if (!names->entries || !names->runs)
        return pqx_fail(error, PQX_NO_MEMORY, 0, most * sizeof *names->entries, 0);
    return read_buckets(names, flat, error);
}

void pqx_names_free(pqx_names *names)
{
    free(names->entries);
    free(names->runs);
}

/* Return the first entry that is not less than `wanted`; NULL if it has another tag or word, or if
 * there is none. */
static const pqx_entry *first_from(const pqx_names *names, const pqx_entry *wanted)
{
    size_t low = 0, high = names->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (by_all(&names->entries[middle], wanted) < 0) low = middle + 1;
        else high = middle;
    }
    const pqx_entry *found = &names->entries[low];
    return low < names->count && found->tag == wanted->tag && found->word == wanted->word ? found
                                                                                          : NULL;
}

int pqx_names_have(const pqx_names *names, uint64_t hash, uint32_t word)
{
    uint32_t home = (uint32_t)((hash >> 32) * names->buckets >> 32), distance = 0;
    pqx_entry wanted = {(uint32_t)hash, word, home};
    const pqx_entry *found = first_from(names, &wanted);
    if (!found) { /* none from the home bucket on: the search wraps to the first bucket */
        wanted.bucket = 0;
        distance = names->buckets;
        found = first_from(names, &wanted);
    }
    return found && found->bucket + distance - home <= names->runs[home];
}
