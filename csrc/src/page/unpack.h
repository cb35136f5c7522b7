/* The body of a page, decompressed from its beginning as far as it is needed. */
#ifndef PQX_UNPACK_H
#define PQX_UNPACK_H

#include "page/lz.h"
#include "page/window.h"

typedef struct pqx_unpack {
    pqx_window *window; /* on the file */
    uint64_t at;        /* the body's offset in the file */
    size_t front;       /* bytes in front of the body that are loaded, too */
    size_t stored;      /* the body's stored size */
    int codec;
    size_t size;         /* decompressed size, */
    size_t ready, taken; /* decompressed bytes so far, and the stored bytes that they used */
    pqx_memory *memory;  /* the output: room for all of it */
    void **zstd;         /* used by this body only, while it is decompressed in parts */
    int has_begun;       /* set after decompression has begun */
    pqx_lz lz;           /* state of a decompression in parts */
} pqx_unpack;

/* Begin with the body that `unpack` describes. Return 0 if the sizes are impossible or there is no
 * memory. */
int pqx_unpack_begin(pqx_unpack *unpack);
/* Make the first `wanted` bytes available, or all if there are fewer. Return 0 if they are damaged
 * or there is no memory. A body that cannot be decompressed in parts is decompressed as a whole. */
int pqx_unpack_until(pqx_unpack *unpack, uint64_t wanted);
/* Return the body; bytes after the available ones are undefined. Without a codec it is in the
 * window, and moves with it. */
const uint8_t *pqx_unpack_data(const pqx_unpack *unpack);

#endif
