/* The result of decoding a page. */
#ifndef PQX_FUZZ_OUTCOME_H
#define PQX_FUZZ_OUTCOME_H

#include "input.h"

typedef struct outcome {
    pqx_error error;
    size_t end, taken;
    uint8_t *values;
} outcome;

/* Add `count` values of a piece if they were decoded, and release the piece. */
static inline void keep_piece(outcome *found, int status, uint8_t *piece, size_t count,
                              size_t width)
{
    if (status == PQX_OK) {
        memcpy(found->values + width * found->taken, piece, count * width);
        found->taken += count;
    }
    free(piece);
}

#endif
