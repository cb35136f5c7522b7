/* Scan any bytes as a footer, even if it contradicts itself, and slice it: a slice is a sound
 * footer of exactly the projection. */
#include "input.h"

#define MOST 64

static uint32_t choose(uint32_t seed, uint32_t count, uint32_t *chosen)
{
    uint32_t picked = 0;
    for (uint32_t i = 0; i < count && picked < MOST; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (seed >> 30 == 0 || count < 3) chosen[picked++] = i;
    }
    return picked;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    uint32_t seed = (uint32_t)steering, options = (uint32_t)(steering >> 32);
    uint8_t *data = exact(input, size);
    pqx_scan scan;
    if (pqx_scan_loosely(data, size, &scan, NULL) == PQX_OK) {
        uint32_t leaves[MOST], row_groups[MOST];
        uint32_t leaf_count = choose(seed, scan.leaf_count, leaves),
                 row_group_count = choose(~seed, scan.row_group_count, row_groups);
        pqx_buffer out = {0};
        if (pqx_slice_footer(data, size, &scan, leaves, leaf_count, row_groups, row_group_count,
                             options & 1, options >> 1 & 1, &out, NULL)
            == PQX_OK) {
            CLAIM(scan.problem.code == PQX_OK);
            uint8_t *slice = exact(out.data, out.size);
            pqx_missing missing;
            claim_footer_of(slice, out.size, leaf_count, row_group_count);
            CLAIM(pqx_find_missing(slice, out.size, &missing, NULL) == PQX_OK);
            free(slice);
        }
        pqx_buffer_free(&out);
        pqx_scan_free(&scan);
    }
    free(data);
    return 0;
}
