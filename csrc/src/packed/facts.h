/* The facts of a column's chunks, from the tables of its tiles without their Thrift bytes. */
#ifndef PQX_PACKED_FACTS_H
#define PQX_PACKED_FACTS_H

#include "packed/packed_read.h"
#include "packed/structs.h"
#include "packed/values.h"

enum { PQX_MOST_FACTS = 18 };

/* A member of pqx_chunk or pqx_places, and the step that writes it. */
typedef struct pqx_packed_fact {
    const pqx_packed_step *step;
    uint16_t at;      /* its offset in the pair of them */
    uint8_t size;     /* of an integer */
    uint8_t is_alike; /* of min and max: the fact before is min_value or max_value */
} pqx_packed_fact;

/* A chunk with its places, in one piece of memory. */
typedef struct pqx_placed_chunk {
    pqx_chunk chunk;
    pqx_places places;
} pqx_placed_chunk;

/* The plan for decoding the chunks of a template: the listed fields, and the other ones from
 * `sample`. */
struct pqx_packed_plan {
    int is_usable; /* otherwise chunks of the template are written and scanned */
    pqx_placed_chunk sample;
    uint32_t integer_count, fact_count, text_count;
    pqx_packed_fact facts[PQX_MOST_FACTS]; /* integers, then bounds in the order of members */
    uint64_t most;                         /* Thrift bytes of a chunk without path and texts */
    pqx_role_set roles;                    /* roles whose values are needed */
    pqx_role_set narrow;                   /* of these, the roles whose values must fit 32 bits */
    uint8_t texts[PQX_MOST_STEPS];         /* roles */
};

/* Make the plan of a template. */
int pqx_packed_make_plan(pqx_index *index, const pqx_packed_template *used, pqx_packed_plan *plan,
                         pqx_error *error);
/* Store the facts of a leaf's chunks in row groups [first, first + count) of one tile, and append
 * their bounds to `arena`. *is_done is 0 if they must be written as Thrift and scanned instead,
 * because their templates or values are unusual, or because their Thrift bytes may exceed `*room`.
 * Otherwise the largest possible number of their Thrift bytes is subtracted from `*room`. */
int pqx_packed_tile_facts(pqx_index *index, uint32_t column, uint32_t first, uint32_t count,
                          size_t path_size, pqx_chunk *chunks, pqx_places *places,
                          pqx_buffer *arena, uint64_t *room, int *is_done, pqx_error *error);
/* Move the bounds of a chunk that has been scanned to the end of `arena`, or without an arena drop
 * them; ranges of other Thrift bytes become empty. */
int pqx_packed_keep_bounds(const uint8_t *thrift, pqx_chunk *chunk, pqx_buffer *arena,
                           pqx_error *error);

#endif
