/* Read the pages of a chunk as an Arrow array, twice, as two chunks of one leaf: it has as many
 * rows as both, and all memory is released. Steering bytes: type, width, flags, codec, rows,
 * most_bytes. */
#include "arrow/arrow_arrays.h"
#include "input.h"

enum { IS_OPTIONAL = 1, IS_NARROW = 2, IS_DECIMAL = 4, MOST_ROWS = 1 << 12 };

static void check(const struct ArrowArray *array, uint64_t rows, uint64_t bytes)
{
    CLAIM(array->length == (int64_t)rows && array->null_count <= array->length);
    CLAIM((array->null_count > 0) == (array->buffers[0] != NULL));
    if (array->n_buffers != 3) return;
    const int32_t *offsets = array->buffers[1];
    CLAIM(offsets[0] == 0 && (uint64_t)offsets[rows] == bytes);
    for (uint64_t i = 0; i < rows; i++) CLAIM(offsets[i] <= offsets[i + 1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t steering = take_steering(data, &size);
    uint8_t flags = steering >> 16 & 0xff, width = steering >> 8 & 0x1f;
    pqx_arrow_leaf leaf = {.type = (int32_t)(steering % 8),
                           .type_length = width,
                           .max_definition = flags & IS_OPTIONAL,
                           .form = PQX_ARROW_AS_IS};
    if (leaf.type == PQX_PHYSICAL_INT32 && flags & IS_NARROW)
        leaf.form = flags >> 7 ? PQX_ARROW_SHORT : PQX_ARROW_BYTE;
    if (leaf.type == PQX_PHYSICAL_FIXED_LEN_BYTE_ARRAY && flags & IS_DECIMAL)
        leaf.form = PQX_ARROW_DECIMAL;
    uint8_t *exactly = exact(data, size);
    uint64_t rows = (steering >> 32) % MOST_ROWS, bytes;
    pqx_arrow_chunk chunk = {exactly, size, rows, (int)(steering >> 24 & 1)},
                    both[] = {chunk, chunk};
    pqx_unpacked room = {0};
    struct ArrowArray array = {0};
    if (pqx_arrow_array(&leaf, both, 2, steering >> 44, &room, &array, &bytes)) {
        check(&array, 2 * rows, bytes);
        CLAIM(bytes <= steering >> 44);
        array.release(&array);
    }
    CLAIM(!array.release);
    pqx_unpacked_free(&room);
    free(exactly);
    return 0;
}
