/* Pieces of huge pages, for blocks too small for a huge page of their own. */
#ifndef PQX_SLABS_H
#define PQX_SLABS_H

#include <stddef.h>
#include <stdint.h>

/* A piece, by the slab that it is of. */
typedef struct pqx_piece {
    uint16_t slab, number;
} pqx_piece;

enum { PQX_LEAST_PIECE = 1 << 15, PQX_MOST_PIECE = 1 << 20 };

/* At least `size` bytes, from PQX_LEAST_PIECE to PQX_MOST_PIECE, aligned to 64: *room of them. NULL
 * where no slab has any and no other one is to be had. */
void *pqx_take_piece(size_t size, pqx_piece *piece, size_t *room);
/* Give a piece back; the last one gives back its slab. */
void pqx_give_piece(pqx_piece piece);

#endif
