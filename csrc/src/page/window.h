/* Bytes of a file, read as they are needed. */
#ifndef PQX_WINDOW_H
#define PQX_WINDOW_H

#include "base/internal.h"
#include "base/pages.h"

/* A stretch of the file that is held. Its memory is given back with pqx_release. */
typedef struct pqx_window {
    const pqx_source *source;
    uint64_t end;   /* nothing behind it is read */
    size_t step;    /* bytes that are read together, at least, where there are so many */
    uint64_t begin; /* in the file, and how many bytes are held from there on */
    size_t held;
    pqx_memory memory;
} pqx_window;

/* Have the file's bytes [at, at + size), and forget those in front of them. What was held may move.
 * 0: they are not there, or there is no memory. */
int pqx_window_load(pqx_window *window, uint64_t at, uint64_t size);

/* How many of the bytes from `at` on are held. */
static inline size_t pqx_window_held(const pqx_window *window, uint64_t at)
{
    uint64_t end = window->begin + window->held;
    return at < window->begin || at > end ? 0 : (size_t)(end - at);
}

/* Where the byte `at` is held. */
static inline const uint8_t *pqx_window_at(const pqx_window *window, uint64_t at)
{ return window->memory.data + (at - window->begin); }

#endif
