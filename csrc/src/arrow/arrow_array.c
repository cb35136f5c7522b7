/* Build one array from the chunks of a leaf. */
#include <stdlib.h>

#include "arrow/arrow_arrays.h"

/* The memory of an array's buffers. */
typedef struct owned {
    const void *buffers[3];
    pqx_memory valid, values, offsets;
} owned;

static void free_owned(owned *memory)
{
    pqx_release(memory->valid.data);
    pqx_release(memory->values.data);
    pqx_release(memory->offsets.data);
    free(memory);
}

static void release_array(struct ArrowArray *array)
{
    free_owned((owned *)array->private_data);
    array->release = NULL;
}

/* Shorten integers of 4 bytes to their first `width` bytes. */
static void narrow(uint8_t *values, uint64_t count, size_t width)
{
    for (uint64_t i = 0; i < count; i++) memmove(values + i * width, values + i * 4, width);
}

/* Convert big-endian integers to the array's format, in separate memory. */
static int widen(const pqx_arrow_leaf *leaf, pqx_column_output *out)
{
    pqx_memory wide = {0};
    pqx_error error;
    const uint8_t *valid = out->nulls ? out->valid.data : NULL;
    uint32_t stored = (uint32_t)leaf->type_length;
    if (!pqx_grow(&wide, 0, (size_t)out->slots * PQX_ARROW_DECIMAL_BYTES + 1)) return 0;
    int is_done =
        !pqx_wide_integers(out->values.data, (size_t)out->slots * stored, NULL, out->slots, stored,
                           valid, PQX_ARROW_DECIMAL_BYTES, wide.data, &error);
    pqx_memory done_with = is_done ? out->values : wide;
    if (is_done) out->values = wide;
    pqx_release(done_with.data);
    return is_done;
}

/* Move the decoded buffers into an array. `out` is empty afterwards, also on failure. */
static int give_array(const pqx_arrow_leaf *leaf, pqx_column_output *out, struct ArrowArray *array)
{
    static const uint8_t nothing[8] = {0};
    int is_binary = leaf->type == PQX_PHYSICAL_BYTE_ARRAY;
    int is_made = leaf->form != PQX_ARROW_DECIMAL || widen(leaf, out);
    if (leaf->form == PQX_ARROW_BYTE) narrow(out->values.data, out->slots, 1);
    if (leaf->form == PQX_ARROW_SHORT) narrow(out->values.data, out->slots, 2);
    pqx_release(out->definition.data);
    pqx_release(out->repetition.data);
    owned *memory = (owned *)malloc(sizeof *memory);
    if (!memory || !is_made) {
        pqx_release(out->valid.data);
        pqx_release(out->values.data);
        pqx_release(out->offsets.data);
        free(memory);
        return 0;
    }
    *memory = (owned){.valid = out->valid, .values = out->values, .offsets = out->offsets};
    const void *values = out->values.data ? out->values.data : nothing;
    memory->buffers[0] = out->nulls ? out->valid.data : NULL;
    memory->buffers[1] = is_binary ? out->offsets.data : values;
    memory->buffers[2] = values;
    *array = (struct ArrowArray){.length = (int64_t)out->slots,
                                 .null_count = (int64_t)out->nulls,
                                 .n_buffers = is_binary ? 3 : 2,
                                 .buffers = memory->buffers,
                                 .release = release_array,
                                 .private_data = memory};
    return 1;
}

static int read_chunks(pqx_column *column, const pqx_arrow_chunk *chunks, size_t count,
                       pqx_unpacked *room)
{
    for (size_t i = 0; i < count; i++) {
        const pqx_arrow_chunk *chunk = chunks + i;
        const int64_t all[] = {0, (int64_t)chunk->rows};
        pqx_column_begin_chunk(column, chunk->rows, chunk->rows);
        if (!pqx_stored_chunk(column, chunk->data, chunk->size, chunk->codec,
                              chunk->counts ? chunk->counts : all, chunk->counts ? chunk->turns : 2,
                              room))
            return 0;
    }
    return 1;
}

/* Return the number of rows that are read of a chunk. */
static uint64_t rows_of(const pqx_arrow_chunk *chunk)
{
    uint64_t rows = 0;
    if (!chunk->counts) return chunk->rows;
    for (size_t turn = 1; turn < chunk->turns; turn += 2) rows += (uint64_t)chunk->counts[turn];
    return rows;
}

/* Decode the values of chunks, or compare them with `ranges`. */
static int decode(const pqx_arrow_leaf *leaf, const pqx_ranges *ranges,
                  const pqx_arrow_chunk *chunks, size_t count, uint64_t most_bytes,
                  pqx_unpacked *room, pqx_column_output *out)
{
    pqx_column_leaf read = {.type = leaf->type,
                            .type_length = leaf->type_length,
                            .max_definition = leaf->max_definition,
                            .is_strict = 1,
                            .most_bytes = most_bytes < INT32_MAX ? (uint32_t)most_bytes : INT32_MAX,
                            .ranges = ranges};
    pqx_column column;
    pqx_error error;
    for (size_t i = 0; i < count; i++) {
        read.rows += rows_of(chunks + i);
        read.stored += chunks[i].size;
    }
    if (leaf->form == PQX_ARROW_NONE || pqx_column_begin(&column, &read, &error)) return 0;
    int is_done =
        read_chunks(&column, chunks, count, room) && !pqx_column_take(&column, out, &error);
    pqx_column_free(&column);
    return is_done;
}

int pqx_arrow_array(const pqx_arrow_leaf *leaf, const pqx_arrow_chunk *chunks, size_t count,
                    uint64_t most_bytes, pqx_unpacked *room, struct ArrowArray *array,
                    uint64_t *bytes)
{
    pqx_column_output out;
    int is_made = decode(leaf, NULL, chunks, count, most_bytes, room, &out);
    *bytes = is_made ? out.bytes : 0;
    return is_made && give_array(leaf, &out, array);
}

int pqx_arrow_find(const pqx_arrow_leaf *leaf, const pqx_ranges *ranges, int accepts_null,
                   const pqx_arrow_chunk *chunks, size_t count, pqx_unpacked *room,
                   pqx_memory *bits)
{
    pqx_column_output out;
    if (!decode(leaf, ranges, chunks, count, 0, room, &out)) return 0;
    for (size_t i = 0; out.nulls && accepts_null && i < (out.slots + 7) / 8; i++)
        out.values.data[i] |= (uint8_t)~out.valid.data[i];
    *bits = out.values;
    pqx_release(out.valid.data);
    pqx_release(out.definition.data);
    pqx_release(out.repetition.data);
    pqx_release(out.offsets.data);
    return 1;
}
