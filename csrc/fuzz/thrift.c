/* Skip, walk, find, follow a path and check sizes in any bytes: every result is inside, and the
 * five agree with each other. */
#include "input.h"

static void walk(const uint8_t *data, size_t size, size_t expected_end)
{
    size_t at = 0;
    int16_t previous = 0;
    int more = 1;
    while (more) {
        pqx_field field;
        CLAIM(pqx_thrift_next(data, size, at, previous, 64, &field, &more, NULL) == PQX_OK);
        CLAIM(field.end > at && field.end <= size);
        if (more) CLAIM(field.header == at && field.value >= at && field.value <= field.end);
        at = field.end;
        previous = field.id;
    }
    CLAIM(at == expected_end);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    uint64_t steering = take_steering(input, &size);
    int type = (int)(steering & 15), depth = (int)(steering >> 8 & 0xff) % 70;
    int32_t steps[4];
    for (int i = 0; i < 4; i++) steps[i] = (int8_t)(steering >> (16 + 8 * i));
    uint8_t *data = exact(input, size);
    size_t end;
    pqx_error error;
    if (pqx_thrift_skip_within(data, size, 0, type, depth, &end, &error) == PQX_OK)
        CLAIM(end <= size);
    else CLAIM(error.code != PQX_OK);
    int is_struct = pqx_thrift_skip(data, size, 0, 12, &end, NULL) == PQX_OK;
    if (is_struct) walk(data, size, end);
    CLAIM((pqx_thrift_check_sizes(data, size, UINT32_MAX, UINT32_MAX, NULL) == PQX_OK)
          == is_struct);
    if (pqx_thrift_check_sizes(data, size, 3, 2, &error) != PQX_OK)
        CLAIM(error.offset < size || !is_struct);

    pqx_field field;
    int found;
    if (pqx_thrift_find(data, size, 0, (int16_t)steps[0], depth, &field, &found, &error) == PQX_OK
        && found)
        CLAIM(field.id == steps[0] && field.value <= field.end && field.end <= size);
    for (size_t count = 0; count <= 4; count++)
        if (pqx_thrift_path(data, size, 0, steps, count, depth, &field, &found, &error) == PQX_OK
            && found)
            CLAIM(field.value <= field.end && field.end <= size);
    free(data);
    return 0;
}
