/* All names of a footer under a secret random key. A reader uses the table after it has met
 * deliberately colliding names. */
#ifndef PQX_NAME_TABLE_H
#define PQX_NAME_TABLE_H

#include "base/internal.h"

/* A reader builds the table if a lookup passes more full buckets in a row, or if its lookups took
 * so many unproductive steps in total and more than so many each. Unproductive steps are full
 * buckets, and elements of the same hash. */
enum { PQX_NAMES_FULL_BUCKETS = 64, PQX_NAMES_STEPS_FOR_NOTHING = 64, PQX_NAMES_STEPS_EACH = 16 };

/* The unproductive steps of a reader's lookups, and the table, which exists if `is_read` is set. */
typedef struct pqx_name_table {
    uint64_t key[2], lookups, steps;
    pqx_buffer entries;    /* pqx_name_entry, in the order of lookup results */
    uint32_t *slots, mask; /* 1 + index of the entry, 0 for none; open addressing */
    int is_read;
} pqx_name_table;

/* Return 1 if a lookup that has passed `full_buckets` in a row should use the table. */
static inline int pqx_name_table_is_wanted(const pqx_name_table *names, uint64_t full_buckets)
{
    return full_buckets > PQX_NAMES_FULL_BUCKETS
           || names->steps > PQX_NAMES_STEPS_FOR_NOTHING + PQX_NAMES_STEPS_EACH * names->lookups;
}

/* Clear the table and draw a new key. */
int pqx_name_table_begin(pqx_name_table *names, pqx_error *error);
/* Add an element: its path, in which NUL counts as '.', and its field id if it has one. */
int pqx_name_table_add(pqx_name_table *names, pqx_bytes path, const int32_t *field_id, uint32_t id,
                       pqx_error *error);
/* Build the table from the added elements. Reserves 24 to 40 bytes for each. */
int pqx_name_table_end(pqx_name_table *names, pqx_error *error);
void pqx_name_table_free(pqx_name_table *names);

uint64_t pqx_name_table_hash_path(const pqx_name_table *names, pqx_bytes path);
uint64_t pqx_name_table_hash_field_id(const pqx_name_table *names, int32_t field_id);
/* Return the next id of this hash; *at is 0 at first. Return 0 if there are no more. */
int pqx_name_table_next(const pqx_name_table *names, uint64_t hash, uint32_t *at, uint32_t *id);

#endif
