/* The minimum that a C test needs: checks that print their position if they fail, and exact-size
 * copies for the sanitizers. */
#ifndef PQX_TEST_HARNESS_H
#define PQX_TEST_HARNESS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parquetext_internal.h"

#define CHECK(condition)                                                                          \
    do {                                                                                          \
        if (!(condition)) {                                                                       \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__, #condition); \
            exit(1);                                                                              \
        }                                                                                         \
    } while (0)

#define RUN(test)                 \
    do {                          \
        test();                   \
        printf("ok %s\n", #test); \
    } while (0)

/* A copy behind whose last byte nothing may be read; give it back with free. */
static inline uint8_t *exact(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) abort();
    if (size) memcpy(copy, bytes, size);
    return copy;
}

#endif
