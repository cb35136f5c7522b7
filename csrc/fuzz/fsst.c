/* Decode any bytes as FSST: all values at once, in memory that is no larger than they are, and
 * each alone give the same values or the same error. Encode any bytes as texts, in memory of
 * exactly the bound: they can be decoded again. */
#include "encoding/fsst.h"
#include "input.h"

enum { MOST = 1 << 11, WIDTH = 5 };

/* All values in `room` bytes; how many they take, or SIZE_MAX. */
static size_t take(const pqx_fsst *begun, size_t count, int32_t *offsets, uint8_t *bytes,
                   size_t room, pqx_error *error)
{
    pqx_fsst fsst = *begun;
    size_t filled = 0;
    int status = pqx_fsst_take(&fsst, count, offsets, bytes, &filled, room, error);
    CLAIM(filled <= room);
    return status == PQX_OK ? filled : SIZE_MAX;
}

static void claim_alone(const pqx_fsst *begun, size_t count, const int32_t *ends,
                        const uint8_t *bytes)
{
    for (size_t i = 0; i < count; i += i / 8 + 1) {
        pqx_fsst fsst = *begun;
        size_t room, filled = 0, start = i ? (size_t)ends[i - 1] : 0;
        CLAIM(pqx_fsst_skip(&fsst, i, NULL) == PQX_OK);
        CLAIM(pqx_fsst_next_room(&fsst, &room, NULL) == PQX_OK);
        uint8_t *value = malloc(room ? room : 1);
        CLAIM(pqx_fsst_take(&fsst, 1, NULL, value, &filled, room, NULL) == PQX_OK);
        CLAIM(filled == (size_t)ends[i] - start && !memcmp(value, bytes + start, filled));
        free(value);
    }
}

static void claim_alike(const uint8_t *data, size_t size, size_t count, uint32_t width)
{
    pqx_fsst fsst;
    pqx_error error = {0};
    if (pqx_fsst_begin(&fsst, width, data, size, count, &error) != PQX_OK) return;
    size_t room = pqx_fsst_room(&fsst);
    int32_t *ends = calloc(count + 1, sizeof *ends);
    uint8_t *bytes = malloc(room ? room : 1);
    size_t filled = take(&fsst, count, ends, bytes, room, &error);
    if (filled == SIZE_MAX) {
        CLAIM(error.code != PQX_TOO_LARGE && error.offset <= size);
    } else {
        uint8_t *tight = malloc(filled ? filled : 1);
        CLAIM(take(&fsst, count, NULL, tight, filled, &error) == filled);
        CLAIM(!memcmp(bytes, tight, filled));
        if (filled) {
            CLAIM(take(&fsst, count, NULL, tight, filled - 1, &error) == SIZE_MAX);
            CLAIM(error.code == PQX_TOO_LARGE && error.expected == filled - 1);
        }
        free(tight);
        claim_alone(&fsst, count, ends, bytes);
    }
    free(bytes);
    free(ends);
}

/* Lengths are taken from the bytes themselves; offsets begin after the first of them. */
static size_t cut(const uint8_t *data, size_t size, int32_t *offsets)
{
    size_t count = 0, at = size ? data[0] % 4 % size : 0;
    for (offsets[0] = (int32_t)at; at < size && count < MOST; offsets[++count] = (int32_t)at) {
        size_t length = data[at] % 64;
        at += length < size - at ? length : size - at;
    }
    return count;
}

static void claim_back(const uint8_t *data, size_t size, int is_fixed)
{
    static int32_t offsets[MOST + 1], ends[MOST + 1];
    const int type = is_fixed ? PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY : PQX_PHYSICAL_BYTE_ARRAY;
    size_t count = is_fixed ? size / WIDTH : cut(data, size, offsets), written;
    size_t first = is_fixed ? 0 : (size_t)offsets[0];
    size_t bytes = (is_fixed ? count * WIDTH : (size_t)offsets[count]) - first;
    pqx_value_array given = {data, size, offsets, count};
    size_t bound = pqx_fsst_bound(count, bytes);
    uint8_t *page = malloc(bound), *back = malloc(bytes ? bytes : 1);
    CLAIM(pqx_fsst_encode(type, WIDTH, &given, page, bound, &written, NULL) == PQX_OK);
    page = realloc(page, written);
    pqx_fsst fsst;
    uint64_t said;
    CLAIM(pqx_fsst_count(page, written, &said, NULL) == PQX_OK && said == count);
    CLAIM(pqx_fsst_begin(&fsst, is_fixed ? WIDTH : 0, page, written, count, NULL) == PQX_OK);
    CLAIM(take(&fsst, count, is_fixed ? NULL : ends, back, bytes, NULL) == bytes);
    CLAIM(!memcmp(back, data + first, bytes));
    for (size_t i = 0; !is_fixed && i < count; i++)
        CLAIM((size_t)ends[i] == (size_t)offsets[i + 1] - first);
    free(page);
    free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size), count = steering >> 8 & (MOST - 1);
    int is_fixed = steering & 1;
    uint8_t *data = exact(input, size);
    if (steering & 2) claim_back(data, size, is_fixed);
    else claim_alike(data, size, count, is_fixed ? WIDTH : 0);
    free(data);
    return 0;
}
