/* Convert any bytes, cut into pieces, as stored values of any kind: Arrow's buffers have the
 * announced sizes, offsets ascend, and nulls are those whose bits are 0. */
#include "input.h"

enum { MOST = 40 };

/* Cut the bytes by their own values; an odd byte before a piece makes it a null. */
static size_t cut(const uint8_t *data, size_t size, uint32_t width, pqx_bytes *pieces)
{
    size_t count = 0;
    for (size_t at = 0; at < size && count < MOST; count++) {
        size_t left = size - ++at,
               length = data[at - 1] & 0x40 && width ? width : data[at - 1] % 48;
        if (length > left) length = left;
        pieces[count] = (pqx_bytes){data[at - 1] & 1 ? NULL : data + at, length};
        at += length;
    }
    return count;
}

static void check(const pqx_arrow_type *type, const pqx_arrow_values *found, size_t count,
                  uint64_t size)
{
    uint64_t nulls = 0;
    for (size_t i = 0; i < count; i++) nulls += !(found->valid[i / 8] >> i % 8 & 1);
    CLAIM(nulls == found->nulls && found->size <= size);
    if (type->width || type->reading == PQX_READING_BOOLEAN) return;
    for (size_t i = 0; i < count; i++) CLAIM(found->offsets[i] <= found->offsets[i + 1]);
    CLAIM((uint64_t)found->offsets[count] == found->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size), bytes;
    pqx_arrow_type type = {(uint32_t)(steering & 15), (uint32_t)(steering >> 8 & 15),
                           (uint32_t)(steering >> 16 & 63), (uint32_t)(steering >> 24 & 127)};
    uint8_t *data = exact(input, size);
    pqx_bytes pieces[MOST];
    size_t count = cut(data, size, type.stored, pieces);
    pqx_error error = {0};
    if (pqx_arrow_values_size(&type, pieces, count, &bytes, &error) == PQX_OK) {
        pqx_arrow_values found = {calloc(count / 8 + 1, 1), malloc(bytes ? bytes : 1),
                                  calloc(count + 1, sizeof(int32_t)), 0, 0};
        memset(found.values, 0, bytes);
        pqx_arrow_values_fill(&type, pieces, count, &found);
        check(&type, &found, count, bytes);
        free(found.valid);
        free(found.values);
        free(found.offsets);
    } else {
        CLAIM(error.code == PQX_BAD_ARGUMENT);
    }
    free(data);
    return 0;
}
