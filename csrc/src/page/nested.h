/* Lists and structs of what definition and repetition levels say. */
#ifndef PQX_NESTED_H
#define PQX_NESTED_H

#include "base/internal.h"

/* The levels of a leaf's entries: `definition` is NULL where all are highest, `repetition` where
 * the leaf has none. */
typedef struct pqx_levels {
    const uint16_t *definition, *repetition;
    size_t entries;
} pqx_levels;

/* A list by the levels of its repeated field, and the definition level of the repeated field around
 * it, 0 where there is none. */
typedef struct pqx_list {
    uint16_t ancestor_definition, definition, repetition;
} pqx_list;

/* A struct by its definition level, and the levels of the repeated field around it. */
typedef struct pqx_struct {
    uint16_t ancestor_definition, ancestor_repetition, definition;
} pqx_struct;

/* Where lists begin, and the last one ends, into offsets[0..entries]; *count lists, *nulls of them
 * null. At most 2^31 - 1 entries. PQX_LEVELS_CONTRADICT: an entry goes on with a list and is none
 * of its elements, or the one before it is none (found: the lower definition level of the two);
 * PQX_ROW_START: the first one goes on with a list. Offset: the entry's number. */
int pqx_list_offsets(const pqx_levels *levels, const pqx_list *list, int32_t *offsets,
                     size_t *count, size_t *nulls, pqx_error *error);
/* Which of them are not null, as bits into valid[0..(count + 7) / 8]. */
void pqx_list_valid(const pqx_levels *levels, const pqx_list *list, uint8_t *valid);
/* The same for structs, into valid[0..(entries + 7) / 8]; *count structs, *nulls of them null. */
void pqx_struct_valid(const pqx_levels *levels, const pqx_struct *of, uint8_t *valid, size_t *count,
                      size_t *nulls);

#endif
