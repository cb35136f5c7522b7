/* Bytes in memory, as tests and fuzz targets give them to the library. */
#ifndef PQX_TEST_MEMORY_H
#define PQX_TEST_MEMORY_H

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "parquetext_internal.h"

/* A copy behind whose last byte nothing may be read; give it back with free. */
static inline uint8_t *exact(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    if (size) memcpy(copy, bytes, size);
    return copy;
}

/* Read from a source whose context is a pqx_bytes. */
static inline int read_memory(void *context, uint64_t offset, size_t length, uint8_t *into)
{
    const pqx_bytes *bytes = context;
    if (offset > bytes->size || length > bytes->size - offset) return EIO;
    memcpy(into, bytes->data + offset, length);
    return 0;
}

#endif
