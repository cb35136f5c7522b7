/* The body of a page, decompressed from its begin as far as it is needed. */
#ifndef PQX_UNPACK_H
#define PQX_UNPACK_H

#include "page/lz.h"
#include "page/window.h"

typedef struct pqx_unpack {
    pqx_window *window; /* of the file that stores it: */
    uint64_t at;        /* here, */
    size_t front;       /* behind so many bytes that are held, too, */
    size_t stored;      /* in so many */
    int codec;
    size_t size;         /* of the body, */
    size_t ready, taken; /* as much of it as is ready, and the stored bytes that this took */
    pqx_memory *memory;  /* what it is decompressed into: room for all of it */
    void **zstd;         /* of this body alone while it is decompressed by parts */
    int has_begun;       /* to be */
    pqx_lz lz;           /* where that stopped */
} pqx_unpack;

/* Begin with the body that `unpack` describes. 0: so many bytes do not stand for so many, or there
 * is no memory. */
int pqx_unpack_begin(pqx_unpack *unpack);
/* Have the first `wanted` bytes, or all where there are fewer. 0: they are damaged, or there is no
 * memory. What cannot be decompressed by parts is ready as a whole. */
int pqx_unpack_until(pqx_unpack *unpack, uint64_t wanted);
/* The body; what is behind the bytes that are ready is any. Without a codec it lies in the window,
 * and moves with it. */
const uint8_t *pqx_unpack_data(const pqx_unpack *unpack);

#endif
