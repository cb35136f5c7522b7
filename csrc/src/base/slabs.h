/* Pieces of huge pages, for blocks that are too small for a whole one. */
#ifndef PQX_SLABS_H
#define PQX_SLABS_H

#include <stddef.h>
#include <stdint.h>

/* A piece, identified by its slab. */
typedef struct pqx_piece {
    uint16_t slab, number;
} pqx_piece;

enum { PQX_LEAST_PIECE = 1 << 15, PQX_MOST_PIECE = 1 << 20 };

/* Take a piece of at least `size` bytes, from PQX_LEAST_PIECE to PQX_MOST_PIECE, aligned to 64;
 * *room is its size. Return NULL if no slab has a free piece and no new slab is available. */
void *pqx_take_piece(size_t size, pqx_piece *piece, size_t *room);
/* Free a piece. The last piece frees its slab. */
void pqx_give_piece(pqx_piece piece);

#endif
