/* Bytes of a file, read on demand. */
#ifndef PQX_WINDOW_H
#define PQX_WINDOW_H

#include "base/internal.h"
#include "base/pages.h"

/* A part of the file in memory. The memory is freed with pqx_release. */
typedef struct pqx_window {
    const pqx_source *source;
    uint64_t end;   /* no byte after it is read */
    size_t step;    /* minimum size of a read, if there are so many bytes */
    uint64_t begin; /* offset in the file, and number of loaded bytes from there */
    size_t held;
    pqx_memory memory;
} pqx_window;

/* Load the file's bytes [at, at + size), and drop the bytes before them. Loaded bytes may move.
 * Return 0 if the bytes do not exist or there is no memory. */
int pqx_window_load(pqx_window *window, uint64_t at, uint64_t size);

/* Return how many of the bytes from `at` on are loaded. */
static inline size_t pqx_window_held(const pqx_window *window, uint64_t at)
{
    uint64_t end = window->begin + window->held;
    return at < window->begin || at > end ? 0 : (size_t)(end - at);
}

/* Return the address of the loaded byte `at`. */
static inline const uint8_t *pqx_window_at(const pqx_window *window, uint64_t at)
{ return window->memory.data + (at - window->begin); }

#endif
