/* Decode any bytes as ALP: all values at once and in pieces give the same values or the same
 * error. If the values are sound, skipping pieces gives the same values and the same end. */
#include "encoding/alp.h"
#include "outcome.h"

enum { MOST = 1 << 16 };

static outcome take(const uint8_t *data, size_t size, int is_double, uint64_t count, size_t step,
                    int skips)
{
    const size_t width = is_double ? 8 : 4;
    outcome found = {.values = calloc(count ? count : 1, width)};
    pqx_alp alp;
    int status = pqx_alp_begin(&alp, is_double, data, size, 0, count, &found.error);
    for (size_t turn = 1; status == PQX_OK && found.taken < count; turn++) {
        size_t some = count - found.taken < step ? count - found.taken : step;
        if (skips && turn % 3) {
            status = pqx_alp_skip(&alp, some, &found.error);
            if (status == PQX_OK) found.taken += some;
        } else {
            uint8_t *piece = malloc(some * width);
            status = pqx_alp_take(&alp, some, piece, &found.error);
            keep_piece(&found, status, piece, some, width);
        }
    }
    if (status == PQX_OK) found.end = pqx_alp_end(&alp);
    CLAIM(found.end <= size);
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size), count = steering >> 8 & (MOST - 1);
    int is_double = steering & 1;
    size_t width = is_double ? 8 : 4, step = (steering >> 32 & 0xfff) + 1;
    uint8_t *data = exact(input, size);
    outcome all = take(data, size, is_double, count, MOST, 0);
    outcome pieces = take(data, size, is_double, count, step, 0);
    outcome some = take(data, size, is_double, count, step, 1);
    CLAIM(!memcmp(&all.error, &pieces.error, sizeof all.error));
    CLAIM(all.end == pieces.end);
    if (all.error.code == PQX_OK) {
        CLAIM(some.error.code == PQX_OK && some.end == all.end);
        CLAIM(!memcmp(all.values, pieces.values, width * count));
        for (size_t i = 0; i < count; i++)
            if (i / step % 3 == 2)
                CLAIM(!memcmp(all.values + width * i, some.values + width * i, width));
    }
    free(all.values);
    free(pieces.values);
    free(some.values);
    free(data);
    return 0;
}
