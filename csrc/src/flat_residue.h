/* What the tables do not say of a Thrift struct: skeletons, literals and facts (docs/formats.md, 3.6). */
#ifndef PQX_FLAT_RESIDUE_H
#define PQX_FLAT_RESIDUE_H

#include "internal.h"

#define PQX_LONGEST_RUN 0x80              /* operations below it are runs of one byte more */
#define PQX_POOL_PAGE_SHIFT 9             /* a pool place is page << 9 | offset / 8, never below 2 */
enum { PQX_RECORD_SAME, PQX_RECORD_SAME_SKELETON, PQX_RECORD_NEW };   /* how a record begins; from NEW on it is a pool place */

/* What tables say of one struct. What does not belong to it is NULL. */
typedef struct pqx_facts {
    const pqx_chunk *chunk;               /* of a ColumnChunk, with its bounds; data NULL: none */
    const pqx_places *places;
    pqx_bytes path, min, max;             /* path: the whole list of path_in_schema */
    const pqx_row_group *group;           /* of a RowGroup */
    const pqx_bytes *chunks;              /* its chunks, one behind the other */
    const struct pqx_footer_facts *footer;
} pqx_facts;

/* What tables say of the FileMetaData. `pair` gives the key (part 0) or value (part 1) of key-value `number`, NULL data
 * where there is none. */
typedef struct pqx_footer_facts {
    int32_t version;
    int64_t num_rows;
    pqx_bytes elements, row_groups, column_orders, created_by;
    int (*pair)(void *context, uint32_t number, int part, pqx_bytes *bytes, pqx_error *error);
    void *context;
    uint32_t pair_count;
} pqx_footer_facts;

/* A fact as it stands in Thrift: an integer, or bytes with or without their length before them. */
enum pqx_fact_kind { PQX_FACT_NONE, PQX_FACT_INTEGER, PQX_FACT_RAW, PQX_FACT_SIZED };
typedef struct pqx_fact {
    enum pqx_fact_kind kind;
    uint64_t zigzag;
    pqx_bytes bytes;
} pqx_fact;

/* The fact that `op` names; `number` counts for PQX_OP_KEY and PQX_OP_VALUE alone. */
int pqx_get_fact(const pqx_facts *facts, int op, uint32_t number, pqx_fact *fact, pqx_error *error);
/* Where the literal of kind `op` at `p` ends; NULL if none does before `end`. */
const uint8_t *pqx_literal_end(int op, const uint8_t *p, const uint8_t *end);
/* Append a path, NUL between its parts, as path_in_schema's list. */
int pqx_append_path_list(const uint8_t *path, size_t size, pqx_buffer *out, pqx_error *error);
/* Append the list of ColumnOrder unions that says what the leaves say. */
int pqx_append_column_orders(const uint8_t *orders, uint32_t count, pqx_buffer *out, pqx_error *error);

static inline uint64_t pqx_zigzag(int64_t value) { return (uint64_t)value << 1 ^ (0 - ((uint64_t)value >> 63)); }

#endif
