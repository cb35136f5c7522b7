/* All names of a footer under a key that nobody knows: what a reader goes by once names were made
 * to collide. */
#ifndef PQX_NAME_TABLE_H
#define PQX_NAME_TABLE_H

#include "base/internal.h"

/* A lookup that comes past more full buckets in a row, or a reader whose lookups took so many steps
 * for nothing and more than so many each, reads all names once. Steps for nothing are full buckets,
 * and elements of the same hash. */
enum { PQX_NAMES_FULL_BUCKETS = 64, PQX_NAMES_STEPS_FOR_NOTHING = 64, PQX_NAMES_STEPS_EACH = 16 };

/* The steps for nothing of a reader's lookups, and the table: made from `is_read` on. */
typedef struct pqx_name_table {
    uint64_t key[2], lookups, steps;
    pqx_buffer entries;    /* pqx_name_entry, in the order in which lookups give them */
    uint32_t *slots, mask; /* 1 + number of the entry, 0 for none; open addressing */
    int is_read;
} pqx_name_table;

/* Whether a lookup that stands behind `full_buckets` in a row should go by the table. */
static inline int pqx_name_table_is_wanted(const pqx_name_table *names, uint64_t full_buckets)
{
    return full_buckets > PQX_NAMES_FULL_BUCKETS
           || names->steps > PQX_NAMES_STEPS_FOR_NOTHING + PQX_NAMES_STEPS_EACH * names->lookups;
}

/* Forget the table, and take a new key. */
int pqx_name_table_begin(pqx_name_table *names, pqx_error *error);
/* An element's path, in which NUL counts as '.', and its field id if it has one. */
int pqx_name_table_add(pqx_name_table *names, pqx_bytes path, const int32_t *field_id, uint32_t id,
                       pqx_error *error);
/* All were added: make the table. Reserves 24 to 40 bytes for each. */
int pqx_name_table_end(pqx_name_table *names, pqx_error *error);
void pqx_name_table_free(pqx_name_table *names);

uint64_t pqx_name_table_hash_path(const pqx_name_table *names, pqx_bytes path);
uint64_t pqx_name_table_hash_field_id(const pqx_name_table *names, int32_t field_id);
/* The next id of this hash; *at is 0 at first. Returns 0 where there are no more. */
int pqx_name_table_next(const pqx_name_table *names, uint64_t hash, uint32_t *at, uint32_t *id);

#endif
