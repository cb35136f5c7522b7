/* Compute lists and structs from definition and repetition levels. */
#ifndef PQX_NESTED_H
#define PQX_NESTED_H

#include "base/internal.h"

/* The levels of a leaf's entries: `definition` is NULL if all are the maximum, `repetition` if the
 * leaf has none. */
typedef struct pqx_levels {
    const uint16_t *definition, *repetition;
    size_t entries;
} pqx_levels;

/* The levels of a list's repeated field, and the definition level of the repeated field around it,
 * 0 if there is none. */
typedef struct pqx_list {
    uint16_t ancestor_definition, definition, repetition;
} pqx_list;

/* The definition level of a struct, and the levels of the repeated field around it. */
typedef struct pqx_struct {
    uint16_t ancestor_definition, ancestor_repetition, definition;
} pqx_struct;

/* Compute the beginnings of lists, and the end of the last one, into offsets[0..entries]; *count
 * lists, *nulls of them null. At most 2^31 - 1 entries. PQX_LEVELS_CONTRADICT: an entry continues a
 * list, but it or the entry before it is not an element (found: the lower definition level of the
 * two); PQX_ROW_START: the first entry continues a list. Offset: the entry's number. */
int pqx_list_offsets(const pqx_levels *levels, const pqx_list *list, int32_t *offsets,
                     size_t *count, size_t *nulls, pqx_error *error);
/* Compute which lists are not null, as bits into valid[0..(count + 7) / 8]. */
void pqx_list_valid(const pqx_levels *levels, const pqx_list *list, uint8_t *valid);
/* Compute which structs are not null, into valid[0..(entries + 7) / 8]; *count structs, *nulls of
 * them null. */
void pqx_struct_valid(const pqx_levels *levels, const pqx_struct *of, uint8_t *valid, size_t *count,
                      size_t *nulls);

#endif
