/* Decode any bytes as PFOR: all vectors at once and one by one give the same values or the same
 * error, in memory that is no larger than they are. Encode any bytes as integers, in memory of
 * exactly the bound: they can be decoded again. */
#include "encoding/pfor.h"
#include "outcome.h"

enum { MOST = 1 << 16 };

static outcome take(const uint8_t *data, size_t size, uint32_t width, uint64_t count, size_t room)
{
    outcome found = {.values = calloc(count ? count : 1, width)};
    pqx_pfor pfor;
    int status = pqx_pfor_begin(&pfor, width, data, size, count, &found.error);
    while (status == PQX_OK && pfor.left) {
        size_t taken, some = room > pfor.vector_size ? room : pfor.vector_size;
        if (some > pfor.left) some = (size_t)pfor.left;
        uint8_t *piece = malloc(some * width);
        status = pqx_pfor_take(&pfor, some, piece, &taken, &found.error);
        if (status == PQX_OK) CLAIM(taken && taken <= some);
        keep_piece(&found, status, piece, taken, width);
    }
    if (status == PQX_OK) found.end = pfor.at;
    CLAIM(found.end <= size);
    return found;
}

static void claim_alike(const uint8_t *data, size_t size, uint32_t width, uint64_t count)
{
    outcome all = take(data, size, width, count, MOST), single = take(data, size, width, count, 0);
    CLAIM(!memcmp(&all.error, &single.error, sizeof all.error) && all.end == single.end);
    if (all.error.code == PQX_OK) CLAIM(!memcmp(all.values, single.values, width * count));
    free(all.values);
    free(single.values);
}

static void claim_back(const uint8_t *data, size_t size, uint32_t width, uint32_t log)
{
    const int type = width == 4 ? PQX_PHYSICAL_INT32 : PQX_PHYSICAL_INT64;
    pqx_value_array given = {data, size, NULL, size / width};
    size_t bound = pqx_pfor_bound(width, given.count, log), written;
    uint8_t *page = malloc(bound);
    CLAIM(pqx_pfor_encode(type, &given, log, page, bound, &written, NULL) == PQX_OK);
    CLAIM(written <= PQX_PFOR_HEADER + (given.count + 7) / 8 * (8 + width) + size);
    page = realloc(page, written);
    outcome found = take(page, written, width, given.count, MOST);
    CLAIM(found.taken == given.count && found.end == written);
    CLAIM(!memcmp(found.values, data, given.count * width));
    free(found.values);
    free(page);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size), count = steering >> 8 & (MOST - 1);
    uint32_t width = steering & 1 ? 8 : 4;
    uint8_t *data = exact(input, size);
    if (steering & 2) claim_back(data, size, width, 3 + (steering >> 4 & 15) % 13);
    else claim_alike(data, size, width, count);
    free(data);
    return 0;
}
