/* The minimum that a C test needs: checks that print their position if they fail, and exact-size
 * copies for the sanitizers. */
#ifndef PQX_TEST_HARNESS_H
#define PQX_TEST_HARNESS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

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

/* Check that `call` fails with `error`, in the first `size` bytes. */
#define CHECK_FAILS(call, error, size) \
    CHECK((call) != PQX_OK && (error).code != PQX_OK && (error).offset <= (size))

/* For each size below that of an array, its first bytes, as `exact` copies them. */
#define EACH_CUT(bytes, size, data)                     \
    for (size_t size = 0; size < sizeof(bytes); size++) \
        for (uint8_t *data = exact(bytes, size); data; free(data), data = NULL)

#endif
