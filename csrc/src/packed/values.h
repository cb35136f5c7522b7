/* The values of a column of a tile in some rows, decoded from the tile's tables. */
#ifndef PQX_PACKED_VALUES_H
#define PQX_PACKED_VALUES_H

#include "packed/tile.h"

typedef struct pqx_packed_values {
    pqx_packed_tile *tile;
    uint32_t column, first, count;
    int is_uniform;     /* all rows have the same template */
    int skips_bounds;   /* as the tile, and no template prevents it */
    pqx_role_set roles; /* of its templates */
    int64_t *values;    /* [role * count + row] */
    int64_t *positions; /* [chain * count + row] */
} pqx_packed_values;

static inline uint8_t pqx_packed_number_of_template(const pqx_packed_values *v, uint32_t row)
{ return pqx_packed_template_of(v->tile, v->column, v->first + row); }

static inline const pqx_packed_template *pqx_packed_template_at(const pqx_packed_values *v,
                                                                uint32_t row)
{ return &v->tile->book->templates[pqx_packed_number_of_template(v, row)]; }

static inline int64_t *pqx_packed_values_of(const pqx_packed_values *v, unsigned role)
{ return v->values + (size_t)role * v->count; }

/* Return the text of a role, which the column has. */
static inline pqx_bytes pqx_packed_text(const pqx_packed_values *v, unsigned role, uint32_t row)
{
    if (v->skips_bounds) return (pqx_bytes){NULL, 0};
    return ((const pqx_bytes *)(const void *)
                v->tile->texts.data)[(size_t)role * v->tile->rows + v->first + row];
}

/* Load the parts of the tile that the templates of the rows need, and decode their texts. */
int pqx_packed_values_begin(pqx_packed_values *v, pqx_error *error);
/* Decode the values, other than texts, of those roles of `wanted` that the templates have; and of
 * roles from which these are predicted. */
int pqx_packed_values_decode(pqx_packed_values *v, const pqx_role_set *wanted, pqx_error *error);
/* Write the content of a fixed-width value, `step->size` bytes; `out` has room for 8. */
static inline void pqx_packed_put_fixed(const pqx_packed_step *step, int64_t value, uint8_t *out)
{
    unsigned bits = 8u * step->size;
    uint64_t number = (uint64_t)value;
    int is_real = step->kind == PQX_STEP_FLOAT || step->kind == PQX_STEP_DOUBLE;
    if (is_real && number >> (bits - 1) & 1) number ^= (UINT64_C(1) << (bits - 1)) - 1;
    if (step->kind != PQX_STEP_BIG) pqx_store64(out, number);
    for (unsigned i = 0; step->kind == PQX_STEP_BIG && i < step->size; i++)
        out[step->size - 1 - i] = (uint8_t)(number >> 8 * i);
}

#endif
