/* The residue of one struct: convert Thrift bytes and facts to a skeleton and literals
 * (docs/formats.md, 3.6). */
#ifndef PQX_FLAT_WRITE_RESIDUE_H
#define PQX_FLAT_WRITE_RESIDUE_H

#include "flat/flat_residue.h"

enum pqx_struct_kind {
    PQX_IN_OTHER_STRUCT,
    PQX_IN_FOOTER_STRUCT,
    PQX_IN_PAIR_STRUCT,
    PQX_IN_GROUP_STRUCT,
    PQX_IN_CHUNK_STRUCT,
    PQX_IN_METADATA_STRUCT,
    PQX_IN_STATISTICS_STRUCT,
    PQX_IN_ENCODING_STATS_STRUCT,
    PQX_IN_SIZES_STRUCT
};

/* A list of the struct whose items, from `first` to `end`, are the fact `op`. */
typedef struct pqx_known_list {
    uint8_t kind, id, op;
    size_t first, end;
} pqx_known_list;

/* A struct of the footer, and its values in the tables. */
typedef struct pqx_residue_source {
    const uint8_t *footer;
    size_t size, at, end; /* of the footer; of the struct */
    enum pqx_struct_kind kind;
    uint8_t inexact; /* bit 0 min, bit 1 max: the bound was shortened */
    pqx_facts facts;
    pqx_known_list lists[2];
} pqx_residue_source;

/* The result for the last struct. */
typedef struct pqx_residue {
    pqx_buffer skeleton, literals, waiting;
    size_t left_out; /* bytes of an extension */
} pqx_residue;

/* Make the struct's skeleton and literals. */
int pqx_residue_make(pqx_residue *residue, const pqx_residue_source *source, pqx_error *error);
void pqx_residue_free(pqx_residue *residue);

/* A skeleton that is prepared for comparison with many structs. */
typedef struct pqx_known_skeleton {
    uint32_t place; /* position in the pool; 0: none */
    pqx_buffer steps;
} pqx_known_skeleton;
int pqx_skeleton_know(pqx_known_skeleton *known, const uint8_t *skeleton, size_t size,
                      pqx_error *error);
/* Return 1 if the skeleton reproduces the struct byte for byte; residue->literals are then set for
 * it. */
int pqx_residue_fits(pqx_residue *residue, const pqx_residue_source *source,
                     const pqx_known_skeleton *known, int *fits, pqx_error *error);

#endif
