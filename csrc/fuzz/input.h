/* Code shared by the fuzz targets. An input consists of the bytes under test and 8 bytes after
 * them that steer the target. */
#ifndef PQX_FUZZ_INPUT_H
#define PQX_FUZZ_INPUT_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/memory.h"

#define CLAIM(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
            abort();                                                                       \
        }                                                                                  \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Take the 8 steering bytes off the end; 0 from an input that is too short. */
static inline uint64_t take_steering(const uint8_t *data, size_t *size)
{
    uint64_t value = 0;
    if (*size < 8) return 0;
    *size -= 8;
    memcpy(&value, data + *size, 8);
    return value;
}

/* A slice is a sound footer of exactly so many leaves and row groups. */
static inline void claim_footer_of(const uint8_t *slice, size_t size, uint32_t leaves,
                                   uint32_t row_groups)
{
    pqx_scan scan;
    CLAIM(pqx_scan_footer(slice, size, &scan, NULL) == PQX_OK);
    CLAIM(scan.end == size && scan.leaf_count == leaves && scan.row_group_count == row_groups);
    pqx_scan_free(&scan);
}

#endif
