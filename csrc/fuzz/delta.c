/* Decode any bytes as DELTA_BINARY_PACKED: all values at once, in pieces, and with skipped
 * pieces give the same values or the same error. The end found is the end of decoding, unless
 * the total of the header is larger than the count and leads to another end. */
#include "encoding/delta.h"
#include "outcome.h"

enum { MOST = 1 << 14 };

static outcome take(const uint8_t *data, size_t size, int is_64, uint64_t count, size_t step,
                    int skips)
{
    const size_t width = is_64 ? 8 : 4;
    outcome found = {.values = calloc(count ? count : 1, width)};
    pqx_deltas deltas;
    int status = pqx_deltas_begin(&deltas, is_64, data, size, 0, count, &found.error);
    for (size_t turn = 1; status == PQX_OK && deltas.left; turn++) {
        size_t some = deltas.left < step ? deltas.left : step;
        if (skips && turn % 3 == 0) {
            status = pqx_deltas_skip(&deltas, some, &found.error);
            if (status == PQX_OK) found.taken += some;
        } else {
            uint8_t *piece = malloc(some * width);
            status = pqx_deltas_take(&deltas, some, piece, &found.error);
            keep_piece(&found, status, piece, some, width);
        }
    }
    if (status == PQX_OK) found.end = pqx_deltas_end(&deltas);
    CLAIM(found.end <= size);
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size), count = steering >> 8 & (MOST - 1);
    int is_64 = steering & 1;
    size_t width = is_64 ? 8 : 4, step = (steering >> 32 & 0xfff) + 1, end;
    uint8_t *data = exact(input, size);
    outcome all = take(data, size, is_64, count, MOST, 0);
    outcome pieces = take(data, size, is_64, count, step, 0);
    outcome some = take(data, size, is_64, count, step, 1);
    CLAIM(!memcmp(&all.error, &pieces.error, sizeof all.error));
    CLAIM(!memcmp(&all.error, &some.error, sizeof all.error));
    CLAIM(all.end == pieces.end && all.end == some.end);
    if (all.error.code == PQX_OK) {
        pqx_deltas deltas;
        CLAIM(!memcmp(all.values, pieces.values, width * count));
        for (size_t i = 0; i < count; i++)
            if (i / step % 3 != 2)
                CLAIM(!memcmp(all.values + width * i, some.values + width * i, width));
        CLAIM(pqx_deltas_begin(&deltas, is_64, data, size, 0, count, NULL) == PQX_OK);
        int status = pqx_deltas_find_end(&deltas, &end, NULL);
        if (status == PQX_OK) CLAIM(end == all.end);
        else CLAIM(status == PQX_DELTA_COUNT && deltas.total > count);
    }
    free(all.values);
    free(pieces.values);
    free(some.values);
    free(data);
    return 0;
}
